"""What is remembered of tables has an end: a log of many wide tables, each again and again, in every form of output.

10,000 tables of 40 columns with BINLOGCLI_MANY_TABLES=10000; fewer without.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.logs import TimedLog
from support.program import COMMAND, peak_of

COUNT = int(os.environ.get("BINLOGCLI_MANY_TABLES", "3000"))
COLUMNS = 40
ROUNDS = 2
LIMIT = 64  # MiB


@pytest.fixture(scope="module")
def many_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    maker = TimedLog()
    for number in range(ROUNDS * COUNT):
        maker.insert(1000 + number, number + 1, number % COUNT + 1, COLUMNS)
    path = tmp_path_factory.mktemp("logs") / "tables.000001"
    path.write_bytes(maker.log)
    return path


@pytest.mark.parametrize(
    "options",
    [
        ("dump",),
        ("dump", "-vv"),
        ("dump", "--format", "json"),
        ("dump", "--format", "sql"),
        ("dump", "--format", "json", "--where", "@1 = 1", "--table", "shop.*"),
        ("hexdump", "--color", "never"),
    ],
    ids=" ".join,
)
def test_many_wide_tables(many_tables: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    assert peak_of([*COMMAND, *options, str(many_tables)], tmp_path / "output") <= LIMIT

"""What is remembered of tables has an end: many wide tables, each again and again, all in one statement, or defined.

10,000 tables of 40 columns with BINLOGCLI_MANY_TABLES=10000; fewer tables or columns without.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from binlogcli.cli.environment import compiled
from support.bodies import (
    BINARY,
    BLOB,
    LATIN1,
    LONG,
    LONGLONG,
    STRING,
    TINY,
    UTF8MB4,
    VARCHAR,
    WRITE_V1,
    charset,
    rows_event,
    table_map,
    u2,
    u4,
)
from support.hostile_logs import packed_rows_log, packed_statement_log, payload_log, wide_tables_log
from support.logs import TABLE_MAP, LogBuilder, TimedLog
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


OUTPUTS = pytest.mark.parametrize(
    "options",
    [
        ("dump",),
        ("dump", "-vv"),
        ("dump", "--format", "json"),
        ("dump", "--format", "sql"),
        ("dump", "--format", "json", "--where", "@1 = 1", "--table", "shop.*"),
        ("hexdump", "--color", "never"),
        ("stats", "--bucket", "1s", "--format", "json"),
    ],
    ids=" ".join,
)


@OUTPUTS
def test_many_wide_tables(many_tables: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    assert peak_of([*COMMAND, *options, str(many_tables)], tmp_path / "output") <= LIMIT


@pytest.fixture(scope="module")
def wide_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "wide.000001"
    wide_tables_log(60).write(path)
    return path


@OUTPUTS
def test_many_tables_of_4096_columns_in_one_statement(
    wide_tables: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert peak_of([*COMMAND, *options, str(wide_tables)], tmp_path / "output") <= LIMIT


KINDS = ("BIGINT UNSIGNED NOT NULL COMMENT 'number'", "VARCHAR(100) CHARACTER SET utf8mb4", "ENUM('new', 'paid')")
DEFINED = 40 if "BINLOGCLI_MANY_TABLES" in os.environ else 12  # columns


@pytest.fixture(scope="module")
def defined_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    maker = TimedLog()
    for number in range(10_000):
        columns = ", ".join(f"`column_{number}_{at}` {KINDS[at % 3]}" for at in range(DEFINED))
        maker.gtid(1000, 2 * number + 1, standalone=True)
        maker.query(1000, f"CREATE TABLE table_{number} (id INT PRIMARY KEY, {columns}, KEY k (`column_{number}_1`))")
        types = [LONG, *((LONGLONG, VARCHAR, STRING)[at % 3] for at in range(DEFINED))]
        metadata = b"".join((b"", u2(400), b"\xf7\1")[at % 3] for at in range(DEFINED))
        row = b"\1\0\0\0" + b"".join((b"\1" * 8, u2(1) + b"a", b"\1")[at % 3] for at in range(DEFINED))
        maker.gtid(1000, 2 * number + 2)
        named = table_map(types, metadata, table=f"table_{number}".encode(), table_id=number + 1)
        maker.place(TABLE_MAP, 1000, named)
        nulls = bytes((DEFINED + 8) // 8)
        maker.place(WRITE_V1, 1000, rows_event(DEFINED + 1, nulls + row, table_id=number + 1))
        maker.xid(1000, number)
    path = tmp_path_factory.mktemp("logs") / "defined.000001"
    maker.write(path)
    return path


@pytest.mark.skipif(not compiled(), reason="reading ten thousand statements takes long")
@pytest.mark.parametrize("options", [("dump", "--format", "json"), ("stats",), ("schema",)], ids=" ".join)
def test_ten_thousand_tables_that_the_log_defines(
    defined_tables: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert peak_of([*COMMAND, *options, str(defined_tables)], tmp_path / "output") <= LIMIT


SIZE = 48 if compiled() else 12  # MiB that an event decompresses to: a third copy of 48 is over the limit
CONTENT = SIZE << 20
CONTENT_LIMIT = 2 * SIZE + 64  # MiB: twice the content and what the program takes itself
GBK = 28  # a collation
PACKED = pytest.mark.parametrize(
    "build",
    [
        lambda: packed_statement_log(CONTENT),
        lambda: payload_log(CONTENT),
        lambda: packed_rows_log(b"\0" + u4(CONTENT) + b"a" * CONTENT, BLOB),
    ],
    ids=["statement", "payload", "value"],
)


@PACKED
@pytest.mark.parametrize(
    "options",
    [
        ("dump",),
        ("dump", "-vv"),
        ("dump", "--format", "json"),
        ("dump", "--format", "sql"),
        ("hexdump", "--color", "never"),
        ("hexdump", "--json"),
        ("stats",),
    ],
    ids=" ".join,
)
def test_content_of_compressed_events_is_written_in_windows(
    tmp_path: Path, build: Callable[[], LogBuilder], options: tuple[str, ...]
) -> None:
    path = tmp_path / "packed.000001"
    build().write(path)
    assert path.stat().st_size < CONTENT >> 8
    assert peak_of([*COMMAND, *options, str(path)], tmp_path / "output") <= CONTENT_LIMIT


@pytest.mark.parametrize(
    ("value", "collation"),
    [
        (b"\1", UTF8MB4),  # six bytes each in JSON
        (b"'", LATIN1),  # two in SQL
        (b"\xe9a", LATIN1),  # text that is decoded
        (b"\xff", GBK),  # no text there
        (b"\xff", BINARY),
    ],
    ids=["control", "quote", "latin1", "invalid", "binary"],
)
@pytest.mark.parametrize(
    "options",
    [("dump", "-vv"), ("dump", "--format", "json"), ("dump", "--format", "sql"), ("hexdump", "--json")],
    ids=" ".join,
)
def test_a_long_value_is_escaped_in_windows(
    tmp_path: Path, value: bytes, collation: int, options: tuple[str, ...]
) -> None:
    path = tmp_path / "packed.000001"
    row = b"\0" + u4(CONTENT) + value * (CONTENT // len(value))
    packed_rows_log(row, BLOB, charset(collation)).write(path)
    assert peak_of([*COMMAND, *options, str(path)], tmp_path / "output") <= CONTENT_LIMIT


@pytest.mark.parametrize(
    "options",
    [("dump", "-vv"), ("dump", "--format", "json"), ("dump", "--format", "sql"), ("hexdump", "--color", "never")],
    ids=" ".join,
)
def test_rows_of_a_compressed_event_are_written_in_windows(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "packed.000001"
    packed_rows_log(b"\0\1" * 100_000, TINY).write(path)
    assert peak_of([*COMMAND, *options, str(path)], tmp_path / "output") <= LIMIT

"""mysqlbinlog's options on a MySQL log: what its own tool made of it stands beside the log."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from support.golden import GOLDEN
from support.program import run

FOLDER = GOLDEN / "mysql-9.7" / "options"
LOG = FOLDER / "shop-bin.000001"
TEXTS: dict[str, list[str]] = {
    "default": [],
    "vv": ["-vv", "--base64-output=decode-rows"],
    **json.loads((FOLDER / "info.json").read_text())["texts"],
}


def without_places(text: bytes) -> list[bytes]:
    """The tool tells of what it leaves out where it stood."""
    return [line for line in text.split(b"\n") if not line.startswith(b"# at ")]


@pytest.mark.parametrize("name", TEXTS)
def test_an_option_does_what_it_does_in_mysqlbinlog(name: str) -> None:
    done = run("dump", *TEXTS[name], LOG)
    assert (done.returncode, done.stderr) == (0, b"")
    want = gzip.decompress(Path(f"{LOG}.{name}.txt.gz").read_bytes())
    if "--database" in " ".join(TEXTS[name]):
        assert without_places(done.stdout) == without_places(want)
    else:
        assert done.stdout.split(b"\n") == want.split(b"\n")


@pytest.mark.parametrize("log", ["mariadb-10.11/rows", "mysql-9.7/rows", "mysql-9.7/options"])
def test_rows_of_a_table_stay_in_their_transactions(log: str) -> None:
    """A statement that changes several tables ends with rows of the last one, which may not be chosen."""
    path = GOLDEN / log / "shop-bin.000001"
    whole = changes(path)
    tables = {table for transaction in whole for table in transaction}
    assert len(tables) > 1
    for table in tables:
        name = table.decode().split("INTO ")[-1].split("UPDATE ")[-1].split("FROM ")[-1].replace("`", "")
        own = [[line for line in transaction if line.endswith(table.split(b" ")[-1])] for transaction in whole]
        assert changes(path, "--table", name) == [rows for rows in own if rows]


def changes(path: Path, *options: str) -> list[list[bytes]]:
    """The first line of each change of a row, in the transactions of a log that have any."""
    parts = run("dump", "-v", *options, path).stdout.split(b"\nCOMMIT")
    found = [[line for line in part.split(b"\n") if line.startswith(b"### ") and b"`.`" in line] for part in parts]
    return [rows for rows in found if rows]

"""Names, signs, labels and keys that a log's own statements tell, in the output of the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

import pytest

from support.bodies import LONG, WRITE_V1, mariadb_gtid, query, rows_event, table_map, u4, u8
from support.logs import GTID_MARIADB, MARIADB, QUERY, TABLE_MAP, XID, LogBuilder
from support.program import run

INTEGERS = [LONG, LONG]
ROW = b"\0" + u4(5) + u4(6)


class DdlLog(LogBuilder):
    """A log of MariaDB without metadata: statements and rows in `shop`, each in a transaction of its own."""

    def __init__(self, *, first: int = 1, server_id: int = 101, started: bool = True) -> None:
        super().__init__(MARIADB)
        self.seq_no = first
        self.server_id = server_id
        self.describe(server_id=server_id, created=1 if started else 0)

    def statement(self, *texts: str, **fields: Any) -> Self:
        """Add statements."""
        for text in texts:
            self._begin(1).add(QUERY, query(text=text.encode(), **fields), server_id=self.server_id)
        return self

    def insert(
        self, types: list[int] | None = None, row: bytes = ROW, metadata: bytes = b"", *, table: bytes = b"t"
    ) -> Self:
        """Add a row of a table in `shop`."""
        types = types or INTEGERS
        self._begin(0).add(TABLE_MAP, table_map(types, metadata, table=table), server_id=self.server_id)
        self.add(WRITE_V1, rows_event(len(types), row), server_id=self.server_id)
        return self.add(XID, u8(self.seq_no), server_id=self.server_id)

    def _begin(self, flags: int) -> Self:
        self.seq_no += 1
        return self.add(GTID_MARIADB, mariadb_gtid(self.seq_no, flags), server_id=self.server_id)

    def at_path(self, path: Path) -> Path:
        """Write the log and return its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.write(path)
        return path


def events(*arguments: str | Path, status: int = 0) -> tuple[list[dict[str, Any]], str]:
    """Return the events of `dump --format json`, and what it says on stderr."""
    done = run("dump", "--format", "json", *arguments)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def rows(*arguments: str | Path, status: int = 0) -> tuple[list[list[str]], str]:
    """Return the names of the columns of each row, and what is said on stderr."""
    found, err = events(*arguments, status=status)
    bodies = [event["body"] for event in found if "rows" in event.get("body", {})]
    return [list(row["after"]) for body in bodies for row in body["rows"]], err


def origins(*arguments: str | Path) -> list[str | None]:
    """Return where the names of each table map are from."""
    found, _ = events("-E", "TABLE_MAP*", *arguments)
    return [event["body"].get("names_from") for event in found]


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "schema.sql"
    path.write_text("CREATE DATABASE shop; USE shop; CREATE TABLE t (p INT, q INT); CREATE TABLE u (r INT, s INT);")
    return path


def test_json_says_where_the_names_of_a_table_are_from(tmp_path: Path, schema: Path) -> None:
    log = DdlLog().insert().insert(table=b"u").statement("ALTER TABLE t RENAME COLUMN p TO x").insert()
    path = log.insert(table=b"u").at_path(tmp_path / "bin.000001")
    assert origins("--schema", schema, path) == ["schema", "schema", "ddl", "schema"]
    assert origins(path) == [None] * 4
    assert rows("--schema", schema, path)[0] == [["p", "q"], ["r", "s"], ["x", "q"], ["r", "s"]]
    done = run("dump", "--format", "json", "--schema", schema, "--schema-at", "end", path)
    assert b'"names_from": "schema"' in done.stdout

"""`binlogcli schema` at the end of random sessions: what the server shows then, read back by us and by the server.

BINLOGCLI_DDL_SESSIONS sets how many sessions there are; each has about forty statements.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from binlogcli.schema.dump_file import read_definitions
from binlogcli.schema.table import SchemaTable, sequence_table
from support.ddl_sessions import DdlSessions, copies_of_temporary_tables, with_charset
from support.live_mariadb import MariaServer, find_program, server_available
from support.program import run

SESSIONS = int(os.environ.get("BINLOGCLI_DDL_SESSIONS", "10"))
AVAILABLE = server_available() and find_program("mariadb-dump")
STILL_THERE = re.compile(rb"table .* still exists: the statement by which")  # which was of a temporary table


@pytest.fixture(scope="module")
def sessions() -> Iterator[DdlSessions]:
    with MariaServer(["--binlog-format=ROW"]) as server:
        yield DdlSessions(server)


def tables_of(path: Path) -> dict[str, SchemaTable]:
    """Return the tables of a schema file by name, with its sequences; nothing for a file without tables."""
    if b"CREATE TABLE" not in path.read_bytes():
        return {}
    warnings: list[str] = []
    found = {name[1]: table for name, table in read_definitions([str(path)], warnings).tables.items() if table}
    assert not warnings
    return found


def comparable(table: SchemaTable, *, labels: bool = True) -> tuple[object, ...]:
    """Return what the output promises to have of a table."""
    columns = table.declared if labels else tuple(replace(column, labels=()) for column in table.declared)
    return columns, table.keys, table.foreign_keys, table.charset, table.versioned, table.period


@pytest.mark.skipif(not AVAILABLE, reason="no MariaDB server here")
@pytest.mark.parametrize("seed", range(SESSIONS))
def test_the_end_of_a_random_session_is_what_the_server_shows(sessions: DdlSessions, seed: int, tmp_path: Path) -> None:
    log, dump = sessions.run(seed)
    done = run("schema", log)
    assert done.returncode == 0
    assert all(STILL_THERE.search(line) for line in done.stderr.splitlines()), done.stderr
    path = tmp_path / "schema.sql"
    path.write_bytes(done.stdout)
    shown, found = tables_of(dump), tables_of(path)
    unknown = {name for name in shown if f"-- `s`.{quoted(name)} is not known, since".encode() in done.stdout}
    assert found.keys() | unknown == shown.keys()
    assert len(unknown) <= 1
    whole = {}
    copies = copies_of_temporary_tables(log)
    for name, table in found.items():
        told = with_charset(table, shown[name]) if copies else table
        labels = all(column.labels for column in table.declared if column.type_name in {"enum", "set"})
        assert comparable(told, labels=labels) == comparable(shown[name], labels=labels)
        if told == table and is_whole(table) and table.declared != sequence_table().declared:
            whole[name] = table
    assert_executed(sessions, done.stdout, whole)


def is_whole(table: SchemaTable) -> bool:
    """Whether a server can run the statement: expressions are not kept, and labels of broken statements not known."""
    return not any(
        column.generated or (column.type_name in {"enum", "set"} and not column.labels) for column in table.declared
    )


def assert_executed(sessions: DdlSessions, statements: bytes, tables: dict[str, SchemaTable]) -> None:
    """Run the output on a server without the tables, and hold what this shows then against them."""
    if not tables:
        return
    unlogged = b"SET sql_log_bin = 0, sql_mode = '', explicit_defaults_for_timestamp = 1; DROP DATABASE s;\n"
    command = [*sessions.server.client(), "--force"]  # of a generated column the expression is not known
    done = subprocess.run(command, input=unlogged + statements, capture_output=True, check=False)
    shown = tables_of(sessions.dump("executed"))
    assert tables.keys() <= shown.keys(), done.stderr
    for name, table in tables.items():
        assert comparable(shown[name]) == comparable(table)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"

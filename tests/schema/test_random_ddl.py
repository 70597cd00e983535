"""Random statements on a real server: the definitions that they leave are those of its table maps, and what it shows.

BINLOGCLI_DDL_SESSIONS sets how many sessions there are; each has about forty statements.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.evidence import fitting
from binlogcli.schema.logged_statement import LoggedStatement, Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.show import create_table_statement, quoted
from binlogcli.schema.sql.tokens import Unreadable
from binlogcli.schema.table import SchemaTable
from support.ddl_sessions import COLLATIONS, MARIADB, copies_of_temporary_tables, history, with_charset
from support.live_mariadb import MariaServer, server_available
from support.random_ddl import DdlGenerator

SESSIONS = int(os.environ.get("BINLOGCLI_DDL_SESSIONS", "10"))


@pytest.fixture(scope="module")
def server() -> Iterator[MariaServer]:
    with MariaServer(["--binlog-format=ROW", "--binlog-row-metadata=FULL"]) as running:
        yield running


@pytest.mark.skipif(not server_available(), reason="no MariaDB server here")
@pytest.mark.parametrize("seed", range(SESSIONS))
def test_definitions_equal_the_table_maps_of_random_sessions(server: MariaServer, seed: int) -> None:
    text = DdlGenerator(seed).session()
    subprocess.run([*server.client(), "--force"], input=text.encode(), capture_output=True, check=False)
    definitions = Definitions()
    log = server.flush_logs()
    wrong, known, maps = compared(log, definitions)
    assert not wrong
    assert known >= 0.9 * maps
    copies = copies_of_temporary_tables(log)
    for name, shown in shown_tables(server).items():
        table = definitions.tables.get(("s", name))
        if table is None:
            continue
        told = with_charset(table, shown) if copies else table  # of a copied temporary table no statement tells it
        assert_equal(told, shown)
        if told == table:
            assert_equal(read_back(create_table_statement(table)), shown)


def shown_tables(server: MariaServer) -> dict[str, SchemaTable]:
    """Return the tables of the database as SHOW CREATE TABLE has them."""
    listed = "SELECT table_name FROM information_schema.tables WHERE table_schema = 's' AND table_type LIKE '%TABLE'"
    listed += " OR table_schema = 's' AND table_type = 'SYSTEM VERSIONED'"
    names = server.sql(listed).split("\n")[:-1]
    return {name: read_back(server.sql(f"SHOW CREATE TABLE {quoted(name)}", "s").partition("\t")[2]) for name in names}


def read_back(statement: str) -> SchemaTable:
    definitions = Definitions(complete=True)
    replay(statement, definitions, Session("s", dialect=MARIADB, collations=COLLATIONS))
    (table,) = definitions.tables.values()
    assert table is not None
    return table


def assert_equal(table: SchemaTable, shown: SchemaTable) -> None:
    """Hold a definition against the server's; labels that are not known differ from any."""
    assert len(table.declared) == len(shown.declared)
    for column, other in zip(table.declared, shown.declared, strict=True):
        assert (column if column.labels or not other.labels else replace(column, labels=other.labels)) == other
    assert table.keys == shown.keys
    assert table.foreign_keys == shown.foreign_keys
    assert (table.charset, table.versioned, table.period) == (shown.charset, shown.versioned, shown.period)
    assert table.application_period == shown.application_period


def compared(log: Path, definitions: Definitions) -> tuple[list[str], int, int]:
    """Return the table maps that a definition contradicts, and how many have one, and how many there are."""
    wrong: list[str] = []
    known = maps = copies = without_charset = 0
    for item in history(log):
        if isinstance(item, LoggedStatement):
            executed(item, definitions)
            copies += item.session.copies_temporary
            continue
        maps += 1
        table = known_table(item.definition, definitions)
        if table is None or len(table.columns) != len(item.definition.columns):
            continue  # not known, and so not used
        told = with_collations(table, item.definition) if copies else table
        known += 1
        without_charset += told != table
        if difference := contradiction(told, item.definition):
            wrong.append(f"{item.table} at {item.start}: {difference}")
    assert without_charset <= 0.6 * maps  # most sessions have no copy, and so none
    return wrong, known, maps


def known_table(definition: TableDefinition, definitions: Definitions) -> SchemaTable | None:
    """Return what is known of a table; its rows show that it is there, though RENAME of a temporary one names it."""
    name = (definition.database, definition.table)
    removal = definitions.uncertain.get(name)
    if removal is not None and name not in definitions.tables and fitting(removal.table, definition)[0] is not None:
        definitions.bring_back(name)
    return definitions.tables.get(name)


def with_collations(table: SchemaTable, definition: TableDefinition) -> SchemaTable:
    """Return a table with the collations of a table map where they are not known."""
    collations = [column.collation for column in definition.columns]
    columns = [
        column if column.collation is not None else replace(column, collation=number)
        for column, number in zip(table.declared, collations, strict=False)
    ]
    return replace(table, declared=tuple(columns))


def executed(statement: LoggedStatement, definitions: Definitions) -> None:
    try:
        replay(statement.text, definitions, statement.session)
    except Unreadable as error:
        pytest.fail(f"{error}: {statement.text!r}")


def contradiction(table: SchemaTable, definition: TableDefinition) -> str:
    """Return how a table map differs from the definition; empty where it does not."""
    for column, logged in zip(table.columns, definition.columns, strict=True):
        if column.name != logged.name or logged.code not in column.kinds:
            return f"{column} is {logged.name} {logged.code}"
        if logged.unsigned is not None and column.unsigned != logged.unsigned:
            return f"{column} has another sign"
        if logged.collation is not None and column.collation != logged.collation:
            return f"{column} has collation {logged.collation}"
        if column.labels and list(column.labels) != logged.label_texts(mariadb=True):
            return f"{column} has labels {logged.label_texts(mariadb=True)}"
    key = table.row_key([column.nullable for column in definition.columns])
    logged_key = tuple(place for place, _ in definition.optional.primary_key or ())
    return "" if key == logged_key else f"key {key} is {logged_key}"

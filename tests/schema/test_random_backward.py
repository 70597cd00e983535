"""A dump taken at the end of random sessions on a real server names the columns of their table maps, or says nothing.

BINLOGCLI_DDL_SESSIONS sets how many sessions there are; each has about forty statements.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy

import pytest

from binlogcli.events.tables import TableMap
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.backward.walk import walk_back
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.dump_file import read_schema
from binlogcli.schema.evidence import fitting
from binlogcli.schema.logged_statement import LoggedStatement
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.tokens import Unreadable
from binlogcli.schema.table import SchemaTable
from support.ddl_sessions import DdlSessions, history
from support.live_mariadb import MariaServer, find_program, server_available

SESSIONS = int(os.environ.get("BINLOGCLI_DDL_SESSIONS", "10"))


@pytest.fixture(scope="module")
def sessions() -> Iterator[DdlSessions]:
    with MariaServer(["--binlog-format=ROW", "--binlog-row-metadata=FULL"]) as running:
        yield DdlSessions(running)


@pytest.mark.skipif(not (server_available() and find_program("mariadb-dump")), reason="no MariaDB server here")
@pytest.mark.parametrize("begin", [0, 0.3, 0.6, 0.9])
def test_a_dump_of_the_end_names_the_columns_of_logs_that_begin_later(sessions: DdlSessions, begin: float) -> None:
    wrong: list[str] = []
    known = maps = 0
    for seed in range(SESSIONS):
        log, dump = sessions.run(seed)
        items = list(history(log))
        for definition, table in walked_back(items[int(begin * len(items)) :], read_schema(str(dump))):
            maps += 1
            found = fitting(table, without_metadata(definition))[0] if table else None
            if found is not None:
                known += all(column.name for column in found.columns)
                wrong += [f"{seed}: {definition.table}: {difference}" for difference in differences(found, definition)]
    assert not wrong
    assert known >= 0.8 * maps  # of the others most are dropped before the end


def walked_back(
    items: Sequence[LoggedStatement | TableMap], end: Sequence[SchemaTable]
) -> Iterator[tuple[TableDefinition, SchemaTable | None]]:
    """Yield each table map with what is known of its table by the definitions at the end."""
    definitions = Definitions()
    for table in end:
        definitions.put((table.database, table.table), table)
    statements = [item for item in items if isinstance(item, LoggedStatement)]
    past = walk_back(definitions, statements)
    definitions = past.start
    done = 0
    for item in items:
        if isinstance(item, TableMap):
            yield item.definition, definitions.tables.get((item.database, item.table))
            continue
        with suppress(Unreadable):  # it builds on what is not known
            replay(item.text, definitions, item.session)
        for name, table in past.after(done).items():
            definitions.put(name, table)
        done += 1


def without_metadata(definition: TableDefinition) -> TableDefinition:
    """Return the table map as it would be with binlog_row_metadata=NO_LOG."""
    made = copy(definition)
    made.columns = [column.copy() for column in definition.columns]
    for column in made.columns:
        column.name, column.unsigned, column.collation, column.labels = "", None, None, None
    return made


def differences(table: SchemaTable, definition: TableDefinition) -> Iterator[str]:
    """Yield what is known of a table's columns and is not so in the table map.

    Columns that are gone may be in other letters: statements need not spell them as the table does.
    """
    for column, logged in zip(table.columns, definition.columns, strict=True):
        if column.name.lower() not in ("", logged.name.lower()):
            yield f"{column} is {logged.name}"
        if None not in (column.unsigned, logged.unsigned) and column.unsigned != logged.unsigned:
            yield f"{column} has another sign"
        if None not in (column.collation, logged.collation) and column.collation != logged.collation:
            yield f"{column} has collation {logged.collation}"
    key = table.row_key([column.nullable for column in definition.columns])
    logged_key = tuple(place for place, _ in definition.optional.primary_key or ())
    if key != logged_key and (key or table.is_exact):
        yield f"key {key} is {logged_key}"

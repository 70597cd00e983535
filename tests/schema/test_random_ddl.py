"""Random statements on a real server: the definitions that they leave are those of its table maps.

BINLOGCLI_DDL_SESSIONS sets how many sessions there are; each has about forty statements.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import binlogcli
from binlogcli.events.event import Event
from binlogcli.events.statements import Query
from binlogcli.events.tables import TableMap
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.charsets import Collations
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.replay import Session, replay
from binlogcli.schema.table import SchemaTable
from binlogcli.schema.tokens import Dialect, Unreadable
from support.live_mariadb import MariaServer, server_available
from support.random_ddl import DdlGenerator

SESSIONS = int(os.environ.get("BINLOGCLI_DDL_SESSIONS", "10"))
COLLATIONS = Collations(mariadb=True)


@pytest.fixture(scope="module")
def server() -> Iterator[MariaServer]:
    with MariaServer(["--binlog-format=ROW", "--binlog-row-metadata=FULL"]) as running:
        yield running


@pytest.mark.skipif(not server_available(), reason="no MariaDB server here")
@pytest.mark.parametrize("seed", range(SESSIONS))
def test_definitions_equal_the_table_maps_of_random_sessions(server: MariaServer, seed: int) -> None:
    text = DdlGenerator(seed).session()
    subprocess.run([*server.client(), "--force"], input=text.encode(), capture_output=True, check=False)
    wrong, known, maps = compared(server.flush_logs())
    assert not wrong
    assert known >= 0.9 * maps


def compared(log: Path) -> tuple[list[str], int, int]:
    """Return the table maps that a definition contradicts, and how many have one, and how many there are."""
    definitions = Definitions()
    wrong: list[str] = []
    known = maps = 0
    with binlogcli.open(str(log)) as events:
        for event in events:
            if isinstance(event, Query) and event.text not in {"BEGIN", "COMMIT"}:
                executed(event, definitions)
            elif isinstance(event, TableMap) and event.database == "s":
                maps += 1
                table = definitions.tables.get((event.database, event.table))
                if table is None or len(table.columns) != len(event.definition.columns):
                    continue  # not known, and so not used
                known += 1
                if difference := contradiction(table, event.definition):
                    wrong.append(f"{event.table} at {event.start}: {difference}")
    return wrong, known, maps


def executed(event: Event, definitions: Definitions) -> None:
    assert isinstance(event, Query)
    session = Session(
        event.db,
        event.thread_id,
        Dialect(mariadb=True, version=101100),
        COLLATIONS,
        COLLATIONS.of_number(event.status.collation_server),
        failed=event.error_code != 0,
    )
    try:
        replay(event.text or "", definitions, session)
    except Unreadable as error:
        pytest.fail(f"{error}: {event.text}")


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

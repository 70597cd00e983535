"""Logs of random sessions of a real server are read without their metadata: the statements tell nothing wrong.

BINLOGCLI_DDL_SESSIONS sets how many sessions there are; each has about forty statements, between rows.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import binlogcli
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names.column_types import ENUM, SET
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.schema.catalog import Catalog
from support.hidden_metadata import without_metadata
from support.live_mariadb import MariaServer, server_available
from support.random_ddl import DdlGenerator

SESSIONS = int(os.environ.get("BINLOGCLI_DDL_SESSIONS", "10"))


@pytest.fixture(scope="module")
def server() -> Iterator[MariaServer]:
    options = ["--binlog-format=ROW", "--binlog-row-metadata=FULL", "--binlog-checksum=CRC32"]
    with MariaServer(options) as running:
        yield running


@pytest.mark.skipif(not server_available(), reason="no MariaDB server here")
@pytest.mark.parametrize("seed", range(1000, 1000 + SESSIONS))
def test_the_log_alone_tells_nothing_wrong(server: MariaServer, seed: int, tmp_path: Path) -> None:
    text = DdlGenerator(seed).session()
    subprocess.run([*server.client(), "--force"], input=text.encode(), capture_output=True, check=False)
    log = server.flush_logs()
    hidden = tmp_path / log.name
    hidden.write_bytes(without_metadata(log.read_bytes(), checksums=True))
    wrong, known, maps = compared(log, hidden)
    assert not wrong
    assert known >= 0.9 * maps


def compared(log: Path, hidden: Path) -> tuple[list[str], int, int]:
    """Return what is wrong in the table maps and rows of the log without metadata; how many of its maps have names."""
    wrong = []
    known = maps = 0
    for told, found in zip(binlogcli.open(str(log)), binlogcli.open(str(hidden), schema=Catalog()), strict=True):
        if isinstance(told, TableMap) and isinstance(found, TableMap) and told.database == "s":
            maps += 1
            if found.definition.names_from:
                known += all(a.collation is None or b.collation is not None for a, b in pairs_of(told, found))
                wrong += [f"{told.table}.{a.name} at {told.start}" for a, b in pairs_of(told, found) if not equal(a, b)]
        elif isinstance(told, Rows) and isinstance(found, Rows) and is_known(found):
            wrong += [f"rows at {told.start}"] if told.as_dict()["rows"] != found.as_dict()["rows"] else []
    return wrong, known, maps


def pairs_of(told: TableMap, found: TableMap) -> list[tuple[ColumnInfo, ColumnInfo]]:
    return list(zip(told.definition.columns, found.definition.columns, strict=True))


def equal(told: ColumnInfo, found: ColumnInfo) -> bool:
    """Whether a column is what the log told of it.

    Labels may be unknown that the server has put others for, and the collation in a table that MariaDB made LIKE a
    temporary one: its statement leaves out the character set.
    """
    if found.labels is not None and found.labels != told.labels:
        return False
    if found.collation not in (None, told.collation):
        return False
    return (told.name, told.unsigned) == (found.name, found.unsigned)


def is_known(event: Rows) -> bool:
    """Whether all of the columns of the rows is known, labels too."""
    if event.plan is None or event.plan.definition.names_from != "ddl":
        return False
    labelled = [column for column in event.plan.definition.columns if column.code in (ENUM, SET)]
    return all(column.labels is not None for column in labelled)

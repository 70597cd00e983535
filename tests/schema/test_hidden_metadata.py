"""Logs with full metadata of their tables are read as if they had none: the statements in them tell the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import binlogcli
from binlogcli.events.event import Event
from binlogcli.events.tables import Rows, TableMap
from binlogcli.log.gaps import Damage
from binlogcli.schema.catalog import Catalog
from support.corpus import CORPUS
from support.golden import GOLDEN
from support.hidden_metadata import without_metadata

CANDIDATES = [*GOLDEN.glob("m*/*/*.[0-9]*"), *CORPUS.glob("*/*/*.[0-9]*")]


def described(path: Path) -> bool:
    """Whether the log is plain and sound, and its table maps have the names of columns."""
    with path.open("rb") as file:
        if file.read(4) != b"\xfebin":
            return False
    with binlogcli.open(str(path)) as log:
        maps = [one for one in log if isinstance(one, TableMap | Damage)]
    whole = not any(isinstance(one, Damage) for one in maps)
    return whole and any(isinstance(one, TableMap) and one.definition.named for one in maps)


LOGS = [path for path in sorted(CANDIDATES) if described(path)]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}-{path.name}")
def test_the_statements_tell_what_the_metadata_tells(path: Path, tmp_path: Path) -> None:
    hidden = tmp_path / path.name
    checksums = any(event.crc32 is not None for event in list(events_of(path))[1:])
    hidden.write_bytes(without_metadata(path.read_bytes(), checksums=checksums))
    catalog = Catalog()
    found = 0
    for told, replayed in zip(events_of(path), events_of(hidden, catalog), strict=True):
        if isinstance(told, TableMap) and told.definition.named:
            assert isinstance(replayed, TableMap)
            assert metadata_of(replayed) == metadata_of(told)
            assert replayed.definition.names_from == "ddl"
            found += 1
        elif isinstance(told, Rows):
            assert replayed.as_dict() == told.as_dict()
    assert found
    assert not catalog.remarks()


def metadata_of(event: TableMap) -> object:
    """Return what optional metadata can tell of a table."""
    described = event.definition.as_dict()
    return described["columns"], described.get("primary_key")


def events_of(path: Path, catalog: Catalog | None = None) -> Iterator[Event]:
    """Yield the events of a sound log."""
    for event in binlogcli.open(str(path), schema=catalog):
        assert isinstance(event, Event)
        yield event

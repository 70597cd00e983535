"""Every byte of every event has a name: the noted fields tile the event exactly, without gap and without overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from binlogcli.binary.fields import Field
from binlogcli.errors import BinlogError
from binlogcli.events.again.noted import EventNoter
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.log.gaps import Damage
from support.corpus import CORPUS
from support.golden import GOLDEN

PLACES = (GOLDEN, CORPUS)
MAGICS = (b"\xfebin", b"\xfdbin")


def logs() -> list[Path]:
    found = []
    for place in PLACES:
        for path in sorted(place.rglob("*")) if place.is_dir() else ():
            if path.is_file() and path.open("rb").read(4) in MAGICS:
                found.append(path)  # noqa: PERF401 - reads better
    return found


def name_of(path: Path) -> str:
    return str(path.relative_to(next(place for place in PLACES if place in path.parents)))


def assert_tiled(fields: list[Field], start: int, end: int, whole: str) -> None:
    """The leaves tile [start, end), and every group ends where its own leaves do; the same in all content below."""
    pos = start
    for field in fields:
        if field.derived:
            continue
        assert field.start == pos, f"{whole}: {field.name} begins at {field.start}, the field before ends at {pos}"
        pos = field.end
        below = [child for child in field.children if not child.derived]
        if below:
            assert_tiled(below, field.start, field.end, f"{whole}.{field.name}")
        for content in field.contents():
            assert_tiled(content.children, content.start, content.end, f"{whole}.{field.name} content")
    assert pos == end, f"{whole}: the fields end at {pos}, not at {end}"


def noted(log: Log) -> Iterator[tuple[Event, list[Field]]]:
    """Each event with its fields, damaged ones too."""
    noter = EventNoter()
    for item in log:
        event = item if isinstance(item, Event) else log.stream.broken if isinstance(item, Damage) else None
        if event is not None and event.start == item.start and event.within == getattr(item, "within", None):
            noter.note(event, log.stream.context)
            yield event, noter.notes.tree()


@pytest.mark.parametrize("path", logs(), ids=name_of)
def test_fields_tile_each_event(path: Path) -> None:
    """Whole or damaged, the event's bytes are all named, and exactly once."""
    try:
        with Log(str(path)) as log:
            for event, fields in noted(log):
                assert_tiled(fields, event.at, event.at + event.length, f"{event.type} at {event.start}")
    except BinlogError:
        pytest.skip("cannot be read without its key")


def test_hardly_any_byte_is_unknown() -> None:
    """Bytes that nobody can name are less than one in a thousand over all logs."""
    sizes: Counter[str] = Counter()
    for path in logs():
        try:
            with Log(str(path)) as log:
                for _, fields in noted(log):
                    for root in fields:
                        for leaf in root.leaves():
                            sizes[str(leaf.name)] += leaf.end - leaf.start
        except BinlogError:
            continue
    assert sizes["unknown"] * 1000 <= sizes.total()

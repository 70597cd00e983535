"""Logs read from memory, in chunks of any size: their events, their damage, their lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.log.gaps import Damage
from binlogcli.render.ndjson.events import JsonLines

Items = list[Any]  # events of any class, damage, padding


class MemorySource:
    """A source over bytes that returns at most `chunk` of them per read; a stream has no size."""

    seekable = False
    remark = ""

    def __init__(self, data: bytes, *, chunk: int = 1 << 20, stream: bool = False) -> None:
        self.name = "memory"
        self.size = None if stream else len(data)
        self.data = data
        self.chunk = chunk
        self.at = 0

    def read(self, size: int) -> bytes:
        piece = self.data[self.at : self.at + min(size, self.chunk)]
        self.at += len(piece)
        return piece

    def head(self, size: int) -> bytes:
        return self.data[:size]

    def seek(self, offset: int) -> None:
        self.at = offset

    def close(self) -> None:
        pass

    def __enter__(self) -> MemorySource:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


def stream_of(
    data: bytes, *, chunk: int = 1 << 20, stream: bool = False, verify: bool = True, max_event_size: int = 1 << 30
) -> EventStream:
    """Open an event stream over bytes; `stream` hides their size."""
    options = ReadOptions(verify=verify, max_event_size=max_event_size)
    return EventStream(MemorySource(data, chunk=chunk, stream=stream), options)


def read(data: bytes, **options: Any) -> Items:
    """Return all items of a log: events, damage, padding."""
    return list(stream_of(data, **options))


def events(items: Items) -> Items:
    """Return the events of a reading."""
    return [item for item in items if isinstance(item, Event)]


def gaps(items: Items) -> list[Damage]:
    """Return the damage of a reading."""
    return [item for item in items if isinstance(item, Damage)]


def places(items: Items) -> Iterator[tuple[str, int, int]]:
    """Yield the kind, start and end of each item."""
    for item in items:
        yield (item.type if isinstance(item, Event) else type(item).__name__.lower(), item.start, item.end)


def json_lines(data: bytes) -> tuple[list[bytes], list[Damage]]:
    """Return the JSON lines of a log, and the damage reported while they were written."""
    out = TextBuffer()
    lines = JsonLines(out)
    lines.name_file("memory")
    told = []
    for item in stream_of(data):
        if isinstance(item, Event):
            told.append(lines.put_event(item))
        elif isinstance(item, Damage):
            lines.put_damage(item)
            told.append(item)
    return bytes(out.content()).splitlines(), [damage for damage in told if damage is not None]

"""What is damage of an event: decided here, for all commands, the Python API and to-parquet.

* Bytes that are no event: found by `log.framer`.
* A body that does not decode: found by `events.stream`, which drops the event.
* Rows: the first one that cannot be read, and all bytes after it; rows whose table map is missing, or does not tell
  enough to read them; a value of known size that cannot be read, such as a JSON document. The event is sound, and so
  are the rows before; whoever reads its rows reports `rows_damage`. Counting rows by their widths (`stats`) finds all
  of this but illegal values.
"""

from __future__ import annotations

from binlogcli.errors import DecodeError, undecodable
from binlogcli.events.event import Event
from binlogcli.log.gaps import Damage
from binlogcli.names.event_types import QUERY_EVENT
from binlogcli.rows.column import Sink

_TYPE_AT, _SIZE_AT, _SIZE_END = 4, 9, 13  # in an event's header
_BETWEEN_WORDS = (b" ", b"\n", b"\t", b",", b"(", b")")


def damage_in(event: Event, error: Exception) -> Damage:
    """Return the damage that covers the whole event: its type, and why it, or something in it, cannot be read."""
    found = undecodable(error)
    return Damage(event.start, event.end, f"{event.type}: {found}", found.hint, event.within)


def rows_damage(event: Event, error: Exception | None, sink: Sink) -> Damage | None:
    """Return the damage of an event whose rows were read into a sink, None if there is none.

    `error` ended the reading early; without it, what counts is the first value that could not be read.
    """
    if error is None:
        return damage_in(event, DecodeError(sink.problem)) if sink.problem else None
    return damage_in(event, error)


def cut_statement(data: bytes, header: int, trailer: int) -> bytes:
    """Return the first bytes of a statement's event that is cut off, as an event that ends with the last whole word.

    `header` and `trailer` are the sizes of an event's header and checksum. Nothing for what is not such an event.
    """
    if header < _SIZE_END or len(data) < header or data[_TYPE_AT] != QUERY_EVENT:
        return b""
    if int.from_bytes(data[_SIZE_AT:_SIZE_END], "little") <= len(data):
        return b""
    end = max(data.rfind(mark) for mark in _BETWEEN_WORDS)
    if end < header:
        return b""
    size = end + trailer
    return data[:_SIZE_AT] + size.to_bytes(_SIZE_END - _SIZE_AT, "little") + data[_SIZE_END:end] + bytes(trailer)

"""The protocol's own encodings of numbers, bytes and texts, read from a cursor and noted as one field each.

All raise `EndOfEvent` if the payload ends inside the field.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, EndOfEvent

_LENENC_SIZES = {0xFC: 2, 0xFD: 3, 0xFE: 8}  # first byte of a length-encoded number: bytes that follow


def lenenc_number(fields: Cursor, name: str) -> int:
    """Read a length-encoded number of up to 64 bits."""
    start = fields.pos
    value = _lenenc(fields, name)
    fields.note(name, start, value)
    return value


def lenenc_bytes(fields: Cursor, name: str) -> bytes:
    """Read bytes after their length-encoded size."""
    start = fields.pos
    value = quiet_lenenc_bytes(fields, name)
    fields.note(name, start, value)
    return value


def lenenc_text(fields: Cursor, name: str) -> str:
    """Read text after its length-encoded size in bytes."""
    start = fields.pos
    value = text_of(quiet_lenenc_bytes(fields, name))
    fields.note(name, start, value)
    return value


def short_bytes(fields: Cursor, name: str) -> bytes:
    """Read bytes after one byte that holds their size."""
    start = fields.pos
    value = _next(fields, name, _next(fields, name, 1)[0])
    fields.note(name, start, value)
    return value


def short_text(fields: Cursor, name: str) -> str:
    """Read text after one byte that holds its size in bytes."""
    start = fields.pos
    value = text_of(_next(fields, name, _next(fields, name, 1)[0]))
    fields.note(name, start, value)
    return value


def nul_text(fields: Cursor, name: str) -> str:
    """Read text up to a NUL, which belongs to the field, or to the end of the payload."""
    if fields.data.find(b"\0", fields.pos) >= 0:
        return fields.nul_text(name)
    return rest_text(fields, name)


def rest_text(fields: Cursor, name: str) -> str:
    """Read the rest of the payload as text."""
    return fields.text(name, fields.left())


def quiet_lenenc_bytes(fields: Cursor, name: str) -> bytes:
    """Read bytes after their length-encoded size without noting them."""
    return _next(fields, name, _lenenc(fields, name))


def text_of(data: bytes) -> str:
    """Return a name as the protocol sends it; bytes that are not UTF-8 can be had back (surrogateescape)."""
    return data.decode("utf-8", "surrogateescape")


def _next(fields: Cursor, name: str, size: int) -> bytes:
    if size > fields.left():  # also of what no machine's number holds
        raise EndOfEvent(name, size, fields.left())
    at = fields.need(name, size)
    return fields.data[at : at + size]


def _lenenc(fields: Cursor, name: str) -> int:
    first = _next(fields, name, 1)[0]
    if first < 0xFB:
        return first
    if first not in _LENENC_SIZES:
        raise DecodeError(f"{name} is not a number: it starts with 0x{first:02x}")
    return int.from_bytes(_next(fields, name, _LENENC_SIZES[first]), "little")

"""Events whose printed bytes differ from the log's: decompressed rows, and events with another database name."""

from __future__ import annotations

import zlib

from binlogcli.events.load import ExecuteLoadQuery
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names.event_types import WRITE_ROWS_COMPRESSED_EVENT, WRITE_ROWS_EVENT, WRITE_ROWS_EVENT_V1

_HEADER_SIZE = 19
_QUERY_HEAD, _LOAD_HEAD = 32, 13  # bytes before a statement's status variables; more of them with LOAD DATA


def unpacked_size(event: Rows) -> int:
    """Return the length of the event that `unpacked_rows` makes."""
    return event.packed_at - event.at + event.rows_end - event.rows_start + event.at + event.length - event.body_end


def unpacked_rows(event: Rows) -> bytes:
    """Return a compressed rows event as the plain event of its kind, with length and checksum made anew."""
    first = WRITE_ROWS_EVENT if event.type_code >= WRITE_ROWS_COMPRESSED_EVENT else WRITE_ROWS_EVENT_V1
    raw = event.data
    rows = event.row_data[event.rows_start : event.rows_end]
    head = raw[event.at : event.packed_at]
    trailer = event.at + event.length - event.body_end
    changed = bytearray(head)
    changed[4] = first + event.operation
    changed[9:13] = unpacked_size(event).to_bytes(4, "little")
    checksum = zlib.crc32(rows, zlib.crc32(changed)).to_bytes(4, "little") if trailer == 4 else b""
    return b"".join((changed, rows, checksum))


def checksummed(raw: bytes) -> bytes:
    """Return an event with a CRC-32 added and its length adapted."""
    head, rest = _longer(raw)
    return b"".join((head, rest, checksum_of(raw).to_bytes(4, "little")))


def checksum_of(raw: bytes | memoryview) -> int:
    """Return the CRC-32 that `checksummed` adds to an event."""
    head, rest = _longer(raw)
    return zlib.crc32(rest, zlib.crc32(head))


def _longer(raw: bytes | memoryview) -> tuple[bytearray, memoryview]:
    """Return the header of an event with the length that it has with a checksum, and the event's other bytes."""
    head = bytearray(raw[:_HEADER_SIZE])
    head[9:13] = (len(raw) + 4).to_bytes(4, "little")
    return head, memoryview(raw)[_HEADER_SIZE:]


def renamed(raw: bytes, event: Query | TableMap, database: str) -> bytes:
    """Return the bytes `raw` of an event without a checksum with another database name."""
    return renamed_map(raw, event, database) if isinstance(event, TableMap) else _renamed_query(raw, event, database)


def _renamed_query(raw: bytes, event: Query, database: str) -> bytes:
    """Return the bytes of a QUERY_EVENT with another default database; unchanged where the layout is unknown."""
    old = event.db.encode("utf-8", "surrogateescape") + b"\0"
    new = database.encode("utf-8", "surrogateescape") + b"\0"
    at = _QUERY_HEAD + int.from_bytes(raw[_QUERY_HEAD - 2 : _QUERY_HEAD], "little")
    if isinstance(event, ExecuteLoadQuery):
        at += _LOAD_HEAD
    if raw[at : at + len(old)] != old:  # a layout that no known server writes
        return raw
    data = bytearray(raw[:at] + new + raw[at + len(old) :])
    data[_QUERY_HEAD - 5] = len(new) - 1
    data[9:13] = len(data).to_bytes(4, "little")
    return bytes(data)


def renamed_map(raw: bytes, event: TableMap, database: str) -> bytes:
    """Return the bytes of a table map with another database; a checksum is not renewed, as MariaDB's tool does."""
    old = event.database.encode("utf-8", "surrogateescape")
    new = database.encode("utf-8", "surrogateescape")
    at = event.body_start - event.at
    while raw[at : at + 1 + len(old)] != bytes([len(old)]) + old:  # skip a table id of four or six bytes, and the flags
        at += 1
    data = bytearray(raw[:at] + bytes([len(new)]) + new + raw[at + 1 + len(old) :])
    data[9:13] = len(data).to_bytes(4, "little")
    return bytes(data)

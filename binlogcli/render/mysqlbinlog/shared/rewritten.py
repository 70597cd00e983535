"""Events whose printed bytes differ from the log's: decompressed rows, and events with another database name."""

from __future__ import annotations

import zlib

from binlogcli.events.load import ExecuteLoadQuery
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names.event_types import WRITE_ROWS_COMPRESSED_EVENT, WRITE_ROWS_EVENT, WRITE_ROWS_EVENT_V1

_QUERY_HEAD, _LOAD_HEAD = 32, 13  # bytes before a statement's status variables; more of them with LOAD DATA


def unpacked_rows(event: Rows) -> bytes:
    """Return a compressed rows event as the plain event of its kind, with length and checksum made anew."""
    first = WRITE_ROWS_EVENT if event.type_code >= WRITE_ROWS_COMPRESSED_EVENT else WRITE_ROWS_EVENT_V1
    raw = event.data
    rows = event.row_data[event.rows_start : event.rows_end]
    head = raw[event.at : event.packed_at]
    trailer = event.at + event.length - event.body_end
    length = len(head) + len(rows) + trailer
    data = bytearray(head + rows)
    data[4] = first + event.operation
    data[9:13] = length.to_bytes(4, "little")
    if trailer == 4:
        data += zlib.crc32(data).to_bytes(4, "little")
    return bytes(data)


def checksummed(raw: bytes) -> bytes:
    """Return an event with a CRC-32 added and its length adapted."""
    data = bytearray(raw)
    data[9:13] = (len(raw) + 4).to_bytes(4, "little")
    data += zlib.crc32(data).to_bytes(4, "little")
    return bytes(data)


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

"""Events whose bytes in the text are not those of the log: what is compressed is printed as if it were not."""

from __future__ import annotations

import zlib

from binlogcli.events.event import Event
from binlogcli.events.tables import Rows, TableMap

FIRST_COMPRESSED, LAST_COMPRESSED = 166, 171
FIRST_PLAIN_V1, FIRST_PLAIN_V2 = 23, 30


def unpacked_rows(event: Rows) -> bytes:
    """The bytes that a compressed rows event would have without compression."""
    number = event.type_code - FIRST_COMPRESSED
    code = FIRST_PLAIN_V1 + number if number < 3 else FIRST_PLAIN_V2 + number - 3
    raw = event.data
    rows = event.row_data[event.rows_start : event.rows_end]
    head = raw[event.at : event.packed_at]
    trailer = event.at + event.length - event.body_end
    length = len(head) + len(rows) + trailer
    data = bytearray(head + rows)
    data[4] = code
    data[9:13] = length.to_bytes(4, "little")
    if trailer == 4:
        data += zlib.crc32(data).to_bytes(4, "little")
    return bytes(data)


def event_of_payload(event: Event, *, checksum: bool) -> bytes:
    """The bytes that the tool makes of an event inside a compressed transaction: with a checksum, if logs have them."""
    raw = event.data[event.at : event.at + event.length]
    if not checksum:
        return raw
    data = bytearray(raw)
    data[9:13] = (len(raw) + 4).to_bytes(4, "little")
    data += zlib.crc32(data).to_bytes(4, "little")
    return bytes(data)


def renamed_map(raw: bytes, event: TableMap, database: str) -> bytes:
    """The bytes of a table map with another database; the checksum stays what it was, as the tools leave it."""
    old = event.database.encode("utf-8", "surrogateescape")
    new = database.encode("utf-8", "surrogateescape")
    at = event.body_start - event.at
    while raw[at : at + 1 + len(old)] != bytes([len(old)]) + old:  # the table's id has four bytes or six
        at += 1
    data = bytearray(raw[:at] + bytes([len(new)]) + new + raw[at + 1 + len(old) :])
    data[9:13] = len(data).to_bytes(4, "little")
    return bytes(data)

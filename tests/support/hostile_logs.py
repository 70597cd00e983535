"""Small logs that ask for much: whoever reads them without a limit runs out of memory or time."""

from __future__ import annotations

import struct

from support.bodies import JSON, PARTIAL_UPDATE, WRITE, rows_event, table_map, u4
from support.logs import TABLE_MAP, LogBuilder


def overlapping_document(text: int, count: int) -> bytes:
    """Return a JSON array of `count` strings that are stored once, in `text` bytes."""
    size = 8 + 5 * count
    string = (text & 0x7F | 0x80).to_bytes(1, "little") + (text >> 7 & 0x7F | 0x80).to_bytes(1, "little")
    string += bytes([text >> 14]) + b"x" * text
    return b"\3" + struct.pack("<II", count, size + len(string)) + struct.pack("<BI", 0x0C, size) * count + string


def json_log(document: bytes) -> LogBuilder:
    """Return a log of one row whose only column is a JSON document."""
    log = LogBuilder().describe().add(TABLE_MAP, table_map([JSON], b"\4"))
    return log.add(WRITE, rows_event(1, b"\0" + u4(len(document)) + document, kind=WRITE))


def diffs_log(count: int) -> LogBuilder:
    """Return a log with a partial update of a JSON column in `count` changes, of two kinds in turn."""
    replace, remove = b"\0\3$.a\3\5\7\0", b"\2\3$.b"
    changes = b"".join(remove if number % 2 else replace for number in range(count))
    row = b"\0" + u4(2) + b"\4\0" + b"\1\1" + b"\0" + u4(len(changes)) + changes
    log = LogBuilder().describe().add(TABLE_MAP, table_map([JSON], b"\4"))
    return log.add(PARTIAL_UPDATE, rows_event(1, row, kind=PARTIAL_UPDATE))

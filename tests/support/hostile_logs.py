"""Small logs that ask for much: whoever reads them without a limit runs out of memory or time."""

from __future__ import annotations

import struct

import zstandard

from support.bodies import (
    BLOB,
    JSON,
    PARTIAL_UPDATE,
    TINY,
    WRITE,
    WRITE_V1,
    container,
    mariadb_gtid,
    query,
    rows_event,
    table_map,
    u4,
    u8,
)
from support.logs import GTID_MARIADB, MARIADB, QUERY, TABLE_MAP, XID, LogBuilder

TRANSACTION_PAYLOAD, QUERY_COMPRESSED, WRITE_COMPRESSED = 40, 165, 166


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


def wide_tables_log(tables: int, columns: int = 4096) -> LogBuilder:
    """Return a log of one statement on many wide tables: first all table maps, then a row of each table."""
    log = LogBuilder(MARIADB).describe().add(GTID_MARIADB, mariadb_gtid(1))
    for number in range(tables):
        log.add(TABLE_MAP, table_map([TINY] * columns, table=b"t%d" % number, table_id=number + 1))
    row = bytes((columns + 7) // 8) + b"\1" * columns
    for number in range(tables):
        log.add(WRITE_V1, rows_event(columns, row, table_id=number + 1, flags=int(number + 1 == tables)))
    return log.add(XID, u8(1))


def packed_statement_log(size: int) -> LogBuilder:
    """Return a log of one statement of `size` bytes, compressed as MariaDB does."""
    log = LogBuilder(MARIADB).describe().add(GTID_MARIADB, mariadb_gtid(1))
    return log.add(QUERY_COMPRESSED, query(text=container(b"DO '" + b"a" * (size - 5) + b"'"))).add(XID, u8(1))


def packed_rows_log(rows: bytes, kind: int, optional: bytes = b"") -> LogBuilder:
    """Return a log of one event of rows with one column of a type, compressed as MariaDB does."""
    log = LogBuilder(MARIADB).describe().add(GTID_MARIADB, mariadb_gtid(1))
    log.add(TABLE_MAP, table_map([kind], b"\4" if kind == BLOB else b"", optional))
    return log.add(WRITE_COMPRESSED, rows_event(1, b"") + container(rows)).add(XID, u8(1))


def payload_log(size: int) -> LogBuilder:
    """Return a log of a transaction of one statement of `size` bytes, compressed as MySQL does."""
    inner = LogBuilder(checksum=0, magic=b"").add(QUERY, query(text=b"BEGIN"))
    inner.add(QUERY, query(text=b"DO '" + b"a" * (size - 5) + b"'")).add(XID, u8(1))
    return LogBuilder().describe().add(TRANSACTION_PAYLOAD, packed_content(bytes(inner.log)))


def packed_content(content: bytes) -> bytes:
    """Return the body of a payload event that holds these events."""
    packed = zstandard.ZstdCompressor().compress(content)
    fields = b"\2\1\0\3\x09\xfe" + u8(len(content)) + b"\1\3\xfc" + len(packed).to_bytes(2, "little") + b"\0"
    return fields + packed

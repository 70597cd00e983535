"""Bodies of events, as bytes: what follows the header of an event and comes before its checksum."""

from __future__ import annotations

import struct
import zlib

TABLE_ID = 7  # of the table that table_map() and rows_event() describe unless told otherwise
# column types, the temporal ones with and without fractions
TINY, SHORT, LONG, FLOAT, DOUBLE, NULL, TIMESTAMP, LONGLONG, INT24, DATE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
TIME, DATETIME, YEAR, VARCHAR, BIT, TIMESTAMP2, DATETIME2, TIME2 = 11, 12, 13, 15, 16, 17, 18, 19
BLOB_COMPRESSED, VARCHAR_COMPRESSED, VECTOR, JSON, NEWDECIMAL = 140, 141, 242, 245, 246
BLOB, VAR_STRING, STRING, GEOMETRY = 252, 253, 254, 255
BINARY, LATIN1, UTF8MB4 = 63, 8, 45  # collations
WRITE_V1, UPDATE_V1, DELETE_V1, WRITE, UPDATE, PARTIAL_UPDATE = 23, 24, 25, 30, 31, 39


def u2(value: int) -> bytes:
    """Two bytes, little-endian."""
    return value.to_bytes(2, "little")


def u4(value: int) -> bytes:
    """Four bytes, little-endian."""
    return value.to_bytes(4, "little")


def u8(value: int) -> bytes:
    """Eight bytes, little-endian."""
    return value.to_bytes(8, "little")


def lenenc(value: int) -> bytes:
    """A length-encoded integer below 65,536."""
    return bytes([value]) if value < 251 else b"\xfc" + u2(value)


def lenenc_field(kind: int, value: bytes) -> bytes:
    """A field of HEARTBEAT_LOG_EVENT_V2 or of TABLE_MAP's metadata: type, length, value."""
    return bytes([kind]) + lenenc(len(value)) + value


def query(
    status: bytes = b"", db: bytes = b"shop", text: bytes = b"SELECT 1", error: int = 0, thread_id: int = 9
) -> bytes:
    """QUERY_EVENT: a statement that took three seconds, with its status variables."""
    return struct.pack("<IIBHH", thread_id, 3, len(db), error, len(status)) + status + db + b"\0" + text


def mariadb_gtid(seq_no: int, flags: int = 0) -> bytes:
    """MariaDB's GTID_EVENT in domain 0; flags: 1 standalone, 4 transactional, 8 may run in parallel."""
    return struct.pack("<QIB", seq_no, 0, flags) + bytes(6)


def table_map(
    types: list[int],
    metadata: bytes = b"",
    optional: bytes = b"",
    *,
    table_id: int = TABLE_ID,
    database: bytes = b"shop",
    table: bytes = b"t",
) -> bytes:
    """TABLE_MAP_EVENT: a table of these column types, all nullable."""
    names = b"".join(bytes([len(name)]) + name + b"\0" for name in (database, table))
    columns = lenenc(len(types)) + bytes(types) + lenenc(len(metadata)) + metadata
    return table_id.to_bytes(6, "little") + u2(1) + names + columns + all_bits(len(types)) + optional


def rows_event(
    width: int,
    rows: bytes,
    *,
    kind: int = WRITE_V1,
    present: bytes | None = None,
    table_id: int = TABLE_ID,
    flags: int = 1,
) -> bytes:
    """A rows event of a table of `width` columns; flags: 1 ends the statement."""
    bits = all_bits(width) if present is None else present
    extra = u2(2) if kind in {WRITE, UPDATE, PARTIAL_UPDATE} else b""
    twice = bits if kind in {UPDATE_V1, UPDATE, PARTIAL_UPDATE} else b""
    return table_id.to_bytes(6, "little") + u2(flags) + extra + lenenc(width) + bits + twice + rows


def all_bits(count: int) -> bytes:
    """A bitmap of that many columns in which every bit is set."""
    return b"\xff" * ((count + 7) // 8)


def charset(number: int) -> bytes:
    """TABLE_MAP's metadata: the default collation of its character columns."""
    return lenenc_field(2, lenenc(number))


def container(data: bytes) -> bytes:
    """MariaDB's form of compressed data: algorithm and width, uncompressed length, zlib."""
    size = max(1, (len(data).bit_length() + 7) // 8)
    return bytes([0x80 | size]) + len(data).to_bytes(size, "big") + zlib.compress(data)


UNSIGNED = lenenc_field(1, b"\x80")  # TABLE_MAP's metadata: the first numeric column is unsigned

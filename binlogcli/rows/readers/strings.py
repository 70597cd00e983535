"""Readers of column types that hold bytes after a length: CHAR, VARCHAR, TEXT, BLOB, JSON, GEOMETRY, VECTOR."""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.log.compressed import unzip
from binlogcli.names.charsets import is_ascii_superset, is_utf8
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.readers import reads
from binlogcli.rows.table.column_info import ColumnInfo

_BINARY_CHARSET = "binary"
_RAW_DEFLATE = -15  # wbits of a stream without zlib's header
_METHOD_ZLIB = 8
_GEOMETRY_HEAD = 4 + 5  # SRID, byte order, type


class BytesColumn(Column):
    """A length of `prefix` bytes, little-endian, then the value: text, or bytes where the charset is binary."""

    def __init__(self, info: ColumnInfo, prefix: int, *, mariadb: bool) -> None:
        super().__init__(info)
        if not 1 <= prefix <= 4:
            raise DecodeError(f"the table map gives its lengths {prefix} bytes; valid are 1 to 4")
        self.prefix = prefix
        self.charset = info.charset(mariadb=mariadb)
        self.is_text = self.charset != _BINARY_CHARSET
        self.is_utf8 = self.charset is None or is_utf8(self.charset)
        self.ascii_superset = self.charset is None or is_ascii_superset(self.charset)

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        size = reads.little(cursor, "length", self.prefix)
        at = reads.need(cursor, "value", size)
        if self.is_text:
            sink.put_text(self, cursor, at, at + size)
        else:
            sink.put_bytes(self, cursor, at, at + size)


class FixedBytesColumn(BytesColumn):
    """BINARY(n), and MariaDB's UUID, INET4, INET6: zero bytes at the end are not in the log, and put back."""

    def __init__(self, info: ColumnInfo, prefix: int, *, mariadb: bool) -> None:
        super().__init__(info, prefix, mariadb=mariadb)
        self.is_text = False
        self.size = info.length
        self.padded = Cursor()

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        size = reads.little(cursor, "length", self.prefix)
        at = reads.need(cursor, "value", size)
        if size >= self.size:
            sink.put_bytes(self, cursor, at, at + size)
        else:
            self.padded.load(cursor.data[at : at + size].ljust(self.size, b"\0"))
            sink.put_bytes(self, self.padded, 0, self.size)


class CompressedColumn(BytesColumn):
    """MariaDB's COMPRESSED: a header byte (method, size of the length), the original length, a zlib stream."""

    def __init__(self, info: ColumnInfo, prefix: int, limit: int, *, mariadb: bool) -> None:
        super().__init__(info, prefix, mariadb=mariadb)
        self.limit = limit
        self.content = Cursor()

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        size = reads.little(cursor, "length", self.prefix)
        at = reads.need(cursor, "value", size)
        self.content.load(self.unpack(cursor.data[at : at + size]))
        if self.is_text:
            sink.put_text(self, self.content, 0, self.content.size)
        else:
            sink.put_bytes(self, self.content, 0, self.content.size)

    def unpack(self, stored: bytes) -> bytes:
        """Return the column's value, decompressed where necessary; an empty value has no header."""
        if not stored:
            return b""
        method, width = stored[0] >> 4, stored[0] & 7
        if method == 0:
            return stored[1:]
        if method != _METHOD_ZLIB or 1 + width > len(stored):
            raise DecodeError(f"0x{stored[0]:02x} is not the start of a compressed column")
        length = int.from_bytes(stored[1 : 1 + width], "big")
        wbits = _RAW_DEFLATE if stored[0] & 8 else 15
        return unzip(stored[1 + width :], length, "compressed column", self.limit, wbits)


class JsonColumn(BytesColumn):
    """MySQL's JSON: a binary document, or the changes of one (`read_diff`)."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        size = reads.little(cursor, "length", self.prefix)
        at = reads.need(cursor, "JSON", size)
        sink.put_json(self, cursor, at, at + size)

    def read_diff(self, cursor: Cursor, sink: Sink) -> None:
        """Read the changes of a document at the cursor into the sink."""
        size = reads.little(cursor, "length", 4)
        at = reads.need(cursor, "JSON diff", size)
        sink.put_json_diff(self, cursor, at, at + size)


class GeometryColumn(BytesColumn):
    """GEOMETRY and its subtypes: SRID, then well-known binary."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        size = reads.little(cursor, "length", self.prefix)
        at = reads.need(cursor, "GEOMETRY", size)
        if size < _GEOMETRY_HEAD:
            sink.put_bytes(self, cursor, at, at + size)
        else:
            sink.put_geometry(self, cursor, at, at + size)


class VectorColumn(BytesColumn):
    """VECTOR(n): n floats of four bytes."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        size = reads.little(cursor, "length", self.prefix)
        at = reads.need(cursor, "VECTOR", size)
        if size % 4:
            sink.note_problem(self, f"{size} bytes are not a vector")
            sink.put_bytes(self, cursor, at, at + size)
        else:
            sink.put_vector(self, cursor, at, at + size)

"""Readers of the numeric column types, and of those stored as numbers: BIT, YEAR, ENUM, SET."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.readers import reads
from binlogcli.rows.table.column_info import ColumnInfo

_YEAR_BASE = 1900


class IntColumn(Column):
    """TINYINT to BIGINT: one to eight bytes, little-endian; signed unless the log or a schema tells otherwise."""

    def __init__(self, info: ColumnInfo, width: int) -> None:
        super().__init__(info)
        self.width = width
        self.unsigned = bool(info.unsigned)

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        value = reads.little(cursor, "integer", self.width)
        if self.unsigned:
            sink.put_uint(self, value)
        else:
            sink.put_int(self, kernel.to_signed(value, self.width * 8))


class FloatColumn(Column):
    """FLOAT: an IEEE single, little-endian."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        sink.put_float(self, kernel.float_at(cursor.view, reads.need(cursor, "FLOAT", 4)))


class DoubleColumn(Column):
    """DOUBLE: an IEEE double, little-endian."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        sink.put_double(self, kernel.double_at(cursor.view, reads.need(cursor, "DOUBLE", 8)))


class BitColumn(Column):
    """BIT(n): the fewest bytes that hold n bits, big-endian."""

    def __init__(self, info: ColumnInfo) -> None:
        super().__init__(info)
        self.width = (info.length + 7) // 8
        if self.width > 8:
            raise DecodeError(f"BIT({info.length}) is wider than 64 bits")

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        sink.put_bits(self, reads.big(cursor, "BIT", self.width))


class YearColumn(Column):
    """YEAR: one byte, years since 1900; 0 is the year 0000."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        value = cursor.view[reads.need(cursor, "YEAR", 1)]
        sink.put_year(self, value + _YEAR_BASE if value else 0)


class EnumColumn(Column):
    """ENUM: the label's index from 1, in one byte, or two from 256 labels on."""

    def __init__(self, info: ColumnInfo) -> None:
        super().__init__(info)
        self.width = info.length
        if self.width not in (1, 2):
            raise DecodeError(f"an ENUM of {counted(self.width, 'byte')}")

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        sink.put_enum(self, reads.little(cursor, "ENUM", self.width))


class SetColumn(Column):
    """SET: a bit for each label, little-endian."""

    def __init__(self, info: ColumnInfo) -> None:
        super().__init__(info)
        self.width = info.length
        if not 1 <= self.width <= 8:
            raise DecodeError(f"a SET of {counted(self.width, 'byte')}")

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        sink.put_set(self, reads.little(cursor, "SET", self.width))


class NullColumn(Column):
    """The type NULL, which has no bytes."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Pass NULL to the sink."""
        sink.put_null(self)

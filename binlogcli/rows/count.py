"""Counts rows by the widths of their columns, without decoding a value: for statistics.

The rows must end where their event does, as in `walk`; whether values are legal is not checked.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from binlogcli.binary import kernel
from binlogcli.errors import DecodeError, EndOfEvent, counted
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.images import DELETE, UPDATE, WRITE, RowImages
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.decimal import DecimalColumn
from binlogcli.rows.readers.numbers import (
    BitColumn,
    DoubleColumn,
    EnumColumn,
    FloatColumn,
    IntColumn,
    NullColumn,
    SetColumn,
    YearColumn,
)
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.readers.temporal import (
    OLD_DATETIME_WIDTHS,
    OLD_TIME_WIDTHS,
    DateColumn,
    Datetime2Column,
    DatetimeColumn,
    Time2Column,
    TimeColumn,
    Timestamp2Column,
    TimestampColumn,
)
from binlogcli.rows.walk import RowWalker

_COLUMNS_KEPT = 1 << 14  # in programs; the plans that they are kept by take some hundred bytes a column

_FIXED: dict[type[Column], int] = {FloatColumn: 4, DoubleColumn: 8, YearColumn: 1, NullColumn: 0, DateColumn: 3}
_WIDTHS: dict[type[Column], Callable[[Any], int]] = {
    IntColumn: lambda column: column.width,
    BitColumn: lambda column: column.width,
    EnumColumn: lambda column: column.width,
    SetColumn: lambda column: column.width,
    DecimalColumn: lambda column: column.size,
    TimestampColumn: lambda column: 4 + column.fraction_bytes,
    Timestamp2Column: lambda column: 4 + column.fraction_bytes,
    Datetime2Column: lambda column: 5 + column.fraction_bytes,
    Time2Column: lambda column: 3 + column.fraction_bytes,
    TimeColumn: lambda column: OLD_TIME_WIDTHS[column.fsp],
    DatetimeColumn: lambda column: OLD_DATETIME_WIDTHS[column.fsp],
}


def width_of(column: Column) -> int:
    """Return the bytes of a value; for values after a length, minus the bytes of that length."""
    if isinstance(column, BytesColumn):
        return -column.prefix
    kind = type(column)
    return _FIXED[kind] if kind in _FIXED else _WIDTHS[kind](column)


class _Program:
    """The widths of the columns in an image.

    `merged` is for images without a NULL: neighbouring fixed widths are added up.
    """

    def __init__(self, bitmap: bytes, columns: list[Column]) -> None:
        self.bitmap = bitmap
        widths = [width_of(column) for column in columns]
        merged: list[int] = []
        for width in widths:
            if merged and width >= 0 and merged[-1] >= 0:
                merged[-1] += width
            else:
                merged.append(width)
        self.count = len(widths)
        self.null_bytes = (self.count + 7) >> 3
        self.last_mask = (1 << (self.count - 8 * (self.null_bytes - 1))) - 1 if self.count else 0
        self.widths = array("i", widths)
        self.merged = array("i", merged)
        self.steps = len(merged)


class RowSkipper:
    """Counts the rows of event after event."""

    def __init__(self) -> None:
        self.data = b""
        self.view = self.data
        self.programs: dict[TablePlan, _Program] = {}  # the one that each table needed last
        self.others: dict[tuple[TablePlan, bytes], _Program] = {}
        self.columns = 0
        self.walker = RowWalker()
        self.sink = Sink()

    def count(self, images: RowImages) -> int:
        """Return the number of rows; `DecodeError` where they do not end with their bytes."""
        if images.partial or images.record is not None:
            return self.walker.walk(images, self.sink)
        if self.data is not images.data:
            self.data = images.data
            self.view = images.data
        operation = images.operation
        first = self.program(images.plan, images.before)
        second = self.program(images.plan, images.after) if operation == UPDATE else first
        at, end = images.start, images.end
        if at == end and (operation != WRITE or first.count > 0):
            return 0
        count = 0
        while at < end or count == 0:
            row = at
            if operation != WRITE:
                at = self.image(first, at, end)
            if operation != DELETE:
                at = self.image(second, at, end)
            count += 1
            if at == row:
                break
        if at < end:
            raise DecodeError(f"the rows end {counted(end - at, 'byte')} before the end of their event")
        return count

    def program(self, plan: TablePlan, bitmap: bytes) -> _Program:
        """Return the widths of an image with these columns, from the cache if possible."""
        last = self.programs.get(plan)
        if last is not None and last.bitmap == bitmap:
            return last
        found = self.others.get((plan, bitmap))
        if found is None:
            found = _Program(bitmap, plan.present(bitmap))
            if self.columns > _COLUMNS_KEPT:
                self.programs.clear()
                self.others.clear()
                self.columns = 0
            self.columns += plan.weight
            self.others[plan, bitmap] = found
        self.programs[plan] = found
        return found

    def image(self, program: _Program, at: int, end: int) -> int:
        """Return the end of the image at `at`."""
        nulls = at
        at += program.null_bytes
        if at > end:
            raise EndOfEvent("null_bits", program.null_bytes, end - nulls)
        if self.has_null(program, nulls):
            return self.image_with_nulls(program, nulls, at, end)
        step = 0
        while step < program.steps:
            at = self.value(program.merged[step], at, end)
            step += 1
        return at

    def has_null(self, program: _Program, nulls: int) -> bool:
        """Whether any column is NULL; the bits beyond the last column are ignored."""
        last = program.null_bytes - 1
        at = 0
        while at < last:
            if self.view[nulls + at] != 0:
                return True
            at += 1
        return last >= 0 and self.view[nulls + last] & program.last_mask != 0

    def image_with_nulls(self, program: _Program, nulls: int, at: int, end: int) -> int:
        """Return the end of an image whose values begin at `at`, leaving NULLs out."""
        column = 0
        while column < program.count:
            if self.view[nulls + (column >> 3)] >> (column & 7) & 1 == 0:
                at = self.value(program.widths[column], at, end)
            column += 1
        return at

    def value(self, width: int, at: int, end: int) -> int:
        """Return the end of the value at `at`."""
        size = width
        if width < 0:
            if -width > end - at:
                raise EndOfEvent("length", -width, end - at)
            size = kernel.little(self.view, at, -width)
            at -= width
        if size > end - at:
            raise EndOfEvent("value", size, end - at)
        return at + size

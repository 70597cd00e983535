"""Looks for digits in the values of rows; columns that cannot have them are passed over by their widths.

Integers are compared as numbers: the digits at the end of a value are those looked for, or the digits at the end of
the value without its last digit, and so on. Text that is ASCII in the log is passed over, as its bytes are searched
before. Other values are read into a sink, and so are those that may be illegal: rows that cannot be read to their end
raise `DecodeError`, as in `walk`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.count import width_of
from binlogcli.rows.images import DELETE, UPDATE, WRITE, RowImages
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.readers import reads
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
from binlogcli.rows.readers.strings import BytesColumn, FixedBytesColumn
from binlogcli.rows.readers.temporal import DateColumn, Timestamp2Column, TimestampColumn

MOST_DIGITS = 18  # of a number in 64 bits; with one more, a power of ten would not fit
_PASS, _INTEGER, _TEXT, _READ = 0, 1, 2, 3  # what is done with a value
_BITMAPS_KEPT = 64  # of a table
_NEVER_ILLEGAL = (
    IntColumn,
    BitColumn,
    YearColumn,
    EnumColumn,
    SetColumn,
    FloatColumn,
    DoubleColumn,
    DateColumn,
    NullColumn,
    BytesColumn,
    FixedBytesColumn,
)


def action_of(column: Column, *, wanted: bool) -> int:
    """Return what is done with a column's values: `wanted` is whether the sink takes any of them."""
    kind = type(column)
    if wanted and isinstance(column, IntColumn):
        return _INTEGER
    if wanted:
        if isinstance(column, BytesColumn) and kind is BytesColumn:  # those derived from it hold other things
            return _TEXT if column.is_text and column.ascii_superset else _READ
        return _READ
    if kind in _NEVER_ILLEGAL:
        return _PASS
    return _PASS if isinstance(column, TimestampColumn | Timestamp2Column) and column.fsp == 0 else _READ


class _Steps:
    """What to do with the values of an image, one after another; neighbours that are passed over are one step.

    `widths` are as in `count`, and `numbers` tell which column a step is. An image with a NULL has a step for each
    column (`merged` is False).
    """

    def __init__(self, columns: list[Column], wanted: bytes, *, merged: bool) -> None:
        actions, widths, numbers = array("i"), array("i"), array("i")
        passing = False  # by a fixed width
        for number, column in enumerate(columns):
            action = action_of(column, wanted=wanted[column.index] != 0)
            width = width_of(column)
            fixed = action == _PASS and width >= 0
            if merged and fixed and passing:
                widths[len(widths) - 1] += width
                continue
            passing = fixed
            actions.append(action)
            widths.append(width)
            numbers.append(number)
        self.count = len(actions)
        self.actions, self.widths, self.numbers = actions, widths, numbers


class _ImageSteps:
    """The steps through images that have the same columns."""

    def __init__(self, columns: list[Column], wanted: bytes) -> None:
        self.columns = columns
        self.null_bytes = (len(columns) + 7) >> 3
        self.last_mask = (1 << (len(columns) - 8 * (self.null_bytes - 1))) - 1 if columns else 0
        self.whole = _Steps(columns, wanted, merged=True)
        self.single = _Steps(columns, wanted, merged=False)


class DigitSearch:
    """Searches the rows of event after event for strings of 1 to `MOST_DIGITS` digits."""

    def __init__(self, needles: Sequence[str]) -> None:
        self.numbers = array("Q", map(int, needles))
        self.powers = array("Q", [kernel.power_of_ten(len(needle)) for needle in needles])
        self.count = len(needles)
        self.cursor = Cursor()
        self.plan: TablePlan | None = None  # of the rows that were searched last
        self.by_bitmap: dict[bytes, _ImageSteps] = {}
        self.known: PlanCache[dict[bytes, _ImageSteps]] = PlanCache()

    def found(self, images: RowImages, wanted: bytes, sink: Sink) -> bool:
        """Return whether an integer has the digits; the rest of the rows then is not read.

        `wanted` tells for each column whether the sink takes values of it, always alike for a table. Images must be
        without `partial` and `record`.
        """
        cursor = self.cursor
        if cursor.data is not images.data:
            cursor.load(images.data)
        cursor.point(images.start, images.end)
        if images.plan is not self.plan:
            self.use_plan(images.plan)
        first = self.steps(images.plan, images.before, wanted)
        second = self.steps(images.plan, images.after, wanted) if images.operation == UPDATE else first
        sink.begin_rows(images.plan)
        if images.start == images.end and (images.operation != WRITE or first.columns):  # it only ends the statement
            return False
        while True:
            row = cursor.pos
            if images.operation != WRITE and self.image(first, sink):
                return True
            if images.operation != DELETE and self.image(second, sink):
                return True
            if cursor.pos == row or cursor.pos >= images.end:
                break
        if cursor.pos < images.end:
            raise DecodeError(f"the rows end {counted(images.end - cursor.pos, 'byte')} before the end of their event")
        return False

    def use_plan(self, plan: TablePlan) -> None:
        """Use what is known of a table."""
        known = self.known.get(plan)
        self.by_bitmap = self.known.keep(plan, {}) if known is None else known
        self.plan = plan

    def steps(self, plan: TablePlan, bitmap: bytes, wanted: bytes) -> _ImageSteps:
        """Return the steps through an image with these columns."""
        found = self.by_bitmap.get(bitmap)
        if found is None:
            if len(self.by_bitmap) >= _BITMAPS_KEPT:
                self.by_bitmap.clear()
            found = _ImageSteps(plan.present(bitmap), wanted)
            self.by_bitmap[bitmap] = found
        return found

    def image(self, image: _ImageSteps, sink: Sink) -> bool:
        """Pass an image, and return whether an integer in it has the digits; if so, stop there."""
        cursor = self.cursor
        nulls = reads.need(cursor, "null_bits", image.null_bytes)
        with_nulls = self.has_null(image, nulls)
        steps = image.single if with_nulls else image.whole
        at = 0
        while at < steps.count:
            if not with_nulls or cursor.view[nulls + (at >> 3)] >> (at & 7) & 1 == 0:
                action = steps.actions[at]
                width = steps.widths[at]
                if action == _PASS:
                    if width < 0:
                        width = reads.little(cursor, "length", -width)
                    reads.need(cursor, "value", width)
                elif action == _TEXT:
                    self.text(reads.column_at(image.columns, steps.numbers[at]), -width, sink)
                elif action == _READ:
                    reads.column_at(image.columns, steps.numbers[at]).read(cursor, sink)
                elif self.integer(reads.column_at(image.columns, steps.numbers[at]), width):
                    return True
            at += 1
        return False

    def has_null(self, image: _ImageSteps, nulls: int) -> bool:
        """Return whether any column is NULL; the bits beyond the last column are ignored."""
        last = image.null_bytes - 1
        at = 0
        while at < last:
            if self.cursor.view[nulls + at] != 0:
                return True
            at += 1
        return last >= 0 and self.cursor.view[nulls + last] & image.last_mask != 0

    def text(self, column: Column, prefix: int, sink: Sink) -> None:
        """Pass a text; one that is not ASCII is read into the sink."""
        cursor = self.cursor
        start = cursor.pos
        size = reads.little(cursor, "length", prefix)
        at = reads.need(cursor, "value", size)
        if not kernel.is_ascii(cursor.view, at, at + size):
            cursor.pos = start
            column.read(cursor, sink)

    def integer(self, column: Column, width: int) -> bool:
        """Return whether an integer has the digits; a negative one of unknown sign is also the one without a sign."""
        known: IntColumn = column  # type: ignore[assignment] # no others are read as numbers
        value = reads.little(self.cursor, "integer", width)
        sign = 1
        sign <<= 8 * width - 1
        if known.unsigned or value < sign:
            return self.has_digits(value)
        if known.sign_unknown and self.has_digits(value):
            return True
        below = sign - 1
        return self.has_digits(((value ^ below) & below) + 1)  # without its minus: all bits inverted, plus one

    def has_digits(self, value: int) -> bool:
        """Return whether the digits of a number have one of the strings in them."""
        at = 0
        while at < self.count:
            number = self.numbers[at]
            power = self.powers[at]
            least = power // 10 if power > 10 else 0
            rest = value
            while rest >= least:
                if rest % power == number:
                    return True
                if rest < 10:
                    break
                rest //= 10
            at += 1
        return False

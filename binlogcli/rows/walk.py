"""Walks over the row images of one event and hands every value to a sink."""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers import reads
from binlogcli.rows.readers.strings import JsonColumn
from binlogcli.rows.sinks import lists

PARTIAL_JSON_UPDATES = 1
WRITE = 0
UPDATE = 1
DELETE = 2


class ImageNoter:
    """Notes what row images are made of. `parts.PartNoter` does; it is imported where notes are taken."""

    def note_image(self, cursor: Cursor, columns: list[Column], nulls: int, sink: Sink) -> None:
        """An image whose null bits are at `nulls`: read it, and note each value under its column's name."""
        raise NotImplementedError

    def note_nulls(self, cursor: Cursor, columns: list[Column], nulls: int) -> None:
        """Null bits, which end here."""
        raise NotImplementedError

    def note_partial(self, cursor: Cursor, columns: list[JsonColumn], start: int) -> None:
        """The bits that say which JSON columns hold changes, which end here."""
        raise NotImplementedError

    def note_value(self, cursor: Cursor, column: Column, start: int, sink: Sink) -> None:
        """The value of a column that was read from `start` to here into the sink."""
        raise NotImplementedError

    def note_diff(self, cursor: Cursor, column: Column, start: int, sink: Sink) -> None:
        """The changes of a JSON column that were read from `start` to here."""
        raise NotImplementedError


class RowWalker:
    """Reads rows [start, end) of some bytes by a plan; used again for event after event.

    When it fails, `row_start` is where the row begins that could not be read.
    """

    def __init__(self, cursor: Cursor | None = None) -> None:
        self.cursor = cursor or Cursor()
        self.row_start = 0
        self.noter: ImageNoter | None = None

    def walk(
        self,
        plan: TablePlan,
        data: bytes,
        start: int,
        end: int,
        operation: int,
        partial: bool,
        before: bytes,
        after: bytes,
        sink: Sink,
    ) -> int:
        """Hand all rows to the sink; how many there were. `before` and `after` are the bitmaps of present columns."""
        cursor = self.cursor
        if cursor.data is not data:
            cursor.load(data)
        cursor.point(start, end)
        first = plan.present(before)
        second = plan.present(after) if operation == UPDATE else first
        has_before = operation != WRITE
        has_after = operation != DELETE
        count = 0
        sink.begin_rows(plan)
        if start == end and (has_before or first):  # it only ends the statement
            return 0
        while cursor.pos < end or count == 0:
            self.row_start = cursor.pos
            self.one_row(plan, has_before, has_after, partial, first, second, sink)
            count += 1
            if cursor.notes is not None:
                cursor.notes.leave(cursor.pos, count)
                cursor.notes.breathe()
            if cursor.pos == self.row_start:
                break
        self.row_start = cursor.pos
        if cursor.pos < end:
            raise DecodeError(f"the rows end {counted(end - cursor.pos, 'byte')} before their event does")
        return count

    def one_row(
        self,
        plan: TablePlan,
        has_before: bool,
        has_after: bool,
        partial: bool,
        first: list[Column],
        second: list[Column],
        sink: Sink,
    ) -> None:
        """The state before the change, the one after it, or both."""
        self.cursor.enter("row")
        sink.begin_row()
        if has_before:
            sink.begin_image(False)
            self.one_image("before", has_after, plan, False, first, sink)
        if has_after:
            sink.begin_image(True)
            self.one_image("after", has_before, plan, partial, second, sink)
        sink.end_row()

    def one_image(
        self,
        name: str,
        named: bool,
        plan: TablePlan,
        partial: bool,
        columns: list[Column],
        sink: Sink,
    ) -> None:
        """One of the states of a row, noted under its name where the row has two."""
        if named:
            self.cursor.enter(name)
        if partial:
            self.partial_image(plan, columns, sink)
        else:
            self.image(columns, sink)
        if named:
            self.cursor.leave()
        sink.end_image()

    def image(self, columns: list[Column], sink: Sink) -> None:
        """One state of a row: a bit for each column that is NULL, then the values of the others."""
        cursor = self.cursor
        count = len(columns)
        nulls = reads.need(cursor, "null_bits", (count + 7) >> 3)
        at = 0
        if cursor.notes is not None:
            self.its_noter().note_image(cursor, columns, nulls, sink)
            return
        while at < count:
            column = lists.column_at(columns, at)
            if cursor.view[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
            else:
                column.read(cursor, sink)
            at += 1

    def its_noter(self) -> ImageNoter:
        """What notes the images, made when the first notes are taken."""
        if self.noter is None:
            from binlogcli.rows.notes.value_parts import PartNoter  # noqa: PLC0415 - most programs take no notes

            self.noter = PartNoter()
        return self.noter

    def partial_image(self, plan: TablePlan, columns: list[Column], sink: Sink) -> None:
        """The state after a partial update: JSON columns with their bit set hold changes, not documents."""
        cursor = self.cursor
        options = cursor.lenenc("value_options")
        if not options & PARTIAL_JSON_UPDATES:
            self.image(columns, sink)
            return
        size = (len(plan.json_columns) + 7) >> 3
        at_bits = cursor.need("partial_bits", size)
        bits = cursor.data[at_bits : cursor.pos]
        noter = None if cursor.notes is None else self.its_noter()
        if noter is not None:
            noter.note_partial(cursor, plan.json_columns, at_bits)
        count = len(columns)
        nulls = cursor.need("null_bits", (count + 7) >> 3)
        if noter is not None:
            noter.note_nulls(cursor, columns, nulls)
        for at, column in enumerate(columns):
            start = cursor.pos
            if cursor.data[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
            elif isinstance(column, JsonColumn) and bit(bits, plan.json_columns.index(column)):
                document = column
                document.read_diff(cursor, sink)
                if noter is not None:
                    noter.note_diff(cursor, column, start, sink)
            else:
                column.read(cursor, sink)
                if noter is not None:
                    noter.note_value(cursor, column, start, sink)


def bit(bits: bytes, number: int) -> bool:
    """A bit of a bitmap, counted from the lowest of the first byte."""
    return bool(bits[number >> 3] >> (number & 7) & 1)

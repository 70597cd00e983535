"""Walks over the row images of one event and hands every value to a sink."""

from __future__ import annotations

from binlogcli.errors import DecodeError
from binlogcli.log.cursor import Cursor
from binlogcli.log.notes import Told
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.parts import draw_nulls, draw_partial, note_diff, note_value
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.strings import JsonColumn

PARTIAL_JSON_UPDATES = 1
WRITE = 0
UPDATE = 1
DELETE = 2


class RowWalker:
    """Reads rows [start, end) of some bytes by a plan; used again for event after event.

    When it fails, `row_start` is where the row begins that could not be read.
    """

    def __init__(self, cursor: Cursor | None = None) -> None:
        self.cursor = cursor or Cursor()
        self.row_start = 0
        self.drawn_columns: list[Column] = []
        self.drawings: dict[bytes, Told] = {}

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
            cursor.enter("row")
            sink.begin_row()
            if has_before:
                sink.begin_image(False)
                self.one_image("before", has_after, plan, False, first, sink)
            if has_after:
                sink.begin_image(True)
                self.one_image("after", has_before, plan, partial, second, sink)
            sink.end_row()
            count += 1
            if cursor.notes is not None:
                cursor.notes.leave(cursor.pos, count)
                cursor.notes.breathe()
            if cursor.pos == self.row_start:
                break
        self.row_start = cursor.pos
        if cursor.pos < end:
            raise DecodeError(f"{end - cursor.pos} bytes are left after the rows")
        return count

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
        nulls = cursor.need("null_bits", (count + 7) >> 3)
        at = 0
        if cursor.notes is not None:
            self.noted_image(columns, nulls, sink)
            return
        while at < count:
            column = columns[at]
            if cursor.view[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
            else:
                column.read(cursor, sink)
            at += 1

    def noted_image(self, columns: list[Column], nulls: int, sink: Sink) -> None:
        """The same, each value noted under its column's name."""
        cursor = self.cursor
        cursor.note("null_bits", nulls, self.drawn(columns, cursor.data[nulls : cursor.pos]))
        for at, column in enumerate(columns):
            if cursor.data[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
                continue
            start = cursor.pos
            column.read(cursor, sink)
            note_value(cursor, column, start, sink)

    def drawn(self, columns: list[Column], bits: bytes) -> Told:
        """The null bits column by column; those that were drawn last are kept."""
        if columns is not self.drawn_columns:
            self.drawn_columns = columns
            self.drawings.clear()
        found = self.drawings.get(bits)
        if found is None:
            found = draw_nulls([column.name for column in columns], bits)
            self.drawings[bits] = found
        return found

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
        if cursor.notes is not None:
            cursor.note("partial_bits", at_bits, draw_partial([column.name for column in plan.json_columns], bits))
        count = len(columns)
        nulls = cursor.need("null_bits", (count + 7) >> 3)
        if cursor.notes is not None:
            cursor.note("null_bits", nulls, self.drawn(columns, cursor.data[nulls : cursor.pos]))
        for at, column in enumerate(columns):
            start = cursor.pos
            if cursor.data[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
                continue
            if isinstance(column, JsonColumn) and bit(bits, plan.json_columns.index(column)):
                document = column
                document.read_diff(cursor, sink)
                if cursor.notes is not None:
                    note_diff(cursor, column, start, sink)
            else:
                column.read(cursor, sink)
                if cursor.notes is not None:
                    note_value(cursor, column, start, sink)


def bit(bits: bytes, number: int) -> bool:
    """A bit of a bitmap, counted from the lowest of the first byte."""
    return bool(bits[number >> 3] >> (number & 7) & 1)

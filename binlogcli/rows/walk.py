"""Walks over the row images of one event and hands every value to a sink."""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.images import DELETE, UPDATE, WRITE, RowImages
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers import reads
from binlogcli.rows.readers.strings import JsonColumn

PARTIAL_JSON_UPDATES = 1  # of the value options: a bit for each JSON column follows


class ImageNoter:
    """Notes what row images are made of, for the annotated hexdump; `notes.value_parts.PartNoter` is the one."""

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
    """Reads the rows of event after event and hands each value to a sink.

    With a cursor that takes notes it needs a noter. When it fails, `row_start` is where the row begins that could not
    be read.
    """

    def __init__(self, cursor: Cursor | None = None, noter: ImageNoter | None = None) -> None:
        self.cursor = cursor or Cursor()
        self.noter = noter or ImageNoter()
        self.row_start = 0

    def walk(self, images: RowImages, sink: Sink) -> int:
        """Hand all rows to the sink, and return how many there were; `DecodeError` where they cannot be read."""
        cursor = self.cursor
        if cursor.data is not images.data:
            cursor.load(images.data)
        cursor.point(images.start, images.end)
        before = images.plan.present(images.before)
        after = images.plan.present(images.after) if images.operation == UPDATE else before
        count = 0
        sink.begin_rows(images.plan)
        if images.start == images.end and (images.operation != WRITE or before):  # it only ends the statement
            return 0
        while cursor.pos < images.end or count == 0:
            self.row_start = cursor.pos
            self.one_row(images, before, after, sink)
            count += 1
            if cursor.notes is not None:
                cursor.notes.leave(cursor.pos, count)
                cursor.notes.breathe()
            if cursor.pos == self.row_start:
                break
        self.row_start = cursor.pos
        if cursor.pos < images.end:
            raise DecodeError(f"the rows end {counted(images.end - cursor.pos, 'byte')} before their event does")
        return count

    def one_row(self, images: RowImages, before: list[Column], after: list[Column], sink: Sink) -> None:
        """Read the image before the change, the one after it, or both; where there are both, note them by name."""
        cursor = self.cursor
        cursor.enter("row")
        sink.begin_row()
        if images.operation != WRITE:
            sink.begin_image(False)
            if images.operation == UPDATE:
                cursor.enter("before")
            self.image(before, sink)
            if images.operation == UPDATE:
                cursor.leave()
            sink.end_image()
        if images.operation != DELETE:
            sink.begin_image(True)
            if images.operation == UPDATE:
                cursor.enter("after")
            if images.partial:
                self.partial_image(images.plan, after, sink)
            else:
                self.image(after, sink)
            if images.operation == UPDATE:
                cursor.leave()
            sink.end_image()
        sink.end_row()

    def image(self, columns: list[Column], sink: Sink) -> None:
        """Read an image: a bit for each column that is NULL, then the values of the others."""
        cursor = self.cursor
        count = len(columns)
        nulls = reads.need(cursor, "null_bits", (count + 7) >> 3)
        at = 0
        if cursor.notes is not None:
            self.noter.note_image(cursor, columns, nulls, sink)
            at = count
        while at < count:
            column = reads.column_at(columns, at)
            if cursor.view[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
            else:
                column.read(cursor, sink)
            at += 1

    def partial_image(self, plan: TablePlan, columns: list[Column], sink: Sink) -> None:
        """Read an image after a partial update: JSON columns with their bit set hold changes, not documents."""
        cursor = self.cursor
        options = cursor.lenenc("value_options")
        if not options & PARTIAL_JSON_UPDATES:
            self.image(columns, sink)
            return
        size = (len(plan.json_columns) + 7) >> 3
        at_bits = cursor.need("partial_bits", size)
        bits = cursor.data[at_bits : cursor.pos]
        noting = cursor.notes is not None
        if noting:
            self.noter.note_partial(cursor, plan.json_columns, at_bits)
        count = len(columns)
        nulls = cursor.need("null_bits", (count + 7) >> 3)
        if noting:
            self.noter.note_nulls(cursor, columns, nulls)
        for at, column in enumerate(columns):
            start = cursor.pos
            if cursor.data[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
            elif isinstance(column, JsonColumn) and bit(bits, plan.json_columns.index(column)):
                document = column
                document.read_diff(cursor, sink)
                if noting:
                    self.noter.note_diff(cursor, column, start, sink)
            else:
                column.read(cursor, sink)
                if noting:
                    self.noter.note_value(cursor, column, start, sink)


def bit(bits: bytes, number: int) -> bool:
    """A bit of a bitmap, counted from the lowest of the first byte."""
    return bool(bits[number >> 3] >> (number & 7) & 1)

"""Reads the rows of an event, column by column, into a sink.

A row has one or two images (`RowImages`). An image is a bitmap of the NULLs among its columns and the values of the
others, end to end: where a value begins is known only after the one before it was read. So the walk is one loop over
the columns, `Column.read` moves the cursor, and a wrong width shows at the end: rows must end where their event does.
An image without bytes (no columns present) is a row by itself, which ends the loop.

The hexdump needs the place of each value. It passes a cursor that takes notes and an `ImageNoter`, whose loop takes
over; the usual loop is free of such tests.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.images import DELETE, UPDATE, WRITE, RowImages
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers import reads
from binlogcli.rows.readers.strings import JsonColumn
from binlogcli.rows.record_nulls import RecordNulls

_NOWHERE = Sink()
_PARTIAL_JSON_UPDATES = 1  # of the value options: a bit for each JSON column follows


class ImageNoter:
    """Notes the parts of row images for the annotated hexdump; `notes.value_parts.PartNoter` implements it."""

    def note_image(self, cursor: Cursor, columns: list[Column], nulls: int, sink: Sink) -> None:
        """Read the image whose null bits are at `nulls` into the sink, and note each value with its column."""
        raise NotImplementedError

    def note_nulls(self, cursor: Cursor, columns: list[Column], nulls: int) -> None:
        """Note null bits, from `nulls` to the cursor."""
        raise NotImplementedError

    def note_record_nulls(self, cursor: Cursor, columns: list[Column], nulls: int, null: frozenset[int]) -> None:
        """Note the null bytes of a record, from `nulls` to the cursor; `null` are the indexes of columns."""
        raise NotImplementedError

    def note_partial(self, cursor: Cursor, columns: list[JsonColumn], start: int) -> None:
        """Note the bits of JSON columns that hold changes, from `start` to the cursor."""
        raise NotImplementedError

    def note_value(self, cursor: Cursor, column: Column, start: int, sink: Sink) -> None:
        """Note a value that was read into the sink, from `start` to the cursor."""
        raise NotImplementedError

    def note_diff(self, cursor: Cursor, column: Column, start: int, sink: Sink) -> None:
        """Note the changes of a JSON document that were read into the sink, from `start` to the cursor."""
        raise NotImplementedError


class RowWalker:
    """Walks over the rows of event after event. It needs a noter where its cursor takes notes.

    `row_start` is where the row begins that could not be read, if `walk` raises.
    """

    def __init__(self, cursor: Cursor | None = None, noter: ImageNoter | None = None) -> None:
        self.cursor = cursor or Cursor()
        self.noter = noter or ImageNoter()
        self.row_start = 0
        self.images: RowImages | None = None

    def walk(self, images: RowImages, sink: Sink) -> int:
        """Read all rows into the sink and return their number; `DecodeError` where they cannot be read."""
        cursor = self.cursor
        if cursor.data is not images.data:
            cursor.load(images.data)
        cursor.point(images.start, images.end)
        self.images = images
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
            raise DecodeError(f"the rows end {counted(images.end - cursor.pos, 'byte')} before the end of their event")
        return count

    def check_row(self) -> None:
        """Raise what reading the current row to its end will raise; for sinks that cannot take back what they write."""
        images = self.images
        if images is not None:
            ahead = RowWalker()
            ahead.cursor.load(images.data)
            ahead.cursor.point(self.row_start, images.end)
            before = images.plan.present(images.before)
            after = images.plan.present(images.after) if images.operation == UPDATE else before
            ahead.one_row(images, before, after, _NOWHERE)

    def one_row(self, images: RowImages, before: list[Column], after: list[Column], sink: Sink) -> None:
        """Read the images of one row; where there are two, their notes are named."""
        cursor = self.cursor
        cursor.enter("row")
        sink.begin_row()
        if images.operation != WRITE:
            sink.begin_image(False)
            if images.operation == UPDATE:
                cursor.enter("before")
            if images.record is None:
                self.image(before, sink)
            else:
                self.record_image(images.record, before, sink)
            if images.operation == UPDATE:
                cursor.leave()
            sink.end_image()
        if images.operation != DELETE:
            sink.begin_image(True)
            if images.operation == UPDATE:
                cursor.enter("after")
            if images.partial:
                self.partial_image(images.plan, after, sink)
            elif images.record is None:
                self.image(after, sink)
            else:
                self.record_image(images.record, after, sink)
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

    def record_image(self, record: RecordNulls, columns: list[Column], sink: Sink) -> None:
        """Read an image that begins with the null bytes of the server's record; NULLs have values, too."""
        cursor = self.cursor
        nulls = cursor.need("null_bits", record.size)
        null = record.null_columns(cursor.data[nulls : cursor.pos])
        noting = cursor.notes is not None
        if noting:
            self.noter.note_record_nulls(cursor, columns, nulls, null)
        for column in columns:
            start = cursor.pos
            if column.index in null:
                column.read(cursor, _NOWHERE)
                sink.put_null(column)
                if noting and cursor.pos > start:
                    cursor.notes.leaf("value_under_null", start, cursor.pos, cursor.data[start : cursor.pos])
                continue
            column.read(cursor, sink)
            if noting:
                self.noter.note_value(cursor, column, start, sink)

    def partial_image(self, plan: TablePlan, columns: list[Column], sink: Sink) -> None:
        """Read an image after a partial update: JSON columns with their bit set hold changes, not documents."""
        cursor = self.cursor
        options = cursor.lenenc("value_options")
        if not options & _PARTIAL_JSON_UPDATES:
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
    """Return a bit of a bitmap, counted from the lowest of the first byte."""
    return bool(bits[number >> 3] >> (number & 7) & 1)

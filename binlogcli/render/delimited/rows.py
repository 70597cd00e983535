"""The sink that writes row images as lines of fields.

A row that turns out to be unreadable is taken back, so the buffer is held while a row is made; before the first long
value of a row the walker checks that the rest can be read, and the buffer is held no longer.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.json_writer import put_hex, put_json
from binlogcli.binary.long_text import LONG, long_text
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.names.charsets import decode as decode_text
from binlogcli.render.delimited.fields import HIGH, NOT_LOGGED, FieldWriter
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_diffs, read_document
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.value_texts import enum_label, put_clock, put_date, set_labels, shortest_single
from binlogcli.rows.walk import RowWalker

_DASH, _SPACE, _NEWLINE = 45, 32, 10


class FieldRows(Sink):
    """Writes a line for each image of the rows that `walker` reads: its head, then a field for each column.

    `order` is None where the lines have the columns of the table in its order; otherwise the index of each
    of their columns in the table, -1 for one that the table does not have.
    """

    def __init__(self, fields: FieldWriter, walker: RowWalker) -> None:
        super().__init__()
        self.fields = fields
        self.out = fields.out
        self.delimiter = fields.delimiter
        self.walker = walker
        self.scratch = TextBuffer()
        self.mariadb = False
        self.width = 0
        self.order: list[int] | None = None
        self.starts: list[int] = []  # of the fields of a line that is put into another order
        self.before_head = self.after_head = b""
        self.next = 0
        self.begun = False
        self.row_at = 0
        self.lines = 0
        self.unsure: set[int] = set()  # columns with a value whose sign is not known

    def begin_event(self, before_head: bytes, after_head: bytes, order: list[int] | None) -> None:
        """Prepare for an event's rows; the heads begin the lines of images before and after the change."""
        self.before_head = before_head
        self.after_head = after_head
        self.order = order
        self.begun = False
        self.unsure.clear()

    def begin_rows(self, plan: TablePlan) -> None:
        """Prepare for the rows of a table."""
        self.mariadb = plan.definition.mariadb
        self.width = plan.width

    def begin_row(self) -> None:
        """Begin a row, which can be taken back."""
        self.begun = self.out.held = True
        self.row_at = self.out.size

    def begin_image(self, after: bool) -> None:
        """Begin the line of an image."""
        self.out.put(self.after_head if after else self.before_head)
        self.next = 0
        if self.order is not None:
            self.starts.clear()

    def end_image(self) -> None:
        """End the line."""
        self.skip_to(self.width)
        if self.order is not None:
            self.rearrange(self.order)
        self.out.put_char(_NEWLINE)
        self.lines += 1

    def end_row(self) -> None:
        """End the row, which is not taken back from here on."""
        self.out.held = False
        self.out.breathe()
        self.row_at = self.out.size

    def take_back(self) -> None:
        """Remove the row that could not be read from the buffer."""
        if self.begun and self.out.held:
            self.out.size = self.row_at
        self.out.held = False

    def rearrange(self, order: list[int]) -> None:
        """Put the fields of the line into another order; what the table does not have is not logged."""
        first = self.starts[0] - 1 if self.starts else self.out.size
        text = bytes(self.out.content()[first:])
        ends = [*(start - 1 - first for start in self.starts[1:]), len(text)]
        self.out.size = first
        for index in order:
            self.out.put_char(self.delimiter)
            self.out.put(text[self.starts[index] - first : ends[index]] if index >= 0 else NOT_LOGGED)

    def release(self) -> None:
        """Let the row be written out while it is made; `DecodeError` where it cannot be read to its end."""
        if self.out.held and self.order is None:
            self.walker.check_row()
            self.out.held = False

    def skip_to(self, index: int) -> None:
        """Write the fields of columns that the image does not hold, up to a column."""
        while self.next < index:
            self.out.put_char(self.delimiter)
            if self.order is not None:
                self.starts.append(self.out.size)
            self.out.put(NOT_LOGGED)
            self.next += 1

    def begin(self, column: Column) -> TextBuffer:
        """Begin a column's field; return the buffer to write it to."""
        self.skip_to(column.index)
        self.out.put_char(self.delimiter)
        if self.order is not None:
            self.starts.append(self.out.size)
        self.next += 1
        return self.out

    def put_null(self, column: Column) -> None:
        """Write an empty field: NULL has no text in CSV and TSV."""
        self.begin(column)

    def put_int(self, column: Column, value: int) -> None:
        """Write a number, the signed one where the sign is not known; keep the column in `unsure` then."""
        self.begin(column).put_int(value)
        if value < 0 and column.sign_unknown:
            self.unsure.add(column.index)

    def put_uint(self, column: Column, value: int) -> None:
        """Write a number."""
        self.begin(column).put_uint(value)

    def put_float(self, column: Column, value: float) -> None:
        """Write the shortest number that reads as the same FLOAT; bytes in hex where it is not finite."""
        if math.isfinite(value):
            self.begin(column).put(shortest_single(value).encode("ascii"))
        else:
            self.put_raw(column, struct.pack("<f", value))

    def put_double(self, column: Column, value: float) -> None:
        """Write the shortest number that reads as the same DOUBLE; bytes in hex where it is not finite."""
        if math.isfinite(value):
            self.begin(column).put(repr(value).encode("ascii"))
        else:
            self.put_raw(column, struct.pack("<d", value))

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Write a number with all its digits."""
        self.begin(column).put_digits(digits)

    def put_bits(self, column: Column, value: int) -> None:
        """Write a number."""
        self.begin(column).put_uint(value)

    def put_year(self, column: Column, value: int) -> None:
        """Write a number."""
        self.begin(column).put_uint(value)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Write a date as SELECT prints it."""
        put_date(self.begin(column), moment)

    def put_time(self, column: Column, moment: Moment) -> None:
        """Write a time as SELECT prints it."""
        out = self.begin(column)
        if moment.negative:
            out.put_char(_DASH)
        put_clock(out, moment)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Write date and time as SELECT prints them."""
        out = self.begin(column)
        put_date(out, moment)
        out.put_char(_SPACE)
        put_clock(out, moment)

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Write date and time as SELECT prints them in UTC."""
        moment.to_civil()
        self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """Write the label, or the number where labels are unknown."""
        self.put_label(column, enum_label(column, index, mariadb=self.mariadb))

    def put_set(self, column: Column, bits: int) -> None:
        """Write the labels, or the number where labels are unknown."""
        self.put_label(column, set_labels(column, bits, mariadb=self.mariadb))

    def put_label(self, column: Column, label: str | int) -> None:
        """Write labels or their number; in hex where they are no UTF-8."""
        if isinstance(label, int):
            self.begin(column).put(b"%d" % label)
            return
        try:
            text = label.encode("utf-8")
        except UnicodeEncodeError:
            self.put_raw(column, label.encode("utf-8", "surrogateescape"))
        else:
            self.begin(column)
            self.fields.put_bytes(text)

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a text; ASCII is copied without decoding."""
        self.put_characters(column, data, start, end)  # type: ignore[arg-type] # all columns of text are

    def put_characters(self, column: BytesColumn, data: Cursor, start: int, end: int) -> None:
        """Write a text decoded from the column's character set; in hex where it is invalid in it."""
        if end - start > LONG:
            self.put_long_text(column, memoryview(data.data)[start:end])
            return
        classes = self.fields.classify(data.view, start, end)
        if column.ascii_superset and classes & HIGH == 0:
            self.begin(column)
            self.fields.put(data.view, start, end, classes)
            return
        raw = data.data[start:end]
        text = decode_text(raw, column.charset or "utf8mb4")
        if text is None:
            self.put_raw(column, raw)
        else:
            self.begin(column)
            self.fields.put_bytes(text.encode("utf-8"))

    def put_long_text(self, column: BytesColumn, view: memoryview) -> None:
        """Write a long text in pieces; in hex where it is invalid in its character set."""
        self.release()
        text = long_text(view, column.charset)
        if text is None:
            self.put_raw(column, view)
        else:
            self.begin(column)
            self.fields.put_pieces(_encoded(text.pieces()))

    def put_raw(self, column: Column, raw: bytes | memoryview) -> None:
        """Write bytes in hex."""
        if len(raw) > LONG:
            self.release()
        self.begin(column).put(b"0x")
        put_hex(self.out, raw)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write hex; UUIDs and internet addresses as text where a schema gives the column that type."""
        text = None
        if column.info.type_name and end - start <= LONG:
            text = address_text(column.info.type_name, data.data[start:end])
        if end - start > LONG:
            self.put_raw(column, memoryview(data.data)[start:end])
        elif text is None:
            out = self.begin(column)
            out.put(b"0x")
            out.put_hex(data, start, end)
        else:
            self.begin(column)
            self.fields.put_bytes(text.encode("ascii"))

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the document as JSON, or its bytes where it cannot be read."""
        raw = data.data[start:end]
        try:
            self.put_document(column, read_document(raw))
        except DecodeError as error:
            self.put_unread(column, raw, error)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the changes of a partial update as JSON, or their bytes where they cannot be read."""
        raw = data.data[start:end]
        try:
            self.put_document(column, {"diff": read_diffs(raw)})
        except DecodeError as error:
            self.put_unread(column, raw, error)

    def put_document(self, column: Column, document: object) -> None:
        """Write a value as JSON."""
        self.scratch.clear()
        put_json(self.scratch, document)
        if self.scratch.size > LONG:
            self.release()
        self.begin(column)
        classes = self.fields.classify(self.scratch.chars, 0, self.scratch.size)
        self.fields.put_json(self.scratch.chars, self.scratch.size, classes)
        self.scratch.clear()

    def put_unread(self, column: Column, raw: bytes, error: DecodeError) -> None:
        """Write the bytes of an unreadable value of known size."""
        self.put_raw(column, raw)
        self.note_problem(column, str(error))

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the SRID's four bytes and WKB in hex, as SELECT HEX() prints them."""
        self.put_raw(column, memoryview(data.data)[start:end])

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a JSON array of numbers; null where one is not finite."""
        floats = struct.unpack(f"<{(end - start) // 4}f", data.data[start:end])
        self.put_document(column, [value if math.isfinite(value) else None for value in floats])


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    """Yield the pieces of a text in UTF-8."""
    for piece in pieces:
        yield piece.encode("utf-8")

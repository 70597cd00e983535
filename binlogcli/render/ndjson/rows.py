"""The sink that writes rows as JSON into a buffer.

A row that turns out to be unreadable is taken back, so the buffer is held while a row is made. A byte may become six:
before the first long value of a row, the walker checks that the rest can be read, and the buffer is held no longer.
"""

from __future__ import annotations

import math
import struct

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.json_writer import put_hex, put_json, put_json_str, put_key, put_number
from binlogcli.binary.long_text import LONG, long_text
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.names.charsets import decode as decode_text
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_diffs, read_document
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.value_texts import enum_label, put_clock, put_date, set_labels, shortest_single
from binlogcli.rows.walk import RowWalker

_DASH, _SPACE, _QUOTE = 45, 32, 34


class JsonRows(Sink):
    """Writes `{"before": {...}, "after": {...}}` for each row that `walker` reads, separated by commas."""

    def __init__(self, out: TextBuffer, walker: RowWalker) -> None:
        super().__init__()
        self.out = out
        self.walker = walker
        self.mariadb = False
        self.keys: list[bytes] = []
        self.first_keys: list[bytes] = []
        self.known: PlanCache[tuple[list[bytes], list[bytes]]] = PlanCache()
        self.rows = 0
        self.row_at = 0
        self.drained = 0
        self.begun = False
        self.between = False
        self.images = 0
        self.two_readings: dict[int, str] = {}

    def forget(self) -> None:
        """Reset the counts for an event's rows, before anything of it is read."""
        self.rows = 0
        self.begun = False
        self.two_readings.clear()

    def begin_rows(self, plan: TablePlan) -> None:
        """Prepare for the rows of a table."""
        self.mariadb = plan.definition.mariadb
        known = self.known.get(plan)
        if known is None:
            known = self.known.keep(plan, _key_texts(plan))
        self.first_keys = known[0]
        self.keys = known[1]

    def begin_row(self) -> None:
        """Begin a row."""
        self.begun = self.out.held = True
        self.row_at = self.out.size
        self.drained = self.out.drained
        self.out.put(b", {" if self.rows > 0 else b"{")
        self.images = 0

    def begin_image(self, after: bool) -> None:
        """Begin the image before or after the change."""
        if after:
            self.out.put(b', "after": {' if self.images > 0 else b'"after": {')
        else:
            self.out.put(b'"before": {')
        self.images += 1
        self.between = False

    def end_image(self) -> None:
        """End the image."""
        self.out.put_char(125)  # }

    def end_row(self) -> None:
        """End the row."""
        self.out.put_char(125)  # }
        self.rows += 1
        self.out.held = False
        self.out.breathe()
        self.row_at = self.out.size  # a later error is not this row's
        self.drained = self.out.drained

    def release(self) -> None:
        """Let the row be written out while it is made; `DecodeError` where it cannot be read to its end.

        Values of columns that have a cursor of their own must be at hand before: the walker reads them again.
        """
        if self.out.held:
            self.walker.check_row()
            self.out.held = False

    def key(self, column: Column) -> None:
        """Write the column's name before its value."""
        if self.between:
            self.out.put(self.keys[column.index])
        else:
            self.out.put(self.first_keys[column.index])
            self.between = True

    def put_null(self, column: Column) -> None:
        """Write a NULL as JSON's null."""
        self.key(column)
        self.out.put(b"null")

    def put_int(self, column: Column, value: int) -> None:
        """Write a number, the signed one where the sign is not known; keep the column's name in `two_readings` then."""
        self.key(column)
        self.out.put_int(value)
        if value < 0 and column.sign_unknown:
            self.two_readings[column.index] = column.name

    def put_uint(self, column: Column, value: int) -> None:
        """Write a number."""
        self.key(column)
        self.out.put_uint(value)

    def put_float(self, column: Column, value: float) -> None:
        """Write the shortest number that reads as the same FLOAT; bytes in hex where it is not finite."""
        self.key(column)
        if math.isfinite(value):
            self.out.put(shortest_single(value).encode("ascii"))
        else:
            put_json(self.out, struct.pack("<f", value))

    def put_double(self, column: Column, value: float) -> None:
        """Write the shortest number that reads as the same DOUBLE."""
        self.key(column)
        put_number(self.out, value)

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Write a string: JSON readers would round a number to a double."""
        self.key(column)
        self.out.put_char(_QUOTE)
        self.out.put_digits(digits)
        self.out.put_char(_QUOTE)

    def put_bits(self, column: Column, value: int) -> None:
        """Write a number."""
        self.key(column)
        self.out.put_uint(value)

    def put_year(self, column: Column, value: int) -> None:
        """Write a number."""
        self.key(column)
        self.out.put_uint(value)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Write a string as SELECT prints it."""
        self.key(column)
        self.out.put_char(_QUOTE)
        put_date(self.out, moment)
        self.out.put_char(_QUOTE)

    def put_time(self, column: Column, moment: Moment) -> None:
        """Write a string as SELECT prints it."""
        self.key(column)
        self.out.put_char(_QUOTE)
        if moment.negative:
            self.out.put_char(_DASH)
        put_clock(self.out, moment)
        self.out.put_char(_QUOTE)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Write a string as SELECT prints it."""
        self.key(column)
        self.out.put_char(_QUOTE)
        put_date(self.out, moment)
        self.out.put_char(_SPACE)
        put_clock(self.out, moment)
        self.out.put_char(_QUOTE)

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Write a string as SELECT prints it in UTC."""
        moment.to_civil()
        self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """Write the label, or the number where labels are unknown."""
        self.key(column)
        put_json(self.out, enum_label(column, index, mariadb=self.mariadb))

    def put_set(self, column: Column, bits: int) -> None:
        """Write the labels, or the number where labels are unknown."""
        self.key(column)
        put_json(self.out, set_labels(column, bits, mariadb=self.mariadb))

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a string; ASCII is copied without decoding."""
        self.key(column)
        self.put_characters(column, data, start, end)  # type: ignore[arg-type] # all columns of text are

    def put_characters(self, column: BytesColumn, data: Cursor, start: int, end: int) -> None:
        """Write a string decoded from the column's character set; as bytes where they are invalid in it."""
        if end - start > LONG:
            view = memoryview(data.data)[start:end]
            self.release()
            put_json(self.out, long_text(view, column.charset) or view)
            return
        if column.ascii_superset and self.out.put_json_chars(data.data, start, end, False):
            return
        raw = data.data[start:end]
        text = decode_text(raw, column.charset or "utf8mb4")
        if text is None:
            put_json(self.out, raw)
        elif column.is_utf8:
            self.out.put_json_chars(data.data, start, end, True)
        else:
            put_json_str(self.out, text)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write hex; UUIDs and internet addresses as text where a schema gives the column that type."""
        self.key(column)
        text = None
        if column.info.type_name and end - start <= LONG:
            text = address_text(column.info.type_name, data.data[start:end])
        if end - start > LONG:
            view = memoryview(data.data)[start:end]
            self.release()
            put_json(self.out, view)
        elif text is None:
            self.out.put(b'{"hex": "')
            self.out.put_hex(data, start, end)
            self.out.put(b'"}')
        else:
            put_json_str(self.out, text)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the document itself, or its bytes where it cannot be read."""
        self.key(column)
        raw = data.data[start:end]
        try:
            put_json(self.out, read_document(raw))
        except DecodeError as error:
            self.put_unread(column, raw, error)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the changes of a partial update, or their bytes where they cannot be read."""
        self.key(column)
        raw = data.data[start:end]
        try:
            put_json(self.out, {"diff": read_diffs(raw)})
        except DecodeError as error:
            self.put_unread(column, raw, error)

    def put_unread(self, column: Column, raw: bytes, error: DecodeError) -> None:
        """Write the bytes of an unreadable value of known size."""
        if len(raw) > LONG:
            self.release()
        put_json(self.out, raw)
        self.note_problem(column, str(error))

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write SRID, and WKB in hex."""
        self.key(column)
        self.out.put(b'{"srid": ')
        self.out.put_uint(data.little(start, 4))
        self.out.put(b', "wkb": "')
        if end - start > LONG:
            self.release()
            put_hex(self.out, memoryview(data.data)[start + 4 : end])
        else:
            self.out.put_hex(data, start + 4, end)
        self.out.put(b'"}')

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write an array of numbers."""
        self.key(column)
        if end - start > LONG:
            self.release()
        separator = b"["
        for at in range(start, end, LONG):
            floats = struct.unpack(f"<{(min(at + LONG, end) - at) // 4}f", data.data[at : min(at + LONG, end)])
            self.out.put(separator + ", ".join(_vector_number(x) for x in floats).encode("ascii"))
            self.out.breathe()
            separator = b", "
        self.out.put(b"]" if end > start else b"[]")


def _vector_number(value: float) -> str:
    """Return an element of a vector with all its digits; null where it is not finite."""
    return repr(value) if math.isfinite(value) else "null"


def _key_texts(plan: TablePlan) -> tuple[list[bytes], list[bytes]]:
    """Return `"name": ` for each column of a table, without and with a comma before it."""
    first = []
    scratch = TextBuffer()
    for name in plan.names:
        put_key(scratch, name)
        first.append(bytes(scratch.content()))
        scratch.clear()
    return first, [b", " + text for text in first]

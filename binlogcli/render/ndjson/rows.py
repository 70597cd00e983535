"""The sink that writes rows as JSON into a buffer."""

from __future__ import annotations

import math
import struct

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.json_writer import put_json, put_json_str, put_key, put_number
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.names.charsets import decode as decode_text
from binlogcli.render.times import put_clock, put_date
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_diffs, read_document
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.value_texts import enum_label, set_labels, shortest_single

_DASH, _SPACE, _QUOTE = 45, 32, 34


class JsonRows(Sink):
    """Writes `{"before": {...}, "after": {...}}` for each row, separated by commas."""

    def __init__(self, out: TextBuffer) -> None:
        super().__init__()
        self.out = out
        self.mariadb = False
        self.keys: list[bytes] = []
        self.first_keys: list[bytes] = []
        self.known: PlanCache[tuple[list[bytes], list[bytes]]] = PlanCache()
        self.rows = 0
        self.row_at = 0
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

    def key(self, column: Column) -> None:
        """Write the column's name before its value."""
        if self.between:
            self.out.put(self.keys[column.index])
        else:
            self.out.put(self.first_keys[column.index])
            self.between = True

    def put_null(self, column: Column) -> None:
        """Write null."""
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
        text = address_text(column.info.type_name, data.data[start:end]) if column.info.type_name else None
        if text is None:
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
        put_json(self.out, raw)
        self.note_problem(column, str(error))

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write SRID, and WKB in hex."""
        self.key(column)
        self.out.put(b'{"srid": ')
        self.out.put_uint(data.little(start, 4))
        self.out.put(b', "wkb": "')
        self.out.put_hex(data, start + 4, end)
        self.out.put(b'"}')

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write an array of numbers."""
        self.key(column)
        floats = struct.unpack(f"<{(end - start) // 4}f", data.data[start:end])
        self.out.put(b"[" + ", ".join(_vector_number(x) for x in floats).encode("ascii") + b"]")


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

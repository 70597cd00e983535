"""The sink that writes the values of a row as SQL literals, each image into a buffer of its own."""

from __future__ import annotations

import math
from array import array

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.long_text import LONG
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.render.sql.json_literals import document_literal, text_expression
from binlogcli.render.sql.long_literals import LongLiteral, long_string
from binlogcli.render.sql.quoting import hex_literal, put_string, string_literal, text_literal
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_diffs
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.value_texts import enum_label, put_clock, put_date, set_labels, shortest_single

_QUOTE = 0x27
_DASH, _SPACE = 45, 32
_LARGEST_FLOAT = 3.4028234663852886e38


class LiteralImage:
    """Literals of one row image: `starts[k]` is where the k-th begins in `text`; `places` maps column index to k.

    Literals of long values are in `deferred`, by column index, and empty in `text`.
    """

    def __init__(self) -> None:
        self.text = TextBuffer()
        self.starts = array("q", bytes(8))
        self.places = array("q", bytes(8))
        self.width = 0
        self.count = 0
        self.present = False
        self.floats: dict[int, float] = {}
        self.readings: dict[int, bytes] = {}  # both numbers of a value whose sign is not known, as `-1, 255`
        self.deferred: dict[int, LongLiteral] = {}

    def prepare(self, width: int) -> None:
        """Prepare for images of `width` columns."""
        if len(self.starts) <= width:
            self.starts = array("q", bytes(8 * (width + 1)))
            self.places = array("q", bytes(8 * (width + 1)))
        self.width = width
        self.present = False
        self.count = 0
        at = 0
        while at < width:
            self.places[at] = -1
            at += 1

    def begin(self) -> None:
        """Begin a row's image."""
        self.text.clear()
        self.floats.clear()
        if self.readings:
            self.readings.clear()
        if self.deferred:
            self.deferred.clear()
        self.present = True
        self.count = 0

    def start(self, index: int) -> None:
        """Begin the literal of a column."""
        self.starts[self.count] = self.text.size
        self.places[index] = self.count
        self.count += 1
        self.starts[self.count] = self.text.size

    def end(self) -> None:
        """End the image."""
        self.starts[self.count] = self.text.size

    def literal(self, index: int) -> bytes:
        """Return a column's literal; empty where the image lacks the column or is absent."""
        place = self.places[index]
        if place < 0 or not self.present:
            return b""
        return bytes(self.text.content()[self.starts[place] : self.starts[place + 1]])


class LiteralSink(Sink):
    """Fills the images `before` and `after` of each row; the subclass makes statements of them.

    `row_problem` says why a value of the row has no literal: it stands as NULL, and the row is no statement.
    """

    def __init__(self) -> None:
        super().__init__()
        self.row_problem = ""
        self.before = LiteralImage()
        self.after = LiteralImage()
        self.image = self.before
        self.mariadb = False
        self.names: list[bytes] = []
        self.axis_order = b""

    def take_plan(self, plan: TablePlan) -> None:
        """Prepare for the rows of a table."""
        self.mariadb = plan.definition.mariadb
        self.before.prepare(plan.width)
        self.after.prepare(plan.width)

    def begin_row(self) -> None:
        """Begin a row."""
        self.row_problem = ""
        self.before.present = False
        self.after.present = False

    def note_problem(self, column: Column, reason: str) -> None:
        """Note why a value of the row cannot be read."""
        Sink.note_problem(self, column, reason)
        self.row_problem = self.row_problem or f"column {column.name}: {reason}"

    def begin_image(self, after: bool) -> None:
        """Begin the image before or after the change."""
        self.image = self.after if after else self.before
        self.image.begin()

    def end_image(self) -> None:
        """End the image."""
        self.image.end()

    def begin(self, column: Column) -> TextBuffer:
        """Begin a column's value; return the buffer to write it to."""
        self.image.start(column.index)
        return self.image.text

    def put_deferred(self, column: Column, literal: LongLiteral) -> None:
        """Keep the literal of a long value."""
        self.begin(column)
        self.image.deferred[column.index] = literal

    def put_null(self, column: Column) -> None:
        """Write a NULL as the keyword NULL."""
        self.begin(column).put(b"NULL")

    def put_int(self, column: Column, value: int) -> None:
        """Write a number; one whose sign is not known with its unsigned reading in a comment."""
        self.begin(column).put_int(value)
        if value < 0 and column.sign_unknown:
            self.put_unsigned_reading(column, value)

    def put_unsigned_reading(self, column: Column, value: int) -> None:
        """Write what a negative value of unknown sign stands for if it is unsigned; keep both for comparisons."""
        unsigned = column.info.as_unsigned(value)
        self.image.text.put(b" /* or %d */" % unsigned)
        self.image.readings[column.index] = b"%d, %d" % (value, unsigned)

    def put_uint(self, column: Column, value: int) -> None:
        """Write a number."""
        self.begin(column).put_uint(value)

    def put_float(self, column: Column, value: float) -> None:
        """Write the shortest number that reads as the same FLOAT; keep the value for comparisons as a double."""
        self.begin(column).put(_float_literal(value).encode("ascii"))
        self.image.floats[column.index] = value

    def put_double(self, column: Column, value: float) -> None:
        """Write the shortest number that reads as the same DOUBLE."""
        self.begin(column).put(repr(value).encode("ascii") if math.isfinite(value) else b"NULL")

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Write a number with all its digits."""
        self.begin(column).put_digits(digits)

    def put_bits(self, column: Column, value: int) -> None:
        """Write b'...' with as many digits as the column has."""
        self.begin(column).put(b"b'" + format(value, f"0{column.info.length}b").encode("ascii") + b"'")

    def put_year(self, column: Column, value: int) -> None:
        """Write a number."""
        self.begin(column).put_uint(value)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Write a date in quotes."""
        out = self.begin(column)
        out.put_char(_QUOTE)
        put_date(out, moment)
        out.put_char(_QUOTE)

    def put_time(self, column: Column, moment: Moment) -> None:
        """Write a time in quotes."""
        out = self.begin(column)
        out.put_char(_QUOTE)
        if moment.negative:
            out.put_char(_DASH)
        put_clock(out, moment)
        out.put_char(_QUOTE)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Write date and time in quotes."""
        out = self.begin(column)
        out.put_char(_QUOTE)
        put_date(out, moment)
        out.put_char(_SPACE)
        put_clock(out, moment)
        out.put_char(_QUOTE)

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Write date and time in UTC, the time zone of the session that runs the statements."""
        moment.to_civil()
        self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """Write the label if it is known and valid text, else the number."""
        label = enum_label(column, index, mariadb=self.mariadb)
        literal = text_literal(label) if isinstance(label, str) and index > 0 else None
        self.begin(column).put(b"%d" % index if literal is None else literal)

    def put_set(self, column: Column, bits: int) -> None:
        """Write the labels if they are known and valid text, else the number."""
        labels = set_labels(column, bits, mariadb=self.mariadb)
        literal = text_literal(labels) if isinstance(labels, str) else None
        self.begin(column).put(b"%d" % bits if literal is None else literal)

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a string."""
        self.put_characters(column, data, start, end)  # type: ignore[arg-type] # all columns of text are

    def put_characters(self, column: BytesColumn, data: Cursor, start: int, end: int) -> None:
        """Write a string of the column's character set; plain ASCII is copied without decoding."""
        if end - start > LONG:
            self.put_deferred(column, long_string(memoryview(data.data)[start:end], column.charset))
        else:
            out = self.begin(column)
            if not column.ascii_superset or not put_string(out, data, start, end):
                out.put(string_literal(data.data[start:end], column.charset))

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write hex; UUIDs and internet addresses as text where a schema gives the column that type."""
        if end - start > LONG:
            self.put_deferred(column, LongLiteral(memoryview(data.data)[start:end], b"X'"))
        else:
            raw = data.data[start:end]
            text = address_text(column.info.type_name, raw) if column.info.type_name else None
            self.begin(column).put(hex_literal(raw) if text is None else b"'" + text.encode("ascii") + b"'")

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the document as an SQL expression."""
        try:
            literal = document_literal(data.data[start:end])
        except DecodeError as error:
            self.note_problem(column, str(error))
            literal = b"NULL"
        self.begin(column).put(literal)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a partial update as JSON functions of the column's old value."""
        try:
            changes = read_diffs(data.data[start:end], document_literal)
        except DecodeError as error:
            self.note_problem(column, str(error))
            changes = []
        calls, arguments = [], [self.names[column.index]]
        for change in changes:
            calls.append(_json_function(change) + b"(")
            arguments += (b", ", text_expression(str(change["path"])))
            value = change.get("value")
            if isinstance(value, bytes):
                arguments += (b", CAST(", value, b" AS JSON)")
            arguments.append(b")")
        self.begin(column).put(b"".join(calls[::-1] + arguments))

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write ST_GeomFromWKB; the log has x before y also where the spatial reference system has y first."""
        srid = data.little(start, 4)
        order = self.axis_order if srid != 0 else b""
        after = b"', %d" % srid + order + b")"
        self.put_deferred(column, LongLiteral(memoryview(data.data)[start + 4 : end], b"ST_GeomFromWKB(X'", after))

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the column's bytes in hex."""
        self.put_bytes(column, data, start, end)


def _float_literal(value: float) -> str:
    """Return a FLOAT with the fewest digits; with more where these would round above the largest FLOAT."""
    if not math.isfinite(value):
        return "NULL"
    text = shortest_single(value)
    return text if abs(float(text)) <= _LARGEST_FLOAT else repr(value)


def _json_function(change: dict[str, object]) -> bytes:
    """Return the name of the function that makes a change of a partial update."""
    operation = str(change["op"]).upper()
    if operation == "INSERT" and str(change["path"]).endswith("]"):
        return b"JSON_ARRAY_INSERT"
    return b"JSON_" + operation.encode("ascii")

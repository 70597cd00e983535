"""The sinks that make Python objects of values: for the API, and wherever speed does not matter."""

from __future__ import annotations

import decimal
import struct
from dataclasses import dataclass, field
from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.explained import Explained
from binlogcli.binary.long_text import LONG, long_text
from binlogcli.errors import DecodeError
from binlogcli.names.charsets import decode as decode_text
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_diffs, read_document
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.value_texts import clock_text, date_text, enum_label, fraction_text, set_labels, shortest_single


@dataclass(slots=True)
class Row:
    """A changed row: its columns before and after the change, by name. A column that the image lacks is absent."""

    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Geometry:
    """A geometry: its spatial reference system, and the shape in well-known binary."""

    srid: int
    wkb: bytes


@dataclass(slots=True)
class JsonDiff:
    """The changes of a JSON document, where the log holds only these."""

    changes: list[dict[str, Any]] = field(default_factory=list)


class ValueSink(Sink):
    """Collects rows of Python objects in `rows`; `last` is the value that came last."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self.row = Row()
        self.image: dict[str, Any] = {}
        self.last: Any = None
        self.mariadb = False

    def begin_rows(self, plan: object) -> None:
        """Begin the rows of a table."""
        if isinstance(plan, TablePlan):
            self.mariadb = plan.definition.mariadb

    def begin_row(self) -> None:
        """Begin a row."""
        self.row = Row()

    def begin_image(self, after: bool) -> None:
        """Begin the image of the row after the change, or the one before it."""
        self.image = {}
        if after:
            self.row.after = self.image
        else:
            self.row.before = self.image

    def end_row(self) -> None:
        """Store the row."""
        self.rows.append(self.row)

    def put(self, column: Column, value: object) -> None:
        """Store a value under its column's name."""
        self.last = value
        self.image[column.name] = value

    def put_null(self, column: Column) -> None:
        """Store a NULL as None."""
        self.put(column, None)

    def put_int(self, column: Column, value: int) -> None:
        """Store an int."""
        self.put(column, value)

    def put_uint(self, column: Column, value: int) -> None:
        """Store an int."""
        self.put(column, value)

    def put_float(self, column: Column, value: float) -> None:
        """Store the number with the fewest digits that has these four bytes as a FLOAT."""
        self.put(column, float(shortest_single(value)))

    def put_double(self, column: Column, value: float) -> None:
        """Store a float."""
        self.put(column, value)

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Store a Decimal."""
        self.put(column, decimal.Decimal(digits.text()))

    def put_bits(self, column: Column, value: int) -> None:
        """Store an int."""
        self.put(column, value)

    def put_year(self, column: Column, value: int) -> None:
        """Store an int."""
        self.put(column, value)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Store text: Python's dates have no zero date."""
        self.put(column, date_text(moment))

    def put_time(self, column: Column, moment: Moment) -> None:
        """Store text: Python's times end at 24 hours."""
        self.put(column, clock_text(moment))

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Store text: Python's dates have no zero date."""
        moment.negative = False
        self.put(column, f"{date_text(moment)} {clock_text(moment)}")

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Store text, in UTC."""
        moment.to_civil()
        self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """Store the label where it is known, else its index."""
        self.put(column, enum_label(column, index, mariadb=self.mariadb))

    def put_set(self, column: Column, bits: int) -> None:
        """Store the labels, joined by commas, where they are known, else the bits."""
        self.put(column, set_labels(column, bits, mariadb=self.mariadb))

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Store a str, or bytes where they are not in the column's character set."""
        raw = data.data[start:end]
        text = decode_text(raw, column.info.charset(mariadb=self.mariadb) or "utf8mb4")
        self.put(column, raw if text is None else text)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Store bytes, or text for UUIDs and internet addresses where a schema names the type."""
        raw = data.data[start:end]
        self.put(column, address_text(column.info.type_name, raw) or raw)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Store the document as Python objects, or bytes where it cannot be read."""
        raw = data.data[start:end]
        try:
            value = read_document(raw)
        except DecodeError as error:
            self.note_problem(column, str(error))
            value = raw
        self.put(column, value)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Store the changes, or bytes where they cannot be read."""
        raw = data.data[start:end]
        try:
            value: JsonDiff | bytes = JsonDiff(read_diffs(raw))
        except DecodeError as error:
            self.note_problem(column, str(error))
            value = raw
        self.put(column, value)

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Store SRID and WKB."""
        self.put(column, Geometry(data.little(start, 4), data.data[start + 4 : end]))

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Store a list of floats."""
        self.put(column, list(struct.unpack(f"<{(end - start) // 4}f", data.data[start:end])))


class LastValue(ValueSink):
    """Keeps only the value that came last, for the notes of the hexdump."""

    def put(self, column: Column, value: object) -> None:
        """Keep a value until the next one."""
        self.last = value

    def end_row(self) -> None:
        """End the row; rows are not stored."""

    def put_int(self, column: Column, value: int) -> None:
        """Keep a number; one whose sign is not known with its unsigned reading as its meaning."""
        if value < 0 and column.sign_unknown:
            self.last = Explained(value, f"or {column.info.as_unsigned(value)}")
        else:
            self.last = value

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Keep text, as JSON has it."""
        self.last = digits.text()

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Keep a str, or a `LongText`; ASCII, which is alike in most character sets, is decoded directly."""
        text_column: BytesColumn = column  # type: ignore[assignment] # all columns of text are
        raw = b"" if end - start > LONG else data.data[start:end]
        if end - start > LONG:
            self.last = long_text(memoryview(data.data)[start:end], text_column.charset) or data.data[start:end]
        elif text_column.ascii_superset and raw.isascii():
            self.last = raw.decode("ascii")
        else:
            ValueSink.put_text(self, column, data, start, end)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Keep text, made by one format operation."""
        parts = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
        text = "%04d-%02d-%02d %02d:%02d:%02d" % parts  # noqa: UP031 - three times as fast as an f-string, compiled
        self.last = text + fraction_text(moment) if moment.fsp else text


def two_readings(plan: TablePlan | None, rows: list[Row]) -> list[str]:
    """Return the columns of unknown sign with a negative value in these rows, which is another number if unsigned."""
    columns = [] if plan is None else [info.shown_name for info in plan.definition.columns if info.sign_unknown]
    images = [image for row in rows for image in (row.before, row.after) if image is not None]
    return [name for name in columns if any((image.get(name) or 0) < 0 for image in images)]

"""The sink that makes Python objects: for the API, and wherever speed does not matter."""

from __future__ import annotations

import decimal
import struct
from dataclasses import dataclass, field
from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.errors import DecodeError
from binlogcli.names.charsets import decode as decode_text
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_diffs, read_document
from binlogcli.rows.readers.strings import BytesColumn


@dataclass(slots=True)
class Row:
    """A changed row: its columns before and after, by name. A column that the image lacks is absent."""

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


def date_text(moment: Moment) -> str:
    """A date as the server prints it."""
    return f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}"


def fraction_text(moment: Moment) -> str:
    """The digits of a second after the point, with the point, or nothing."""
    return f".{moment.micro:06d}"[: moment.fsp + 1] if moment.fsp else ""


def clock_text(moment: Moment) -> str:
    """A time as the server prints it."""
    sign = "-" if moment.negative else ""
    return f"{sign}{moment.hour:02d}:{moment.minute:02d}:{moment.second:02d}{fraction_text(moment)}"


class ValueSink(Sink):
    """Collects rows of Python objects in `rows`; `last` is the value that came last."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.row = Row()
        self.image: dict[str, Any] = {}
        self.last: Any = None
        self.mariadb = False

    def begin_rows(self, plan: object) -> None:
        """Rows of a table follow."""
        if isinstance(plan, TablePlan):
            self.mariadb = plan.definition.mariadb

    def begin_row(self) -> None:
        """A row follows."""
        self.row = Row()

    def begin_image(self, after: bool) -> None:
        """The state of the row before or after the change follows."""
        self.image = {}
        if after:
            self.row.after = self.image
        else:
            self.row.before = self.image

    def end_row(self) -> None:
        """The row is whole."""
        self.rows.append(self.row)

    def put(self, column: Column, value: object) -> None:
        """Keep a value under its column's name."""
        self.last = value
        self.image[column.name] = value

    def put_null(self, column: Column) -> None:
        """NULL is None."""
        self.put(column, None)

    def put_int(self, column: Column, value: int) -> None:
        """An int."""
        self.put(column, value)

    def put_uint(self, column: Column, value: int) -> None:
        """An int."""
        self.put(column, value)

    def put_float(self, column: Column, value: float) -> None:
        """The number with the fewest digits that is the same FLOAT."""
        self.put(column, float(shortest_single(value)))

    def put_double(self, column: Column, value: float) -> None:
        """A float."""
        self.put(column, value)

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """A Decimal."""
        self.put(column, decimal.Decimal(digits.text()))

    def put_bits(self, column: Column, value: int) -> None:
        """An int."""
        self.put(column, value)

    def put_year(self, column: Column, value: int) -> None:
        """An int."""
        self.put(column, value)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Text: Python's dates have no zero."""
        self.put(column, date_text(moment))

    def put_time(self, column: Column, moment: Moment) -> None:
        """Text: Python's times end at 24 hours."""
        self.put(column, clock_text(moment))

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Text: Python's dates have no zero."""
        moment.negative = False
        self.put(column, f"{date_text(moment)} {clock_text(moment)}")

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Text, in UTC."""
        moment.to_civil()
        self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """The label where the log holds it, else the number."""
        self.put(column, enum_label(column, index, mariadb=self.mariadb))

    def put_set(self, column: Column, bits: int) -> None:
        """The labels, joined by commas, where the log holds them, else the number."""
        self.put(column, set_labels(column, bits, mariadb=self.mariadb))

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """A str; bytes where they are not of the column's character set."""
        raw = data.data[start:end]
        text = decode_text(raw, column.info.charset(mariadb=self.mariadb) or "utf8mb4")
        self.put(column, raw if text is None else text)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Bytes; UUID and internet addresses as text where a schema names them."""
        raw = data.data[start:end]
        self.put(column, address_text(column.info.type_name, raw) or raw)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The document as Python objects; bytes where it cannot be read."""
        raw = data.data[start:end]
        try:
            value = read_document(raw)
        except DecodeError:
            value = raw
        self.put(column, value)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The changes; bytes where they cannot be read."""
        raw = data.data[start:end]
        try:
            value: JsonDiff | bytes = JsonDiff(read_diffs(raw))
        except DecodeError:
            value = raw
        self.put(column, value)

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """SRID and WKB."""
        self.put(column, Geometry(data.little(start, 4), data.data[start + 4 : end]))

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """A list of floats."""
        self.put(column, list(struct.unpack(f"<{(end - start) // 4}f", data.data[start:end])))


class LastValue(ValueSink):
    """Makes one value after another and keeps none but the last."""

    def put(self, column: Column, value: object) -> None:
        """Keep a value until the next one."""
        self.last = value

    def end_row(self) -> None:
        """The row is over."""

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Text, as JSON has it."""
        self.last = digits.text()

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """A str; ASCII, which is the same in most character sets, without asking for the set."""
        raw = data.data[start:end]
        text_column: BytesColumn = column  # type: ignore[assignment] # all columns of text are
        if text_column.ascii_superset and raw.isascii():
            self.last = raw.decode("ascii")
        else:
            ValueSink.put_text(self, column, data, start, end)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Text, made at one go."""
        parts = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
        text = "%04d-%02d-%02d %02d:%02d:%02d" % parts  # noqa: UP031 - three times as fast as an f-string, compiled
        self.last = text + fraction_text(moment) if moment.fsp else text


def enum_label(column: Column, index: int, *, mariadb: bool) -> str | int:
    """The label of an ENUM value; its number where the log has no such label."""
    labels = column.info.label_texts(mariadb=mariadb)
    if labels is None or index > len(labels):
        return index
    return labels[index - 1] if index else ""


def set_labels(column: Column, bits: int, *, mariadb: bool) -> str | int:
    """The labels of a SET value as the server prints them; the number where the log has no such labels."""
    labels = column.info.label_texts(mariadb=mariadb)
    if labels is None or bits >> len(labels):
        return bits
    return ",".join(label for at, label in enumerate(labels) if bits >> at & 1)


def shortest_single(value: float) -> str:
    """The shortest number that is the same FLOAT of four bytes, as `repr` writes numbers."""
    for digits in range(6, 9):
        text = f"{value:.{digits}g}"
        if struct.unpack("<f", struct.pack("<f", float(text)))[0] == value:
            return repr(float(text))
    return repr(float(f"{value:.9g}"))

"""A `Column` reads a value's bytes, a `Sink` takes the value: the two classes that all of `rows` is built on.

`Column.read` turns bytes into C numbers or a range of bytes and passes them to one `put_...` of the sink; no Python
object is made for a value. Text, JSON, Python objects and Arrow buffers are sinks. The base class `Sink` ignores all
values, so that walking rows into it checks that they can be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.rows.table.column_info import ColumnInfo

if TYPE_CHECKING:
    from binlogcli.rows.plan import TablePlan


class Moment:
    """A date, a time, both, or a point in time, depending on the column; each column fills its own one for each value.

    A TIMESTAMP sets `seconds` since 1970 and `micro`; `to_civil` computes date and time in UTC from them.
    """

    def __init__(self) -> None:
        self.negative = False
        self.year = self.month = self.day = self.hour = self.minute = self.second = self.micro = 0
        self.seconds = 0
        self.fsp = 0

    def to_civil(self) -> None:
        """Fill date and time (UTC) from `seconds`; 0 becomes the zero date, as the servers print it."""
        if self.seconds == 0:
            self.year = self.month = self.day = self.hour = self.minute = self.second = 0
            return
        days = self.seconds // 86400
        rest = self.seconds - days * 86400
        self.hour = rest // 3600
        self.minute = rest // 60 % 60
        self.second = rest % 60
        # Proleptic Gregorian calendar in eras of 400 years that begin on 1 March
        days += 719468
        era = days // 146097
        day_of_era = days - era * 146097
        year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
        day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
        shifted = (5 * day_of_year + 2) // 153
        self.day = day_of_year - (153 * shifted + 2) // 5 + 1
        self.month = shifted + 3 if shifted < 10 else shifted - 9
        self.year = year_of_era + era * 400 + (1 if self.month <= 2 else 0)


class Sink:
    """Receives the rows of an event value by value; the `put_...` of this base class do nothing.

    `problem` says that the bytes of an event's first value were found, but could not be decoded: "" without one.
    """

    def __init__(self) -> None:
        self.problem = ""

    def note_problem(self, column: Column, reason: str) -> None:
        """Note why a value cannot be read; its bytes are passed in its place."""
        self.problem = self.problem or f"column {column.name}: {reason}"

    def begin_rows(self, plan: TablePlan) -> None:
        """Begin the rows of a table."""

    def begin_row(self) -> None:
        """Begin a row."""

    def begin_image(self, after: bool) -> None:
        """Begin the image of the row after the change, or the one before it."""

    def end_image(self) -> None:
        """End the image."""

    def end_row(self) -> None:
        """End the row."""

    def put_null(self, column: Column) -> None:
        """Receive a NULL."""

    def put_int(self, column: Column, value: int) -> None:
        """Take a signed integer, or one of unknown sign."""

    def put_uint(self, column: Column, value: int) -> None:
        """Take an unsigned integer."""

    def put_float(self, column: Column, value: float) -> None:
        """Take a FLOAT."""

    def put_double(self, column: Column, value: float) -> None:
        """Take a DOUBLE."""

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Take a DECIMAL as its digits."""

    def put_bits(self, column: Column, value: int) -> None:
        """Take a BIT(n) as a number."""

    def put_year(self, column: Column, value: int) -> None:
        """Take a YEAR; 0 is the year 0000."""

    def put_date(self, column: Column, moment: Moment) -> None:
        """Take a DATE."""

    def put_time(self, column: Column, moment: Moment) -> None:
        """Take a TIME."""

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Take a DATETIME."""

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Take a TIMESTAMP as seconds and microseconds."""

    def put_enum(self, column: Column, index: int) -> None:
        """Take the index of an ENUM's label, from 1; 0 is the error value ''."""

    def put_set(self, column: Column, bits: int) -> None:
        """Take a SET as bits; bit 0 is the first label."""

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Take data[start:end], characters in the column's character set."""

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Take data[start:end], a binary value; a fixed length is padded with zeros already."""

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Take data[start:end], a JSON document in MySQL's binary form."""

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Take data[start:end], the changes of a JSON document (partial update)."""

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Take data[start:end], an SRID of four bytes and well-known binary."""

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Take data[start:end], floats of four bytes."""


class Column:
    """A column of a table that can read its values; the subclasses are in `readers`, one for each storage format.

    `sign_unknown`: it is an integer that may be unsigned or not; values with the highest bit set have two readings.
    """

    def __init__(self, info: ColumnInfo) -> None:
        self.info = info
        self.index = info.index
        self.name = info.shown_name
        self.sign_unknown = info.sign_unknown

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink; `DecodeError` where its bytes are not legal."""
        raise NotImplementedError

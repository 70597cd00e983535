"""The two sides of reading a value: a `Column` knows its bytes, a `Sink` does something with what it holds.

A column's `read` turns bytes into C scalars and hands them to one `put_...` of the sink. Text, JSON, Python objects and
Arrow buffers are sinks; this module's own does nothing with any value, which is the check that all of them can be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.rows.table.definition import ColumnInfo

if TYPE_CHECKING:
    from binlogcli.rows.plan import TablePlan


class Moment:
    """A date, time, date and time, or point in time; the same object is filled again for each value.

    A timestamp has `seconds` since the epoch; `to_civil` gives it date and time in UTC.
    """

    def __init__(self) -> None:
        self.negative = False
        self.year = self.month = self.day = self.hour = self.minute = self.second = self.micro = 0
        self.seconds = 0
        self.fsp = 0

    def to_civil(self) -> None:
        """Fill date and time (UTC) from `seconds`; 0 is the zero date, as the servers print it."""
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
    """Receives the rows of an event, value by value. Every method may be left as it is: then nothing happens."""

    def begin_rows(self, plan: TablePlan) -> None:
        """Rows of a table follow."""

    def begin_row(self) -> None:
        """A row follows."""

    def begin_image(self, after: bool) -> None:
        """The state of the row before or after the change follows."""

    def end_image(self) -> None:
        """The image is over."""

    def end_row(self) -> None:
        """The row is over."""

    def put_null(self, column: Column) -> None:
        """NULL."""

    def put_int(self, column: Column, value: int) -> None:
        """A signed integer, or one whose sign nobody told."""

    def put_uint(self, column: Column, value: int) -> None:
        """An integer that is unsigned."""

    def put_float(self, column: Column, value: float) -> None:
        """A FLOAT."""

    def put_double(self, column: Column, value: float) -> None:
        """A DOUBLE."""

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """A DECIMAL."""

    def put_bits(self, column: Column, value: int) -> None:
        """A BIT(n)."""

    def put_year(self, column: Column, value: int) -> None:
        """A YEAR, 0 for the zero year."""

    def put_date(self, column: Column, moment: Moment) -> None:
        """A DATE."""

    def put_time(self, column: Column, moment: Moment) -> None:
        """A TIME."""

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """A DATETIME."""

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """A TIMESTAMP."""

    def put_enum(self, column: Column, index: int) -> None:
        """An ENUM by its index, counted from 1; 0 is the error value ''."""

    def put_set(self, column: Column, bits: int) -> None:
        """A SET; bit 0 is the first member."""

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Characters in the column's character set."""

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Bytes that are no text; a fixed length was padded with zeros where the log leaves them out."""

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """A JSON document in MySQL's binary form."""

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The changes of a JSON document (partial update)."""

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """SRID and WKB."""

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Floats of four bytes."""


class Column:
    """A column of a table, with the reader of its values."""

    def __init__(self, info: ColumnInfo) -> None:
        self.info = info
        self.index = info.index
        self.name = info.shown_name

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor and hand it to the sink."""
        raise NotImplementedError

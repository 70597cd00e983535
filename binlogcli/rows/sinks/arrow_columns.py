"""The sink that makes columns: values go straight into memory in Arrow's layout, without an object for each.

`lake.decode.arrow_batches` takes the finished columns over. Rare types (JSON, addresses, rare character sets) are
converted by Python functions.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.json_writer import json_bytes
from binlogcli.errors import DecodeError
from binlogcli.names.charsets import decode as decode_text
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_diffs, read_document
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.sinks import column_loops, lists
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer
from binlogcli.rows.sinks.utf8_tables import replaced
from binlogcli.rows.value_texts import clock_text, date_text

END_SIZE = 4  # bytes of an offset in a column of values of any length
_NO_LIMIT = 0x7FFFFFFF
_SECOND = 1000000
_DAY_SECONDS = 86400
_MONTH_DAYS = bytes((0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31))
NULL, RAW, ERROR = 0, 1, 2  # what becomes of an invalid date
BINARY, REPLACE = 0, 1  # what becomes of invalid text; or ERROR


class FullError(Exception):
    """The columns reached their limit with the row just read: hand them out, and continue with the next row."""


class ColumnSink(Sink):
    """Puts the rows of one table into columns.

    `columns` takes a row after the change, or before it if it is a DELETE; `before` takes rows before an UPDATE. A
    column that an image lacks is shorter and is filled up with NULL.

    `used` counts bytes; a row that reaches `limit` is the last (`FullError`). `refusal` describes the first value
    that the options do not allow; `refused_date`: it is a date, not text.
    """

    def __init__(self, columns: list[ColumnBuffer], before: list[ColumnBuffer], *, mariadb: bool) -> None:
        super().__init__()
        self.columns = columns
        self.before = before
        self.now = columns
        self.mariadb = mariadb
        self.updating = False
        self.patched: list[tuple[int, int]] = []  # rows, and their columns that hold changes of a document
        self.row = 0
        self.used = 0
        self.row_width = sum(column.width or END_SIZE for column in columns)
        self.limit = _NO_LIMIT
        self.dates = NULL
        self.texts = BINARY
        self.refusal = ""
        self.refused_date = False
        self.two_readings: set[int] = set()  # columns of unknown sign with a negative value
        self.lengths = _MONTH_DAYS

    # rows -------------------------------------------------------------------------------------------------------

    def expect_updates(self, before: list[ColumnBuffer]) -> None:
        """Set the columns for rows before updates."""
        self.before = before

    def turned(self) -> set[int]:
        """Return the indexes of text columns that became binary because of invalid text."""
        return {at for part in (self.columns, self.before) for at, column in enumerate(part) if column.turned}

    def begin_image(self, after: bool) -> None:
        """Choose the columns for an image after the change, or before it."""
        self.now = self.before if self.updating and not after else self.columns

    def end_row(self) -> None:
        """End the row; `FullError` at the limit."""
        self.row += 1
        self.used += self.row_width
        if self.used > self.limit:
            raise FullError

    def drop_row(self) -> None:
        """Remove a row that could not be read to its end."""
        for buffer in self.columns:
            buffer.cut(self.row)
        for buffer in self.before:
            buffer.cut(self.row)

    def at(self, column: Column) -> ColumnBuffer:
        """Return the buffer for the column's next value."""
        buffer = lists.buffer_at(self.now, column.index)
        if buffer.count != self.row:
            buffer.pad(self.row)
        return buffer

    def put_null(self, column: Column) -> None:
        """Append NULL."""
        self.at(column).put_null()

    # numbers ----------------------------------------------------------------------------------------------------

    def put_int(self, column: Column, value: int) -> None:
        """Append a number of the column's width; note where it may be another one, as the sign is not known."""
        self.at(column).put(value)
        if value < 0 and column.sign_unknown:
            self.two_readings.add(column.index)

    def put_uint(self, column: Column, value: int) -> None:
        """Append a number of the next width; one of 64 bits as a decimal."""
        buffer = self.at(column)
        if buffer.width == 16:
            buffer.put_wide(value, False)
        else:
            buffer.put(value)

    def put_bits(self, column: Column, value: int) -> None:
        """Append a number, or a boolean for one bit."""
        buffer = self.at(column)
        if buffer.width == 16:
            buffer.put_wide(value, False)
        elif buffer.width == 1:
            buffer.put(1 if value else 0)
        else:
            buffer.put(value)

    def put_year(self, column: Column, value: int) -> None:
        """Append a number."""
        self.at(column).put(value)

    def put_float(self, column: Column, value: float) -> None:
        """Append a number of four bytes."""
        buffer = self.at(column)
        if buffer.size + 4 > buffer.room:
            buffer.grow(4)
        column_loops.put_single(buffer.chars, buffer.size, value)
        buffer.size += 4
        buffer.count += 1

    def put_double(self, column: Column, value: float) -> None:
        """Append a number of eight bytes."""
        buffer = self.at(column)
        if buffer.size + 8 > buffer.room:
            buffer.grow(8)
        column_loops.put_double(buffer.chars, buffer.size, value)
        buffer.size += 8
        buffer.count += 1

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Append a number of 128 bits, or text where the column has more digits than that can hold."""
        buffer = self.at(column)
        if buffer.width == 0:
            self.used += digits.size
            buffer.append(digits.text().encode("ascii"))
        else:
            buffer.put_digits(digits)

    # dates and times --------------------------------------------------------------------------------------------

    def put_date(self, column: Column, moment: Moment) -> None:
        """Append days since 1970."""
        buffer = self.at(column)
        if self.is_date(moment):
            buffer.put(_days_of(moment.year, moment.month, moment.day))
        else:
            self.put_undated(column, buffer, date_text(moment))

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Append microseconds since 1970."""
        buffer = self.at(column)
        if self.is_date(moment) and moment.hour < 24 and moment.minute < 60 and moment.second < 60:
            seconds = _days_of(moment.year, moment.month, moment.day) * _DAY_SECONDS
            seconds += moment.hour * 3600 + moment.minute * 60 + moment.second
            buffer.put(seconds * _SECOND + moment.micro)
        else:
            moment.negative = False
            self.put_undated(column, buffer, f"{date_text(moment)} {clock_text(moment)}")

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Append microseconds since 1970; zero seconds are the zero date."""
        buffer = self.at(column)
        if moment.seconds != 0:
            buffer.put(moment.seconds * _SECOND + moment.micro)
        else:
            moment.to_civil()
            moment.negative = False
            self.put_undated(column, buffer, f"{date_text(moment)} {clock_text(moment)}")

    def put_time(self, column: Column, moment: Moment) -> None:
        """Append microseconds."""
        value = ((moment.hour * 60 + moment.minute) * 60 + moment.second) * _SECOND + moment.micro
        self.at(column).put(-value if moment.negative else value)

    def is_date(self, moment: Moment) -> bool:
        """Whether the calendar has this day, from the year 1 on."""
        if not 1 <= moment.year <= 9999 or not 1 <= moment.month <= 12:
            return False
        if moment.month == 2 and moment.day == 29:
            return moment.year % 4 == 0 and (moment.year % 100 != 0 or moment.year % 400 == 0)
        return 1 <= moment.day <= self.lengths[moment.month]

    def put_undated(self, column: Column, buffer: ColumnBuffer, text: str) -> None:
        """Store an invalid date as NULL, and as text in the second column where there is one."""
        if self.dates == ERROR and not self.refusal:
            self.refusal = f"column {column.name}: {text} is not a valid date"
            self.refused_date = True
        if buffer.more is not None:
            buffer.more.pad(self.row)
            buffer.more.append(text.encode("ascii"))
        buffer.put_null()

    # ENUM and SET -----------------------------------------------------------------------------------------------

    def put_enum(self, column: Column, index: int) -> None:
        """Append the label's number, 0 for the error value; without labels the index itself."""
        buffer = self.at(column)
        if buffer.labels is not None and index >= buffer.label_count:
            index = buffer.label(str(index))
        buffer.put(index)

    def put_set(self, column: Column, bits: int) -> None:
        """Append the numbers of the labels; without labels the bits."""
        buffer = self.at(column)
        if buffer.labels is not None:
            self.put_members(buffer, bits)
        elif buffer.width == 16:
            buffer.put_wide(bits, False)
        else:
            buffer.put(bits)

    def put_members(self, buffer: ColumnBuffer, bits: int) -> None:
        """Append the numbers of the labels whose bits are set; bits without a label become one more label."""
        if buffer.size + 65 * buffer.unit > buffer.room:
            buffer.grow(65 * buffer.unit)
        number = 0
        while bits > 0 and number < buffer.label_count:
            if bits & 1:
                column_loops.put_little(buffer.chars, buffer.size, number, buffer.unit)
                buffer.size += buffer.unit
                self.used += buffer.unit
            bits >>= 1
            number += 1
        if bits > 0:
            number = buffer.label(str(bits << number))
            column_loops.put_little(buffer.chars, buffer.size, number, buffer.unit)
            buffer.size += buffer.unit
        buffer.close_value()

    # text and bytes ---------------------------------------------------------------------------------------------

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Append text as UTF-8."""
        self.put_characters(column, self.at(column), data, start, end)  # type: ignore[arg-type] # all of text are

    def put_characters(self, column: BytesColumn, buffer: ColumnBuffer, data: Cursor, start: int, end: int) -> None:
        """Append text in the column's character set: copied and checked in one pass, or recoded."""
        self.used += end - start
        if buffer.turned:
            buffer.append_range(data, start, end)
            return
        if buffer.size + end - start > buffer.room:
            buffer.grow(end - start)
        kind = column_loops.copy_text(buffer.chars, buffer.size, data.view, start, end)
        if (kind == 2 and column.ascii_superset) or (kind == 1 and column.is_utf8):
            buffer.size += end - start
            buffer.close_value()
        elif not buffer.recoding or not self.recode(buffer, data, start, end):
            self.put_odd(column, buffer, data.data[start:end])

    def recode(self, buffer: ColumnBuffer, data: Cursor, start: int, end: int) -> bool:
        """Append text of a one-byte character set; False where a byte is not a character."""
        if buffer.size + 3 * (end - start) > buffer.room:
            buffer.grow(3 * (end - start))
        after = column_loops.recode(buffer.chars, buffer.size, data.view, start, end, buffer.table)
        if after < 0:
            return False
        buffer.size = after
        buffer.close_value()
        return True

    def put_odd(self, column: BytesColumn, buffer: ColumnBuffer, raw: bytes) -> None:
        """Append text of a rare character set, or invalid text as the options say."""
        text = None if column.is_utf8 else decode_text(raw, column.charset or "utf8mb4")
        if text is not None:
            raw = text.encode("utf-8", "replace")
        elif self.texts == BINARY and column.is_utf8:
            buffer.turned = True
        else:
            if self.texts == ERROR and not self.refusal:
                self.refusal = f"column {column.name}: bytes that are not valid {column.charset or 'UTF-8'}"
            raw = replaced(raw, column.charset).encode("utf-8")
        buffer.append(raw)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Append bytes; UUIDs and internet addresses as text."""
        buffer = self.at(column)
        self.used += end - start
        if buffer.unit > 1:
            buffer.put_null()  # no vector
        elif buffer.addresses:
            raw = data.data[start:end]
            buffer.append((address_text(column.info.type_name, raw) or raw.hex()).encode("ascii"))
        else:
            buffer.append_range(data, start, end)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Append the document as text."""
        raw = data.data[start:end]
        try:
            document = read_document(raw)
        except DecodeError as error:
            self.note_problem(column, str(error))
            document = raw
        self.put_document(column, document)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Append the changes as text, and record the row and the column in `patched`."""
        raw = data.data[start:end]
        try:
            changes: object = {"diff": read_diffs(raw)}
        except DecodeError as error:
            self.note_problem(column, str(error))
            changes = raw
        self.patched.append((self.row, column.index))
        self.put_document(column, changes)

    def put_document(self, column: Column, document: object) -> None:
        """Append a document as text."""
        text = json_bytes(document)
        self.used += len(text)
        self.at(column).append(text)

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Append WKB, and the SRID to the second column."""
        buffer = self.at(column)
        self.used += end - start
        buffer.append_range(data, start + 4, end)
        if buffer.more is not None:
            buffer.more.pad(self.row)
            buffer.more.put(data.little(start, 4))

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Append the numbers as they are."""
        self.used += end - start
        self.at(column).append_range(data, start, end)


def _days_of(year: int, month: int, day: int) -> int:
    """Return the days from 1970 to a day of the Gregorian calendar from the year 1 on."""
    if month <= 2:  # years that begin on 1 March
        year -= 1
        month += 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719469

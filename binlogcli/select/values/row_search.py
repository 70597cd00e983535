"""Finds the rows that `--grep` matches by a search in their values, all written one after another.

Values are written as `conditions` compares them with the patterns, without an object of Python for each: an integer
in decimal, a date as the servers print it, bytes as characters and as hexadecimal digits. An event is passed over if
neither its raw bytes nor those of its values that are stored in another form have a needle. Of others, each row is
written and searched for itself.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left

from binlogcli.binary import kernel
from binlogcli.binary.byte_search import ByteSearch
from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECTS, DecodeError, undecodable
from binlogcli.events.tables import Rows
from binlogcli.names.charsets import decode as decode_text
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.digit_search import MOST_DIGITS, DigitSearch
from binlogcli.rows.images import RowImages
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_document
from binlogcli.rows.readers.strings import BytesColumn
from binlogcli.rows.value_texts import enum_label, put_clock, put_date, set_labels, shortest_single
from binlogcli.rows.walk import RowWalker
from binlogcli.select.values.grep import Grep
from binlogcli.select.values.operands import Document, text_of
from binlogcli.select.values.reach import ALL, NOT, reach_of

_END = 10  # of a value: what patterns take for the end of a line
_DASH, _SPACE = 45, 32
_OPAQUE = b"\x0f"  # the type of a value in JSON that is one of an SQL type
_DIGITS = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}")
_MOST_COLUMNS = 4096
_EACH = bytes([ALL]) * _MOST_COLUMNS


class RowSearch(Sink):
    """Searches row events; made by `RowFilter`. `unsure` tells of the rows found last that a sign may decide."""

    def __init__(self, grep: Grep) -> None:
        super().__init__()
        self.grep = grep
        self.by_needles = grep.needles is not None
        self.in_letters = grep.in_letters
        self.plain = grep.plain
        self.as_hex = grep.may_be_hex
        self.raw = ByteSearch(grep.raw_needles(), fold=grep.ignore_case)
        self.texts = ByteSearch(grep.text_needles(), fold=grep.ignore_case)
        self.digits = DigitSearch(grep.needles) if grep.needles and all(map(_DIGITS.fullmatch, grep.needles)) else None
        self.out = TextBuffer()
        self.walker = RowWalker()
        self.images: RowImages | None = None  # of the rows that were searched last
        self.known: PlanCache[bytes] = PlanCache()
        self.plan: TablePlan | None = None  # the one that was used last
        self.plan_reach = _EACH
        self.reaches_some = True
        self.begun: TablePlan | None = None
        self.begun_by_row = False
        self.reach = _EACH
        self.mariadb = False
        self.by_row = False
        self.ends: list[int] = []  # of the values of a row in `out`
        self.sign_open = False
        self.unsure = False
        self.ranges: list[tuple[int, int]] = []

    def passes_over(self, event: Rows, plan: TablePlan) -> bool:
        """Return whether the raw bytes of an event tell that nothing in it matches."""
        if not self.in_letters or self.in_raw(event):
            return False  # rows that may be found have to be readable
        self.reach_of(plan)
        return not self.reaches_some

    def in_raw(self, event: Rows) -> bool:
        """Return whether the raw bytes of an event's rows have a needle."""
        if event.row_data is event.data:
            return self.raw.found(event.row_data, event.rows_start, event.rows_end)
        return self.raw.found_in(event.row_data, event.rows_start, event.rows_end)

    def reach_of(self, plan: TablePlan) -> bytes:
        """Return which values of a table's columns have to be written to find needles in them."""
        if plan is not self.plan:
            found = self.known.get(plan)
            self.plan_reach = self.known.keep(plan, reach_of(self.grep, plan)) if found is None else found
            self.reaches_some = any(self.plan_reach)
            self.plan = plan
        return self.plan_reach

    def find(self, event: Rows) -> list[tuple[int, int]] | None:
        """Return where the rows with a match are in `row_data`; None where the event cannot be read to its end."""
        try:
            if self.by_needles and not self.in_raw(event) and not self.in_values(event):
                return []
            self.by_row = True
            self.unsure = False
            self.ranges = []
            event.walk(self.walker, self)
        except DecodeError:
            return None
        finally:
            self.out.clear()
        return self.ranges

    def in_values(self, event: Rows) -> bool:
        """Return whether values of an event that are stored in another form have a needle."""
        self.by_row = False
        if self.digits is None or event.partial or event.ranges is not None or event.only_ends():
            event.walk(self.walker, self)
        elif self.in_integers(event, self.digits):
            return True
        return self.texts.found_in(self.out.chars, 0, self.out.size)

    def in_integers(self, event: Rows, digits: DigitSearch) -> bool:
        """Return whether an integer has the digits; values of other kinds that may have them are written if not."""
        plan = event.resolve()
        if self.images is None:
            self.images = event.images(plan)
        images = self.images
        event.fill(images, plan)
        if images.record is not None:
            event.walk(self.walker, self)
            return False
        try:
            return digits.found(images, self.reach_of(plan), self)
        except DEFECTS as error:
            raise undecodable(error) from error

    # the rows ---------------------------------------------------------------------------------------------------

    def begin_rows(self, plan: TablePlan) -> None:
        """Begin the rows of a table."""
        if plan is not self.begun or self.by_row != self.begun_by_row:
            self.begun, self.begun_by_row = plan, self.by_row
            self.mariadb = plan.definition.mariadb
            self.reach = _EACH if self.by_row else self.reach_of(plan)

    def begin_row(self) -> None:
        """Begin a row."""
        if self.by_row:
            self.out.clear()
            self.ends.clear()
            self.sign_open = False

    def end_row(self) -> None:
        """End a row; note its range if a value matches."""
        if self.by_row and self.row_matches():
            self.ranges.append((self.walker.row_start, self.walker.cursor.pos))
            self.unsure = self.unsure or self.sign_open

    def row_matches(self) -> bool:
        """Return whether a value of the row that was written matches."""
        if self.by_needles and not self.texts.found_in(self.out.chars, 0, self.out.size):
            return False
        return self.plain or self.value_matches()

    def value_matches(self) -> bool:
        """Try the patterns on all values together; then on the one where they match, and on each."""
        content = bytes(self.out.content())
        if self.grep.lines is not None:
            text = content.decode("utf-8", "surrogatepass")
            place = self.grep.place_in_lines(text)
            if place < 0:
                return False
            if len(text) == len(content) and self.one_matches(content, bisect_left(self.ends, place)):
                return True
        for at in range(len(self.ends)):  # noqa: SIM110 - compiled, it is a loop without objects
            if self.one_matches(content, at):
                return True
        return False

    def one_matches(self, content: bytes, at: int) -> bool:
        """Return whether a value matches, by its number in the row."""
        if at >= len(self.ends):
            return False
        start = self.ends[at - 1] + 1 if at > 0 else 0
        return self.grep.matches(content[start : self.ends[at]].decode("utf-8", "surrogatepass"))

    # the values -------------------------------------------------------------------------------------------------

    def end_value(self) -> None:
        """End a value."""
        if self.by_row and not self.plain:
            self.ends.append(self.out.size)
        self.out.put_char(_END)

    def put_str(self, text: str) -> None:
        """Write a text."""
        self.out.put(text.encode("utf-8", "surrogatepass"))
        self.end_value()

    def put_int(self, column: Column, value: int) -> None:
        """Write an integer; a negative one of unknown sign also as the unsigned one of its bytes."""
        if self.reach[column.index] != NOT:
            self.out.put_int(value)
            self.end_value()
            if value < 0 and column.sign_unknown:
                self.sign_open = True
                self.put_str(str(column.info.as_unsigned(value)))

    def put_uint(self, column: Column, value: int) -> None:
        """Write an unsigned integer."""
        if self.reach[column.index] != NOT:
            self.out.put_uint(value)
            self.end_value()

    def put_float(self, column: Column, value: float) -> None:
        """Write a FLOAT with the digits that are shown of it."""
        if self.reach[column.index] != NOT:
            self.put_str(text_of(float(shortest_single(value)) if math.isfinite(value) else value))

    def put_double(self, column: Column, value: float) -> None:
        """Write a DOUBLE."""
        if self.reach[column.index] != NOT:
            self.put_str(text_of(value))

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Write a DECIMAL."""
        if self.reach[column.index] != NOT:
            self.out.put_digits(digits)
            self.end_value()

    def put_bits(self, column: Column, value: int) -> None:
        """Write a BIT value as a number."""
        self.put_uint(column, value)

    def put_year(self, column: Column, value: int) -> None:
        """Write a YEAR as a number."""
        self.put_uint(column, value)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Write a DATE."""
        if self.reach[column.index] != NOT:
            put_date(self.out, moment)
            self.end_value()

    def put_time(self, column: Column, moment: Moment) -> None:
        """Write a TIME."""
        if self.reach[column.index] != NOT:
            if moment.negative:
                self.out.put_char(_DASH)
            put_clock(self.out, moment)
            self.end_value()

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Write a DATETIME."""
        if self.reach[column.index] != NOT:
            put_date(self.out, moment)
            self.out.put_char(_SPACE)
            put_clock(self.out, moment)
            self.end_value()

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Write a TIMESTAMP, in UTC."""
        if self.reach[column.index] != NOT:
            moment.to_civil()
            self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """Write the label of an ENUM value."""
        if self.reach[column.index] != NOT:
            self.put_str(str(enum_label(column, index, mariadb=self.mariadb)))

    def put_set(self, column: Column, bits: int) -> None:
        """Write the labels of a SET value."""
        if self.reach[column.index] != NOT:
            self.put_str(str(set_labels(column, bits, mariadb=self.mariadb)))

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a text."""
        known: BytesColumn = column  # type: ignore[assignment] # no other columns hold text
        reach = self.reach[column.index]
        if reach != NOT and not (known.ascii_superset and kernel.is_ascii(data.view, start, end)):
            self.put_decoded(column, data, start, end)
        elif reach == ALL:
            self.copy(data, start, end)

    def put_decoded(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a text that is not ASCII; one that cannot be decoded as bytes."""
        text = decode_text(data.data[start:end], column.info.charset(mariadb=self.mariadb) or "utf8mb4")
        if text is None:
            self.raw_bytes(column, data, start, end)
        else:
            self.put_str(text)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write bytes; a UUID or an internet address as text."""
        if self.reach[column.index] != NOT:
            address = address_text(column.info.type_name, data.data[start:end]) if column.info.type_name else None
            if address is None:
                self.raw_bytes(column, data, start, end)
            else:
                self.put_str(address)

    def raw_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write bytes as characters, which raw bytes tell as well, and where that may match as hexadecimal digits."""
        if self.reach[column.index] == ALL:
            if kernel.is_ascii(data.view, start, end):
                self.copy(data, start, end)
            else:
                self.put_str(data.data[start:end].decode("latin-1"))
        if self.as_hex:
            self.out.put_hex(data, start, end)
            self.end_value()

    def copy(self, data: Cursor, start: int, end: int) -> None:
        """Write bytes of ASCII."""
        self.out.ensure(end - start)
        self.out.size = kernel.copy_range(self.out.chars, self.out.size, data.view, start, end)
        self.end_value()

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a JSON document."""
        reach = self.reach[column.index]
        if reach == ALL or (reach != NOT and kernel.find(data.view, start, end, _OPAQUE, False) >= 0):
            self.put_str(text_of(Document(read_document(data.data[start:end]))))

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the changes of a JSON document as bytes."""
        self.raw_bytes(column, data, start, end)

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a geometry as bytes: SRID and WKB."""
        self.put_bytes(column, data, start, end)

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a vector as bytes: the floats."""
        self.put_bytes(column, data, start, end)

"""Finds the rows of an event that meet `--where` and have a value that `--grep` matches, before the change or after it.

A value is compared as what its column holds: numbers exactly, strings by their characters, dates and times as such,
bytes as bytes. An integer that is not known to be signed or unsigned meets a condition if either number does. A column
that an image lacks has the value of the image before it; NULL meets nothing but IS NULL.
"""

from __future__ import annotations

import math
from decimal import Decimal

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.errors import DecodeError
from binlogcli.events.tables import Rows
from binlogcli.names.charsets import decode as decode_text
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_document
from binlogcli.rows.value_texts import clock_text, date_text, enum_label, set_labels, shortest_single
from binlogcli.rows.walk import RowWalker
from binlogcli.select.values.grep import Grep
from binlogcli.select.values.operands import (
    COMPARISONS,
    Converter,
    Document,
    Operand,
    When,
    as_bytes,
    as_date,
    as_document,
    as_double,
    as_number,
    as_single,
    as_text,
    as_time,
    like_pattern,
    text_of,
)
from binlogcli.select.values.row_search import RowSearch
from binlogcli.select.values.where import Condition, Where

_ANY = Condition("", "=", "")  # of the tests of `--grep`, which do not look at it


class ColumnTest:
    """One condition on one column of a table; `place` is its index in the expression."""

    def __init__(self, place: int, condition: Condition) -> None:
        self.place = place
        self.operator = condition.operator
        self.value = condition.value
        self.condition = condition
        self.operand: Operand | None = None
        self.converter: Converter | None = None
        self.pattern = like_pattern(condition) if condition.operator.endswith("LIKE") else None
        self.grep: Grep | None = None

    def null(self) -> bool:
        """Return whether NULL meets the condition."""
        return self.operator == "IS NULL"

    def meets(self, value: Operand, converter: Converter) -> bool:
        """Return whether a value meets the condition; `converter` makes the condition's value of the same type."""
        if self.grep is not None:
            return matches(self.grep, value)
        if self.value is None:
            return self.operator == "IS NOT NULL"
        if self.pattern is not None:
            return (self.pattern.fullmatch(text_of(value)) is not None) == (self.operator == "LIKE")
        if converter is not self.converter:
            self.operand = converter(self.condition)
            self.converter = converter
        return COMPARISONS[self.operator](value, self.operand)


def matches(grep: Grep, value: Operand) -> bool:
    """Return whether the text of a value matches; bytes do so as characters or as hexadecimal digits."""
    return grep.matches(text_of(value)) or (isinstance(value, bytes) and grep.matches(value.hex()))


class RowFilter(Sink):
    """Sets the `ranges` of an event to the rows that meet the conditions; made by `Selection`.

    The state of each condition is followed by one for each column, which tells whether `--grep` matches its value.
    """

    def __init__(self, where: Where | None, grep: Grep | None = None) -> None:
        super().__init__()
        self.conditions = () if where is None else where.conditions
        self.junction = None if where is None else where.junction
        self.grep = grep
        self.search = None if grep is None else RowSearch(grep)
        self.walker = RowWalker()
        self.known: PlanCache[list[list[ColumnTest]] | None] = PlanCache()
        self.lacking: dict[str, str] = {}
        self.found: set[str] = set()
        self.unsure: dict[str, None] = {}  # columns whose sign decides whether a row is wanted, and is not known
        self.table = ""
        self.matched = 0
        self.mariadb = False
        self.tests: list[list[ColumnTest]] = []
        self.states: list[bool] = []
        self.hit = False
        self.ranges: list[tuple[int, int]] = []

    def choose(self, event: Rows) -> bool:
        """Return whether the event has rows to show: those that meet the conditions, and those that cannot be read."""
        if event.plan is None or (self.search is not None and self.search.passes_over(event, event.plan)):
            return False
        if self.conditions and self.tests_of(event.plan) is None:
            return False
        if self.search is None or not self.settles(self.search, event):
            self.tests = self.tests_of(event.plan) or []
            self.ranges = []
            try:
                event.walk(self.walker, self)
            except DecodeError:
                if not self.walked(event):
                    return True
                self.ranges.append((self.walker.row_start, event.rows_end))
        event.ranges = self.ranges
        self.matched += len(self.ranges)
        return len(self.ranges) > 0

    def settles(self, search: RowSearch, event: Rows) -> bool:
        """Return whether a search settles which rows are chosen; otherwise the event keeps those that are to be "
        "tested."""
        found = search.find(event)
        if found is None:
            return False
        self.ranges = found
        if not found or (not self.conditions and not search.unsure):
            return True
        event.ranges = found
        return False

    def walked(self, event: Rows) -> bool:
        """Return whether a walk that failed had begun: the walker then is in the rows of this event."""
        return self.walker.cursor.data is event.row_data and self.walker.row_start >= event.rows_start

    def tests_of(self, plan: TablePlan) -> list[list[ColumnTest]] | None:
        """Return the tests of each column of a table; None where the table lacks a column of the conditions."""
        if plan not in self.known:
            self.known.keep(plan, self.make_tests(plan))
        return self.known[plan]

    def make_tests(self, plan: TablePlan) -> list[list[ColumnTest]] | None:
        """Make the tests of `tests_of`, and note which columns were found or are lacking."""
        tests: list[list[ColumnTest]] = [[] for _ in range(plan.width)]
        for place, condition in enumerate(self.conditions):
            index = _column_index(plan, condition.column)
            if index is None:
                self.lacking[f"{plan.definition.database}.{plan.definition.table}"] = condition.shown_column
                return None
            self.found.add(condition.shown_column)
            tests[index].append(ColumnTest(place, condition))
        if self.grep is not None:
            for index in range(plan.width):
                test = ColumnTest(len(self.conditions) + index, _ANY)
                test.grep = self.grep
                tests[index].append(test)
        return tests

    # the rows ---------------------------------------------------------------------------------------------------

    def begin_rows(self, plan: TablePlan) -> None:
        """Begin the rows of a table."""
        self.mariadb = plan.definition.mariadb
        self.table = f"{plan.definition.database}.{plan.definition.table}"

    def begin_row(self) -> None:
        """Begin a row: no condition is met yet."""
        self.hit = False
        self.states = [False] * (len(self.conditions) + (len(self.tests) if self.grep is not None else 0))

    def end_image(self) -> None:
        """End an image: the row is wanted if the conditions are met."""
        if not self.hit:
            self.hit = self.meets_conditions()

    def meets_conditions(self) -> bool:
        """Return whether the image meets the conditions, and a value of it matches `--grep`."""
        size = len(self.conditions)
        if self.grep is not None and True not in self.states[size:]:
            return False
        return self.junction.met(self.states) if self.junction is not None else False not in self.states[:size]

    def end_row(self) -> None:
        """End a row; note its range if it is wanted."""
        if self.hit:
            self.ranges.append((self.walker.row_start, self.walker.cursor.pos))

    def check(self, column: Column, value: Operand, converter: Converter) -> None:
        """Test a value with the conditions on its column."""
        for test in self.tests[column.index]:
            self.states[test.place] = test.meets(value, converter)

    def put_null(self, column: Column) -> None:
        """Compare a NULL with the condition."""
        if self.tests[column.index]:
            for test in self.tests[column.index]:
                self.states[test.place] = test.null()

    def put_int(self, column: Column, value: int) -> None:
        """Test an integer."""
        if self.tests[column.index]:
            self.check(column, value, as_number)
            if value < 0 and column.sign_unknown:
                self.check_unsigned(column, value)

    def check_unsigned(self, column: Column, value: int) -> None:
        """Test a negative number of unknown sign also as the unsigned one of its bytes: either may meet a condition."""
        unsigned = column.info.as_unsigned(value)
        for test in self.tests[column.index]:
            met = test.meets(unsigned, as_number)
            if met != self.states[test.place]:
                self.unsure[f"{self.table}.{column.name}"] = None
                self.states[test.place] = True

    def put_uint(self, column: Column, value: int) -> None:
        """Test an unsigned integer."""
        if self.tests[column.index]:
            self.check(column, value, as_number)

    def put_float(self, column: Column, value: float) -> None:
        """Test a FLOAT by the digits that are shown of it."""
        if self.tests[column.index]:
            self.check(column, float(shortest_single(value)) if math.isfinite(value) else value, as_single)

    def put_double(self, column: Column, value: float) -> None:
        """Test a DOUBLE."""
        if self.tests[column.index]:
            self.check(column, value, as_double)

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Test a DECIMAL exactly."""
        if self.tests[column.index]:
            self.check(column, Decimal(digits.text()), as_number)

    def put_bits(self, column: Column, value: int) -> None:
        """Test a BIT value as a number."""
        if self.tests[column.index]:
            self.check(column, value, as_number)

    def put_year(self, column: Column, value: int) -> None:
        """Test a YEAR as a number."""
        if self.tests[column.index]:
            self.check(column, value, as_number)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Test a DATE."""
        if self.tests[column.index]:
            self.check(column, When(date_text(moment), (moment.year, moment.month, moment.day, 0, 0, 0, 0)), as_date)

    def put_time(self, column: Column, moment: Moment) -> None:
        """Test a TIME."""
        if self.tests[column.index]:
            seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
            micro = (seconds * 1000000 + moment.micro) * (-1 if moment.negative else 1)
            self.check(column, When(clock_text(moment), (micro,)), as_time)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Test a DATETIME."""
        if self.tests[column.index]:
            moment.negative = False
            parts = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.micro)
            self.check(column, When(f"{date_text(moment)} {clock_text(moment)}", parts), as_date)

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Test a TIMESTAMP, in UTC."""
        if self.tests[column.index]:
            moment.to_civil()
            self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """Test an ENUM: its label with a string, its index with a number."""
        if self.tests[column.index]:
            self.check_labels(column, index, enum_label(column, index, mariadb=self.mariadb))

    def put_set(self, column: Column, bits: int) -> None:
        """Test a SET: its labels with a string, its bits with a number."""
        if self.tests[column.index]:
            self.check_labels(column, bits, set_labels(column, bits, mariadb=self.mariadb))

    def check_labels(self, column: Column, number_of: int, label: str | int) -> None:
        """Test a number that has a text, where the log holds the labels."""
        for test in self.tests[column.index]:
            named = isinstance(label, str) and not isinstance(test.value, (int, Decimal))
            self.states[test.place] = test.meets(label, as_text) if named else test.meets(number_of, as_number)

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Test a text; its bytes where it cannot be decoded, or where the condition has bytes."""
        if self.tests[column.index]:
            raw = data.data[start:end]
            self.check_text(column, raw, decode_text(raw, column.info.charset(mariadb=self.mariadb) or "utf8mb4"))

    def check_text(self, column: Column, raw: bytes, decoded: str | None) -> None:
        """Test bytes that have a text, unless `decoded` is None."""
        for test in self.tests[column.index]:
            if decoded is None or isinstance(test.value, bytes):
                self.states[test.place] = test.meets(raw, as_bytes)
            else:
                self.states[test.place] = test.meets(decoded, as_text)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Test bytes; a UUID or an internet address also as text."""
        if self.tests[column.index]:
            raw = data.data[start:end]
            address = address_text(column.info.type_name, raw) if column.info.type_name else None
            self.check_text(column, raw, address)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Test a JSON document by its value, however it is written."""
        if self.tests[column.index]:
            self.check(column, Document(read_document(data.data[start:end])), as_document)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Test the changes of a JSON document, whose value the log does not hold: it is not NULL."""
        if self.tests[column.index]:
            for test in self.tests[column.index]:
                if test.grep is not None:
                    self.states[test.place] = test.meets(data.data[start:end], as_bytes)
                else:
                    self.states[test.place] = test.operator == "IS NOT NULL"

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Test a geometry by its bytes: SRID and WKB."""
        self.put_bytes(column, data, start, end)

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Test a vector by its bytes: the floats."""
        self.put_bytes(column, data, start, end)


def _column_index(plan: TablePlan, column: str | int) -> int | None:
    """Return the index of the column that is meant, or None; the case of names does not matter, as in the servers."""
    if isinstance(column, int):
        return column - 1 if column <= plan.width else None
    wanted = column.casefold()
    names = [info.name.casefold() for info in plan.definition.columns]
    return names.index(wanted) if wanted in names else None

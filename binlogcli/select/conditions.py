"""Which rows of an event meet the conditions of `--where`: before the change, or after it.

A value is compared as what its column holds: numbers exactly, strings by their characters, dates and times as such,
bytes as bytes. A column that an image lacks has the value of the image before it; NULL meets nothing but IS NULL.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.errors import DecodeError
from binlogcli.events.tables import Rows
from binlogcli.names.charsets import decode as decode_text
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import INTEGER_WIDTHS, TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.readers.address import address_text
from binlogcli.rows.readers.jsonb import read_document
from binlogcli.rows.sinks.python_values import clock_text, date_text, enum_label, set_labels, shortest_single
from binlogcli.rows.walk import RowWalker
from binlogcli.select.operands import (
    Document,
    When,
    compared,
    document,
    double,
    duration,
    like_pattern,
    number,
    octets,
    point,
    single,
    text,
    text_of,
)
from binlogcli.select.where import Condition


class Test:
    """One condition on one column of a table; `place` is its number in the expression."""

    def __init__(self, place: int, condition: Condition) -> None:
        self.place = place
        self.operator = condition.operator
        self.value = condition.value
        self.condition = condition
        self.operand: Any = None
        self.reader: Callable[[Condition], object] | None = None
        self.pattern = like_pattern(condition) if condition.operator.endswith("LIKE") else None

    def null(self) -> bool:
        """Whether NULL meets it."""
        return self.operator == "IS NULL"

    def meets(self, value: Any, reader: Callable[[Condition], object]) -> bool:
        """Whether a value does; `reader` makes the same kind of value of what the user wrote."""
        if self.value is None:
            return self.operator == "IS NOT NULL"
        if self.pattern is not None:
            return (self.pattern.fullmatch(text_of(value)) is not None) == (self.operator == "LIKE")
        if reader is not self.reader:
            self.operand = reader(self.condition)
            self.reader = reader
        return compared(self.operator, value, self.operand)


class RowFilter(Sink):
    """Finds the rows of an event that meet all conditions, and tells the event which they are."""

    def __init__(self, conditions: tuple[Condition, ...]) -> None:
        self.conditions = conditions
        self.walker = RowWalker()
        self.known: PlanCache[list[list[Test]] | None] = PlanCache()
        self.lacking: dict[str, str] = {}
        self.found: set[str] = set()
        self.matched = 0
        self.mariadb = False
        self.tests: list[list[Test]] = []
        self.states = [False] * len(conditions)
        self.hit = False
        self.ranges: list[tuple[int, int]] = []

    def choose(self, event: Rows) -> bool:
        """Whether rows of the event are wanted; all that cannot be read are."""
        if event.plan is None:
            return False
        tests = self.tests_of(event.plan)
        if tests is None:
            return False
        self.tests = tests
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

    def walked(self, event: Rows) -> bool:
        """Whether the walk that failed had begun: it stands in these rows, and not in those of another event."""
        return self.walker.cursor.data is event.row_data and self.walker.row_start >= event.rows_start

    def tests_of(self, plan: TablePlan) -> list[list[Test]] | None:
        """For each column of a table the conditions on it; None where the table lacks one of the columns."""
        if plan not in self.known:
            self.known.keep(plan, self.make_tests(plan))
        return self.known[plan]

    def make_tests(self, plan: TablePlan) -> list[list[Test]] | None:
        """The same, made anew."""
        tests: list[list[Test]] = [[] for _ in range(plan.width)]
        for place, condition in enumerate(self.conditions):
            index = column_index(plan, condition.column)
            if index is None:
                self.lacking[f"{plan.definition.database}.{plan.definition.table}"] = condition.shown_column
                return None
            self.found.add(condition.shown_column)
            tests[index].append(Test(place, condition))
        return tests

    # the rows ---------------------------------------------------------------------------------------------------

    def begin_rows(self, plan: TablePlan) -> None:
        """Rows of a table follow."""
        self.mariadb = plan.definition.mariadb

    def begin_row(self) -> None:
        """A row follows."""
        self.hit = False
        self.states = [False] * len(self.conditions)

    def end_image(self) -> None:
        """The image is over: are all conditions met?"""
        self.hit = self.hit or False not in self.states

    def end_row(self) -> None:
        """Remember where a row stands that is wanted."""
        if self.hit:
            self.ranges.append((self.walker.row_start, self.walker.cursor.pos))

    def check(self, column: Column, value: Any, reader: Callable[[Condition], object]) -> None:
        """Hold a value against the conditions on its column."""
        for test in self.tests[column.index]:
            self.states[test.place] = test.meets(value, reader)

    def put_null(self, column: Column) -> None:
        """NULL."""
        if self.tests[column.index]:
            for test in self.tests[column.index]:
                self.states[test.place] = test.null()

    def put_int(self, column: Column, value: int) -> None:
        """A number."""
        if self.tests[column.index]:
            self.check(column, value, number)
            if value < 0 and column.info.unsigned is None:
                self.check_unsigned(column, value)

    def check_unsigned(self, column: Column, value: int) -> None:
        """A number below zero whose sign nobody told may be a large one."""
        unsigned = value + (1 << 8 * INTEGER_WIDTHS[column.info.code])
        for test in self.tests[column.index]:
            if test.operator == "=" and test.meets(unsigned, number):
                self.states[test.place] = True

    def put_uint(self, column: Column, value: int) -> None:
        """A number."""
        if self.tests[column.index]:
            self.check(column, value, number)

    def put_float(self, column: Column, value: float) -> None:
        """A FLOAT by the digits that are shown of it."""
        if self.tests[column.index]:
            self.check(column, float(shortest_single(value)) if math.isfinite(value) else value, single)

    def put_double(self, column: Column, value: float) -> None:
        """A DOUBLE."""
        if self.tests[column.index]:
            self.check(column, value, double)

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """A DECIMAL, with all its digits."""
        if self.tests[column.index]:
            self.check(column, Decimal(digits.text()), number)

    def put_bits(self, column: Column, value: int) -> None:
        """A number."""
        if self.tests[column.index]:
            self.check(column, value, number)

    def put_year(self, column: Column, value: int) -> None:
        """A number."""
        if self.tests[column.index]:
            self.check(column, value, number)

    def put_date(self, column: Column, moment: Moment) -> None:
        """A date."""
        if self.tests[column.index]:
            self.check(column, When(date_text(moment), (moment.year, moment.month, moment.day, 0, 0, 0, 0)), point)

    def put_time(self, column: Column, moment: Moment) -> None:
        """A time."""
        if self.tests[column.index]:
            seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
            micro = (seconds * 1000000 + moment.micro) * (-1 if moment.negative else 1)
            self.check(column, When(clock_text(moment), (micro,)), duration)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """A date and time."""
        if self.tests[column.index]:
            moment.negative = False
            parts = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.micro)
            self.check(column, When(f"{date_text(moment)} {clock_text(moment)}", parts), point)

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """The same, in UTC."""
        if self.tests[column.index]:
            moment.to_civil()
            self.put_datetime(column, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """The label against a string, the number against a number."""
        if self.tests[column.index]:
            self.check_labels(column, index, enum_label(column, index, mariadb=self.mariadb))

    def put_set(self, column: Column, bits: int) -> None:
        """The same for several labels."""
        if self.tests[column.index]:
            self.check_labels(column, bits, set_labels(column, bits, mariadb=self.mariadb))

    def check_labels(self, column: Column, number_of: int, label: str | int) -> None:
        """A value that is a number and, where the log has it, a text."""
        for test in self.tests[column.index]:
            as_text = isinstance(label, str) and not isinstance(test.value, (int, Decimal))
            self.states[test.place] = test.meets(label, text) if as_text else test.meets(number_of, number)

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Characters; bytes where they are none, or where bytes were asked for."""
        if self.tests[column.index]:
            raw = data.data[start:end]
            self.check_text(column, raw, decode_text(raw, column.info.charset(mariadb=self.mariadb) or "utf8mb4"))

    def check_text(self, column: Column, raw: bytes, decoded: str | None) -> None:
        """A value that is bytes and, mostly, text."""
        for test in self.tests[column.index]:
            as_text = decoded is not None and not isinstance(test.value, bytes)
            self.states[test.place] = test.meets(decoded, text) if as_text else test.meets(raw, octets)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Bytes; UUID and internet addresses also as text."""
        if self.tests[column.index]:
            raw = data.data[start:end]
            address = address_text(column.info.type_name, raw) if column.info.type_name else None
            self.check_text(column, raw, address)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """A document: equal to another one, however that is written."""
        if self.tests[column.index]:
            self.check(column, Document(read_document(data.data[start:end])), document)

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Changes of a document: what it is now stands nowhere."""
        if self.tests[column.index]:
            for test in self.tests[column.index]:
                self.states[test.place] = test.operator == "IS NOT NULL"

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """SRID and WKB as bytes."""
        self.put_bytes(column, data, start, end)

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The floats as bytes."""
        self.put_bytes(column, data, start, end)


def column_index(plan: TablePlan, column: str | int) -> int | None:
    """Which column of a table is meant; names are the same in upper and lower case, as the servers have it."""
    if isinstance(column, int):
        return column - 1 if column <= plan.width else None
    wanted = column.casefold()
    names = [info.name.casefold() for info in plan.definition.columns]
    return names.index(wanted) if wanted in names else None

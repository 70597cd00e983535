"""Where rows and events are in the log: noted once for the rows of an event, made into columns on demand.

A transaction that touches a table leaves one entry in `RowOrigins`, however many columns tell of its rows: with
hundreds of tables and small transactions, no more work is done for each transaction than to note ten numbers.
"""

from __future__ import annotations

from binlogcli.lake.sequence import SEQ_BITS
from binlogcli.rows.sinks import column_loops
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer

WIDTH = 8  # bytes of a field
FIELDS = 10
# the fields of an entry, in their order; a negative one is NULL
COUNT, OPERATION, TIME, SERVER, THREAD, PLACE, NUMBER, SEQUENCE, TRANSACTION, ABSENCE = range(FIELDS)
LARGEST = 0x7FFFFFFFFFFFFFFF  # of a field that is not negative


class LogPosition:
    """The place of the event at hand, and how many rows and events have come from there (several out of a payload)."""

    def __init__(self) -> None:
        self.place = -1
        self.row_number = 0
        self.event_number = 0
        self.sequence = 0  # of the first row or event of the place: its `_seq` less that of position 0

    def turn_to(self, place: int) -> None:
        """Set the place; a new one starts the counts at 0."""
        if place != self.place:
            self.place = place
            self.row_number = 0
            self.event_number = 0
            self.sequence = place << SEQ_BITS

    def next_event(self) -> int:
        """Count an event; return its number in the log."""
        self.event_number += 1
        return self.sequence + self.event_number - 1


class RowOrigins:
    """The origins of a batch's rows: an entry of ten numbers for the consecutive rows of one event."""

    def __init__(self) -> None:
        self.count = 0  # entries
        self.rows = 0
        self.entries = ColumnBuffer(WIDTH)

    def begin(self, count: int) -> None:
        """Begin the entry of the next `count` rows; the other fields follow in their order, each with `put`."""
        self.count += 1
        self.rows += count
        self.entries.put(count)

    def put(self, value: int) -> None:
        """Add the next field of the entry."""
        self.entries.put(value)

    def _field(self, entry: int, number: int) -> int:
        """Return a field of an entry; -1 for NULL."""
        value = column_loops.wide_at(self.entries.chars, (entry * FIELDS + number) * WIDTH)
        return value if value <= LARGEST else -1

    def column(self, number: int, width: int) -> ColumnBuffer:
        """Return a field of all rows as a column of `width` bytes a value."""
        column = ColumnBuffer(width)
        column.expect(width * self.rows)
        for entry in range(self.count):
            value = self._field(entry, number)
            count = self._field(entry, COUNT)
            if value < 0:
                column.pad(column.count + count)
            else:
                column.put_many(value, count)
        return column

    def rising(self, number: int, width: int) -> ColumnBuffer:
        """Return a field that is noted for an entry's first row and rises by 1 from row to row."""
        column = ColumnBuffer(width)
        column.expect(width * self.rows)
        for entry in range(self.count):
            column.put_up(self._field(entry, number), self._field(entry, COUNT))
        return column

    def distinct(self, number: int) -> tuple[ColumnBuffer, ColumnBuffer]:
        """Return the distinct values of a field that never falls, and for each row the index of its value."""
        values, indices = ColumnBuffer(4), ColumnBuffer(4)
        indices.expect(4 * self.rows)
        last = -1
        for entry in range(self.count):
            value = self._field(entry, number)
            if value != last:
                values.put(value)
                last = value
            indices.put_many(values.count - 1, self._field(entry, COUNT))
        return values, indices

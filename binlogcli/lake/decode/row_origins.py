"""Where rows stand in the log: said once for all rows that one event gave, and made into a column when it is asked for.

A transaction that touches a table leaves one entry here, whatever it has to say of its rows: with hundreds of tables
and small transactions no more is done for each than must be.
"""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer

WIDTH = 8  # bytes of a field
FIELDS = 10
# the fields of an entry, in their order; a negative one is NULL
COUNT, OPERATION, TIME, SERVER, THREAD, PLACE, NUMBER, SEQUENCE, TRANSACTION, ABSENCE = range(FIELDS)
LARGEST = 0x7FFFFFFFFFFFFFFF


class RowOrigins:
    """Rows that came one after another from one event, entry by entry."""

    def __init__(self) -> None:
        self.count = 0
        self.rows = 0
        self.entries = ColumnBuffer(WIDTH)

    def begin(self, count: int) -> None:
        """The next `count` rows; the other fields follow in their order, each with `put`."""
        self.count += 1
        self.rows += count
        self.entries.put(count)

    def put(self, value: int) -> None:
        """The next field of the entry."""
        self.entries.put(value)

    def field(self, entry: int, number: int) -> int:
        """A field of an entry."""
        value = kernel.little(self.entries.chars, (entry * FIELDS + number) * WIDTH, WIDTH)
        return value if value <= LARGEST else -1

    def column(self, number: int, width: int) -> ColumnBuffer:
        """A field of all rows."""
        column = ColumnBuffer(width)
        column.expect(width * self.rows)
        for entry in range(self.count):
            value = self.field(entry, number)
            count = self.field(entry, COUNT)
            if value < 0:
                column.pad(column.count + count)
            else:
                column.put_many(value, count)
        return column

    def rising(self, number: int, width: int) -> ColumnBuffer:
        """A field that tells of an entry's first row, and counts up from there."""
        column = ColumnBuffer(width)
        column.expect(width * self.rows)
        for entry in range(self.count):
            column.put_up(self.field(entry, number), self.field(entry, COUNT))
        return column

    def distinct(self, number: int) -> tuple[ColumnBuffer, ColumnBuffer]:
        """The different values of a field that never falls, and for all rows which of these it is."""
        values, indices = ColumnBuffer(4), ColumnBuffer(4)
        indices.expect(4 * self.rows)
        last = -1
        for entry in range(self.count):
            value = self.field(entry, number)
            if value != last:
                values.put(value)
                last = value
            indices.put_many(values.count - 1, self.field(entry, COUNT))
        return values, indices

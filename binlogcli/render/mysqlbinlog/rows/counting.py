"""`# Number of rows` without -v: rows counted by column widths, as mariadb-binlog does where it prints no rows.

The tool has the widths of some types only: a row with any other column is counted, and ends the counting.
"""

from __future__ import annotations

from array import array

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.events.tables import Rows
from binlogcli.names import column_types
from binlogcli.names.event_types import WRITE_ROWS_EVENT_V1
from binlogcli.rows.readers.decimal import decimal_size
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition

_FIXED = {
    column_types.TINY: 1,
    column_types.SHORT: 2,
    column_types.LONG: 4,
    column_types.FLOAT: 4,
    column_types.DOUBLE: 8,
    column_types.TIMESTAMP: 4,
    column_types.LONGLONG: 8,
    column_types.INT24: 3,
    column_types.DATE: 3,
    column_types.TIME: 3,
    column_types.DATETIME: 8,
    column_types.YEAR: 1,
    column_types.NEWDATE: 3,
}
_FRACTIONS = {column_types.TIMESTAMP2: 4, column_types.DATETIME2: 5, column_types.TIME2: 3}
_UNKNOWN = -5  # -1 to -4: a length of 1 to 4 bytes stands before the value
_COLUMNS_KEPT = 1 << 14  # of tables whose definitions are kept


def _width_of(column: ColumnInfo) -> int:  # noqa: PLR0911 - one line a type
    """Return the bytes of a column's value, -N for a length of N bytes before it, or UNKNOWN, as the tool has it."""
    code = column.code
    if code in _FIXED:
        return _FIXED[code]
    if code in _FRACTIONS:
        return _FRACTIONS[code] + (column.metadata[0] + 1) // 2
    if code == column_types.NEWDECIMAL:
        try:
            return decimal_size(column.metadata[0], column.metadata[1])
        except DecodeError:
            return _UNKNOWN
    if code == column_types.BIT:
        return (column.length + 7) // 8
    if code == column_types.ENUM:
        return column.length if column.length in (1, 2) else _UNKNOWN
    if code == column_types.SET:
        return column.length
    if code == column_types.BLOB:
        return -column.length if 1 <= column.length <= 4 else _UNKNOWN
    if code in (column_types.VARCHAR, column_types.VAR_STRING, column_types.STRING):
        return -1 if column.length < 256 else -2
    return _UNKNOWN


class RowCounter:
    """Counts rows and measures row images by column widths; `complete` adds the types that the tool lacks."""

    def __init__(self, *, complete: bool = False) -> None:
        self.complete = complete
        self.known: dict[tuple[int, bytes], tuple[TableDefinition, array[int]]] = {}
        self.columns = 0  # in `known`
        self.definition: TableDefinition | None = None
        self.present = b""
        self.widths = array("h")
        self.cursor = Cursor()

    def use(self, definition: TableDefinition, present: bytes) -> None:
        """Set the table and the bitmap of columns that the next images have."""
        self.definition = definition
        self.present = present
        known = self.known.get((id(definition), present))
        if known is None:
            if self.columns > _COLUMNS_KEPT:
                self.known.clear()
                self.columns = 0
            self.columns += len(definition.columns) + 1
            columns = [
                column
                for column in definition.columns
                if column.index >> 3 < len(present) and present[column.index >> 3] >> (column.index & 7) & 1
            ]
            known = definition, array("h", [self.width_of(column) for column in columns])
            self.known[id(definition), present] = known  # keeps the definition alive, so that its id stays unique
        self.widths = known[1]

    def width_of(self, column: ColumnInfo) -> int:
        """Return the bytes of a column's value, -N for a length of N bytes before it, or UNKNOWN."""
        if self.complete and column.code in (
            column_types.BLOB_COMPRESSED,
            column_types.VARCHAR_COMPRESSED,
            column_types.GEOMETRY,
        ):
            prefix = (
                column.length if column.code != column_types.VARCHAR_COMPRESSED else 1 if column.length < 256 else 2
            )
            return -prefix if 1 <= prefix <= 4 else _UNKNOWN
        return _width_of(column)

    def count(self, event: Rows) -> int:
        """Return the number of rows of an event, as far as they can be counted; the tool counts none of early ones."""
        if event.type_code < WRITE_ROWS_EVENT_V1:
            return 0
        start, end = event.rows_start, event.rows_end
        rows = 0
        if start == end and event.operation == 0:
            rows = 1
        if event.plan is None:
            return rows
        definition = event.plan.definition
        self.watch(event)
        while start < end:
            rows += 1
            length = self.image(definition, start, end, event.present)
            if length > 0 and event.operation == 1:
                start += length
                length = self.image(definition, start, end, event.present_after)
            if length <= 0:
                break
            start += length
        return rows

    def watch(self, event: Rows) -> None:
        """Set the event whose rows `image` measures."""
        if self.cursor.data is not event.row_data:
            self.cursor.load(event.row_data)

    def image(self, definition: TableDefinition, start: int, end: int, present: bytes) -> int:
        """Return the bytes of the row image at `start`; 0 where its size is unknown or it exceeds `end`."""
        if definition is not self.definition or present != self.present:
            self.use(definition, present)
        cursor = self.cursor
        count = len(self.widths)
        at = start + ((count + 7) >> 3)
        if at > end:
            return 0
        number = 0
        while number < count:
            if not cursor.view[start + (number >> 3)] >> (number & 7) & 1:
                width = self.widths[number]
                if width >= 0:
                    at += width
                elif width == _UNKNOWN or at - width > end:
                    return 0
                else:
                    at += cursor.little(at, -width) - width
                if at > end:
                    return 0
            number += 1
        return at - start

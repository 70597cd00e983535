"""The null bytes of row images of MySQL 5.1 before its general release (event types 20 to 22).

These servers copied the null bytes of their own record: a bit for each column of the table that may be NULL, whichever
columns the image has. Where all columns are of a fixed width, a bit goes before them (0x01, the record is not deleted).
The bits after the last column are set. A NULL has a value nevertheless, among the others.
"""

from __future__ import annotations

from binlogcli.errors import DecodeError
from binlogcli.names import column_types
from binlogcli.rows.table.definition import TableDefinition

_VARIABLE_WIDTHS = frozenset(
    {
        column_types.VARCHAR,
        column_types.VAR_STRING,
        column_types.TINY_BLOB,
        column_types.MEDIUM_BLOB,
        column_types.LONG_BLOB,
        column_types.BLOB,
        column_types.GEOMETRY,
    }
)


class RecordNulls:
    """Where the null bits of a table are in its record: `size` bytes. Made for the images of an event."""

    def __init__(self, definition: TableDefinition) -> None:
        at = 0 if any(column.code in _VARIABLE_WIDTHS for column in definition.columns) else 1
        self.bits: dict[int, int] = {}
        for column in definition.columns:
            if column.nullable:
                self.bits[column.index] = at
                at += 1
        self.size = (at + 7) >> 3
        self.last = at - 1
        self.known = definition.complete

    def null_columns(self, raw: bytes) -> frozenset[int]:
        """Return the indexes of the columns that are NULL.

        A table map may not say which columns may be NULL. That all may is certain only where the last one's bit is not
        set: it could as well be after the last. `DecodeError` for other rows.
        """
        bits = int.from_bytes(raw, "little")
        if not self.known and bits >> self.last & 1:
            raise DecodeError(
                "the log does not say which columns may be NULL; pass --schema with the CREATE TABLE statement"
            )
        return frozenset(index for index, at in self.bits.items() if bits >> at & 1)


def record_problem(definition: TableDefinition) -> str:
    """Return why the record of a table cannot be read, or nothing: bits of BIT(n) are among the null bits or not."""
    if any(column.code == column_types.BIT for column in definition.columns):
        return "rows with BIT columns of MySQL 5.1 before its general release depend on the table's engine"
    return ""

"""Plans that read some columns of a table, and pass over the values of the others."""

from __future__ import annotations

from collections.abc import Collection

from binlogcli.binary.cursor import Cursor
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.count import width_of
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers import reads
from binlogcli.rows.readers.strings import JsonColumn


class PassedColumn(Column):
    """A column whose values are not read: they have `width` bytes, or a length of -`width` bytes before them."""

    def __init__(self, column: Column) -> None:
        super().__init__(column.info)
        self.width = width_of(column)

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Pass over the value at the cursor."""
        size = self.width
        if size < 0:
            size = reads.little(cursor, "length", -size)
        reads.need(cursor, "value", size)


class PassedJsonColumn(JsonColumn):
    """A JSON column whose values are not read; a partial update has a bit for it, as for others."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Pass over the value at the cursor."""
        reads.need(cursor, "JSON", reads.little(cursor, "length", self.prefix))

    def read_diff(self, cursor: Cursor, sink: Sink) -> None:
        """Pass over the changes of a document at the cursor."""
        reads.need(cursor, "JSON diff", reads.little(cursor, "length", 4))


def reading(plan: TablePlan, indexes: Collection[int]) -> TablePlan:
    """Return a plan of the table that reads the columns with these indexes alone."""
    columns = [column if column.index in indexes else _passed(column) for column in plan.columns]
    return TablePlan(plan.definition, columns, plan.reason)


def _passed(column: Column) -> Column:
    """Return a column that passes over the values of this one."""
    if isinstance(column, JsonColumn):
        return PassedJsonColumn(column.info, column.prefix, mariadb=False)
    return PassedColumn(column)

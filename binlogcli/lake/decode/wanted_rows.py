"""What a reader wants of the rows of a table: columns, operations, times. The rest is passed over, not decoded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from binlogcli.lake.tables.types import TableSchema

OPERATIONS = ("insert", "update", "delete")  # by the number of a rows event's operation
ALWAYS = "_op"  # so that a batch without any other column has its rows


@dataclass(frozen=True, slots=True)
class WantedRows:
    """What a reader wants. `since` and `until` limit `_ts`, in microseconds; both are included.

    `columns` are names in lower case (None: all) as the reader has them, which those of a version may differ from:
    `renames` has by the version's fingerprint the reader's names by the version's.
    """

    columns: frozenset[str] | None = None
    renames: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    operations: frozenset[str] = frozenset(OPERATIONS)
    since: int = 0
    until: int = 1 << 62
    events: bool = True  # whether the table of events is wanted, too; gaps are in it in any case

    @property
    def some(self) -> bool:
        """Whether rows of some operations or times are passed over."""
        return (self.operations, self.since, self.until) != (ALL_ROWS.operations, ALL_ROWS.since, ALL_ROWS.until)

    def names_in(self, schema: TableSchema) -> frozenset[str] | None:
        """Return the columns to make of a version of the table, by its names; None for all."""
        if self.columns is None:
            return None
        renamed = self.renames.get(schema.fingerprint, {})
        names = [column.name for column in schema.columns] + [name for name, _ in schema.metadata]
        return frozenset({ALWAYS, *(name for name in names if renamed.get(name, name).lower() in self.columns)})

    def indexes_in(self, schema: TableSchema) -> frozenset[int] | None:
        """Return the columns of the log whose values are needed for that, by their indexes; None for all."""
        names = self.names_in(schema)
        if names is None or "_before" in names:
            return None
        found: set[int] = set()
        index = -1
        for column in schema.columns:
            index += not column.companion
            is_in_key = "_key" in names and column.name in schema.primary_key
            is_told_absent = "_absent" in names and column.type == "json"  # where the log has but changes of a document
            if column.name in names or is_in_key or is_told_absent:
                found.add(index)
        return frozenset(found) if len(found) <= index else None


ALL_ROWS = WantedRows()

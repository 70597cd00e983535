"""Fits a definition to the columns of a table map: which of them is which.

A definition of which all is known fits where number and types of the columns are its own. Of one with columns in
unknown places, all orders are tried at once: forward and backward over the table map it is noted which of its columns
can be which of the definition's. A column that can be only one has that one's name; of the others nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace

from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.schema.table import ROW_END, ROW_START, SchemaColumn, SchemaTable, unknown_column

CanBe = Callable[[SchemaColumn, ColumnInfo], bool]
MOST_STEPS = 1_000_000  # of a search; more are not tried


def has_type(column: SchemaColumn, info: ColumnInfo) -> bool:
    """Whether a column of a definition can have the type of a table map's column."""
    return column.takes(info.code)


def fitted(table: SchemaTable, columns: Sequence[ColumnInfo], can_be: CanBe = has_type) -> SchemaTable | None:
    """Return the table with as many columns as the table map has, in its order; None where it does not fit.

    `can_be` tells whether a column of the definition can be one of the table map. What is not known of a column is left
    open: its name is empty, its type unknown, its sign None.
    """
    fewest, most = table.hash_range
    if not table.unplaced and fewest == most:
        fits = len(table.columns) == len(columns) and all(map(can_be, table.columns, columns))
        return table if fits else None
    if len(columns) * len(table.unplaced) ** 2 > MOST_STEPS:
        return None
    choices: list[set[SchemaColumn]] = [set() for _ in columns]
    hashed = False
    for hashes in range(fewest, most + 1):
        alignment = _Alignment(table, table.columns_with(hashes), columns, can_be)
        for choice, found in zip(choices, alignment.choices(), strict=True):
            choice.update(found)
            hashed = hashed or bool(found and hashes)
    _narrow(choices, {*table.columns, *(other.column for other in table.unplaced if not other.optional)})
    if not all(choices):
        return None
    period = table.period or (ROW_START, ROW_END)
    declared = tuple(_common(choice) for choice in choices)
    table = replace(table, keys_known=table.keys_known and not hashed)  # which of the keys has the hash is not known
    return replace(table, declared=declared, unplaced=(), hashes=(0, 0), period=period if table.versioned else None)


class _Alignment:
    """The ways to put the columns without a place between those that have one, so that the types are the map's."""

    def __init__(
        self, table: SchemaTable, placed: Sequence[SchemaColumn], columns: Sequence[ColumnInfo], can_be: CanBe
    ) -> None:
        self._can_be = can_be
        self._placed = placed
        self._unplaced = table.unplaced
        self._gaps = len(table.declared) + 1
        self._columns = columns

    def choices(self) -> list[set[SchemaColumn]]:
        """Return for each column of the table map those of the definition that it can be; none if nothing fits."""
        count = len(self._columns)
        found: list[set[SchemaColumn]] = [set() for _ in self._columns]
        extra = count - len(self._placed)
        if not sum(not other.optional for other in self._unplaced) <= extra <= len(self._unplaced):
            return found
        before = self._reached()
        behind = {len(self._placed)}  # how many placed columns can be passed by here, so that the rest fits, too
        for at in range(count - 1, -1, -1):
            here = set()
            for passed in before[at]:
                if passed + 1 in behind and self._is_placed(at, passed):
                    found[at].add(self._placed[passed])
                    here.add(passed)
                if passed in behind and (others := self._others(at, passed)):
                    found[at] |= others
                    here.add(passed)
            behind = here
        return found

    def _reached(self) -> list[set[int]]:
        """Return for each column of the table map how many placed columns can stand before it."""
        reached = [{0}]
        for at in range(len(self._columns)):
            following = {passed + 1 for passed in reached[at] if self._is_placed(at, passed)}
            following |= {passed for passed in reached[at] if self._others(at, passed)}
            reached.append(following)
        return reached

    def _is_placed(self, at: int, passed: int) -> bool:
        return passed < len(self._placed) and self._can_be(self._placed[passed], self._columns[at])

    def _others(self, at: int, passed: int) -> set[SchemaColumn]:
        """Return the columns without a place that can be that of the map, behind so many placed ones."""
        if passed >= self._gaps or at - passed >= len(self._unplaced):
            return set()
        return {
            other.column
            for other in self._unplaced
            if other.gaps >> passed & 1 and self._can_be(other.column, self._columns[at])
        }


def _narrow(choices: list[set[SchemaColumn]], needed: Iterable[SchemaColumn]) -> None:
    """Remove from the choices what cannot be, as each column stands in one place, and those `needed` in some."""
    settled: set[SchemaColumn] = set()
    before = -1
    while before != (before := sum(map(len, choices))):
        for column in needed:
            if sum(column in choice for choice in choices) == 1:
                next(choice for choice in choices if column in choice).intersection_update((column,))
        for choice in choices:
            if len(choice) == 1 and not choice <= settled:
                settled |= choice
                for other in choices:
                    if other is not choice:
                        other.difference_update(choice)


def _common(choice: set[SchemaColumn]) -> SchemaColumn:
    """Return what all of these columns have in common."""
    first, *others = choice
    if not others:
        return first
    unknown = unknown_column("")
    return replace(
        unknown,
        **{
            field.name: getattr(first, field.name)
            for field in fields(SchemaColumn)
            if all(getattr(first, field.name) == getattr(other, field.name) for other in others)
        },
    )

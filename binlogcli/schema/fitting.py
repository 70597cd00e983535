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
MOST_STEPS = 1_000_000  # of a search, about a second; more are not tried


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
    known = [*table.columns_with(most), *(other.column for other in table.unplaced)]
    choices: list[set[int]] = [set() for _ in columns]
    hashed = False
    for hashes in range(fewest, most + 1):
        placed = len(table.columns) - fewest + hashes
        alignment = _Alignment(table, known, placed, columns, can_be)
        for choice, found in zip(choices, alignment.choices(), strict=True):
            choice.update(found)
            hashed = hashed or bool(found and hashes)
    first = len(known) - len(table.unplaced)
    needed = [at for at, other in enumerate(table.unplaced, first) if not other.optional]
    _narrow(choices, [*range(len(table.columns)), *needed])
    if not all(choices):
        return None
    period = table.period or (ROW_START, ROW_END)
    declared = tuple(_common([known[at] for at in choice]) for choice in choices)
    table = replace(table, keys_known=table.keys_known and not hashed)  # which of the keys has the hash is not known
    return replace(table, declared=declared, unplaced=(), hashes=(0, 0), period=period if table.versioned else None)


class _Alignment:
    """The ways to put the columns without a place between those that have one, so that all are as in the table map.

    Columns are numbered as in `known`: first those with a place, of which only so many as `placed` are there.
    """

    def __init__(
        self,
        table: SchemaTable,
        known: Sequence[SchemaColumn],
        placed: int,
        columns: Sequence[ColumnInfo],
        can_be: CanBe,
    ) -> None:
        self._can_be = can_be
        self._known = known
        self._placed = placed
        self._unplaced = table.unplaced
        self._columns = columns

    def choices(self) -> list[set[int]]:
        """Return for each column of the table map those of the definition that it can be; none if nothing fits."""
        count = len(self._columns)
        found: list[set[int]] = [set() for _ in self._columns]
        extra = count - self._placed
        if not sum(not other.optional for other in self._unplaced) <= extra <= len(self._unplaced):
            return found
        before = self._reached()
        reachable = {self._placed}  # how many placed columns can be passed by here, so that the rest fits, too
        for at in range(count - 1, -1, -1):
            here = set()
            others = self._others(at)
            for passed in before[at]:
                if passed + 1 in reachable and self._is_placed(at, passed):
                    found[at].add(passed)
                    here.add(passed)
                fitting = [column for column, gaps in others if gaps >> passed & 1] if passed in reachable else []
                if fitting and at - passed < len(self._unplaced):
                    found[at].update(fitting)
                    here.add(passed)
            reachable = here
        return found

    def _reached(self) -> list[set[int]]:
        """Return for each column of the table map how many placed columns can stand before it."""
        reached = [{0}]
        for at in range(len(self._columns)):
            following = {passed + 1 for passed in reached[at] if self._is_placed(at, passed)}
            gaps = 0
            for _, where in self._others(at):
                gaps |= where
            least = at - len(self._unplaced)
            following |= {passed for passed in reached[at] if gaps >> passed & 1 and passed > least}
            reached.append(following)
        return reached

    def _is_placed(self, at: int, passed: int) -> bool:
        return passed < self._placed and self._can_be(self._known[passed], self._columns[at])

    def _others(self, at: int) -> list[tuple[int, int]]:
        """Return the columns without a place that can be that of the map, and the gaps where they can stand."""
        first = len(self._known) - len(self._unplaced)
        return [
            (number, other.gaps)
            for number, other in enumerate(self._unplaced, first)
            if self._can_be(other.column, self._columns[at])
        ]


def _narrow(choices: list[set[int]], needed: Iterable[int]) -> None:
    """Remove from the choices what cannot be, as each column is in one place, and those `needed` in some."""
    settled: set[int] = set()
    before = -1
    while before != (before := sum(map(len, choices))):
        where: dict[int, list[set[int]]] = {}
        for choice in choices:
            for column in choice:
                where.setdefault(column, []).append(choice)
        for column in needed:
            if len(found := where.get(column, [])) == 1:
                found[0].intersection_update((column,))
        for choice in choices:
            if len(choice) == 1 and not choice <= settled:
                (column,) = choice
                settled.add(column)
                for other in where[column]:
                    if other is not choice:
                        other.discard(column)


def _common(choice: Sequence[SchemaColumn]) -> SchemaColumn:
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

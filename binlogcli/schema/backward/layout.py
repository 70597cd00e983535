"""The columns of a table while an ALTER TABLE is undone: those in known places, and those that may be in several.

Between and around `n` columns in known places are `n + 1` gaps. A column that was dropped stood in one of them; which
one, later or earlier statements may tell: `ADD d INT AFTER c` says that nothing stands between the two. The gaps that
are left are kept as the bits of a number. Which of two columns in one gap comes first is not kept, so the orders that
are possible here are more than those that are possible in truth, never fewer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from binlogcli.schema.table import SchemaColumn, SchemaTable, UnplacedColumn

MOST_UNPLACED = 512  # columns without a place that are followed


class Contradiction(Exception):  # noqa: N818 - its table becomes unknown
    """The table cannot be what the statement has left."""


class Layout:
    """Columns by place, and columns without one."""

    def __init__(self, table: SchemaTable) -> None:
        self.placed = list(table.declared)
        self.unplaced = list(table.unplaced)

    def place(self, name: str) -> int | None:
        """Return the place of a column, whose name may be in other letters; None where it is not among the placed."""
        wanted = name.lower()
        return next((at for at, column in enumerate(self.placed) if column.name.lower() == wanted), None)

    def has(self, name: str) -> bool:
        """Whether the table has, or may have, a column of that name."""
        return self.place(name) is not None or self._unplaced_at(name) is not None

    def is_optional(self, name: str) -> bool:
        """Whether the table may have a column of that name, and need not."""
        found = self._unplaced_at(name)
        return found is not None and self.unplaced[found].optional

    def take_back(self, name: str, place: tuple[str, str] | None, kept_optional: Iterable[str] = ()) -> SchemaColumn:
        """Remove a column that a statement has put to a place, and use what the place says of the others.

        A column that it was put after was there, unless it is among `kept_optional`.
        """
        at = self.place(name)
        if at is None:
            return self._take_unplaced(name)
        self._check_place(at, place, set(kept_optional))
        return self.remove(at)

    def remove(self, at: int) -> SchemaColumn:
        """Remove the column in that place; the gaps on both of its sides become one."""
        low = (1 << at + 1) - 1
        self.unplaced = [
            replace(column, gaps=column.gaps & low | column.gaps >> at + 1 << at) for column in self.unplaced
        ]
        return self.placed.pop(at)

    def add_anywhere(self, column: SchemaColumn, *, optional: bool = False) -> None:
        """Add a column that may be in any place."""
        self._add(UnplacedColumn(column, (1 << len(self.placed) + 1) - 1, optional))

    def make_optional(self, name: str) -> None:
        """Say that the column need not be there; if it is, then in its place."""
        at = self.place(name)
        if at is not None:
            column = self.remove(at)
            self._add(UnplacedColumn(column, 1 << at, optional=True))
        elif (found := self._unplaced_at(name)) is not None:
            self.unplaced[found] = replace(self.unplaced[found], optional=True)
        else:
            raise Contradiction(f"column {name!r} does not exist")

    def named(self, name: str) -> SchemaColumn:
        """Return the column of that name."""
        at = self.place(name)
        if at is not None:
            return self.placed[at]
        if (found := self._unplaced_at(name)) is None:
            raise Contradiction(f"column {name!r} does not exist")
        return self.unplaced[found].column

    def discard(self, name: str) -> None:
        """Use that there is no such column."""
        found = self._unplaced_at(name)
        if self.place(name) is not None or (found is not None and not self.unplaced[found].optional):
            raise Contradiction(f"column {name!r} still exists")
        if found is not None:
            del self.unplaced[found]

    def redefine(self, columns: Iterable[tuple[str, SchemaColumn]]) -> None:
        """Put other columns in the places of those of these names, which may be one another's."""
        wanted = {name.lower(): column for name, column in columns}
        for name in wanted:
            self.named(name)
        self.placed = [wanted.get(column.name.lower(), column) for column in self.placed]
        self.unplaced = [
            replace(other, column=wanted.get(other.column.name.lower(), other.column)) for other in self.unplaced
        ]

    def settle(self) -> None:
        """Place the columns that can only be in one gap, where no other can be."""
        while (found := next(filter(self._is_settled, self.unplaced), None)) is not None:
            self.unplaced.remove(found)
            self._insert(found.gaps.bit_length() - 1, found.column)

    def _is_settled(self, column: UnplacedColumn) -> bool:
        if column.optional or column.gaps.bit_count() != 1:
            return False
        return not any(other.gaps & column.gaps for other in self.unplaced if other is not column)

    def _insert(self, at: int, column: SchemaColumn) -> None:
        """Put a column in a gap in which no other column can be."""
        low = (1 << at) - 1
        self.placed.insert(at, column)
        self.unplaced = [replace(other, gaps=other.gaps & low | other.gaps >> at << at + 1) for other in self.unplaced]

    def _add(self, column: UnplacedColumn) -> None:
        if len(self.unplaced) == MOST_UNPLACED:
            raise Contradiction("too many columns have no known position")
        self.unplaced.append(column)

    def _unplaced_at(self, name: str) -> int | None:
        wanted = name.lower()
        return next((at for at, other in enumerate(self.unplaced) if other.column.name.lower() == wanted), None)

    def _take_unplaced(self, name: str) -> SchemaColumn:
        found = self._unplaced_at(name)
        if found is None:
            raise Contradiction(f"column {name!r} does not exist")
        return self.unplaced.pop(found).column

    def _check_place(self, at: int, place: tuple[str, str] | None, kept_optional: set[str]) -> None:
        """Use that a statement has put the column in place `at` there: FIRST, after another column or at the end."""
        if place is None:
            self._expect(at == len(self.placed) - 1)
            self._clear(at + 1)
        elif place[0] == "first":
            self._expect(at == 0)
            self._clear(0)
        elif (before := self.place(place[1])) is not None:
            self._expect(before == at - 1)
            self._clear(at)
        elif (found := self._unplaced_at(place[1])) is not None:
            column = self.unplaced[found]
            gaps = column.gaps & 1 << at
            self._expect(bool(gaps))
            optional = column.optional and place[1].lower() in kept_optional
            self.unplaced[found] = replace(column, gaps=gaps, optional=optional)
        else:
            raise Contradiction(f"column {place[1]!r} does not exist")

    def _clear(self, gap: int) -> None:
        """Use that no column is in a gap."""
        left = []
        for column in self.unplaced:
            gaps = column.gaps & ~(1 << gap)
            if gaps:
                left.append(replace(column, gaps=gaps))
            else:
                self._expect(column.optional)
        self.unplaced = left

    @staticmethod
    def _expect(fact: bool) -> None:
        if not fact:
            raise Contradiction("a column is not where the statement put it")

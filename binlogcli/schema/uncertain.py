"""Tables that a statement has removed by its words, and that may be there all the same.

* RENAME TABLE of MariaDB is logged of a temporary table, too, whose CREATE is in no log in row format: the table of
  that name which the logs know stays then.
* DROP TABLE IF EXISTS T does nothing where the server tells `T` and `t` apart and only `t` is there.
* ALTER TABLE ... RENAME of MariaDB leaves the old table, besides the new one, where it copies the rows of a table that
  has a backtick in its name.

The definitions of such tables are kept for a while: a table map of the old name that fits one exactly shows that the
table is still there. Whatever statement names the table before, or the name that it got, decides against that.
"""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.schema.table import SchemaTable

Name = tuple[str, str]  # database and table
_MOST_KEPT = 64  # definitions: the evidence comes soon, or never


@dataclass(frozen=True, slots=True)
class Removal:
    """A table that was perhaps removed, and the name that the statement gave it; None where it gave it none."""

    table: SchemaTable
    new: Name | None


class UncertainRemovals:
    """The removals that no later statement has decided on, by the tables' names."""

    def __init__(self) -> None:
        self._removals: dict[Name, Removal] = {}

    def copy(self) -> UncertainRemovals:
        """Return a copy of the removals, which can be changed separately."""
        made = UncertainRemovals()
        made._removals = dict(self._removals)
        return made

    def clear(self) -> None:
        """Take all removals to be certain."""
        self._removals.clear()

    def note(self, name: Name, table: SchemaTable, new: Name | None = None) -> None:
        """Keep the definition of a table that was perhaps removed."""
        self._removals[name] = Removal(table, new)
        if len(self._removals) > _MOST_KEPT:
            del self._removals[next(iter(self._removals))]

    def get(self, name: Name) -> Removal | None:
        """Return what is kept of a table."""
        return self._removals.get(name)

    def settle(self, name: Name) -> Removal | None:
        """Forget what is kept of a table, and of one that perhaps got this name, as a statement or a map names it."""
        if not self._removals:
            return None
        found = self._removals.pop(name, None)
        self._removals = {old: one for old, one in self._removals.items() if one.new != name}
        return found

    def settle_database(self, name: str) -> None:
        """Forget all tables of a database."""
        if self._removals:
            self._removals = {old: one for old, one in self._removals.items() if old[0] != name}

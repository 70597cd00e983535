"""The triggers of tables, as schema files and the statements of logs create and drop them.

Whether `T` and `t` are one table is not always known: the triggers of both are taken to be those of either, and go with
the table alone that has the very name. An undo that asks once too often does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from binlogcli.schema.table import Trigger

Name = tuple[str, str]  # database and table; the database is empty where a schema file does not tell it


class Triggers:
    """Triggers by the tables whose changes run them."""

    def __init__(self) -> None:
        self._of: dict[Name, tuple[Trigger, ...]] = {}  # by names in lower case

    def copy(self) -> Triggers:
        """Return a copy of the triggers, which can be changed separately."""
        made = Triggers()
        made._of = dict(self._of)
        return made

    def __iter__(self) -> Iterator[Trigger]:
        for found in self._of.values():
            yield from found

    def of(self, table: Name) -> tuple[Trigger, ...]:
        """Return the triggers of a table."""
        folded = _folded(table)
        return self._of.get(folded, ()) + self._of.get(("", folded[1]), ())

    def add(self, trigger: Trigger) -> None:
        """Add a trigger to its table."""
        name = _folded((trigger.database, trigger.table))
        found = self._of.get(name, ())
        self._of[name] = found if trigger in found else (*found, trigger)

    def drop(self, database: str, name: str) -> None:
        """Remove the trigger of that name in that database."""
        for table, found in list(self._of.items()):
            if table[0] in {"", database.lower()}:
                self._set(table, tuple(one for one in found if one.name != name))

    def drop_table(self, table: Name) -> None:
        """Remove the triggers of a table that is gone."""
        name = _folded(table)
        self._set(name, tuple(one for one in self._of.get(name, ()) if one.table != table[1]))

    def drop_database(self, database: str) -> None:
        """Remove the triggers of all tables of a database."""
        self._of = {name: found for name, found in self._of.items() if name[0] != database.lower()}

    def rename_table(self, old: Name, new: Name) -> None:
        """Give the triggers of a table to the one that it is from here on."""
        moved = self.of(old)
        self.drop_table(old)
        for one in moved:
            self.add(replace(one, database=new[0], table=new[1]))

    def _set(self, table: Name, found: tuple[Trigger, ...]) -> None:
        if found:
            self._of[table] = found
        else:
            self._of.pop(table, None)


def _folded(name: Name) -> Name:
    return name[0].lower(), name[1].lower()

"""What is known of all tables at one place, while statements are undone one by one."""

from __future__ import annotations

from binlogcli.schema.definitions import Definitions, Name
from binlogcli.schema.table import SchemaTable


class Earlier:
    """The tables and databases by name, first as they are at the end.

    `None` is the definition of a table that is there and not known; of a table without an entry nothing is known. A
    table whose database the dump does not tell stands for those of its name, until a statement names one of them.
    """

    def __init__(self, end: Definitions) -> None:
        self.charsets = dict(end.charsets)
        self.doubtful: set[Name] = set()  # perhaps not there: CREATE TABLE IF NOT EXISTS comes later
        self._tables: dict[Name, SchemaTable | None] = {}
        self._spellings: dict[Name, set[Name]] = {}  # by names in lower case
        self._without_database: dict[Name, SchemaTable | None] = {}
        self._named: set[Name] = set()  # by a statement
        self._case_matters = end.case_matters
        for name, table in end.tables.items():
            if name[0]:
                self.put(name, table)
            else:
                self._without_database[name] = table

    def find(self, name: Name) -> list[Name]:
        """Take in that a statement names a table; return those of other spellings, each of which may be meant."""
        if name not in self._named:
            self._named.add(name)
            if ("", name[1]) in self._without_database and name not in self._tables:
                self.put(name, self._without_database["", name[1]])
        if self._case_matters or name in self._tables:
            return []
        return [other for other in self._spellings.get(_folded(name), ()) if other != name]

    def names(self, database: str | None = None) -> list[Name]:
        """Return the names of all tables, or of those in a database."""
        if database is not None:
            for _, table in self._without_database:
                self.find((database, table))
        return [name for name in self._tables if database in (None, name[0])]

    def has(self, name: Name) -> bool:
        """Whether it is known that there is such a table."""
        return name in self._tables

    def get(self, name: Name) -> SchemaTable | None:
        """Return the definition of a table, or None."""
        return self._tables.get(name)

    def put(self, name: Name, table: SchemaTable | None) -> None:
        """Set the definition of a table, which is there."""
        self._tables[name] = table.named(*name) if table else None
        self._spellings.setdefault(_folded(name), set()).add(name)

    def remove(self, name: Name) -> None:
        """Say that nothing is known of a table."""
        self._tables.pop(name, None)
        self._spellings.get(_folded(name), set()).discard(name)

    def definitions(self) -> Definitions:
        """Return what holds here; tables that are there and not known are left out."""
        made = Definitions()
        made.case_matters = self._case_matters
        for name, table in (self._without_database | self._tables).items():
            if table is not None:
                made.put(name, table)
        for name in self._named:
            if self._tables.get(name) is None and ("", name[1]) in self._without_database:
                made.drop(name)
        made.charsets.update(self.charsets)
        return made


def _folded(name: Name) -> Name:
    return name[0].lower(), name[1].lower()

"""The definitions of all tables while statements are replayed in their order: which table has which columns by now.

A statement that cannot be read, or that builds on what is not known, makes its table unknown: from there on nothing is
said of it until a statement defines it anew. CREATE TABLE IF NOT EXISTS is logged though the table was there already,
so it defines a table only where that is known not to be there. Temporary tables hide others from their own connection
alone, so they are kept by thread: what happens to them must not change the tables of that name.
"""

from __future__ import annotations

from binlogcli.schema.charsets import Charset
from binlogcli.schema.table import SchemaTable

Name = tuple[str, str]  # database and table


class Definitions:
    """The tables and databases as the statements so far have left them."""

    def __init__(self, *, complete: bool = False) -> None:
        self.tables: dict[Name, SchemaTable | None] = {}  # None: it is there, but its definition is not known
        self.charsets: dict[str, Charset] = {}
        self.complete = complete  # a table that is not in `tables` is not there
        self._complete_databases: set[str] = set()
        self._dropped: set[Name] = set()
        self._temporary: dict[int, dict[Name, SchemaTable | None]] = {}

    def restart(self) -> None:
        """Forget the temporary tables, as the server was started anew."""
        self._temporary.clear()

    def is_absent(self, name: Name) -> bool:
        """Whether it is known that there is no such table."""
        if name in self.tables:
            return False
        return self.complete or name in self._dropped or name[0] in self._complete_databases

    def put(self, name: Name, table: SchemaTable | None) -> None:
        """Define a table, or say that it is there without a known definition."""
        self._dropped.discard(name)
        self.tables[name] = table.named(*name) if table else None

    def drop(self, name: Name) -> None:
        """Remove a table."""
        self.tables.pop(name, None)
        self._dropped.add(name)

    def create_database(self, name: str, charset: Charset, *, new: bool) -> None:
        """Set a database's default character set; a new one holds no tables yet."""
        self.charsets[name] = charset
        if new:
            self._complete_databases.add(name)

    def drop_database(self, name: str) -> list[Name]:
        """Remove a database with its tables and return these."""
        gone = [table for table in self.tables if table[0] == name]
        for table in gone:
            del self.tables[table]
        self._dropped = {table for table in self._dropped if table[0] != name}
        self._complete_databases.add(name)
        self.charsets.pop(name, None)
        return gone

    def temporary(self, thread: int, *, create: bool = False) -> dict[Name, SchemaTable | None]:
        """The temporary tables of a connection."""
        if create:
            return self._temporary.setdefault(thread, {})
        return self._temporary.get(thread, {})

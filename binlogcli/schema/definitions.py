"""The definitions of all tables while statements are replayed in their order: which table has which columns by now.

A statement that cannot be read, or that builds on what is not known, makes its table unknown: from then on nothing is
said of it until a statement defines it anew. CREATE TABLE IF NOT EXISTS may be logged though the table was there
already, so it defines a table only where the log proves that it did something, or where the table is known not to have
been there. Temporary tables hide others from their own connection alone, so they are kept by thread: what happens to
them must not change the tables of that name.

Whether `T` and `t` are one table is a setting of the server (lower_case_table_names) that no log has. They are taken to
be one until a table map with an upper-case letter shows that the server tells them apart; what was found by another
spelling until then is unknown from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from binlogcli.schema.sql.charsets import NO_CHARSET, Charset
from binlogcli.schema.table import SchemaTable
from binlogcli.schema.table_store import TableStore
from binlogcli.schema.triggers import Triggers
from binlogcli.schema.uncertain import UncertainRemovals

Name = tuple[str, str]  # database and table
SYSTEM_DATABASES = frozenset(("mysql", "sys", "test"))  # that a server has from its installation on


class Definitions:
    """The tables and databases as the statements so far have left them.

    A table whose database a schema file does not tell has an empty one, and stands for those of its name.
    """

    def __init__(self, *, complete: bool = False) -> None:
        self.tables = TableStore()  # None: it is there, but its definition is not known
        self.charsets: dict[str, Charset] = {}
        self.complete = complete  # a table that is not in `tables` is not there
        self.case_matters = False
        self._complete_databases: set[str] = set()
        self.triggers = Triggers()
        self.uncertain = UncertainRemovals()
        self._dropped: set[Name] = set()
        self._doubtful: set[Name] = set()  # tables that are perhaps there
        self._temporary: dict[int, dict[Name, SchemaTable | None]] = {}
        self._spellings: dict[Name, list[Name]] = {}  # the tables with upper-case letters by their names without
        self._respelled: set[Name] = set()  # tables that statements have named in another spelling

    def copy(self) -> Definitions:
        """Return definitions of the same tables that change on their own."""
        made = Definitions(complete=self.complete)
        made.tables = self.tables.copy()
        made.charsets = dict(self.charsets)
        made.case_matters = self.case_matters
        made._complete_databases = set(self._complete_databases)
        made.triggers = self.triggers.copy()
        made.uncertain = self.uncertain.copy()
        made._dropped = set(self._dropped)
        made._doubtful = set(self._doubtful)
        made._temporary = {thread: dict(tables) for thread, tables in self._temporary.items()}
        made._spellings = {name: list(spelled) for name, spelled in self._spellings.items()}
        made._respelled = set(self._respelled)
        return made

    def doubt(self) -> None:
        """Take in that statements may be missing here: what was known not to be there may have been created."""
        self.complete = False
        self._complete_databases.clear()
        self._dropped.clear()
        self.uncertain.clear()

    def restart(self) -> None:
        """Forget the temporary tables, as the server was started anew."""
        self._temporary.clear()

    def get(self, name: Name) -> SchemaTable | None:
        """Return the table of that name in that database, else one without a database; None where it is not known."""
        if name in self.tables:
            return self.tables[name]
        known_absent = name in self._dropped or name[0] in self._complete_databases
        return None if known_absent else self.tables.get(("", name[1]))

    def resolve(self, name: Name) -> Name:
        """Return the name under which a table is kept that a statement or a table map names."""
        if name in self.tables or self.case_matters:
            return name
        found = self._spelled(name)
        return found[0] if len(found) == 1 else name

    def _spelled(self, name: Name) -> list[Name]:
        """Return the tables that have this name but for the case of letters."""
        folded = _folded(name)
        spellings = self._spellings.get(folded, [])
        return [folded, *spellings] if folded in self.tables else spellings

    def meant(self, name: Name) -> Name:
        """Return the same for a statement that changes the table; of several spellings each may be the one meant."""
        found = self.resolve(name)
        if found != name:
            self._respelled.add(found)
        elif name not in self.tables and not self.case_matters:
            for spelled in self._spelled(name):
                self.tables[spelled] = None
        return found

    def tell_cases_apart(self) -> list[Name]:
        """Take names that differ in their case to be different; return the tables that are unknown by that."""
        self.case_matters = True
        unknown = [name for name in self._respelled if name in self.tables]
        for name in unknown:
            self.tables[name] = None
        self._respelled.clear()
        return unknown

    def is_absent(self, name: Name) -> bool:
        """Whether it is known that there is no such table."""
        if name in self.tables or ("", name[1]) in self.tables or name in self._doubtful:
            return False
        if name[0] in SYSTEM_DATABASES and name[0] not in self._complete_databases:
            return False
        return self.complete or name in self._dropped or name[0] in self._complete_databases

    def has_no_database(self, name: str) -> bool:
        """Whether it is known that there is no such database."""
        return self.complete and name not in self.charsets and name not in SYSTEM_DATABASES

    def put(self, name: Name, table: SchemaTable | None) -> None:
        """Define a table, or say that it is there without a known definition."""
        self.uncertain.settle(name)
        self._dropped.discard(name)
        self._doubtful.discard(name)
        if name not in self.tables and (folded := _folded(name)) != name:
            self._spellings.setdefault(folded, []).append(name)
        self.tables[name] = table.named(*name) if table else None

    def follow_rename(self, old: Name, new: Name) -> None:
        """Let foreign keys and triggers refer to a table by its new name."""
        self.triggers.rename_table(old, new)
        parents = {old, ("", old[1])}
        for child in self.tables.referring_to(parents):
            if (table := self.tables[child]) is not None:
                database = "" if child[0] in {"", new[0]} else new[0]
                keys = tuple(
                    replace(key, database=database, table=new[1])
                    if (key.database or child[0], key.table) in parents
                    else key
                    for key in table.foreign_keys
                )
                self.tables[child] = replace(table, foreign_keys=keys)

    def take_as_given(self, names: Iterable[Name] | None = None) -> Definitions:
        """Take these tables, or all, to be as a schema file has them, and return the definitions."""
        for name in list(self.tables if names is None else names):
            if (table := self.tables[name]) is not None:
                self.tables[name] = replace(table, given=True)
        return self

    def drop(self, name: Name) -> None:
        """Remove a table."""
        self.uncertain.settle(name)
        self.triggers.drop_table(name)
        self._forget(name)
        self._doubtful.discard(name)
        self._dropped.add(name)

    def drop_perhaps(self, name: Name) -> None:
        """Remove a table that may be there all the same."""
        table = self.tables.get(name)
        self._forget(name)
        self.doubt_absence(name, table)

    def doubt_absence(self, name: Name, table: SchemaTable | None = None) -> None:
        """Take in that a table may be there that is not known to be, as this one if it was removed before."""
        self._dropped.discard(name)
        self._doubtful.add(name)
        if table is not None:
            self.uncertain.note(name, table)

    def bring_back(self, name: Name) -> list[Name]:
        """Take a table to be there that was perhaps removed; return the tables that change by that."""
        removal = self.uncertain.settle(name)
        if removal is None:
            return []
        self.put(name, removal.table)
        if removal.new is None:
            return [name]
        self._forget(removal.new)
        self.follow_rename(removal.new, name)
        return [name, removal.new]

    def _forget(self, name: Name) -> None:
        if name not in self.tables:
            return
        del self.tables[name]
        folded = _folded(name)
        if folded != name:
            spellings = self._spellings[folded]
            spellings.remove(name)
            if not spellings:
                del self._spellings[folded]

    def database_charset(self, name: str) -> Charset:
        """Return a database's default character set; empty where it is not known."""
        found = self.charsets.get(name)
        if found is None and not self.case_matters:
            spelled = [charset for other, charset in self.charsets.items() if other.lower() == name.lower()]
            found = spelled[0] if len(spelled) == 1 else None
        return found or NO_CHARSET

    def create_database(self, name: str, charset: Charset, *, new: bool) -> None:
        """Set a database's default character set; a new one holds no tables yet."""
        self.charsets[name] = charset
        if new:
            self._complete_databases.add(name)

    def drop_database(self, name: str) -> list[Name]:
        """Remove a database with its tables and return these."""
        gone = [table for table in self.tables if table[0] == name]
        if not gone and not self.case_matters:
            gone = [table for table in self.tables if table[0].lower() == name.lower()]
        for table in gone:
            self._forget(table)
        self._dropped = {table for table in self._dropped if table[0] != name}
        self._doubtful = {table for table in self._doubtful if table[0] != name}
        self.uncertain.settle_database(name)
        self.triggers.drop_database(name)
        self._complete_databases.add(name)
        self.charsets.pop(name, None)
        return gone

    def temporary(self, thread: int, *, create: bool = False) -> dict[Name, SchemaTable | None]:
        """The temporary tables of a connection."""
        if create:
            return self._temporary.setdefault(thread, {})
        return self._temporary.get(thread, {})


def _folded(name: Name) -> Name:
    return name[0].lower(), name[1].lower()

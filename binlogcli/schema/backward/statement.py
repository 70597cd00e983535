"""Undoes one statement: derives the definitions before it from those after it.

A statement is undone only where that can tell nothing wrong; otherwise its tables are unknown before it. `None` stands
for a table that is there and not known: a table that is dropped later. MariaDB logs RENAME TABLE of a temporary table
whose CREATE is not in the log; such a statement is recognized by the table that still has the old name after it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from binlogcli.schema.backward.alter import table_before
from binlogcli.schema.backward.earlier import Earlier
from binlogcli.schema.backward.keys import with_unknown_hashes, without_key
from binlogcli.schema.backward.layout import Contradiction
from binlogcli.schema.definitions import Definitions, Name
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.alter_specifications import read_new_name
from binlogcli.schema.sql.columns import read_word
from binlogcli.schema.sql.keys import read_key_parts
from binlogcli.schema.sql.statement_heads import pass_settings, pass_wait, read_index, read_model, read_table_name
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable, tokens
from binlogcli.schema.table import SchemaTable


def undo(
    statement: str | bytes, earlier: Earlier, session: Session, temporary: Collection[Name] = ()
) -> dict[Name, SchemaTable | None]:
    """Turn what holds after a statement into what held before it; return what holds after it of its tables.

    `temporary` are the temporary tables that the connection had before it.
    """
    undoing = _Undoing(earlier, session, set(temporary))
    try:
        readable = not session.failed
        if readable:
            undoing.execute(TokenCursor(tokens(statement, session.dialect)))
    except Unreadable:
        readable = False
    if not readable:
        for name in _named(statement, earlier, session, temporary):
            undoing.put(name, known=session.collations.mariadb)  # see _doubt
    return undoing.after


def _named(statement: str | bytes, earlier: Earlier, session: Session, temporary: Collection[Name]) -> list[Name]:
    """Return the tables of a statement that cannot be read, or was executed only in part."""
    definitions = Definitions()
    for name in earlier.names():
        definitions.put(name, None)
    definitions.temporary(session.thread, create=True).update(dict.fromkeys(temporary))
    try:
        return replay(statement, definitions, session)
    except Unreadable as error:
        return error.tables


class _Undoing:
    """One statement while it is undone."""

    def __init__(self, earlier: Earlier, session: Session, temporary: set[Name]) -> None:
        self.after: dict[Name, SchemaTable | None] = {}  # definitions after the statement, of the tables that it names
        self._earlier = earlier
        self._session = session
        self._temporary = temporary

    def put(self, name: Name, table: SchemaTable | None = None, *, known: bool = True) -> None:
        """Set what held of a table before: a definition, None for one that is not known, or nothing at all."""
        for other in self._earlier.find(name):
            self.put(other, known=False)
        self.after.setdefault(name, self._earlier.get(name))
        self._earlier.doubtful.discard(name)
        if known:
            self._earlier.put(name, table)
        else:
            self._earlier.remove(name)

    def execute(self, cursor: TokenCursor) -> None:
        """Undo the statement; raises `Unreadable` where it cannot be read."""
        pass_settings(cursor)
        if cursor.accept("create"):
            self._create(cursor)
        elif cursor.accept("alter"):
            self._alter(cursor)
        elif cursor.accept("drop"):
            self._drop(cursor)
        elif cursor.accept("rename") and cursor.accept_any("tables", "table"):
            self._rename(cursor)

    def _name(self, cursor: TokenCursor) -> Name:
        name = read_table_name(cursor, self._session.database)
        if name not in self._temporary:
            for other in self._earlier.find(name):
                self.put(other, known=False)
        return name

    def _create(self, cursor: TokenCursor) -> None:
        replacing = cursor.accept("or replace")
        if cursor.accept("temporary"):
            return
        if cursor.accept_any("table", "sequence"):
            once = cursor.accept("if not exists") and not replacing and not self._session.effective
            self._create_table(self._name(cursor), cursor, once=once, replacing=replacing)
        elif cursor.accept_any("database", "schema"):
            if not cursor.accept("if not exists") or self._session.effective:
                self._forget(read_word(cursor))
        elif (head := read_index(cursor)) is not None:
            kind, index, once = head
            self._create_index(self._name(cursor), cursor, kind, "" if once else index)

    def _create_table(self, name: Name, cursor: TokenCursor, *, once: bool, replacing: bool) -> None:
        """Undo CREATE TABLE: the table was not there; with IF NOT EXISTS it was not there or the same."""
        table = self._earlier.get(name)
        if once:
            self.put(name, table)
            self._doubt(name)
            return
        self.put(name, known=replacing)
        if replacing:
            self._doubt(name)
        model = read_model(cursor, self._session.database)
        if model is None or table is None or model in self._temporary:
            return
        if self._earlier.get(model) is None:
            self.put(model, replace(table, foreign_keys=()))

    def _forget(self, database: str) -> None:
        """Make all tables of a database unknown."""
        for name in self._earlier.names(database):
            self.put(name, known=False)
        self._earlier.charsets.pop(database, None)

    def _create_index(self, name: Name, cursor: TokenCursor, kind: str, index: str) -> None:
        """Undo CREATE INDEX; without the index's name it may have been there before."""
        table = self._earlier.get(name)
        if name in self._temporary:
            return
        if table is None:
            self.put(name, known=self._earlier.has(name))
            return
        (added,) = read_key_parts(cursor, replace(table, keys=()), kind, index or "x").keys
        keys, found = without_key(table, added)
        before = replace(table, keys=tuple(keys), keys_known=table.keys_known and found and bool(index))
        self.put(name, with_unknown_hashes(before, table))

    def _alter(self, cursor: TokenCursor) -> None:
        while cursor.accept_any("online", "offline", "ignore"):
            pass
        if cursor.accept_any("database", "schema"):
            self._earlier.charsets.clear()  # the database's name may be left out: that of which is not known before
        elif cursor.accept("table"):
            cursor.accept("if exists")
            self._alter_table(self._name(cursor), cursor)

    def _alter_table(self, name: Name, cursor: TokenCursor) -> None:
        if name in self._temporary:
            return
        pass_wait(cursor)
        new = read_new_name(cursor.copy())
        present = name if new is None else (new[0] or self._session.database, new[1])
        if present != name and not self._may_move(name, present):
            return
        table = self._earlier.get(present)
        before = None
        if table is not None:
            try:
                before = table_before(cursor, table, self._session.collations)
            except (Contradiction, Unreadable):
                before = None
        if present != name:
            self.put(present, known=False)
        self.put(name, before)

    def _doubt(self, name: Name) -> None:
        """Say that the table may be missing; not so in MariaDB, as it may be what tells a temporary table's rename."""
        if not self._session.collations.mariadb:
            self._earlier.doubtful.add(name)

    def _may_move(self, old: Name, new: Name) -> bool:
        """Whether the statement can have given `new` its name; otherwise neither is known before it."""
        self._earlier.find(new)
        if (
            not self._earlier.has(old)
            or old in self._earlier.doubtful
            or (old[0], old[1].lower()) == (new[0], new[1].lower())
        ):
            return True
        self.put(old)
        self.put(new)
        return False

    def _rename(self, cursor: TokenCursor) -> None:
        cursor.accept("if exists")
        moves: list[tuple[Name, Name]] = []
        while cursor.more():
            old = self._name(cursor)
            pass_wait(cursor)
            if not cursor.accept("to"):
                raise Unreadable("TO is missing")
            new = self._name(cursor)
            if old in self._temporary:
                self._temporary ^= {old, new}
            else:
                moves.append((old, new))
            if not cursor.accept_mark(","):
                break
        for old, new in reversed(moves):
            if self._may_move(old, new):
                table = self._earlier.get(new)
                self.put(new, known=False)
                self.put(old, table)

    def _drop(self, cursor: TokenCursor) -> None:
        temporary = cursor.accept("temporary")
        if cursor.accept_any("tables", "table", "sequence"):
            optional = cursor.accept("if exists")
            while cursor.more() and not temporary:
                name = self._name(cursor)
                if name not in self._temporary:
                    self.put(name)
                    if optional:
                        self._doubt(name)
                if not cursor.accept_mark(","):
                    return
        elif cursor.accept_any("database", "schema"):
            cursor.accept("if exists")
            self._forget(read_word(cursor))
        elif cursor.accept("index"):
            self._drop_index(cursor)

    def _drop_index(self, cursor: TokenCursor) -> None:
        cursor.accept("if exists")
        read_word(cursor)
        if not cursor.accept("on"):
            return
        name = self._name(cursor)
        table = self._earlier.get(name)
        if name in self._temporary:
            return
        if table is None:
            self.put(name, known=self._earlier.has(name))
        else:
            self.put(name, with_unknown_hashes(replace(table, keys_known=False), table, gone=1))

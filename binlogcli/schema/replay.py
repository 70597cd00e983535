"""Replays one statement: what it makes of the definitions that held before it."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from binlogcli.schema.definitions import Definitions, Name
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.sql.alter_specifications import read_new_name
from binlogcli.schema.sql.alter_table import alter_table
from binlogcli.schema.sql.charsets import NO_CHARSET, Charset, read_charset
from binlogcli.schema.sql.columns import read_name, read_word
from binlogcli.schema.sql.create_table import read_table
from binlogcli.schema.sql.foreign_keys import read_triggers
from binlogcli.schema.sql.keys import read_key_parts, rebuilt, settled
from binlogcli.schema.sql.statement_heads import pass_settings, pass_wait, read_index, read_model, read_table_name
from binlogcli.schema.sql.tokens import SqlToken, TokenCursor, Unreadable, tokens
from binlogcli.schema.table import SchemaTable, sequence_table
from binlogcli.schema.uncertain import Removal


def replay(statement: str | bytes, definitions: Definitions, session: Session) -> list[Name]:
    """Execute a statement and return the tables that it defined, changed or dropped.

    Raises `Unreadable` when it cannot be read; its tables, as far as they can be identified, are unknown from then on.
    """
    try:
        cursor = TokenCursor(tokens(statement, session.dialect))
    except Unreadable as error:
        error.tables = _Statement(TokenCursor(error.read), definitions, session).give_up()
        raise
    statement_replay = _Statement(cursor, definitions, session)
    if session.failed:
        return statement_replay.give_up()
    return statement_replay.run()


class _Statement:
    """One statement while it is executed."""

    def __init__(self, cursor: TokenCursor, definitions: Definitions, session: Session) -> None:
        self._cursor = cursor
        self._definitions = definitions
        self._session = session
        self._targets: list[Name] = []  # tables that are unknown when the rest of the statement cannot be read
        self._changed: list[Name] = []
        self._removal: Removal | None = None  # what was kept of the table whose name was read last

    def run(self) -> list[Name]:
        """Execute the statement and return the tables that it changed."""
        try:
            self._execute()
        except Unreadable as error:
            for name in self._targets:
                self._put(name, None)
            error.tables = self._changed
            raise
        return self._changed

    def give_up(self) -> list[Name]:
        """Make the tables unknown of a statement that can be read, or was executed, only in part."""
        with contextlib.suppress(Unreadable):
            self._execute()
        for name in self._targets:
            self._put(name, None)
        return self._changed

    def _execute(self) -> None:
        cursor = self._cursor
        pass_settings(cursor)
        if cursor.accept("create"):
            self._create()
        elif cursor.accept("alter"):
            self._alter()
        elif cursor.accept("drop"):
            self._drop()
        elif cursor.accept("rename") and cursor.accept_any("tables", "table"):
            self._rename()
        elif cursor.accept("truncate"):
            cursor.accept("table")
            name = read_table_name(cursor, self._session.database)
            if name not in self._definitions.temporary(self._session.thread):
                self._changed.append(self._definitions.resolve(name))

    def _new_name(self) -> Name:
        """Read the name of a table that the statement makes."""
        name = read_table_name(self._cursor, self._session.database)
        if name not in self._definitions.temporary(self._session.thread):
            self._removal = self._definitions.uncertain.settle(name)
        return name

    def _name(self) -> Name:
        """Read the name of a table that is there."""
        name = self._new_name()
        return name if name in self._definitions.temporary(self._session.thread) else self._definitions.meant(name)

    def _perhaps_name(self) -> tuple[Name, Name | None]:
        """Read the name of a table that need not be there.

        Return also the one that is known by other letters: it is the table meant, unless the server tells them apart.
        """
        name = self._new_name()
        if name in self._definitions.temporary(self._session.thread):
            return name, None
        found = self._definitions.resolve(name)
        return (name, found) if found != name else (self._definitions.meant(name), None)

    def _known(self, name: Name) -> SchemaTable | None:
        temporary = self._definitions.temporary(self._session.thread)
        return temporary[name] if name in temporary else self._definitions.get(name)

    def _put(self, name: Name, table: SchemaTable | None) -> None:
        """Set the definition of a table: the connection's temporary one, where there is one of that name."""
        temporary = self._definitions.temporary(self._session.thread)
        if name in temporary:
            temporary[name] = table.named(*name) if table else None
        else:
            if table is not None and table.foreign_keys and table.mariadb:
                table = self._with_references_spelled(table, name)
            self._definitions.put(name, table)
            self._changed.append(name)

    def _with_references_spelled(self, table: SchemaTable, name: Name) -> SchemaTable:
        """Return the table with the columns that its foreign keys refer to in the letters of their own tables."""
        found = []
        for key in table.foreign_keys:
            parent = self._definitions.resolve((key.database or name[0], key.table))
            model = table if parent == name else self._definitions.get(parent)
            found.append(key if model is None else replace(key, columns=tuple(map(model.spelled, key.columns))))
        return replace(table, foreign_keys=tuple(found))

    def _remove(self, name: Name, *, temporary_only: bool = False) -> None:
        temporary = self._definitions.temporary(self._session.thread)
        if name in temporary:
            del temporary[name]
        elif not temporary_only and not self._definitions.is_absent(name):
            self._definitions.drop(name)
            self._changed.append(name)

    def _create(self) -> None:
        cursor = self._cursor
        replacing = cursor.accept("or replace")
        temporary = cursor.accept("temporary")
        if cursor.accept("table"):
            self._create_table(temporary=temporary, replacing=replacing)
        elif cursor.accept_any("database", "schema"):
            self._create_database(replacing=replacing)
        elif cursor.accept("sequence"):
            once = cursor.accept("if not exists")
            name = self._name_to_create(once=once, replacing=replacing)
            if not once or name not in self._definitions.tables:
                self._put(name, sequence_table())
        elif not self._create_trigger(replacing=replacing):
            self._create_index()

    def _name_to_create(self, *, once: bool, replacing: bool) -> Name:
        """Read the name of a table that the statement makes, or finds with IF NOT EXISTS, or replaces."""
        if replacing:
            name, other = self._perhaps_name()
            if other is not None:
                self._put(other, None)
            return name
        if not once or self._session.effective:
            return self._new_name()
        name, other = self._perhaps_name()
        if other is not None:
            self._definitions.doubt_absence(name)
        return other or name

    def _create_table(self, *, temporary: bool, replacing: bool) -> None:
        cursor = self._cursor
        once = cursor.accept("if not exists")
        name = self._name_to_create(once=once, replacing=replacing)
        if self._session.failed:  # OR REPLACE has dropped the old one, or the new one was dropped again
            self._remove(name, temporary_only=temporary)
            return
        if temporary:
            tables = self._definitions.temporary(self._session.thread, create=True)
            if once and name in tables:
                return
            tables[name] = None
        elif once and not replacing and not self._session.effective and not self._definitions.is_absent(name):
            if name not in self._definitions.tables:  # perhaps it was there, with other columns
                self._put(name, None)
            return
        elif replacing:
            self._definitions.triggers.drop_table(name)
        self._targets.append(name)
        model = read_model(cursor, self._session.database)
        if model is None:
            table = read_table(cursor, self._inherited_charset(name, temporary=temporary), self._session.collations)
        elif (known := self._known(model)) is not None:
            table = replace(known, foreign_keys=())
        else:
            raise Unreadable(f"{model[1]!r} is not known")
        self._put(name, table)

    def _inherited_charset(self, name: Name, *, temporary: bool) -> Charset:
        """Return the character set that a table takes whose statement gives none; empty where it is not known.

        What the servers write for CREATE TABLE ... LIKE a temporary table lacks that table's character set, which need
        not be the database's.
        """
        if self._session.copies_temporary and not temporary:
            return NO_CHARSET
        return self._definitions.database_charset(name[0])

    def _create_database(self, *, replacing: bool) -> None:
        cursor = self._cursor
        definitions = self._definitions
        once = cursor.accept("if not exists")
        name = read_word(cursor)
        new = not once or self._session.effective or definitions.has_no_database(name)
        if not new:  # perhaps it was there, with another character set
            definitions.charsets.setdefault(name, NO_CHARSET)
            return
        if replacing:
            self._changed += definitions.drop_database(name)
        charset = self._read_database_charset() or self._session.server_charset
        definitions.create_database(name, self._session.collations.resolved(charset), new=True)

    def _read_database_charset(self) -> Charset:
        charset = NO_CHARSET
        while self._cursor.more():
            if (found := read_charset(self._cursor, charset)) is not None:
                charset = found
            else:
                self._cursor.next()
        return charset

    def _create_trigger(self, *, replacing: bool) -> bool:
        """Execute the rest of CREATE TRIGGER; return False for other statements."""
        found = read_triggers(self._cursor, self._session.database)
        for one in found:
            database, table = self._definitions.resolve((one.database, one.table))
            if replacing:
                self._definitions.triggers.drop(database, one.name)
            self._definitions.triggers.add(replace(one, database=database, table=table))
        return bool(found)

    def _create_index(self) -> None:
        cursor = self._cursor
        head = read_index(cursor)
        if head is None:
            return
        kind, index, once = head
        name = self._name()
        self._targets.append(name)
        if (table := self._known(name)) is None:
            return
        if not once or all(key.name.lower() != index.lower() for key in table.keys):
            self._put(name, settled(read_key_parts(cursor, rebuilt(table), kind, index)))

    def _alter(self) -> None:
        cursor = self._cursor
        while cursor.accept_any("online", "offline", "ignore"):
            pass
        if cursor.accept_any("database", "schema"):
            self._alter_database()
        elif cursor.accept("table"):
            if cursor.accept("if exists"):
                name, other = self._perhaps_name()
                if other is not None:
                    self._put(other, None)
                self._alter_table(other or name)
            else:
                self._alter_table(self._name())

    def _alter_database(self) -> None:
        cursor = self._cursor
        options = {"default", "character", "charset", "char", "collate", "read", "encryption", "comment"}
        name = self._session.database if cursor.word() in options else read_word(cursor)
        charset = self._read_database_charset()
        if charset:
            charset = self._session.collations.resolved(charset)
            self._definitions.create_database(name, charset, new=False)

    def _alter_table(self, name: Name) -> None:
        pass_wait(self._cursor)
        specifications = self._cursor.rest()
        self._targets.append(name)
        if (new := read_new_name(TokenCursor(specifications))) is not None:
            new = (new[0] or self._session.database, new[1])
            self._targets.append(new)
        removal, known = self._removal, self._known(name)
        altered = self._altered(known, name, specifications)
        if new is not None:
            self._definitions.uncertain.settle(new)
            self._move(name, new, altered)
            if known is not None and self._session.dialect.mariadb and "`" in name[1]:
                self._definitions.doubt_absence(name, known)
            return
        self._put(name, altered)
        if removal is not None and (kept := self._altered(removal.table, name, specifications)) is not None:
            self._definitions.uncertain.note(name, kept, removal.new)

    def _altered(self, known: SchemaTable | None, name: Name, specifications: list[SqlToken]) -> SchemaTable | None:
        """Return what ALTER TABLE makes of a definition; None where not all of that is known."""
        if known is None or not known.is_exact:
            return None
        charset = self._definitions.database_charset(name[0])
        return alter_table(TokenCursor(specifications), known, charset, self._session.collations)

    def _move(self, old: Name, new: Name, table: SchemaTable | None) -> None:
        """Give a table another name; a temporary one stays temporary."""
        temporary = self._definitions.temporary(self._session.thread)
        is_temporary = old in temporary
        if not is_temporary:
            self._definitions.follow_rename(old, new)
        self._remove(old)
        if is_temporary:
            temporary[new] = None
        self._put(new, table)

    def _rename(self) -> None:
        cursor = self._cursor
        once = cursor.accept("if exists")
        made: set[Name] = set()
        temporary = False
        while True:
            old, other = self._perhaps_name() if once else (self._name(), None)
            self._targets.append(old)
            pass_wait(self._cursor)
            if not cursor.accept("to"):
                raise Unreadable("TO is missing")
            new = self._new_name()
            self._targets.append(new)
            temporary |= old not in made and self._definitions.is_absent(old)
            if other is not None:
                self._put(other, None)
                self._put(new, None)
            else:
                self._rename_table(old, new, is_own=old in made)
            made.add(new)
            if not cursor.accept_mark(","):
                break
        if temporary and self._session.dialect.mariadb and len(made) > 1:  # as others of these tables may be
            for name in filter(self._definitions.tables.__contains__, self._targets):
                self._put(name, None)

    def _rename_table(self, old: Name, new: Name, *, is_own: bool) -> None:
        """Give a table another name; `is_own` tells whether the statement itself has given it the old one.

        MariaDB logs it of a temporary table, too, whose CREATE is not logged in row format. Only such a table can take
        a name that is in use. Where it is not certain that the name is, it is not certain either which table has it.
        """
        if self._known(new) is not None:
            return
        in_use = new in self._definitions.tables
        known = self._known(old)
        is_temporary = old in self._definitions.temporary(self._session.thread)
        self._move(old, new, None if in_use else known)
        if self._session.dialect.mariadb and known is not None and not is_temporary and not is_own:
            self._definitions.uncertain.note(old, known, new)

    def _drop(self) -> None:
        cursor = self._cursor
        temporary = cursor.accept("temporary")
        if cursor.accept_any("tables", "table", "sequence"):
            once = cursor.accept("if exists")
            while cursor.more():
                name, other = self._perhaps_name() if once else (self._name(), None)
                if other is None or temporary:
                    self._remove(name, temporary_only=temporary)
                else:
                    self._definitions.drop_perhaps(other)
                    self._changed.append(other)
                if not cursor.accept_mark(","):
                    return
        elif cursor.accept_any("database", "schema"):
            cursor.accept("if exists")
            self._changed += self._definitions.drop_database(read_word(cursor))
        elif cursor.accept("index"):
            self._drop_index()
        elif cursor.accept("trigger"):
            cursor.accept("if exists")
            self._definitions.triggers.drop(*self._trigger_name())

    def _trigger_name(self) -> tuple[str, str]:
        database, name = read_name(self._cursor)
        return database or self._session.database, name

    def _drop_index(self) -> None:
        cursor = self._cursor
        cursor.accept("if exists")
        index = read_word(cursor).lower()
        if not cursor.accept("on"):
            return
        name = self._name()
        self._targets.append(name)
        if (table := self._known(name)) is not None:
            left = tuple(key for key in table.keys if key.name.lower() != index)
            self._put(name, settled(rebuilt(replace(table, keys=left))))

"""What a statement does to whole tables beside their definitions: it empties, drops or renames them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NamedTuple

from binlogcli.schema.definitions import Name
from binlogcli.schema.logged_statement import LoggedStatement
from binlogcli.schema.sql.alter_specifications import read_new_name
from binlogcli.schema.sql.columns import read_word
from binlogcli.schema.sql.statement_heads import pass_settings, pass_wait, read_table_name
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable, tokens

TRUNCATE, DROP, RENAME = "truncate", "drop", "rename"
_PARTS = ("truncate partition", "drop partition", "exchange partition")


class TableChange(NamedTuple):
    """A table that a statement empties, drops, or gives the name `new`. Without a table, all of the database."""

    kind: str  # TRUNCATE, DROP, RENAME, or one of _PARTS, which says only that rows have gone or come
    name: Name
    new: Name | None = None


def changed_tables(statement: LoggedStatement) -> list[TableChange]:
    """Return the tables that a statement empties, drops or renames, in its order, as far as it can be read.

    A DROP that is logged with an error has dropped those of its tables that were there; other statements with an error
    have no effect. Temporary tables are left out, as far as the statement tells.
    """
    found: list[TableChange] = []
    with contextlib.suppress(Unreadable):
        cursor = TokenCursor(tokens(statement.text, statement.session.dialect))
        pass_settings(cursor)
        database = statement.session.database
        changes = _changed if not cursor.accept("drop") else _dropped
        found.extend(one for one in changes(cursor, database) if changes is _dropped or not statement.session.failed)
    return found


def _changed(cursor: TokenCursor, database: str) -> Iterator[TableChange]:
    """Yield the tables of statements other than DROP."""
    if cursor.accept("truncate"):
        cursor.accept("table")
        yield TableChange(TRUNCATE, read_table_name(cursor, database))
    elif cursor.accept("rename") and cursor.accept_any("tables", "table"):
        yield from _renamed(cursor, database)
    elif cursor.accept("create or replace"):
        yield from _replaced(cursor, database)
    elif cursor.accept("alter"):
        yield from _altered(cursor, database)


def _dropped(cursor: TokenCursor, database: str) -> Iterator[TableChange]:
    """Yield the tables of DROP."""
    if cursor.accept_any("tables", "table", "sequence"):
        cursor.accept("if exists")
        while cursor.more():
            yield TableChange(DROP, read_table_name(cursor, database))
            if not cursor.accept_mark(","):
                return
    elif cursor.accept_any("database", "schema"):
        cursor.accept("if exists")
        yield TableChange(DROP, (read_word(cursor), ""))


def _renamed(cursor: TokenCursor, database: str) -> Iterator[TableChange]:
    """Yield the tables of RENAME TABLE."""
    cursor.accept("if exists")
    while cursor.more():
        old = read_table_name(cursor, database)
        pass_wait(cursor)
        if not cursor.accept("to"):
            return
        yield TableChange(RENAME, old, read_table_name(cursor, database))
        if not cursor.accept_mark(","):
            return


def _replaced(cursor: TokenCursor, database: str) -> Iterator[TableChange]:
    """Yield what MariaDB's CREATE OR REPLACE drops."""
    if cursor.accept_any("table", "sequence"):
        yield TableChange(DROP, read_table_name(cursor, database))
    elif cursor.accept_any("database", "schema"):
        yield TableChange(DROP, (read_word(cursor), ""))


def _altered(cursor: TokenCursor, database: str) -> Iterator[TableChange]:
    """Yield the table of ALTER TABLE, if it gets another name or whole partitions of it change."""
    while cursor.accept_any("online", "offline", "ignore"):
        pass
    if not cursor.accept("table"):
        return
    cursor.accept("if exists")
    name = read_table_name(cursor, database)
    pass_wait(cursor)
    for words in _PARTS:
        if cursor.copy().accept(words):
            yield TableChange(words, name)
    new = read_new_name(cursor)
    if new is not None and (new[0] or database, new[1]) != name:
        yield TableChange(RENAME, name, (new[0] or database, new[1]))

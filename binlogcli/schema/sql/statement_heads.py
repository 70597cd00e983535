"""Reads what is before and beside the definitions in a statement: settings, names of tables, what is created."""

from __future__ import annotations

from binlogcli.schema.sql.columns import read_name, read_word
from binlogcli.schema.sql.tokens import TokenCursor

Name = tuple[str, str]  # database and table
_INDEX_KINDS = ("unique", "fulltext", "spatial", "vector")


def pass_settings(cursor: TokenCursor) -> None:
    """Pass over MariaDB's SET STATEMENT ... FOR."""
    if cursor.accept("set statement"):
        while cursor.more() and not cursor.accept("for"):
            cursor.next()


def pass_wait(cursor: TokenCursor) -> None:
    """Pass over WAIT n or NOWAIT after a table's name."""
    if cursor.accept("wait"):
        cursor.next()
    cursor.accept("nowait")


def read_table_name(cursor: TokenCursor, default: str) -> Name:
    """Read a table's name; `default` is the database where none is given."""
    database, table = read_name(cursor)
    return database or default, table


def read_model(cursor: TokenCursor, default: str) -> Name | None:
    """Return the name of the table in CREATE TABLE ... LIKE, with or without parentheses, or None."""
    if cursor.is_mark("(") and cursor.word(1) == "like":
        cursor = TokenCursor(cursor.group() or [])
    return read_table_name(cursor, default) if cursor.accept("like") else None


def read_index(cursor: TokenCursor) -> tuple[str, str, bool] | None:
    """Read what follows CREATE up to ON: an index's kind and name, and whether it has IF NOT EXISTS.

    None where it creates something else: a view, a trigger, a routine, an event, a user, ...
    """
    cursor.accept_any("online", "offline")
    kind = next((word for word in _INDEX_KINDS if cursor.accept(word)), "")
    if not cursor.accept("index"):
        return None
    once = cursor.accept("if not exists")
    index = read_word(cursor)
    while cursor.more() and not cursor.accept("on"):
        cursor.next()
    return kind, index, once

"""The names that columns had before a statement that was undone; a replay that lacks something cannot tell them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from binlogcli.schema.logged_statement import LoggedStatement
from binlogcli.schema.sql.alter_specifications import AlterChanges, read_specifications
from binlogcli.schema.sql.columns import read_name
from binlogcli.schema.sql.statement_heads import pass_settings, pass_wait
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable, tokens
from binlogcli.schema.table import SchemaColumn, SchemaTable


def with_former_names(
    table: SchemaTable, before: Collection[SchemaTable | None], statement: LoggedStatement
) -> SchemaTable:
    """Return what a statement has left with the names that its columns had, of which `before` knows the earlier ones.

    `before` is what was known of the statement's tables.
    """
    known = [one for one in before if one is not None]
    changes = _changes(statement)
    if len(known) != 1 or changes is None:
        return table
    names = {read.name.lower(): old for old, read in changes.replaced.items()}
    names |= {new.lower(): old for old, new in changes.renamed.items()}
    added = {column.name.lower() for column in changes.columns()} - names.keys()
    columns = (
        column if column.name.lower() in added else _named_after(column, known[0], names) for column in table.declared
    )
    return replace(table, declared=tuple(columns))


def _named_after(column: SchemaColumn, before: SchemaTable, names: dict[str, str]) -> SchemaColumn:
    """Return a column with its earlier names; `names` has the old name of those that got a new one."""
    old = before.column(names.get(column.name.lower(), column.name))
    return column if old is None or not old.name else column.after(old)


def _changes(statement: LoggedStatement) -> AlterChanges | None:
    """Return what an ALTER TABLE changes; None for other statements, and where it cannot be read."""
    try:
        cursor = TokenCursor(tokens(statement.text, statement.session.dialect))
        pass_settings(cursor)
        if not cursor.accept("alter"):
            return None
        while cursor.accept_any("online", "offline", "ignore"):
            pass
        if not cursor.accept("table"):
            return None
        cursor.accept("if exists")
        read_name(cursor)
        pass_wait(cursor)
        return read_specifications(cursor, None)
    except Unreadable:
        return None

"""Applies the specifications of one ALTER TABLE statement to a table's definition.

The servers go over a statement in three steps, and so does this: first every old column stays, goes (DROP) or is
replaced in its place (CHANGE, MODIFY, RENAME COLUMN; all name old columns, so two columns may swap names); then, in
the statement's order, come the new columns and those with FIRST or AFTER, which name columns as they are by then;
then the keys. A specification that is not known makes the statement unreadable and its table unknown: a layout that
may be wrong is worse than none.
"""

from __future__ import annotations

from dataclasses import replace

from binlogcli.schema.sql.alter_specifications import AlterChanges, read_specifications
from binlogcli.schema.sql.charsets import Charset, Collations
from binlogcli.schema.sql.columns import ReadColumn, converted, finish_column
from binlogcli.schema.sql.create_table import is_versioned
from binlogcli.schema.sql.keys import column_keys, on_new_columns, read_key, rebuilt, settled
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable
from binlogcli.schema.table import SchemaColumn, SchemaTable, check_names


def alter_table(cursor: TokenCursor, table: SchemaTable, database: Charset, collations: Collations) -> SchemaTable:
    """Return the table as the statement's specifications leave it; a new name is left to the caller."""
    changes = read_specifications(cursor, table)
    period = changes.period or (None if changes.period_dropped else table.period)
    application_period = None if changes.application_period_dropped else table.application_period
    altered = replace(
        table, engine=changes.engine or table.engine, period=period, application_period=application_period
    )
    altered = replace(altered, charset=_charset(changes.charset or changes.conversion, table, database, collations))
    if changes.versioned is not None or is_versioned(changes.columns()):
        altered = replace(altered, versioned=changes.versioned is not False)
    columns = _columns(altered, changes, collations)
    if changes.conversion:
        charset = _charset(changes.conversion, table, database, collations)
        defined = {read.name.lower(): read for read in changes.columns()}
        columns = [converted(column, charset, collations, defined.get(column.name.lower())) for column in columns]
    altered = replace(altered, declared=tuple(columns))
    if not changes.rebuilds and _with_keys(altered, changes, table) == table:
        return table
    return _with_keys(rebuilt(altered), changes, table)


def _charset(wanted: Charset, table: SchemaTable, database: Charset, collations: Collations) -> Charset:
    """Return the character set that a statement gives to a table; without one that which it has."""
    if not wanted:
        return table.charset
    return collations.resolved(wanted if wanted.name else replace(wanted, name=table.charset.name), database)


def _columns(table: SchemaTable, changes: AlterChanges, collations: Collations) -> list[SchemaColumn]:
    """Return the columns: first the old ones with what became of them, then those that get a place of their own."""
    columns: list[SchemaColumn] = []
    for column in table.declared:
        name = column.name.lower()
        if name in changes.dropped:
            continue
        if (read := changes.replaced.get(name)) is None:
            if name in changes.shown or name in changes.renamed:
                shown = changes.shown.get(name, column.visible)
                renamed = replace(column, name=changes.renamed.get(name, column.name), visible=shown)
                column = renamed.after(column)  # noqa: PLW2901
            columns.append(column)
        elif read.place is None:
            columns.append(finish_column(read, table.charset, collations).after(column))
    names = [column.name.lower() for column in columns]
    replaced = {id(read): name for name, read in changes.replaced.items()}
    for read in changes.placed:
        at = _place(names, read.place)
        names.insert(at, read.name.lower())
        made = finish_column(read, table.charset, collations)
        before = table.column(replaced.get(id(read), ""))
        columns.insert(at, made if before is None else made.after(before))
    check_names(columns)
    return columns


def _place(names: list[str], place: tuple[str, str] | None) -> int:
    """Return where among the columns of these names FIRST or AFTER puts a column; without either the end."""
    if place is None:
        return len(names)
    word, after = place
    if word == "first":
        return 0
    if after.lower() not in names:
        raise Unreadable(f"column {after!r} is not known")
    return names.index(after.lower()) + 1


def _with_keys(table: SchemaTable, changes: AlterChanges, before: SchemaTable) -> SchemaTable:
    """Return the table with the keys of the table `before`, after columns and keys were dropped, renamed and added."""
    names = changes.renamed | {old: column.name for old, column in changes.replaced.items()}
    keys = []
    anew = changes.added_anew()
    for key in table.keys:
        left = on_new_columns(key.without(changes.dropped - anew), anew, before)
        if left and key.name.lower() not in changes.dropped_keys:
            renamed = changes.renamed_keys.get(key.name.lower(), key.name)
            left = left.renamed(names) if names else left
            keys.append(left if renamed == left.name else replace(left, name=renamed))
    foreign_keys = tuple(key for key in table.foreign_keys if key.name.lower() not in changes.dropped_foreign_keys)
    table = replace(with_periods_renamed(table, names), keys=tuple(keys), foreign_keys=foreign_keys)
    for item in changes.keys:
        table = column_keys(table, item) if isinstance(item, ReadColumn) else read_key(item, table)
    return settled(table)


def with_periods_renamed(table: SchemaTable, names: dict[str, str]) -> SchemaTable:
    """Return the table after its periods' columns were renamed, by their old names in lower case."""
    if table.period is not None:
        start, end = (names.get(name.lower(), name) for name in table.period)
        table = replace(table, period=(start, end))
    if table.application_period is not None:
        period, *columns = table.application_period
        start, end = (names.get(name.lower(), name) for name in columns)
        table = replace(table, application_period=(period, start, end))
    return table

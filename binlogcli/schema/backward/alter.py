"""Undoes one ALTER TABLE: from the table that it has left to the table that it found, as far as it tells.

The steps of `alter_table` are gone backward. A column that was dropped comes back with its name and no place, one that
was redefined with its old name and no type, and a key that was dropped makes the keys unknown. Names of columns that
are gone are in the letters of the statement, which need not be those of the table.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from binlogcli.schema.backward.keys import keys_before
from binlogcli.schema.backward.layout import Contradiction, Layout
from binlogcli.schema.sql.alter_specifications import AlterChanges, read_specifications
from binlogcli.schema.sql.alter_table import alter_table
from binlogcli.schema.sql.charsets import BINARY, NO_CHARSET, Charset, Collations
from binlogcli.schema.sql.columns import labels_across
from binlogcli.schema.sql.create_table import is_versioned
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable
from binlogcli.schema.sql.types import AS_BINARY, TYPES, Family
from binlogcli.schema.table import SchemaColumn, SchemaTable, unknown_column

_TEXTS = frozenset(AS_BINARY)
_LONG_TEXTS = TYPES["varchar"].kinds | TYPES["text"].kinds  # CONVERT makes a longer type of one that is too short


def table_before(cursor: TokenCursor, table: SchemaTable, collations: Collations) -> SchemaTable:
    """Return what the statement has made `table` of; raise `Contradiction` or `Unreadable` where that is not known."""
    specifications = cursor.copy()
    layout = Layout(table)
    changes = _effective(read_specifications(cursor, None), layout)
    _layout_before(changes, layout)
    columns = layout.placed
    if changes.conversion:
        columns = [_unconverted(column, collations, changes.conversion) for column in columns]
        layout.unplaced = [
            replace(other, column=_unconverted(other.column, collations, changes.conversion))
            for other in layout.unplaced
        ]
    before = replace(table, declared=tuple(columns), unplaced=tuple(layout.unplaced))
    before = _options_before(changes, before)
    before = keys_before(changes, before, table)
    if not before.declared and not before.unplaced:
        raise Contradiction("it had no columns")
    if before.is_exact:
        _check_forward(specifications, before, table, collations)
    return before


def _old_names(changes: AlterChanges) -> set[str]:
    return {*changes.dropped, *changes.replaced, *changes.renamed}


def _new_names(changes: AlterChanges) -> list[str]:
    columns = chain(changes.columns(), changes.passed_over)
    return [name.lower() for name in (*(column.name for column in columns), *changes.renamed.values())]


def _effective(changes: AlterChanges, layout: Layout) -> AlterChanges:
    """Return the changes without those that IF EXISTS has passed over; raise `Contradiction` if that is not clear.

    A statement that names one old or one new column twice is not clear, either.
    """
    replaced = {
        old: read for old, read in changes.replaced.items() if old not in changes.optional or layout.has(read.name)
    }
    renamed = {old: new for old, new in changes.renamed.items() if old not in changes.optional or layout.has(new)}
    passed = [id(read) for old, read in changes.replaced.items() if old not in replaced]
    placed = [read for read in changes.placed if id(read) not in passed]
    changes = replace(changes, replaced=replaced, renamed=renamed, placed=placed)
    new = _new_names(changes)
    if len(_old_names(changes)) < len(changes.dropped) + len(replaced) + len(renamed) or len(set(new)) < len(new):
        raise Contradiction("one column is changed twice")
    if any(column.name.lower() in changes.dropped for column in changes.passed_over):
        raise Contradiction("whether a column was dropped is not known")
    names = {old: read.name for old, read in replaced.items()} | renamed
    if any(old in changes.optional and old != new.lower() for old, new in names.items()):
        raise Contradiction("whether a column was renamed is not known")
    return changes


def _layout_before(changes: AlterChanges, layout: Layout) -> None:
    """Turn the columns into those that they were, with what the statement tells of their places."""
    for old in _old_names(changes) - set(_new_names(changes)):
        layout.discard(old)
    once = [column.name.lower() for column in changes.passed_over]
    uncertain = {old for old in changes.optional if layout.is_optional(old)}
    for column in changes.passed_over:
        layout.make_optional(column.name)
    for column in reversed(changes.placed):
        layout.take_back(column.name, column.place, once)
    _rename_back(changes, layout)
    for name in changes.shown:
        _unshow(layout, name)
    spelled = changes.spelled
    for old, read in changes.replaced.items():
        if read.place is not None:
            layout.add_anywhere(unknown_column(spelled[old]), optional=old in uncertain)
    for old in sorted(changes.dropped):
        layout.add_anywhere(unknown_column(spelled[old]), optional=old in changes.optional)
    layout.settle()


def _rename_back(changes: AlterChanges, layout: Layout) -> None:
    """Give the columns that the statement renamed or redefined in their places their old names."""
    found: list[tuple[str, SchemaColumn]] = []
    for old, read in changes.replaced.items():
        if read.place is None:
            found.append((read.name, unknown_column(changes.spelled[old])))
    for old, new in changes.renamed.items():
        found.append((new, replace(layout.named(new), name=changes.spelled[old])))
    layout.redefine(found)


def _unshow(layout: Layout, name: str) -> None:
    at = layout.place(name)
    if at is not None:
        layout.placed[at] = replace(layout.placed[at], visible=None)


def _options_before(changes: AlterChanges, table: SchemaTable) -> SchemaTable:
    """Return the table with the character set, engine and versioning that it had, as far as they are known."""
    if changes.charset or changes.conversion:
        table = replace(table, charset=NO_CHARSET)
    if changes.engine:
        table = replace(table, engine="")
    if changes.versioned is None:
        if changes.period or changes.period_dropped or is_versioned(changes.columns()):
            raise Contradiction("whether it was versioned is not known")
        return table
    if table.versioned != changes.versioned:
        raise Contradiction("its system versioning differs from what the statement left")
    if not changes.versioned and (changes.dropped or table.period is not None):
        raise Contradiction("the columns of its period are not known")
    return replace(table, versioned=not changes.versioned, period=None)


def _unconverted(column: SchemaColumn, collations: Collations, conversion: Charset) -> SchemaColumn:
    """Return the column as it was before CONVERT TO CHARACTER SET: of a text that is not known."""
    family = TYPES[column.type_name].family if column.type_name else None
    if family is Family.LABELS:
        charset = collations.of_number(column.collation).name
        return replace(column, collation=None, labels=labels_across(column.labels, {charset}, mariadb=True))
    to_binary = collations.number(conversion) == BINARY or conversion.name in {"binary", "default", ""}
    if family is Family.BINARY and not to_binary:
        return column
    if column.type_name in _TEXTS or family is Family.BINARY:
        kinds = TYPES["char"].kinds if column.kinds <= TYPES["char"].kinds else _LONG_TEXTS | column.kinds
        return replace(column, type_name="", length=None, collation=None, kinds=kinds)
    return column


def _check_forward(
    specifications: TokenCursor, before: SchemaTable, table: SchemaTable, collations: Collations
) -> None:
    """Raise `Contradiction` if the statement makes other columns of `before` than those of `table`."""
    try:
        again = alter_table(specifications, before, NO_CHARSET, collations)
    except Unreadable as error:
        raise Contradiction(str(error)) from error
    if table.unplaced:
        return
    same = len(again.declared) == len(table.declared)
    for ours, theirs in zip(again.declared, table.declared, strict=False):
        same = same and ours.name.lower() == theirs.name.lower()
        same = same and (not ours.kinds or not theirs.kinds or bool(ours.kinds & theirs.kinds))
    if not same:
        raise Contradiction("the statement creates a different table")

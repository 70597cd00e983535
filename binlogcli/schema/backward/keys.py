"""The keys of a table before a statement that adds, drops or renames some."""

from __future__ import annotations

from dataclasses import replace

from binlogcli.schema.sql.alter_specifications import AlterChanges
from binlogcli.schema.sql.alter_table import with_periods_renamed
from binlogcli.schema.sql.columns import ReadColumn
from binlogcli.schema.sql.keys import column_keys, read_key
from binlogcli.schema.sql.tokens import TokenCursor
from binlogcli.schema.table import SchemaColumn, SchemaKey, SchemaTable


def keys_before(changes: AlterChanges, before: SchemaTable, after: SchemaTable) -> SchemaTable:
    """Return the table `before` with the keys that the statement has made those of `after` of."""
    keys, known = _without_added(changes, after)
    names = {column.name.lower(): changes.spelled[old] for old, column in changes.replaced.items()}
    names |= {new.lower(): changes.spelled[old] for old, new in changes.renamed.items()}
    renamed_keys = {new.lower(): old for old, new in changes.renamed_keys.items()}
    keys = [replace(key.renamed(names), name=renamed_keys.get(key.name.lower(), key.name)) for key in keys]
    gone = len(changes.dropped_keys) + 2 * len(changes.dropped)
    if changes.dropped:  # a column that is dropped leaves the keys that it was part of
        keys = []
    primary = {names.get(name, name).lower() for name in _added_primary(keys, after)}
    before = replace(
        with_periods_renamed(before, names),
        declared=tuple(_maybe_nullable(column, primary) for column in before.declared),
        keys=tuple(keys),
        keys_known=known and after.keys_known and not gone,
    )
    return with_unknown_hashes(before, after, gone)


def with_unknown_hashes(before: SchemaTable, after: SchemaTable, gone: int = 0) -> SchemaTable:
    """Return the table with as many hashes as it may have had: of USING HASH each statement makes an ordinary key.

    `gone` is how many unique keys the statement may have dropped.
    """
    if not before.mariadb:
        return before
    unique = sum(key.kind == "unique" for key in after.keys)
    most = max(unique, after.hash_range[1]) + gone
    keys = tuple(replace(key, using_hash=False) for key in before.keys)
    return replace(before, keys=keys, hashes=(0, most) if most else None)


def _added_primary(keys: list[SchemaKey], after: SchemaTable) -> list[str]:
    """Return the columns, in lower case, of a primary key that the statement has added, and made NOT NULL."""
    if any(key.kind == "primary" for key in keys):
        return []
    return [name for key in after.keys if key.kind == "primary" for name in _parts(key)]


def _maybe_nullable(column: SchemaColumn, primary: set[str]) -> SchemaColumn:
    return replace(column, nullable=None) if column.name.lower() in primary else column


def without_key(table: SchemaTable, added: SchemaKey) -> tuple[list[SchemaKey], bool]:
    """Return the keys without the one that a statement has added, and whether it was found."""
    keys = list(table.keys)
    for key in reversed(keys):
        if (key.kind, _parts(key)) == (added.kind, _parts(added)):
            keys.remove(key)
            return keys, True
    return keys, False


def _parts(key: SchemaKey) -> list[str]:
    return [name.lower() for name, _ in key.parts]


def _without_added(changes: AlterChanges, after: SchemaTable) -> tuple[list[SchemaKey], bool]:
    """Return the keys without those that the statement has added, and whether these are all there were."""
    adding = replace(after, keys=())
    known = not changes.passed_over
    for item in changes.keys:
        if isinstance(item, ReadColumn):
            adding = column_keys(adding, item)
        else:
            known = known and not _is_optional(item.copy())
            adding = read_key(item.copy(), adding)
    left = after
    for key in adding.keys:
        keys, found = without_key(left, key)
        left = replace(left, keys=tuple(keys))
        known = known and found
    return list(left.keys), known


def _is_optional(cursor: TokenCursor) -> bool:
    """Whether a key is added only IF NOT EXISTS."""
    while cursor.more():
        if cursor.accept("if not exists"):
            return True
        cursor.next()
    return False

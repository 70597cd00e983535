"""Reads the keys of a table: in CREATE TABLE, in ALTER TABLE ... ADD and in CREATE INDEX.

The binary log depends on two of them: the primary key, which finds a row again, and MariaDB's long unique keys, whose
hash is a column that no statement names. Each statement ends with `settled`, which does to the keys what the servers
do: a primary key's columns are NOT NULL, keys made for foreign keys go where others serve, and the rest is sorted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from binlogcli.schema.sql.columns import ReadColumn, read_word
from binlogcli.schema.sql.foreign_keys import column_names, read_reference
from binlogcli.schema.sql.sizes import key_size
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable, split
from binlogcli.schema.sql.types import WITH_PREFIXES
from binlogcli.schema.table import ForeignKey, SchemaKey, SchemaTable

_MOST_KEYS = 128  # MariaDB's limit; MySQL's is 64
_POINT_BYTES = 25
_WITHOUT_FOREIGN_KEYS = frozenset(("myisam", "aria", "memory", "heap", "archive", "csv", "merge", "mrg_myisam"))
_KINDS = ("unique", "fulltext", "spatial", "vector")
Parts = tuple[tuple[str, int], ...]


def column_keys(table: SchemaTable, column: ReadColumn) -> SchemaTable:
    """Return the table with the keys that attributes of a column make."""
    for kind in ("primary", "unique"):
        if kind in column.flags:
            table = with_key(table, kind, "", ((column.name, 0),))
    if column.reference is not None:
        return _with_foreign_key(table, read_reference(column.reference.copy(), "", (column.name,)), "")
    return table


def read_key(cursor: TokenCursor, table: SchemaTable) -> SchemaTable:
    """Read the definition of a key or a period and return the table with it; a check changes nothing."""
    if cursor.accept("period for"):
        return _with_period(cursor, table)
    if cursor.accept("period if not exists for"):
        return table if table.application_period else _with_period(cursor, table)
    name = ""
    if (
        cursor.accept("constraint")
        and not cursor.accept("if not exists")
        and cursor.word() not in {"primary", "unique", "foreign", "check"}
    ):
        name = read_word(cursor)
    if cursor.accept("foreign key"):
        return _read_foreign_key(cursor, table, name)
    kind = "primary" if cursor.accept("primary") else next((word for word in _KINDS if cursor.accept(word)), "")
    keyed = cursor.accept("key") or cursor.accept("index")
    if not kind and not keyed:
        return table
    once = cursor.accept("if not exists")
    if cursor.more() and not cursor.is_mark("(") and cursor.word() != "using":
        name = read_word(cursor)
    with_one_more = read_key_parts(cursor, table, kind, name)
    wanted = name or with_one_more.keys[-1].parts[0][0]
    taken = "primary" if kind == "primary" else wanted.lower()
    return table if once and any(key.name.lower() == taken for key in table.keys) else with_one_more


def _with_period(cursor: TokenCursor, table: SchemaTable) -> SchemaTable:
    """Return the table with a period: that of its versions, or another. Its columns are NOT NULL then."""
    name = read_word(cursor)
    group = TokenCursor(cursor.group() or [])
    start = read_word(group)
    group.accept_mark(",")
    end = read_word(group)
    if name.lower() == "system_time":
        table = replace(table, period=(start, end))
    else:
        table = replace(table, application_period=(name, start, end))
    return _not_null(table, (start, end))


def _not_null(table: SchemaTable, names: Iterable[str]) -> SchemaTable:
    """Return the table with these columns NOT NULL."""
    wanted = {name.lower() for name in names}
    declared = (
        replace(column, nullable=False) if column.name.lower() in wanted else column for column in table.declared
    )
    return replace(table, declared=tuple(declared))


def _read_foreign_key(cursor: TokenCursor, table: SchemaTable, name: str) -> SchemaTable:
    """Read what follows FOREIGN KEY and return the table with the key, and with an ordinary key of its columns."""
    cursor.accept("if not exists")
    index = read_word(cursor) if cursor.peek().kind != "mark" else ""
    columns = column_names(cursor.group() or [])
    if not columns or not cursor.accept("references"):
        raise Unreadable("a foreign key has no columns")
    return _with_foreign_key(table, read_reference(cursor, name or (index if table.mariadb else ""), columns), index)


def _with_foreign_key(table: SchemaTable, key: ForeignKey, index: str) -> SchemaTable:
    """Return the table with a foreign key, unless its engine ignores them, and with the key that both servers add."""
    table = with_key(table, "", key.name or index, tuple((name, 0) for name in key.own_columns), generated=True)
    if table.engine in _WITHOUT_FOREIGN_KEYS:
        return table
    return replace(table, foreign_keys=(*table.foreign_keys, key))


def read_key_parts(cursor: TokenCursor, table: SchemaTable, kind: str, name: str) -> SchemaTable:
    """Read what follows a key's name, USING and the columns, and return the table with the key."""
    using_hash = False
    parts: Parts = ()
    while cursor.more():
        if cursor.accept_any("using hash", "type hash"):
            using_hash = True
        elif not parts and (group := cursor.group()) is not None:
            parts = tuple(_part(TokenCursor(items)) for items in split(group))
        elif cursor.group() is None:
            cursor.next()
    if not parts:
        raise Unreadable("a key has no columns")
    return with_key(table, kind, name, parts, using_hash=using_hash)


def _part(cursor: TokenCursor) -> tuple[str, int]:
    """Read one part of a key; that of an expression has no name."""
    if cursor.is_mark("("):
        return "", 0
    name = read_word(cursor)
    prefix = cursor.group()
    text = prefix[0].text if prefix else ""
    return name, int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def rebuilt(table: SchemaTable) -> SchemaTable:
    """Return the table as a statement that changes it leaves its old unique keys: USING HASH is forgotten."""
    return replace(
        table, keys=tuple(replace(key, using_hash=key.using_hash and key.kind != "unique") for key in table.keys)
    )


def on_new_columns(key: SchemaKey | None, columns: set[str], before: SchemaTable) -> SchemaKey | None:
    """Return the key after these columns (lower case) gave way to new ones of their names, on which it is then.

    Of a new string it has as much as of the old column. Raises `Unreadable` if that is not known.
    """
    if key is None or columns.isdisjoint(name.lower() for name, _ in key.parts):
        return key
    parts = []
    for name, prefix in key.parts:
        size = prefix
        if name.lower() in columns and not prefix and key.kind in {"", "primary", "unique"}:
            old = before.column(name)
            size = (key_size(old) if old else None) or 0
            if not size:
                raise Unreadable("the prefix length of a new column in a key is not known")
        parts.append((name, size))
    return replace(key, parts=tuple(parts))


def with_key(
    table: SchemaTable, kind: str, name: str, parts: Parts, *, using_hash: bool = False, generated: bool = False
) -> SchemaTable:
    """Return the table with one key more, which gets the servers' name where it has none."""
    if len(table.keys) == _MOST_KEYS:
        raise Unreadable("it has more keys than a table can have")
    if kind == "primary" and any(key.kind == "primary" for key in table.keys):
        raise Unreadable("it has two primary keys")
    name = "PRIMARY" if kind == "primary" else name or _key_name(table.spelled(parts[0][0]), table)
    return replace(table, keys=(*table.keys, SchemaKey(kind, name, parts, using_hash, generated)))


def _key_name(column: str, table: SchemaTable) -> str:
    """Return the name that both servers give to a key without one: its first column's, with a number if taken."""
    names = {key.name.lower() for key in table.keys}
    column = column or "functional_index"
    if column.lower() not in names and column.lower() != "primary":
        return column
    number = 2
    while f"{column}_{number}".lower() in names:
        number += 1
    return f"{column}_{number}"


def settled(table: SchemaTable) -> SchemaTable:
    """Return the table with its keys as the servers keep them after a statement."""
    table = _not_null(table, [name for key in table.keys if key.kind == "primary" for name, _ in key.parts])
    if table.period is not None:
        table = replace(table, period=(table.spelled(table.period[0]), table.spelled(table.period[1])))
    if table.application_period is not None:
        name, start, end = table.application_period
        table = replace(table, application_period=(name, table.spelled(start), table.spelled(end)))
    keys = _without_needless([_completed(_declared_part(key, table), table) for key in table.keys])
    foreign_keys = sorted((_settled_reference(key, table) for key in table.foreign_keys), key=lambda key: key.name)
    return replace(table, keys=tuple(sorted(keys, key=table.key_order)), foreign_keys=tuple(foreign_keys))


def _settled_reference(key: ForeignKey, table: SchemaTable) -> ForeignKey:
    """Return a foreign key with all its columns; one that names none refers in MariaDB to those of the same names."""
    own = tuple(map(table.spelled, key.own_columns))
    return replace(key, own_columns=own, columns=key.columns or (own if table.mariadb else ()))


def _without_needless(keys: list[SchemaKey]) -> list[SchemaKey]:
    """Return the keys without those made for foreign keys whose columns another key begins with."""
    left: list[SchemaKey] = []
    for key in keys:
        for index, other in enumerate(left):
            if not _begins_with(other, key):
                continue
            if other.generated and not (key.generated and len(key.parts) < len(other.parts)):
                del left[index]
                left.append(key)
            break
        else:
            left.append(key)
    return left


def _begins_with(one: SchemaKey, other: SchemaKey) -> bool:
    """Whether one of two keys, which was made for a foreign key, has the first columns of the other."""
    made, longer = (one, other) if one.generated else (other, one)
    if made.generated and longer.generated and len(made.parts) > len(longer.parts):
        made, longer = longer, made
    if not made.generated or len(made.parts) > len(longer.parts):
        return False
    return all(a[0].lower() == b[0].lower() and a[1] == b[1] for a, b in zip(made.parts, longer.parts, strict=False))


def _prefix(name: str, prefix: int, key: SchemaKey, table: SchemaTable) -> int:
    """Return how much of a column is in a key; 0 for all of it, as of numbers, and of strings that are no longer."""
    column = table.column(name)
    if column is None:
        return prefix
    if key.kind not in {"", "primary", "unique"} or column.type_name not in WITH_PREFIXES:
        return 0
    if column.type_name == "point":
        return _POINT_BYTES
    if not prefix and key.kind == "":  # a key of the whole column may be too long
        prefix = table.longest_prefix(column)
    return 0 if column.length is not None and prefix >= column.length else prefix


def _completed(key: SchemaKey, table: SchemaTable) -> SchemaKey:
    """Return a key with its columns as the servers show them, and MariaDB's USING HASH."""
    key = replace(
        key, parts=tuple((table.spelled(name), _prefix(name, prefix, key, table)) for name, prefix in key.parts)
    )
    return replace(key, using_hash=True) if table.is_hashed(key) else key


def _declared_part(key: SchemaKey, table: SchemaTable) -> SchemaKey:
    """Return a unique key without the end of the table's period, which MariaDB adds to it."""
    if key.kind not in {"primary", "unique"} or table.period is None or len(key.parts) == 1:
        return key
    end = table.period[1].lower()
    return replace(key, parts=tuple(part for part in key.parts if part[0].lower() != end) or key.parts)

"""Reads the keys of a table: in CREATE TABLE, in ALTER TABLE ... ADD and in CREATE INDEX.

The binary log depends on two of them: the primary key, which finds a row again, and MariaDB's long unique keys, whose
hash is a column that no statement names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from binlogcli.schema.columns import ReadColumn, read_word
from binlogcli.schema.foreign_keys import read_foreign_key, read_reference
from binlogcli.schema.table import SchemaKey, SchemaTable
from binlogcli.schema.tokens import TokenCursor, Unreadable, split

_KINDS = ("unique", "fulltext", "spatial", "vector")
Parts = tuple[tuple[str, int], ...]


def column_keys(table: SchemaTable, columns: Iterable[ReadColumn]) -> SchemaTable:
    """Return the table with the keys that attributes of its columns make."""
    for column in columns:
        for kind in ("primary", "unique"):
            if kind in column.flags:
                table = with_key(table, kind, "", ((column.name, 0),))
        if column.reference is not None:
            table = read_reference(column.reference.copy(), table)
    return table


def read_key(cursor: TokenCursor, table: SchemaTable) -> SchemaTable:
    """Read a key's definition and return the table with it; a check changes nothing."""
    name = ""
    if (
        cursor.accept("constraint")
        and not cursor.accept("if not exists")
        and cursor.word() not in {"primary", "unique", "foreign", "check"}
    ):
        name = read_word(cursor)
    if cursor.accept("foreign key"):
        return read_foreign_key(cursor, table, name)
    kind = "primary" if cursor.accept("primary") else next((word for word in _KINDS if cursor.accept(word)), "")
    keyed = cursor.accept("key") or cursor.accept("index")
    if not kind and not keyed:
        return table
    once = cursor.accept("if not exists")
    if cursor.more() and cursor.peek() != ("mark", "(") and cursor.word() != "using":
        name = read_word(cursor)
    if once and any(key.name.lower() == name.lower() for key in table.keys):
        return table
    return read_key_parts(cursor, table, kind, name)


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
    if cursor.peek() == ("mark", "("):
        return "", 0
    name = read_word(cursor)
    prefix = cursor.group()
    text = prefix[0].text if prefix else ""
    return name, int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def rebuilt(table: SchemaTable) -> SchemaTable:
    """Return the table as a statement that changes it leaves its old keys: USING HASH is forgotten."""
    return replace(table, keys=tuple(replace(key, using_hash=False) for key in table.keys))


def with_key(table: SchemaTable, kind: str, name: str, parts: Parts, *, using_hash: bool = False) -> SchemaTable:
    """Return the table with one key more, which gets the servers' name where it has none."""
    name = "PRIMARY" if kind == "primary" else name or _key_name(parts[0][0], table)
    return replace(table, keys=(*table.keys, SchemaKey(kind, name, parts, using_hash)))


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

"""Reads one CREATE TABLE statement into its columns and keys, as far as the binary log may lack them."""

from __future__ import annotations

from collections.abc import Iterable

from binlogcli.schema.sql.charsets import Charset, Collations, read_charset
from binlogcli.schema.sql.columns import ReadColumn, finish_column, read_column
from binlogcli.schema.sql.keys import column_keys, read_key, settled
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable, split
from binlogcli.schema.table import SchemaTable, check_names

_OTHER_ITEMS = frozenset(
    ("primary", "key", "index", "unique", "fulltext", "spatial", "foreign", "constraint", "check", "like")
)
_QUERY = frozenset(("select", "as", "values", "with", "ignore", "replace", "table"))  # CREATE TABLE ... SELECT


def read_table(cursor: TokenCursor, database: Charset, collations: Collations) -> SchemaTable:
    """Return the columns and keys after a table's name; the table's own names are left empty."""
    body = cursor.group()
    if body is None:
        raise Unreadable("it has no list of columns")
    items = [_read_item(TokenCursor(part)) for part in split(body)]
    columns = [item for item in items if isinstance(item, ReadColumn)]
    if not columns:
        raise Unreadable("it has no list of columns")
    charset, engine, versioned = _options(cursor)
    if _is_query(cursor):
        raise Unreadable("the columns of its SELECT are not known")
    own = collations.resolved(charset or database, database)
    declared = tuple(finish_column(column, own, collations) for column in columns)
    check_names(declared)
    table = SchemaTable(
        *("", "", declared),
        charset=own,
        engine=engine,
        mariadb=collations.mariadb,
        versioned=versioned or is_versioned(columns),
    )
    for item in items:
        if isinstance(item, ReadColumn):
            table = column_keys(table, item)
        elif item.more():
            table = read_key(item, table)
    return settled(table)


def _read_item(cursor: TokenCursor) -> ReadColumn | TokenCursor:
    """Read what is between two commas if it is a column, else return it as it is."""
    return read_column(cursor) if is_column(cursor) else cursor


def is_column(cursor: TokenCursor) -> bool:
    """Whether a column follows, not a key, a check or a period."""
    word = cursor.word()
    if begins_period(cursor):
        return False
    if word == "vector":
        return cursor.word(1) not in {"index", "key"} and cursor.peek(1).text != "("
    return word not in _OTHER_ITEMS


def begins_period(cursor: TokenCursor) -> bool:
    """Whether a period follows, not a column of that name."""
    return cursor.word() == "period" and cursor.word(1) in {"for", "if"}


def is_versioned(columns: Iterable[ReadColumn]) -> bool:
    """Whether a column has WITH SYSTEM VERSIONING, which makes the table keep its history."""
    return any("versioned" in column.flags for column in columns)


def _is_query(cursor: TokenCursor) -> bool:
    """Whether a query follows, which gives the table more columns."""
    return cursor.word(cursor.is_mark("(")) in _QUERY


def _options(cursor: TokenCursor) -> tuple[Charset, str, bool]:
    """Return the table's character set, its engine in lower case, and whether it has WITH SYSTEM VERSIONING."""
    charset, engine, versioned = Charset(), "", False
    while cursor.more():
        if cursor.accept("with system versioning"):
            versioned = True
        elif _is_query(cursor) or cursor.accept("partition"):
            break
        elif (found := read_charset(cursor, charset)) is not None:
            charset = found
        elif cursor.accept("engine"):
            cursor.accept_mark("=")
            engine = cursor.next().text.lower()
        elif cursor.group() is None:
            cursor.next()
    return charset, engine, versioned

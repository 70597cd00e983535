"""Reads one CREATE TABLE statement into its columns, as far as the binary log may lack them.

Everything that does not change a column's values in the log (defaults, checks, comments, foreign keys, partitions) is
passed over, so that new syntax of either server does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from binlogcli.names.collations import collation_by_name, default_collation
from binlogcli.schema.tokens import SqlToken, TokenCursor, Unreadable, split
from binlogcli.schema.types import AS_BINARY, COMPRESSED, NATIONAL, SPELLINGS, TYPES, Family, SqlType

BINARY = 63
JSON = 46  # utf8mb4_bin
_ITEMS_WITHOUT_COLUMN = {
    *("primary", "key", "index", "unique", "fulltext", "spatial", "foreign", "constraint", "check", "like")
}
_FLAGS = {
    "unsigned": "unsigned",
    "zerofill": "unsigned",
    "binary": "binary",  # the character set's _bin collation
    "compressed": "compressed",
    "invisible": "invisible",
    "stored": "stored",
    "persistent": "stored",
    "primary": "primary",
    "key": "primary",
}
_CHARSETS = {"ascii": "latin1", "unicode": "ucs2", "byte": "binary"}
_VALUE_FOLLOWS = {"default", "references", "column_format", "storage"}


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column as its CREATE TABLE statement describes it."""

    name: str
    type_name: str  # lower case, as SHOW CREATE TABLE prints it
    length: int | None
    scale: int | None
    unsigned: bool
    collation: int | None
    labels: tuple[str, ...]
    kinds: frozenset[int]  # the column type codes that it can have in a table map
    visible: bool
    stored: bool
    generated: bool


@dataclass(frozen=True, slots=True)
class SchemaTable:
    """A table's columns in the order of the binary log, the server's hidden ones included."""

    database: str
    table: str
    columns: tuple[SchemaColumn, ...]
    primary_key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Charset:
    """The character set and collation of a column, table or database; empty where they are not given."""

    name: str = ""
    collation: str = ""

    def number(self, *, mariadb: bool) -> int | None:
        """Return the collation's number, or None where it is not given or not known."""
        if self.collation and self.collation.lower() != "default":
            joined = f"{self.name}_{self.collation}"  # MariaDB may leave the character set's name out
            found = collation_by_name(self.collation, mariadb=mariadb)
            return found if found is not None else collation_by_name(joined, mariadb=mariadb)
        return default_collation(self.name, mariadb=mariadb) if self.name else None


@dataclass(slots=True)
class _Column:
    """A column while its attributes are read."""

    name: str
    type: SqlType
    arguments: list[SqlToken]
    charset: Charset
    flags: set[str] = field(default_factory=set)  # values of _FLAGS, "generated", "versioned"


def read_charset(cursor: TokenCursor, before: Charset) -> Charset | None:
    """Read a character set or collation and return it added to `before`; None where there is none here."""
    if cursor.accept("character set") or cursor.accept("charset") or cursor.accept("char set"):
        cursor.accept_mark("=")
        return replace(before, name=cursor.next().text.lower())
    if cursor.accept("collate"):
        cursor.accept_mark("=")
        return replace(before, collation=cursor.next().text.lower())
    return None


def read_name(cursor: TokenCursor) -> tuple[str, str]:
    """Read a name with the database before it, which is empty where it is not given."""
    first = _name(cursor)
    if cursor.accept_mark("."):
        return first, _name(cursor)
    return "", first


def _name(cursor: TokenCursor) -> str:
    token = cursor.next()
    if token.kind == "mark":
        raise Unreadable("a name is missing")
    return token.text


def read_columns(cursor: TokenCursor, database: Charset, *, mariadb: bool) -> SchemaTable:
    """Return the columns and primary key behind a table's name; the table's own names are left empty."""
    body = cursor.group()
    if body is None:
        raise Unreadable("it has no list of columns")
    columns: list[_Column] = []
    keys: list[list[SqlToken]] = []
    for item in split(body):
        if _is_column(TokenCursor(item)):
            columns.append(_column(TokenCursor(item)))
        else:
            keys.append(item)
    if not columns:
        raise Unreadable("it has no list of columns")
    charset, engine, versioned = _options(cursor)
    hidden = _hidden_columns(columns, keys, versioned=versioned, hashed=mariadb and engine not in {"memory", "heap"})
    own = charset if charset != Charset() else database
    finished = tuple(_finish(column, own, mariadb=mariadb) for column in columns) + hidden
    return SchemaTable("", "", finished, _primary_key(columns, keys, hidden))


def _is_column(cursor: TokenCursor) -> bool:
    word = cursor.word()
    if word == "period":
        return cursor.word(1) != "for"
    if word == "vector":
        return cursor.word(1) not in {"index", "key"}
    return word not in _ITEMS_WITHOUT_COLUMN


def _options(cursor: TokenCursor) -> tuple[Charset, str, bool]:
    """Return the table's character set, its engine in lower case, and whether it has WITH SYSTEM VERSIONING."""
    charset, engine, versioned = Charset(), "", False
    while cursor.more() and cursor.word() not in {"partition", "select", "as"}:
        if (found := read_charset(cursor, charset)) is not None:
            charset = found
        elif cursor.accept("engine"):
            cursor.accept_mark("=")
            engine = cursor.next().text.lower()
        elif cursor.accept("with system versioning"):
            versioned = True
        elif cursor.group() is None:
            cursor.next()
    return charset, engine, versioned


def _column(cursor: TokenCursor) -> _Column:
    name = _name(cursor)
    spelling, kind = _type(cursor)
    arguments = cursor.group() or []
    if kind.name == "float" and len(arguments) == 1 and (_number(arguments, 0) or 0) > 24:
        kind = TYPES["double"]
    charset = Charset("utf8mb3") if spelling.startswith(NATIONAL) else Charset()
    column = _Column(name, kind, arguments, charset)
    if spelling == "serial":
        column.flags.add("unsigned")
    while cursor.more():
        if cursor.group() is not None:
            continue
        if (found := read_charset(cursor, column.charset)) is not None:
            column.charset = found
        elif cursor.accept("with system versioning"):
            column.flags.add("versioned")
        else:
            _attribute(cursor, column)
    return column


def _type(cursor: TokenCursor) -> tuple[str, SqlType]:
    """Read a column type: the words it is spelled with, and its meaning."""
    for count in (3, 2, 1):
        spelling = " ".join(cursor.word(index) for index in range(count))
        name = SPELLINGS.get(spelling, spelling)
        if name in TYPES and cursor.accept(spelling):
            return spelling, TYPES[name]
    raise Unreadable(f"column type {cursor.peek().text or 'missing'!r} is not known")


def _attribute(cursor: TokenCursor, column: _Column) -> None:
    """Pass one token, or an attribute of several tokens that must not be taken for others."""
    word = cursor.word()
    cursor.next()
    if word in _FLAGS:
        column.flags.add(_FLAGS[word])
    elif word in _CHARSETS:
        column.charset = Charset(_CHARSETS[word])
    elif word == "as" and cursor.peek() == ("mark", "("):
        column.flags.add("generated")
    elif word == "unique":  # elsewhere KEY is short for PRIMARY KEY
        cursor.accept("key")
    elif word in _VALUE_FOLLOWS and cursor.peek() != ("mark", "("):
        cursor.next()


def _finish(column: _Column, table: Charset, *, mariadb: bool) -> SchemaColumn:
    kind = column.type
    own = _charset(column, table)
    if own.name == "binary" or own.collation == "binary":
        kind = TYPES.get(AS_BINARY.get(kind.name, ""), kind)
    length, scale = _length(kind, column.arguments)
    collation = None
    if kind.family in {Family.TEXT, Family.LABELS}:
        collation = own.number(mariadb=mariadb)
    elif kind.family is Family.BINARY or kind.name == "json":
        collation = JSON if kind.name == "json" else BINARY
    labels: tuple[str, ...] = ()
    if kind.family is Family.LABELS:
        texts = (token.text for token in column.arguments if token.kind == "string")
        labels = tuple(text if collation == BINARY else text.rstrip(" ") for text in texts)
    kinds = kind.kinds
    if "compressed" in column.flags:
        kinds = frozenset(COMPRESSED.get(code, code) for code in kinds)
    return SchemaColumn(
        name=column.name,
        type_name=kind.name,
        length=length,
        scale=scale,
        unsigned="unsigned" in column.flags,
        collation=collation,
        labels=labels,
        kinds=kinds,
        visible="invisible" not in column.flags,
        stored="stored" in column.flags or "generated" not in column.flags,
        generated="generated" in column.flags,
    )


def _charset(column: _Column, table: Charset) -> Charset:
    """The character set of a column: its own, else the table's."""
    own = column.charset
    if "binary" in column.flags:
        name = own.name or table.name or table.collation.partition("_")[0]
        return Charset(name, f"{name}_bin")
    if own == Charset():
        return table
    return own if own.name else replace(own, name=table.name)


def _length(kind: SqlType, arguments: list[SqlToken]) -> tuple[int | None, int | None]:
    """Length (or precision) and scale, with the server's defaults where the statement gives none."""
    match kind.family:
        case Family.DECIMAL:
            precision, scale = _number(arguments, 0), _number(arguments, 2)
            return 10 if precision is None else precision, scale or 0
        case Family.TEMPORAL:
            return _number(arguments, 0) or 0, None
        case Family.BIT:
            return _number(arguments, 0) or 1, None
    if kind.name in {"char", "binary"}:
        length = _number(arguments, 0)
        return 1 if length is None else length, None
    if kind.name in {"varchar", "varbinary", "vector"}:
        return _number(arguments, 0), None
    return None, None


def _number(arguments: list[SqlToken], index: int) -> int | None:
    if index >= len(arguments):
        return None
    text = arguments[index].text
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _hidden_columns(
    columns: list[_Column], keys: list[list[SqlToken]], *, versioned: bool, hashed: bool
) -> tuple[SchemaColumn, ...]:
    """Return the columns that MariaDB adds without showing them, which its table maps hold."""
    hidden: list[SchemaColumn] = []
    period = any(TokenCursor(item).accept("period for system_time") for item in keys)
    if (versioned or any("versioned" in column.flags for column in columns)) and not period:
        hidden += [_hidden(name, TYPES["timestamp"], length=6) for name in ("row_start", "row_end")]
    hashes = sum(hashed and _is_hash_key(item) for item in keys)
    hidden += [_hidden(f"DB_ROW_HASH_{number}", TYPES["bigint"]) for number in range(1, hashes + 1)]
    return tuple(hidden)


def _hidden(name: str, kind: SqlType, length: int | None = None) -> SchemaColumn:
    return SchemaColumn(
        name,
        kind.name,
        length,
        None,
        length is None,
        None,
        (),
        kind.kinds,
        visible=False,
        stored=length is not None,
        generated=False,
    )


def _is_hash_key(item: list[SqlToken]) -> bool:
    """Whether a key is UNIQUE ... USING HASH: an engine without hash indexes adds a column for it."""
    words = [token.text.lower() if token.kind == "word" else "" for token in item]
    return "unique" in words[:3] and ("using", "hash") in pairwise(words)


def _primary_key(
    columns: list[_Column], keys: list[list[SqlToken]], hidden: tuple[SchemaColumn, ...]
) -> tuple[int, ...]:
    places = {column.name.lower(): index for index, column in reversed(list(enumerate(columns)))}
    for item in keys:
        cursor = TokenCursor(item)
        if cursor.accept("constraint") and cursor.word() != "primary":
            cursor.next()
        if not cursor.accept("primary key"):
            continue
        while (group := cursor.group()) is None and cursor.more():
            cursor.next()
        names = [part[0].text.lower() for part in split(group or [])]
        found = [places[name] for name in names if name in places]
        break
    else:
        found = [index for index, column in enumerate(columns) if "primary" in column.flags]
    if found and hidden and hidden[0].name == "row_start":
        found.append(len(columns) + 1)  # old versions of a row have the same key, so row_end is part of it
    return tuple(found)

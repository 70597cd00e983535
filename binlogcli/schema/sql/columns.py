"""Reads the definition of one column, as it is in CREATE TABLE and in ALTER TABLE ... ADD, MODIFY and CHANGE.

What does not change a column's values in the log (defaults, checks, comments) is passed over, so that
new syntax of either server does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from binlogcli.names.charsets import encode
from binlogcli.names.column_types import GEOMETRY
from binlogcli.schema.sql.charsets import BINARY, JSON, Charset, Collations, read_charset
from binlogcli.schema.sql.sizes import grown, number_of, sized
from binlogcli.schema.sql.tokens import SqlToken, TokenCursor, Unreadable, split
from binlogcli.schema.sql.types import AS_BINARY, NATIONAL, SPELLINGS, TYPES, Family, SqlType, kinds_of
from binlogcli.schema.table import SchemaColumn

_FLAGS = {
    "unsigned": "unsigned",
    "zerofill": "zerofill",
    "binary": "binary",  # the character set's _bin collation
    "compressed": "compressed",
    "invisible": "invisible",
    "stored": "stored",
    "persistent": "stored",
    "primary": "primary",
    "key": "primary",
    "unique": "unique",
    "auto_increment": "auto_increment",
}
_CHARSETS = {"ascii": "latin1", "unicode": "ucs2", "byte": "binary"}
_VALUE_FOLLOWS = {"default", "column_format", "storage", "comment", "set"}  # ON DELETE SET NULL
_AS_TEXT = {binary: text for text, binary in AS_BINARY.items()} | {"json": "longtext"}
_PLACES = ("first", "after")
_WITHOUT_ASCII = frozenset(("ucs2", "utf16", "utf16le", "utf32", "swe7"))  # in which letters have other bytes


@dataclass(slots=True)
class ReadColumn:
    """A column while its attributes are read, and where ALTER TABLE puts it."""

    name: str
    type: SqlType
    arguments: list[SqlToken]
    charset: Charset
    flags: set[str] = field(default_factory=set)  # values of _FLAGS, "generated", "versioned", "not null"
    place: tuple[str, str] | None = None  # ("first", "") or ("after", the column's name)
    reference: TokenCursor | None = None  # after REFERENCES


def read_name(cursor: TokenCursor) -> tuple[str, str]:
    """Read a name with the database before it, which is empty where it is not given."""
    if cursor.accept_mark("."):  # `.t` is `t`, as ODBC has it
        return "", read_word(cursor)
    first = read_word(cursor)
    if cursor.accept_mark("."):
        return first, read_word(cursor)
    return "", first


def read_word(cursor: TokenCursor) -> str:
    """Read a name, quoted or not."""
    token = cursor.next()
    if token.kind == "mark":
        raise Unreadable("a name is missing")
    return token.text


def read_column(cursor: TokenCursor) -> ReadColumn:
    """Read a column's name, type and attributes, up to the cursor's end."""
    name = read_word(cursor)
    spelling, kind = _type(cursor)
    arguments = cursor.group() or []
    if spelling == "number" and not arguments:
        kind = TYPES["double"]
    if kind.name == "float" and len(arguments) == 1 and (number_of(arguments, 0) or 0) > 24:
        kind = TYPES["double"]
    charset = Charset("utf8mb3") if spelling.startswith(NATIONAL) else Charset()
    column = ReadColumn(name, kind, arguments, charset)
    if spelling in {"bool", "boolean"}:
        column.arguments = [SqlToken("word", "1")]
    if spelling == "serial":
        column.flags |= {"unsigned", "unique", "auto_increment"}
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


def _attribute(cursor: TokenCursor, column: ReadColumn) -> None:
    """Pass one token, or an attribute of several tokens that must not be taken for others."""
    word = cursor.word()
    cursor.next()
    if word == "not" and cursor.accept("null"):
        column.flags.add("not null")
    elif word == "null":
        column.flags.discard("not null")
    elif word in _FLAGS:
        column.flags.add(_FLAGS[word])
        if word in {"primary", "unique"}:  # elsewhere KEY is short for PRIMARY KEY
            cursor.accept("key")
    elif word in _CHARSETS:
        column.charset = Charset(_CHARSETS[word])
    elif word == "as" and cursor.is_mark("("):
        column.flags.add("generated")
    elif word == "references":
        column.reference = cursor.copy()
        cursor.next()
    elif word in _PLACES:
        column.place = (word, read_word(cursor) if word == "after" else "")
    elif word in _VALUE_FOLLOWS and not cursor.is_mark("("):
        cursor.next()


def finish_column(column: ReadColumn, table: Charset, collations: Collations) -> SchemaColumn:
    """Return the column as it is in a table of that character set."""
    kind, collation = _type_and_collation(column, table, collations)
    unsigned = bool(column.flags & {"unsigned", "zerofill"})
    kind, length, scale = sized(
        kind, column.arguments, collations.of_number(collation).name, mariadb=collations.mariadb, unsigned=unsigned
    )
    return SchemaColumn(
        name=column.name,
        type_name=kind.name,
        length=length,
        scale=scale,
        unsigned=unsigned or kind.name == "year",  # as table maps have it
        collation=collation,
        labels=_labels(column, collation, collations) if kind.family is Family.LABELS else (),
        kinds=kinds_of(kind.name, compressed="compressed" in column.flags),
        visible="invisible" not in column.flags,
        stored="stored" in column.flags or "generated" not in column.flags,
        generated="generated" in column.flags,
        nullable=not column.flags & {"not null", "primary", "auto_increment"},
        zerofill="zerofill" in column.flags,
    )


def _type_and_collation(column: ReadColumn, table: Charset, collations: Collations) -> tuple[SqlType, int | None]:
    """Return the type that a column's character set makes of the one it is given, and its collation."""
    kind, own = column.type, _charset(column, table)
    if own.name == "binary" or own.collation == "binary":
        kind = TYPES.get(AS_BINARY.get(kind.name, ""), kind)
    elif column.charset and collations.mariadb:  # BLOB COLLATE utf8mb4_bin is a text there
        kind = TYPES.get(_AS_TEXT.get(kind.name, ""), kind)
    if kind.name == "json":
        return (TYPES["longtext"] if collations.mariadb else kind), JSON
    if kind.family in {Family.TEXT, Family.LABELS}:
        return kind, collations.number(own)
    # as their table maps have it
    binary = kind.family is Family.BINARY or (collations.mariadb and GEOMETRY in kind.kinds)
    return kind, BINARY if binary else None


def _labels(column: ReadColumn, collation: int | None, collations: Collations) -> tuple[str, ...]:
    """Return the labels of an ENUM or SET; none where the server has put others in their place, or some are numbers."""
    items = split(column.arguments)
    if any(len(item) > 1 or item[0].kind != "string" for item in items):  # x'61', 0x61, b'1100001'
        return ()
    texts = (item[0].text for item in items)
    labels = tuple(text if collation == BINARY else text.rstrip(" ") for text in texts)
    return labels if all(_fits(label, collation, collations) for label in labels) else ()


def _fits(label: str, number: int | None, collations: Collations) -> bool:
    """Whether the character set has all characters of a label, as far as it is known."""
    charset = collations.of_number(number).name
    return label.isascii() or not charset or encode(label, charset) is not None


def _charset(column: ReadColumn, table: Charset) -> Charset:
    """The character set of a column: its own, else the table's."""
    own = column.charset
    if "binary" in column.flags:
        return _binary(Charset(own.name or table.name or table.collation.partition("_")[0]))
    if not own:
        return table
    return own if own.name else replace(own, name=table.name)


def _binary(charset: Charset) -> Charset:
    """The character set with its collation by code, which the attribute BINARY asks for."""
    return Charset(charset.name, f"{charset.name}_bin" if charset.name != "binary" else "binary")


def converted(
    column: SchemaColumn, charset: Charset, collations: Collations, defined: ReadColumn | None
) -> SchemaColumn:
    """Return the column after ALTER TABLE ... CONVERT TO this character set; `defined` is what the same statement says.

    A column that the statement defines has no text that could grow. Its attribute BINARY holds for the new character
    set; MariaDB has made a collation of it before, where the column names a character set of its own.
    """
    if TYPES[column.type_name].family not in {Family.TEXT, Family.LABELS} or column.collation == BINARY:
        return column  # labels are bytes, too, with CHARACTER SET binary
    binary = defined is not None and "binary" in defined.flags and not (collations.mariadb and defined.charset)
    number = collations.number(_binary(charset) if binary else charset)
    if number == BINARY and column.type_name in AS_BINARY:
        name = AS_BINARY[column.type_name]
        kinds = kinds_of(name, compressed=column.kinds != TYPES[column.type_name].kinds)
        return replace(column, type_name=name, kinds=kinds, collation=number)
    charsets = {collations.of_number(column.collation).name, collations.of_number(number).name}
    labels = labels_across(column.labels, charsets, mariadb=collations.mariadb)
    made = column if defined is not None else grown(column, number, collations)
    return replace(made, collation=number, labels=labels)


def labels_across(labels: tuple[str, ...], charsets: set[str], *, mariadb: bool) -> tuple[str, ...]:
    """Return the labels of a column on one side of a conversion between character sets, as known on the other; or none.

    MariaDB keeps their bytes, so only characters that have equal bytes in both character sets stay what they are.
    """
    same = charsets.isdisjoint(_WITHOUT_ASCII) and all(label.isascii() for label in labels)
    return labels if same or not mariadb else ()

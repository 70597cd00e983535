"""The sizes of column types: what their arguments mean, what the servers add, and the larger types that they choose."""

from __future__ import annotations

from dataclasses import replace

from binlogcli.schema.sql.charsets import Collations, character_bytes
from binlogcli.schema.sql.tokens import SqlToken
from binlogcli.schema.sql.types import TYPES, Family, SqlType, kinds_of
from binlogcli.schema.table import SchemaColumn

# The display widths that MariaDB, and MySQL before 8.0.19, give to signed and unsigned integers without one
DISPLAY_WIDTHS = {"tinyint": (4, 3), "smallint": (6, 5), "mediumint": (9, 8), "int": (11, 10), "bigint": (20, 20)}
_LONGEST_VARCHAR = {True: 65532, False: 65535}  # in bytes; MariaDB, MySQL
_TEXTS = (("tinytext", 0xFF), ("text", 0xFFFF), ("mediumtext", 0xFFFFFF), ("longtext", 0xFFFFFFFF))
_BLOBS = (("tinyblob", 0xFF), ("blob", 0xFFFF), ("mediumblob", 0xFFFFFF), ("longblob", 0xFFFFFFFF))
_LONG_TYPES = {"varchar": _TEXTS, "text": _TEXTS, "varbinary": _BLOBS, "blob": _BLOBS}
_CAPACITIES = dict(_TEXTS)

_KEY_BYTES = {"tinyint": 1, "smallint": 2, "mediumint": 3, "int": 4, "bigint": 8, "float": 4, "double": 8, "year": 1}
_KEY_BYTES |= {"date": 3, "time": 3, "timestamp": 4, "datetime": 5, "inet4": 4, "inet6": 16, "uuid": 16}

Size = tuple[int | None, int | None]  # length or precision, and scale


def number_of(arguments: list[SqlToken], index: int) -> int | None:
    """Return the number at this place in a type's parentheses; None if there is none."""
    if index >= len(arguments):
        return None
    text = arguments[index].text
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def sized(
    kind: SqlType, arguments: list[SqlToken], charset: str, *, mariadb: bool, unsigned: bool
) -> tuple[SqlType, int | None, int | None]:
    """Return a column's type, length (or precision) and scale, with the servers' own where the statement gives none.

    A VARCHAR that is too long becomes a text, and TEXT(n) the smallest text that holds n characters.
    """
    first = number_of(arguments, 0)
    if first and kind.name in _LONG_TYPES:
        size = first * character_bytes(charset)
        if kind.name in {"text", "blob"} or size > _LONGEST_VARCHAR[mariadb]:
            return TYPES[_smallest(size, _LONG_TYPES[kind.name])], None, None
    return kind, *_length(kind, arguments, unsigned=unsigned)


def _smallest(size: int, types: tuple[tuple[str, int], ...]) -> str:
    """Return the first of these types that holds so many bytes."""
    return next((name for name, capacity in types if size <= capacity), types[-1][0])


def _length(kind: SqlType, arguments: list[SqlToken], *, unsigned: bool) -> Size:
    first, second = number_of(arguments, 0), number_of(arguments, 2)
    match kind.family:
        case Family.DECIMAL:
            return (10, 0) if not first and not second else (first or 0, second or 0)
        case Family.TEMPORAL:
            return first or 0, None
        case Family.BIT:
            return first or 1, None
    if kind.name in {"char", "binary"}:
        return 1 if first is None else first, None
    if kind.name in {"varchar", "varbinary", "vector"}:
        return first, None
    if kind.name in {"float", "double"} and first and second is not None:
        return first, second
    if kind.name in DISPLAY_WIDTHS and first != DISPLAY_WIDTHS[kind.name][unsigned]:
        return first or None, None
    return None, None


def grown(column: SchemaColumn, number: int | None, collations: Collations) -> SchemaColumn:
    """Return a text column with room for as many characters in the character set of this collation."""
    new = character_bytes(collations.of_number(number).name)
    old = character_bytes(collations.of_number(column.collation).name)
    if column.type_name == "varchar" and (column.length or 0) * new > _LONGEST_VARCHAR[collations.mariadb]:
        name = _smallest((column.length or 0) * new, _TEXTS)
    elif column.type_name in _CAPACITIES and new > old:
        name = _smallest(_CAPACITIES[column.type_name] // old * new, _TEXTS)
    else:
        return column
    kinds = kinds_of(name, compressed=column.kinds != TYPES[column.type_name].kinds)
    return replace(column, type_name=name, kinds=kinds, length=None)


def key_size(column: SchemaColumn) -> int | None:
    """Return how many characters, or bytes, a key of a whole column has; None where that is not known."""
    if column.type_name in {"char", "varchar", "binary", "varbinary"}:
        return column.length
    size = _KEY_BYTES.get(column.type_name)
    if size and column.type_name in {"time", "timestamp", "datetime"}:
        size += ((column.length or 0) + 1) // 2  # of the fraction
    return size

"""The optional metadata of a TABLE_MAP event: type, length, value (format: `enum Optional_metadata_field_type`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from binlogcli.log.cursor import Cursor

GEOMETRY_TYPES = (
    "GEOMETRY",
    "POINT",
    "LINESTRING",
    "POLYGON",
    "MULTIPOINT",
    "MULTILINESTRING",
    "MULTIPOLYGON",
    "GEOMETRYCOLLECTION",
)


@dataclass(slots=True)
class TableMetadata:
    """What the log says of a table's columns beyond their types; None or empty where it says nothing.

    Lists are in the order of the columns that they speak of: numeric ones, character ones, and so on.
    """

    signedness: list[bool] | None = None
    default_charset: int | None = None
    charset_exceptions: dict[int, int] = field(default_factory=dict)
    column_charset: list[int] | None = None
    column_names: list[str] | None = None
    set_labels: list[list[bytes]] | None = None
    enum_labels: list[list[bytes]] | None = None
    geometry_types: list[int] | None = None
    primary_key: list[tuple[int, int]] | None = None
    enum_set_default_charset: int | None = None
    enum_set_exceptions: dict[int, int] = field(default_factory=dict)
    enum_set_charset: list[int] | None = None
    visibility: list[bool] | None = None
    vector_dimensions: list[int] | None = None
    unknown: dict[int, bytes] = field(default_factory=dict)


def _bits(body: Cursor, name: str) -> list[bool]:
    return [bool(byte >> bit & 1) for byte in body.rest(name) for bit in range(7, -1, -1)]


def _numbers(body: Cursor, name: str) -> list[int]:
    found = []
    while body.left() > 0:
        found.append(body.lenenc(name))
    return found


def _pairs(body: Cursor, first: str, second: str) -> list[tuple[int, int]]:
    found = []
    while body.left() > 0:
        index = body.lenenc(first)
        found.append((index, body.lenenc(second)))
    return found


def _texts(body: Cursor, name: str) -> list[list[bytes]]:
    columns = []
    while body.left() > 0:
        body.enter("column")
        count = body.lenenc("count")
        labels = []
        for _ in range(count):
            labels.append(body.take(name, body.lenenc(f"{name}_length")))  # noqa: PERF401 - may stop in the middle
        columns.append(labels)
        body.leave()
    return columns


def _column_names(body: Cursor, found: TableMetadata) -> None:
    found.column_names = []
    while body.left() > 0:
        found.column_names.append(body.text("column_name", body.lenenc("column_name_length")))


def _default_charset(body: Cursor, found: TableMetadata) -> None:
    found.default_charset = body.lenenc("default_collation")
    found.charset_exceptions = dict(_pairs(body, "column", "collation"))


def _enum_set_default(body: Cursor, found: TableMetadata) -> None:
    found.enum_set_default_charset = body.lenenc("default_collation")
    found.enum_set_exceptions = dict(_pairs(body, "column", "collation"))


def _simple_key(body: Cursor, found: TableMetadata) -> None:
    found.primary_key = [(index, 0) for index in _numbers(body, "key_column")]


def _setter(name: str, read: Callable[[Cursor, str], object], item: str) -> Callable[[Cursor, TableMetadata], None]:
    def store(body: Cursor, found: TableMetadata) -> None:
        setattr(found, name, read(body, item))

    return store


def _prefix_key(body: Cursor, found: TableMetadata) -> None:
    found.primary_key = _pairs(body, "key_column", "prefix")


FIELDS: dict[int, tuple[str, Callable[[Cursor, TableMetadata], None]]] = {
    1: ("SIGNEDNESS", _setter("signedness", _bits, "unsigned_bits")),
    2: ("DEFAULT_CHARSET", _default_charset),
    3: ("COLUMN_CHARSET", _setter("column_charset", _numbers, "collation")),
    4: ("COLUMN_NAME", _column_names),
    5: ("SET_STR_VALUE", _setter("set_labels", _texts, "label")),
    6: ("ENUM_STR_VALUE", _setter("enum_labels", _texts, "label")),
    7: ("GEOMETRY_TYPE", _setter("geometry_types", _numbers, "geometry_type")),
    8: ("SIMPLE_PRIMARY_KEY", _simple_key),
    9: ("PRIMARY_KEY_WITH_PREFIX", _prefix_key),
    10: ("ENUM_AND_SET_DEFAULT_CHARSET", _enum_set_default),
    11: ("ENUM_AND_SET_COLUMN_CHARSET", _setter("enum_set_charset", _numbers, "collation")),
    12: ("COLUMN_VISIBILITY", _setter("visibility", _bits, "visible_bits")),
    13: ("VECTOR_DIMENSIONALITY", _setter("vector_dimensions", _numbers, "dimension")),
}


def read_metadata(body: Cursor) -> TableMetadata:
    """All fields up to the cursor's end; a type that nobody knows is kept as bytes."""
    found = TableMetadata()
    outer = body.end
    while body.pos < outer:
        kind = body.data[body.pos]
        name, read = FIELDS.get(kind, ("UNKNOWN", None))
        body.enter(name)
        body.u1("field_type")
        size = body.lenenc("field_length")
        body.need(name, size)
        body.pos -= size
        body.end = body.pos + size
        if read is None:
            found.unknown[kind] = body.rest("unknown")
        else:
            read(body, found)
        body.end = outer
        body.leave()
    return found

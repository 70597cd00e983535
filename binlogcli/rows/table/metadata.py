"""The optional metadata of a TABLE_MAP event: type, length, value (server: `enum Optional_metadata_field_type`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.explained import Explained
from binlogcli.names.collations import collation_words

CHARACTER, LABELLED, ENUM, SET, GEOMETRY, VECTOR = "character", "labelled", "ENUM", "SET", "GEOMETRY", "VECTOR"
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


class TableMetadata:
    """The optional metadata as the log has it; None or empty where it is absent.

    Lists are in the order of the columns that they refer to: numeric ones, character ones, and so on.
    """

    signedness: list[bool] | None = None
    default_charset: int | None = None
    column_charset: list[int] | None = None
    column_names: list[str] | None = None
    set_labels: list[list[bytes]] | None = None
    enum_labels: list[list[bytes]] | None = None
    geometry_types: list[int] | None = None
    primary_key: list[tuple[int, int]] | None = None
    enum_set_default_charset: int | None = None
    enum_set_charset: list[int] | None = None
    visibility: list[bool] | None = None
    vector_dimensions: list[int] | None = None

    def __init__(self) -> None:
        self.charset_exceptions: dict[int, int] = {}
        self.enum_set_exceptions: dict[int, int] = {}
        self.unknown: dict[int, bytes] = {}


class Owners:
    """The columns that the fields refer to, for notes: names of columns by kind, in order."""

    def __init__(self, names: Mapping[str, Sequence[str]], *, mariadb: bool) -> None:
        self.names = names
        self.mariadb = mariadb

    def of(self, kind: str, index: int) -> str:
        """Return the name of a column by its place among those of its kind, or nothing."""
        names = self.names.get(kind, ())
        return names[index] if index < len(names) else ""


def _bits(body: Cursor, name: str, _kind: str, _owners: Owners) -> list[bool]:
    return [bool(byte >> bit & 1) for byte in body.rest(name) for bit in range(7, -1, -1)]


def _numbers(body: Cursor, name: str, kind: str, owners: Owners) -> list[int]:
    found: list[int] = []
    while body.left() > 0:
        found.append(_number(body, name, lambda value: _said(name, value, owners, owners.of(kind, len(found)))))
    return found


def _number(body: Cursor, name: str, words: Callable[[int], str]) -> int:
    """Read a number and note it with its meaning."""
    notes = body.notes
    if notes is None:
        return body.lenenc(name)
    start = body.pos
    body.listen(None)
    try:
        value = body.lenenc(name)
    finally:
        body.listen(notes)
    body.note(name, start, Explained(value, words(value)))
    return value


def _said(name: str, value: int, owners: Owners, owner: str) -> str:
    """Return the meaning of a number: the column's name and what the number stands for."""
    known = ""
    if name == "collation":
        known = collation_words(value, mariadb=owners.mariadb)
    elif name == "geometry_type" and value < len(GEOMETRY_TYPES):
        known = GEOMETRY_TYPES[value]
    return f"{owner}: {known}" if owner and known else owner or known


def _exceptions(body: Cursor, kind: str, owners: Owners) -> dict[int, int]:
    found = {}
    while body.left() > 0:
        index = _number(body, "column", lambda value: owners.of(kind, value))
        found[index] = body.lenenc("collation")
    return found


def _texts(body: Cursor, name: str, kind: str, owners: Owners) -> list[list[bytes]]:
    columns: list[list[bytes]] = []
    while body.left() > 0:
        owner = owners.of(kind, len(columns))
        body.enter("column")
        count = body.lenenc("count")
        labels = []
        for _ in range(count):
            labels.append(body.take(name, body.lenenc(f"{name}_length")))  # noqa: PERF401 - may stop in the middle
        columns.append(labels)
        body.leave(owner or None)
    return columns


def _column_names(body: Cursor, found: TableMetadata, _owners: Owners) -> None:
    found.column_names = []
    while body.left() > 0:
        found.column_names.append(body.text("column_name", body.lenenc("column_name_length")))


def _default_charset(body: Cursor, found: TableMetadata, owners: Owners) -> None:
    found.default_charset = body.lenenc("default_collation")
    found.charset_exceptions = _exceptions(body, CHARACTER, owners)


def _enum_set_default(body: Cursor, found: TableMetadata, owners: Owners) -> None:
    found.enum_set_default_charset = body.lenenc("default_collation")
    found.enum_set_exceptions = _exceptions(body, LABELLED, owners)


def _simple_key(body: Cursor, found: TableMetadata, _owners: Owners) -> None:
    found.primary_key = []
    while body.left() > 0:
        found.primary_key.append((body.lenenc("key_column"), 0))


def _prefix_key(body: Cursor, found: TableMetadata, _owners: Owners) -> None:
    found.primary_key = []
    while body.left() > 0:
        index = body.lenenc("key_column")
        found.primary_key.append((index, body.lenenc("prefix")))


_FieldReader = Callable[[Cursor, TableMetadata, Owners], None]


def _setter(name: str, read: Callable[[Cursor, str, str, Owners], object], item: str, kind: str = "") -> _FieldReader:
    def store(body: Cursor, found: TableMetadata, owners: Owners) -> None:
        setattr(found, name, read(body, item, kind, owners))

    return store


FIELDS: dict[int, tuple[str, _FieldReader]] = {
    1: ("SIGNEDNESS", _setter("signedness", _bits, "unsigned_bits")),
    2: ("DEFAULT_CHARSET", _default_charset),
    3: ("COLUMN_CHARSET", _setter("column_charset", _numbers, "collation", CHARACTER)),
    4: ("COLUMN_NAME", _column_names),
    5: ("SET_STR_VALUE", _setter("set_labels", _texts, "label", SET)),
    6: ("ENUM_STR_VALUE", _setter("enum_labels", _texts, "label", ENUM)),
    7: ("GEOMETRY_TYPE", _setter("geometry_types", _numbers, "geometry_type", GEOMETRY)),
    8: ("SIMPLE_PRIMARY_KEY", _simple_key),
    9: ("PRIMARY_KEY_WITH_PREFIX", _prefix_key),
    10: ("ENUM_AND_SET_DEFAULT_CHARSET", _enum_set_default),
    11: ("ENUM_AND_SET_COLUMN_CHARSET", _setter("enum_set_charset", _numbers, "collation", LABELLED)),
    12: ("COLUMN_VISIBILITY", _setter("visibility", _bits, "visible_bits")),
    13: ("VECTOR_DIMENSIONALITY", _setter("vector_dimensions", _numbers, "dimension", VECTOR)),
}


def read_metadata(body: Cursor, owners: Owners) -> TableMetadata:
    """Read all fields up to the cursor's end; a field of an unknown type is kept as bytes."""
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
            read(body, found, owners)
        body.end = outer
        body.leave()
    return found

"""Table definitions: a table as a TABLE_MAP event describes it.

A definition is made once for each distinct event body; `rows.plan` makes the readers of its columns from it.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.explained import Explained, drawn
from binlogcli.errors import DecodeError, counted
from binlogcli.names import column_types
from binlogcli.names.column_types import column_type_name
from binlogcli.names.shared import SharedList
from binlogcli.rows.table import metadata
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.metadata import Owners, TableMetadata, read_metadata

SIGNED_TYPES = column_types.NUMERIC_TYPES | {column_types.YEAR}  # SIGNEDNESS has a bit for each of these
_MARIADB_CHARACTER_TYPES = column_types.CHARACTER_TYPES | {
    column_types.GEOMETRY,
    column_types.BLOB_COMPRESSED,
    column_types.VARCHAR_COMPRESSED,
}
_MYSQL_CHARACTER_TYPES = column_types.CHARACTER_TYPES | {column_types.VECTOR}
_METADATA_SIZES = {
    **dict.fromkeys(
        (
            *column_types.FRACTIONAL_TYPES,
            column_types.FLOAT,
            column_types.DOUBLE,
            column_types.BLOB_COMPRESSED,
            column_types.VECTOR,
            column_types.JSON,
            column_types.BLOB,
            column_types.GEOMETRY,
            column_types.TINY_BLOB,
            column_types.MEDIUM_BLOB,
            column_types.LONG_BLOB,
        ),
        1,
    ),
    **dict.fromkeys(
        (
            column_types.VARCHAR,
            column_types.BIT,
            column_types.VARCHAR_COMPRESSED,
            column_types.NEWDECIMAL,
            column_types.ENUM,
            column_types.SET,
            column_types.STRING,
        ),
        2,
    ),
}
_MAX_COLUMNS = 4096  # of both servers; more than that is damage


class TableDefinition:
    """A table: all of a TABLE_MAP event but its id and flags, completed by a schema file if there is one."""

    def __init__(self, database: str, table: str, types: bytes, *, mariadb: bool) -> None:
        self.database = database
        self.table = table
        self.types = types
        self.field_metadata = b""
        self.null_bits = b""
        self.columns: list[ColumnInfo] = []
        self.optional = TableMetadata()
        self.mariadb = mariadb
        self.named = False
        self.names_from = ""  # where the columns' names are from: log, schema or ddl; empty if there are none
        self.known_key: list[tuple[int, int]] | None = None  # by the schema; empty: there is none, None: not known
        self.described = False  # the log says signs and character sets
        self.complete = True  # False: maps of 5.1 betas, which end after the columns' types, know no `nullable`
        self.shown: dict[str, object] = {}

    @property
    def primary_key(self) -> list[int]:
        """Indexes of the columns of the primary key, where it is known."""
        return [index for index, _ in self.key or []]

    @property
    def key(self) -> list[tuple[int, int]] | None:
        """Columns of the primary key and the lengths of their prefixes; None where it is not known."""
        return self.optional.primary_key or self.known_key or None

    @property
    def lacks_key(self) -> bool:
        """Whether it is known that the table has no primary key."""
        return self.key is None and (self.named or self.known_key is not None)

    def as_dict(self) -> dict[str, object]:
        """Return the fields under the server's names and the columns one by one; cached."""
        if not self.shown:
            self.shown = self.collect()
        return self.shown

    def collect(self) -> dict[str, object]:
        """Return the fields as `as_dict` does, without the cache."""
        fields: dict[str, object] = {
            "dbnam": self.database,
            "tblnam": self.table,
            "colcnt": len(self.columns),
            "coltype": SharedList(list(self.types)),
            "field_metadata_size": len(self.field_metadata),
            "field_metadata": self.field_metadata,
            "null_bits": self.null_bits,
            "columns": SharedList([column.as_dict(mariadb=self.mariadb) for column in self.columns]),
        }
        if self.names_from:
            fields["names_from"] = self.names_from
        if self.key is not None:
            fields["primary_key"] = [
                {"column": self.columns[index].shown_name, "prefix": prefix}
                for index, prefix in self.key
                if index < len(self.columns)
            ]
        if self.optional.unknown:
            fields["unknown_metadata"] = {str(kind): value for kind, value in self.optional.unknown.items()}
        return fields


def read_definition(body: Cursor, *, mariadb: bool, known: TableDefinition | None = None) -> TableDefinition:
    """Read the body of a TABLE_MAP event after the table's id and flags; `DecodeError` where it is not legal.

    `known` is a definition whose column names are shown beside the notes, where the cursor takes notes.
    """
    database = body.text("dbnam", body.lenenc("dblen"))
    body.u1("db_end")
    table = body.text("tblnam", body.lenenc("tbllen"))
    body.u1("table_end")
    count = body.lenenc("colcnt")
    if count > _MAX_COLUMNS:
        raise DecodeError(f"{count} columns are more than a table can have")
    names = [column.name for column in known.columns] if known is not None else [""] * count
    types = _read_types(body, count, names)
    definition = TableDefinition(database, table, types, mariadb=mariadb)
    if body.left() > 0:  # some 5.1 betas end right after the types
        definition.columns, definition.field_metadata = _read_columns(body, types, names)
        definition.null_bits = null_bits = body.take("null_bits", (count + 7) // 8)
        for at, column in enumerate(definition.columns):
            column.nullable = bool(null_bits[at // 8] >> (at % 8) & 1)
    else:
        definition.columns = [ColumnInfo(at, code, b"") for at, code in enumerate(types)]
        definition.complete = False
    if body.left() > 0:
        body.enter("optional_metadata")
        definition.optional = read_metadata(
            body, _owners_in(known) if known is not None else Owners({}, mariadb=mariadb)
        )
        body.leave()
    _describe(definition)
    return definition


def _read_columns(body: Cursor, types: bytes, names: list[str]) -> tuple[list[ColumnInfo], bytes]:
    size = body.lenenc("field_metadata_size")
    start = body.need("field_metadata", size)
    raw = body.data[start : start + size]
    sizes = _metadata_sizes(types, raw)
    columns = []
    if body.notes is not None:
        _note_metadata(body, start, types, sizes, names)
    at = 0
    for index, (code, width) in enumerate(zip(types, sizes or [0] * len(types), strict=True)):
        columns.append(_column(index, code, raw[at : at + width]))
        at += width
    return columns, raw


def _read_types(body: Cursor, count: int, names: list[str]) -> bytes:
    at = body.need("coltype", count)
    types = body.data[at : at + count]
    if body.notes is not None:
        body.pos = at
        body.enter("coltype")
        for index, code in enumerate(types):
            body.pos += 1
            body.note(
                f"@{index + 1}", body.pos - 1, Explained(code, f"{names[index]} {column_type_name(code)}".lstrip())
            )
        body.leave(None)
    return types


def _note_metadata(body: Cursor, start: int, types: bytes, sizes: list[int], names: list[str]) -> None:
    """Note which bytes of the metadata block, just passed, belong to which column."""
    body.pos = start
    body.enter("field_metadata")
    for index, (code, width) in enumerate(zip(types, sizes, strict=True)):
        if width:
            at = body.pos
            body.pos += width
            raw = body.data[at : body.pos]
            body.note(f"@{index + 1}", at, drawn(f"{names[index]} {_metadata_text(code, raw)}".lstrip(), ""))
    body.leave(None)


def _metadata_text(code: int, raw: bytes) -> str:
    """Return the type that a column's metadata bytes describe."""
    name = column_type_name(code)
    if code == column_types.NEWDECIMAL:
        return f"{name}({raw[0]},{raw[1]})"
    if code == column_types.STRING:
        kind, length = _unpack_string(raw)
        return f"{column_type_name(kind)} {'up to' if kind == column_types.STRING else 'of'} {counted(length, 'byte')}"
    if code in (column_types.VARCHAR, column_types.VAR_STRING, column_types.VARCHAR_COMPRESSED):
        return f"{name} up to {counted(int.from_bytes(raw, 'little'), 'byte')}"
    if code == column_types.BIT:
        return f"{name}({raw[1] * 8 + raw[0]})"
    if code in column_types.FRACTIONAL_TYPES:
        return f"{name}({raw[0]})"
    if code in (column_types.ENUM, column_types.SET, column_types.FLOAT, column_types.DOUBLE):
        return f"{name} of {counted(raw[len(raw) - 1 if code in (column_types.ENUM, column_types.SET) else 0], 'byte')}"
    if len(raw) == 1:
        return f"{name}, length in {counted(raw[0], 'byte')}"
    return name


def _metadata_sizes(types: bytes, raw: bytes) -> list[int]:
    """Return the bytes of the metadata block that belong to each column.

    VAR_STRING has two bytes or none, by the server's version: the variant that fits the block is right.
    """
    for var_string in (0, 2):
        sizes = []
        at = 0
        for code in types:
            width = _METADATA_SIZES.get(code, 0)
            if code == column_types.VAR_STRING:
                width = var_string
            elif code == column_types.TYPED_ARRAY and at < len(raw):
                width = 1 + (3 if raw[at] == column_types.VARCHAR else _METADATA_SIZES.get(raw[at], 0))
            sizes.append(width)
            at += width
        if at == len(raw):
            return sizes
    raise DecodeError(f"column metadata of {counted(len(raw), 'byte')} does not fit the columns' types")


def _column(index: int, code: int, metadata: bytes) -> ColumnInfo:
    """Return a column from its stored type and metadata bytes."""
    info = ColumnInfo(index, code, metadata)
    if code == column_types.STRING and len(metadata) == 2:
        info.code, info.length = _unpack_string(metadata)
    elif (
        code in (column_types.VARCHAR, column_types.VAR_STRING, column_types.VARCHAR_COMPRESSED) and len(metadata) == 2
    ):
        info.length = int.from_bytes(metadata, "little")
    elif code in (column_types.ENUM, column_types.SET) and len(metadata) == 2:
        info.length = metadata[1]
    elif code == column_types.BIT:
        info.length = metadata[1] * 8 + metadata[0]
    elif len(metadata) == 1:
        info.length = metadata[0]
    return info


def _unpack_string(metadata: bytes) -> tuple[int, int]:
    """Return the real type and byte length of a STRING: lengths over 255 use bits 4 and 5 of the type byte."""
    kind, length = metadata
    if kind & 0x30 != 0x30:
        return kind | 0x30, length | ((kind & 0x30) ^ 0x30) << 4
    return kind, length


def _describe(definition: TableDefinition) -> None:
    """Set what the optional metadata tells of each column."""
    columns, optional = definition.columns, definition.optional
    numeric = [column for column in columns if column.code in SIGNED_TYPES]
    for column, unsigned in zip(numeric, optional.signedness or [], strict=False):
        column.unsigned = unsigned
    wanted = _MARIADB_CHARACTER_TYPES if definition.mariadb else _MYSQL_CHARACTER_TYPES
    character = [column for column in columns if column.code in wanted]
    _give_charsets(character, optional.default_charset, optional.charset_exceptions, optional.column_charset)
    labelled = [column for column in columns if column.code in (column_types.ENUM, column_types.SET)]
    _give_charsets(labelled, optional.enum_set_default_charset, optional.enum_set_exceptions, optional.enum_set_charset)
    for code, labels in ((column_types.ENUM, optional.enum_labels), (column_types.SET, optional.set_labels)):
        for column, texts in zip((c for c in labelled if c.code == code), labels or [], strict=False):
            column.labels = texts
    for column, kind in zip(
        (c for c in columns if c.code == column_types.GEOMETRY), optional.geometry_types or [], strict=False
    ):
        column.geometry_type = kind
    for column, size in zip(
        (c for c in columns if c.code == column_types.VECTOR), optional.vector_dimensions or [], strict=False
    ):
        column.dimension = size
    for column, name in zip(columns, optional.column_names or [], strict=False):
        column.name = name
    for column, visible in zip(columns, optional.visibility or [], strict=False):
        column.visible = visible
    definition.named = bool(optional.column_names)
    definition.names_from = "log" if definition.named else ""
    definition.described = optional.default_charset is not None or optional.column_charset is not None


def _owners_in(definition: TableDefinition) -> Owners:
    """Return the names of a table's columns by the kinds that its metadata fields refer to."""
    wanted = _MARIADB_CHARACTER_TYPES if definition.mariadb else _MYSQL_CHARACTER_TYPES
    kinds = {
        metadata.CHARACTER: wanted,
        metadata.LABELLED: {column_types.ENUM, column_types.SET},
        metadata.ENUM: {column_types.ENUM},
        metadata.SET: {column_types.SET},
        metadata.GEOMETRY: {column_types.GEOMETRY},
        metadata.VECTOR: {column_types.VECTOR},
    }
    names = {kind: [c.shown_name for c in definition.columns if c.code in codes] for kind, codes in kinds.items()}
    return Owners(names, mariadb=definition.mariadb)


def _give_charsets(
    columns: list[ColumnInfo], default: int | None, exceptions: dict[int, int], each: list[int] | None
) -> None:
    for at, column in enumerate(columns):
        if each is not None:
            column.collation = each[at] if at < len(each) else None
        elif default is not None:
            column.collation = exceptions.get(at, default)

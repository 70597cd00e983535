"""--print-table-metadata: columns and primary key as the tools print them.

The tools step through the lists of the metadata side by side and do not support all types: an unsupported type takes
nothing from any list, so that later columns may show another column's metadata. This module does as they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from binlogcli.names import column_types
from binlogcli.names.collations import Collation, collation
from binlogcli.render.mysqlbinlog.sql_text import encoded_text, quoted_string
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.rows.table.metadata import GEOMETRY_TYPES

InComment = Callable[[bytes], bytes]

_NUMERIC = column_types.NUMERIC_TYPES - {column_types.DECIMAL}
_BINARY_COLLATION = 63
_PLAIN = {
    column_types.TINY: "TINYINT",
    column_types.SHORT: "SMALLINT",
    column_types.LONG: "INT",
    column_types.LONGLONG: "BIGINT",
    column_types.INT24: "MEDIUMINT",
    column_types.DATE: "DATE",
    column_types.YEAR: "YEAR",
    column_types.NEWDATE: "DATE",
}
_ONE_BYTE = {column_types.FLOAT: "FLOAT", column_types.DOUBLE: "DOUBLE", column_types.JSON: "JSON"}
_TWO_BYTES = {column_types.ENUM: "ENUM", column_types.SET: "SET"}
_WITH_DIGITS = {column_types.TIMESTAMP2: "TIMESTAMP", column_types.DATETIME2: "DATETIME", column_types.TIME2: "TIME"}
_BLOB_SIZES = {1: "TINY", 2: "", 3: "MEDIUM", 4: "LONG"}
_WIDEST = {  # bytes of a character set's longest character, if more than one
    "big5": 2, "cp932": 2, "eucjpms": 3, "euckr": 2, "gb18030": 4, "gb2312": 2, "gbk": 2, "sjis": 2, "ucs2": 2,
    "ujis": 3, "utf16": 4, "utf16le": 4, "utf32": 4, "utf8mb3": 3, "utf8mb4": 4,
}  # fmt: skip
_HIDDEN_KEY_COLUMN = "my_row_id"


def mariadb_metadata(definition: TableDefinition, in_comment: InComment) -> bytes:
    """Return the columns as mariadb-binlog prints them; `in_comment` keeps a name from ending the comment."""
    return _Columns(definition, in_comment, mariadb=True).text()


def mysql_metadata(definition: TableDefinition, in_comment: InComment, *, hidden_key: bool) -> bytes:
    """Return the columns as mysqlbinlog prints them; `hidden_key`: the first is a generated invisible key."""
    return _Columns(definition, in_comment, mariadb=False, hidden_key=hidden_key).text()


class _Columns:
    """One pass over a table's columns; each list of the metadata has its own position."""

    def __init__(
        self, definition: TableDefinition, in_comment: InComment, *, mariadb: bool, hidden_key: bool = False
    ) -> None:
        optional = definition.optional
        self.in_comment = in_comment
        self.definition = definition
        self.mariadb = mariadb
        self.hidden_key = hidden_key
        self.metadata = definition.field_metadata
        self.at = 0
        self.signs = iter(optional.signedness or [])
        self.charsets = self.collations(optional.default_charset, optional.charset_exceptions, optional.column_charset)
        self.labelled_charsets = self.collations(
            optional.enum_set_default_charset, optional.enum_set_exceptions, optional.enum_set_charset
        )
        self.names = iter(optional.column_names or [])
        self.set_labels = iter(optional.set_labels or [])
        self.enum_labels = iter(optional.enum_labels or [])
        self.geometry_types = iter(optional.geometry_types or [])
        self.dimensions = iter(optional.vector_dimensions or [])
        self.character = column_types.CHARACTER_TYPES | ({column_types.GEOMETRY} if mariadb else {column_types.VECTOR})

    def collations(
        self, default: int | None, exceptions: dict[int, int], each: list[int] | None
    ) -> Iterator[Collation | None]:
        """Yield the collations of the columns that have one, in column order."""
        if default is not None:
            numbers: Iterator[int] = (exceptions.get(at, default) for at in range(len(self.definition.columns)))
        else:
            numbers = iter(each or [])
        return (collation(number, mariadb=self.mariadb) for number in numbers)

    def text(self) -> bytes:
        """Return all columns and the primary key as comment lines."""
        pieces = []
        count = len(self.definition.types)
        for at in range(count):
            piece, known = self.column(at)
            pieces.append(piece + (b",\n#         " if known and at + 1 < count else b""))
        return b"# Columns(" + b"".join(pieces) + b")\n" + self.primary_key()

    def byte(self, ahead: int) -> int:
        """Return the byte of the columns' metadata `ahead` bytes after the current one; 0 past the end."""
        at = self.at + ahead
        return self.metadata[at] if at < len(self.metadata) else 0

    def column(self, at: int) -> tuple[bytes, bool]:
        """Return a column's text, and whether the tool supports its type."""
        code = self.definition.types[at]
        if code == column_types.STRING and self.byte(0) in (column_types.ENUM, column_types.SET):
            code = self.byte(0)
        known = None
        if code in self.character:
            known = next(self.charsets, None)
        elif code in (column_types.ENUM, column_types.SET):
            known = next(self.labelled_charsets, None)
        name = self.name(at)
        words = self.type_words(code, known)
        if not words:
            return name + b"INVALID_TYPE(%d)" % code, False
        text = name + words.encode("ascii")
        signed_types = _NUMERIC if self.mariadb else _NUMERIC | {column_types.YEAR}
        if code in signed_types and next(self.signs, False) and code != column_types.YEAR:
            text += b" UNSIGNED"
        if not self.definition.columns[at].nullable:
            text += b" NOT NULL"
        return text + self.labels(code) + self.charset(code, known) + self.visibility(at), True

    def name(self, at: int) -> bytes:
        """Return the column's name in backticks, or nothing where the log has no names."""
        name = next(self.names, None)
        if name is None and self.hidden_key and at == 0:
            name = _HIDDEN_KEY_COLUMN
        if name is None:
            return b""
        escaped = quoted_string(encoded_text(name))[1:-1]
        if not self.mariadb:
            escaped = escaped.replace(b"`", b"``")
        return b"`" + escaped + b"` "

    def labels(self, code: int) -> bytes:
        """Return the labels of an ENUM or SET in parentheses."""
        labels = (
            next(self.enum_labels, None)
            if code == column_types.ENUM
            else next(self.set_labels, None)
            if code == column_types.SET
            else None
        )
        if labels is None:
            return b""
        return b"(" + (b"," if self.mariadb else b", ").join(map(quoted_string, labels)) + b")"

    def charset(self, code: int, known: Collation | None) -> bytes:
        """Return character set and collation; nothing for binary strings."""
        if known is None or (code not in (column_types.ENUM, column_types.SET) and known.number == _BINARY_COLLATION):
            return b""
        return f" CHARSET {known.charset} COLLATE {known.name}".encode("ascii")

    def visibility(self, at: int) -> bytes:
        """Return MySQL's words for invisible columns."""
        if self.mariadb:
            return b""
        if self.hidden_key and at == 0:
            return b" INVISIBLE AUTO_INCREMENT"
        logged = self.definition.optional.visibility or []  # of the log: a schema may say otherwise
        return b"" if at >= len(logged) or logged[at] else b" INVISIBLE"

    def take(self, size: int) -> None:
        """Skip `size` bytes of the columns' metadata."""
        self.at += size

    def type_words(self, code: int, known: Collation | None) -> str:
        """Return a column's type and skip its metadata; empty for a type that the tool does not support."""
        first, second = self.byte(0), self.byte(1)
        if code in _PLAIN:
            return _PLAIN[code]
        if code in _ONE_BYTE:
            self.take(1)
            return _ONE_BYTE[code]
        if code in _WITH_DIGITS:
            self.take(1)
            return f"{_WITH_DIGITS[code]}({first})" if first else _WITH_DIGITS[code]
        if code in _TWO_BYTES:
            self.take(2)
            return _TWO_BYTES[code]
        if code in (column_types.NEWDECIMAL, column_types.BIT):
            self.take(2)
            return f"DECIMAL({first},{second})" if code == column_types.NEWDECIMAL else f"BIT({first + 8 * second})"
        return self._long_words(code, known, first, second)

    def _long_words(self, code: int, known: Collation | None, first: int, second: int) -> str:
        """Return the type of a string, BLOB, geometry or vector column and skip its metadata; empty if unknown."""
        textual = known is not None and known.number != _BINARY_COLLATION
        widest = _WIDEST.get(known.charset, 1) if known is not None else 1
        if code == column_types.BLOB:
            self.take(1)
            kind = "TEXT" if textual else "BLOB"
            return _BLOB_SIZES[first] + kind if first in _BLOB_SIZES else f"INVALID_{kind}({first})"
        if code in (column_types.VARCHAR, column_types.VAR_STRING):
            self.take(2)
            size = first | second << 8
            return f"VARCHAR({size // widest})" if textual else f"VARBINARY({size})"
        if code == column_types.STRING:
            self.take(2)
            size = ((first & 0x30) ^ 0x30) << 4 | second
            return f"CHAR({size // widest})" if textual else f"BINARY({size})"
        if code == column_types.GEOMETRY:
            self.take(1)
            kind_number = next(self.geometry_types, 0)
            if kind_number >= len(GEOMETRY_TYPES):
                return f"INVALID_GEOMETRY_TYPE({kind_number})"
            name = GEOMETRY_TYPES[kind_number]
            return name if self.mariadb else name.replace("GEOMETRYCOLLECTION", "GEOMCOLLECTION")
        if code == column_types.VECTOR and not self.mariadb:
            self.take(1)
            return f"VECTOR({next(self.dimensions, 0)})"
        return ""

    def primary_key(self) -> bytes:
        """Return the primary key's columns as a comment line, by name where there are names."""
        key = self.definition.optional.primary_key
        if not key:
            return b"# Primary Key(my_row_id)\n" if self.hidden_key else b""
        names = self.definition.optional.column_names or []
        parts = []
        for index, prefix in key:
            name = self.in_comment(encoded_text(names[index])) if index < len(names) else b"%d" % index
            parts.append(name + (b"(%d)" % prefix if prefix else b""))
        return b"# Primary Key(" + b", ".join(parts) + b")\n"

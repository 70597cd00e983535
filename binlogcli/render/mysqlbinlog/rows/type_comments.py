"""The comment that -vv puts after each value: the column's type in the tools' words."""

from __future__ import annotations

from binlogcli.names import column_types
from binlogcli.rows.table.column_info import ColumnInfo

_PLAIN = {
    column_types.TINY: "TINYINT",
    column_types.SHORT: "SHORTINT",
    column_types.LONG: "INT",
    column_types.FLOAT: "FLOAT",
    column_types.DOUBLE: "DOUBLE",
    column_types.TIMESTAMP: "TIMESTAMP",
    column_types.LONGLONG: "LONGINT",
    column_types.INT24: "MEDIUMINT",
    column_types.DATE: "DATE",
    column_types.TIME: "TIME",
    column_types.DATETIME: "DATETIME",
    column_types.YEAR: "YEAR",
    column_types.NEWDATE: "DATE",
}
_WITH_DIGITS = {column_types.TIMESTAMP2: "TIMESTAMP", column_types.DATETIME2: "DATETIME", column_types.TIME2: "TIME"}
_BLOBS = {1: "TINYBLOB/TINYTEXT", 2: "BLOB/TEXT", 3: "MEDIUMBLOB/MEDIUMTEXT", 4: "LONGBLOB/LONGTEXT"}
_BIG_ENDIAN = frozenset(
    {column_types.NEWDECIMAL, column_types.ENUM, column_types.SET, column_types.STRING}
)  # types whose two bytes of metadata are two numbers


def _type_words(column: ColumnInfo, *, mariadb: bool) -> str:  # noqa: PLR0911 - one line a type
    """Return the type's name; empty where the tool has none."""
    code, meta = column.code, column.metadata
    if code in _PLAIN:
        return _PLAIN[code]
    if code in _WITH_DIGITS:
        return f"{_WITH_DIGITS[code]}({meta[0]})"
    if code == column_types.NEWDECIMAL:
        return f"DECIMAL({meta[0]},{meta[1]})"
    if code == column_types.BIT:
        return f"BIT({column.length})"
    if code == column_types.ENUM:
        return "ENUM(1 byte)" if column.length == 1 else "ENUM(2 bytes)"
    if code == column_types.SET:
        return f"SET({column.length} bytes)"
    if code in (column_types.BLOB, column_types.BLOB_COMPRESSED):
        return _BLOBS.get(column.length, "") + (" COMPRESSED" if code == column_types.BLOB_COMPRESSED else "")
    if code in (column_types.VARCHAR, column_types.VAR_STRING, column_types.VARCHAR_COMPRESSED):
        return f"VARSTRING({column.length})" + (" COMPRESSED" if code == column_types.VARCHAR_COMPRESSED else "")
    if code == column_types.STRING:
        return f"STRING({column.length})"
    if code == column_types.VECTOR:
        return f"VECTOR({column.dimension})" if column.dimension is not None else "VECTOR"
    if code == column_types.GEOMETRY:
        return "GEOMETRY"
    return "JSON" if code == column_types.JSON and not mariadb else ""


def _type_meta(column: ColumnInfo) -> int:
    """Return the column's metadata as one number."""
    order = "big" if column.stored_code in _BIG_ENDIAN else "little"
    return int.from_bytes(column.metadata, order)  # type: ignore[arg-type]


def value_comment(column: ColumnInfo, *, mariadb: bool, null: bool) -> bytes:
    """Return the comment after a value."""
    words = _type_words(column, mariadb=mariadb)
    return f" /* {words} meta={_type_meta(column)} nullable={column.nullable:d} is_null={null:d} */".encode()

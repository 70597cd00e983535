"""The comment that -vv puts behind each value: the column's type in the tools' words."""

from __future__ import annotations

from binlogcli.names.column_types import (
    BIT,
    BLOB,
    BLOB_COMPRESSED,
    DATE,
    DATETIME,
    DATETIME2,
    DOUBLE,
    ENUM,
    FLOAT,
    GEOMETRY,
    INT24,
    JSON,
    LONG,
    LONGLONG,
    NEWDATE,
    NEWDECIMAL,
    SET,
    SHORT,
    STRING,
    TIME,
    TIME2,
    TIMESTAMP,
    TIMESTAMP2,
    TINY,
    VAR_STRING,
    VARCHAR,
    VARCHAR_COMPRESSED,
    VECTOR,
    YEAR,
)
from binlogcli.rows.table.definition import ColumnInfo

_PLAIN = {
    TINY: "TINYINT",
    SHORT: "SHORTINT",
    LONG: "INT",
    FLOAT: "FLOAT",
    DOUBLE: "DOUBLE",
    TIMESTAMP: "TIMESTAMP",
    LONGLONG: "LONGINT",
    INT24: "MEDIUMINT",
    DATE: "DATE",
    TIME: "TIME",
    DATETIME: "DATETIME",
    YEAR: "YEAR",
    NEWDATE: "DATE",
}
_WITH_DIGITS = {TIMESTAMP2: "TIMESTAMP", DATETIME2: "DATETIME", TIME2: "TIME"}
_BLOBS = {1: "TINYBLOB/TINYTEXT", 2: "BLOB/TEXT", 3: "MEDIUMBLOB/MEDIUMTEXT", 4: "LONGBLOB/LONGTEXT"}
_BIG_ENDIAN = frozenset({NEWDECIMAL, ENUM, SET, STRING})  # types whose two bytes of metadata are two numbers


def _type_words(column: ColumnInfo, *, mariadb: bool) -> str:  # noqa: PLR0911 - one line a type
    """Return the type's name; empty where the tool has none."""
    code, meta = column.code, column.metadata
    if code in _PLAIN:
        return _PLAIN[code]
    if code in _WITH_DIGITS:
        return f"{_WITH_DIGITS[code]}({meta[0]})"
    if code == NEWDECIMAL:
        return f"DECIMAL({meta[0]},{meta[1]})"
    if code == BIT:
        return f"BIT({column.length})"
    if code == ENUM:
        return "ENUM(1 byte)" if column.length == 1 else "ENUM(2 bytes)"
    if code == SET:
        return f"SET({column.length} bytes)"
    if code in (BLOB, BLOB_COMPRESSED):
        return _BLOBS.get(column.length, "") + (" COMPRESSED" if code == BLOB_COMPRESSED else "")
    if code in (VARCHAR, VAR_STRING, VARCHAR_COMPRESSED):
        return f"VARSTRING({column.length})" + (" COMPRESSED" if code == VARCHAR_COMPRESSED else "")
    if code == STRING:
        return f"STRING({column.length})"
    if code == VECTOR:
        return f"VECTOR({column.dimension})" if column.dimension is not None else "VECTOR"
    if code == GEOMETRY:
        return "GEOMETRY"
    return "JSON" if code == JSON and not mariadb else ""


def _type_meta(column: ColumnInfo) -> int:
    """Return the column's metadata as one number."""
    order = "big" if column.stored_code in _BIG_ENDIAN else "little"
    return int.from_bytes(column.metadata, order)  # type: ignore[arg-type]


def value_comment(column: ColumnInfo, *, mariadb: bool, null: bool) -> bytes:
    """Return the comment behind a value."""
    words = _type_words(column, mariadb=mariadb)
    return f" /* {words} meta={_type_meta(column)} nullable={column.nullable:d} is_null={null:d} */".encode()

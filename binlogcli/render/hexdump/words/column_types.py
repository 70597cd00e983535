"""Column types as SQL names them, by what the log tells."""

from __future__ import annotations

from binlogcli.names.column_types import (
    BLOB,
    DATETIME2,
    INT24,
    INTEGER_TYPES,
    LONG,
    LONGLONG,
    NEWDATE,
    NEWDECIMAL,
    SHORT,
    STRING,
    TIME2,
    TIMESTAMP,
    TIMESTAMP2,
    TINY,
    VAR_STRING,
    VARCHAR,
    column_type_name,
)
from binlogcli.rows.table.definition import ColumnInfo

_SQL_NAMES = {
    TINY: "TINYINT",
    SHORT: "SMALLINT",
    LONG: "INT",
    TIMESTAMP: "TIMESTAMP",
    LONGLONG: "BIGINT",
    INT24: "MEDIUMINT",
    NEWDATE: "DATE",
    TIMESTAMP2: "TIMESTAMP",
    DATETIME2: "DATETIME",
    TIME2: "TIME",
    NEWDECIMAL: "DECIMAL",
}
_BINARY_COLLATION = 63
_BLOBS = {
    1: ("TINYTEXT", "TINYBLOB"),
    2: ("TEXT", "BLOB"),
    3: ("MEDIUMTEXT", "MEDIUMBLOB"),
    4: ("LONGTEXT", "LONGBLOB"),
}
_CHARACTERS = {VARCHAR: ("VARCHAR", "VARBINARY"), VAR_STRING: ("VARCHAR", "VARBINARY"), STRING: ("CHAR", "BINARY")}


def sql_type(info: ColumnInfo) -> str:
    """Return the type's name; as TEXT/BLOB where the log does not tell these apart."""
    binary = info.collation == _BINARY_COLLATION
    if info.code in _CHARACTERS:
        return _CHARACTERS[info.code][binary]
    if info.code == BLOB and info.length in _BLOBS:
        return "/".join(reversed(_BLOBS[info.length])) if info.collation is None else _BLOBS[info.length][binary]
    name = _SQL_NAMES.get(info.code) or column_type_name(info.code)
    return f"{name} UNSIGNED" if info.unsigned and info.code in INTEGER_TYPES else name

"""Column types as SQL names them, by what the log tells."""

from __future__ import annotations

from binlogcli.names import column_types
from binlogcli.names.column_types import column_type_name
from binlogcli.rows.table.column_info import ColumnInfo

_SQL_NAMES = {
    column_types.TINY: "TINYINT",
    column_types.SHORT: "SMALLINT",
    column_types.LONG: "INT",
    column_types.TIMESTAMP: "TIMESTAMP",
    column_types.LONGLONG: "BIGINT",
    column_types.INT24: "MEDIUMINT",
    column_types.NEWDATE: "DATE",
    column_types.TIMESTAMP2: "TIMESTAMP",
    column_types.DATETIME2: "DATETIME",
    column_types.TIME2: "TIME",
    column_types.NEWDECIMAL: "DECIMAL",
}
_BINARY_COLLATION = 63
_BLOBS = {
    1: ("TINYTEXT", "TINYBLOB"),
    2: ("TEXT", "BLOB"),
    3: ("MEDIUMTEXT", "MEDIUMBLOB"),
    4: ("LONGTEXT", "LONGBLOB"),
}
_CHARACTERS = {
    column_types.VARCHAR: ("VARCHAR", "VARBINARY"),
    column_types.VAR_STRING: ("VARCHAR", "VARBINARY"),
    column_types.STRING: ("CHAR", "BINARY"),
}


def sql_type(info: ColumnInfo) -> str:
    """Return the type's name; as TEXT/BLOB where the log does not tell these apart."""
    binary = info.collation == _BINARY_COLLATION
    if info.code in _CHARACTERS:
        return _CHARACTERS[info.code][binary]
    if info.code == column_types.BLOB and info.length in _BLOBS:
        return "/".join(reversed(_BLOBS[info.length])) if info.collation is None else _BLOBS[info.length][binary]
    name = _SQL_NAMES.get(info.code) or column_type_name(info.code)
    return f"{name} UNSIGNED" if info.unsigned and info.code in column_types.INTEGER_TYPES else name

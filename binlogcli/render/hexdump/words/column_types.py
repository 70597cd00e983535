"""The type of a column as SQL names it, from what the log says."""

from __future__ import annotations

from binlogcli.names.column_types import column_type_name
from binlogcli.rows.table.definition import ColumnInfo

SQL_NAMES = {
    1: "TINYINT",
    2: "SMALLINT",
    3: "INT",
    7: "TIMESTAMP",
    8: "BIGINT",
    9: "MEDIUMINT",
    14: "DATE",
    17: "TIMESTAMP",
    18: "DATETIME",
    19: "TIME",
    246: "DECIMAL",
}
BINARY_COLLATION = 63
BLOBS = {1: ("TINYTEXT", "TINYBLOB"), 2: ("TEXT", "BLOB"), 3: ("MEDIUMTEXT", "MEDIUMBLOB"), 4: ("LONGTEXT", "LONGBLOB")}
CHARACTERS = {15: ("VARCHAR", "VARBINARY"), 253: ("VARCHAR", "VARBINARY"), 254: ("CHAR", "BINARY")}


def sql_type(info: ColumnInfo) -> str:
    """The type's name; BLOB and TEXT both where the log does not tell them apart, as the servers' tools say it."""
    binary = info.collation == BINARY_COLLATION
    if info.code in CHARACTERS:
        return CHARACTERS[info.code][binary]
    if info.code == 252 and info.length in BLOBS:
        return "/".join(reversed(BLOBS[info.length])) if info.collation is None else BLOBS[info.length][binary]
    name = SQL_NAMES.get(info.code) or column_type_name(info.code)
    return f"{name} UNSIGNED" if info.unsigned and info.code in (1, 2, 3, 8, 9) else name

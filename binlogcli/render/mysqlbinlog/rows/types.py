"""What `-vv` says of a column's type: the words of the servers' tools."""

from __future__ import annotations

from binlogcli.rows.table.definition import STRING, ColumnInfo

PLAIN = {
    1: "TINYINT",
    2: "SHORTINT",
    3: "INT",
    4: "FLOAT",
    5: "DOUBLE",
    7: "TIMESTAMP",
    8: "LONGINT",
    9: "MEDIUMINT",
    10: "DATE",
    11: "TIME",
    12: "DATETIME",
    13: "YEAR",
    14: "DATE",
}
WITH_DIGITS = {17: "TIMESTAMP", 18: "DATETIME", 19: "TIME"}
BLOBS = {1: "TINYBLOB/TINYTEXT", 2: "BLOB/TEXT", 3: "MEDIUMBLOB/MEDIUMTEXT", 4: "LONGBLOB/LONGTEXT"}
BIG_ENDIAN = frozenset({246, 247, 248, STRING})  # types whose two bytes of metadata are two numbers


def type_words(column: ColumnInfo, *, mariadb: bool) -> str:  # noqa: PLR0911 - one line a type
    """The type as the comment behind a value names it; empty where the tool knows none."""
    code, meta = column.code, column.metadata
    if code in PLAIN:
        return PLAIN[code]
    if code in WITH_DIGITS:
        return f"{WITH_DIGITS[code]}({meta[0]})"
    if code == 246:
        return f"DECIMAL({meta[0]},{meta[1]})"
    if code == 16:
        return f"BIT({column.length})"
    if code == 247:
        return "ENUM(1 byte)" if column.length == 1 else "ENUM(2 bytes)"
    if code == 248:
        return f"SET({column.length} bytes)"
    if code in (252, 140):
        return BLOBS.get(column.length, "") + (" COMPRESSED" if code == 140 else "")
    if code in (15, 253, 141):
        return f"VARSTRING({column.length})" + (" COMPRESSED" if code == 141 else "")
    if code == STRING:
        return f"STRING({column.length})"
    if code == 242:
        return f"VECTOR({column.dimension})" if column.dimension is not None else "VECTOR"
    if code == 255:
        return "GEOMETRY"
    return "JSON" if code == 245 and not mariadb else ""


def type_meta(column: ColumnInfo) -> int:
    """The column's metadata as one number."""
    order = "big" if column.stored_code in BIG_ENDIAN else "little"
    return int.from_bytes(column.metadata, order)  # type: ignore[arg-type]


def value_comment(column: ColumnInfo, *, mariadb: bool, null: bool) -> bytes:
    """The comment that -vv puts behind a value."""
    words = type_words(column, mariadb=mariadb)
    return f" /* {words} meta={type_meta(column)} nullable={column.nullable:d} is_null={null:d} */".encode()

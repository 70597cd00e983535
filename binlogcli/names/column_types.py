"""Column type codes of TABLE_MAP events and their names (`enum enum_field_types`)."""

from __future__ import annotations

COLUMN_TYPES: dict[int, str] = {
    0: "DECIMAL",
    1: "TINY",
    2: "SHORT",
    3: "LONG",
    4: "FLOAT",
    5: "DOUBLE",
    6: "NULL",
    7: "TIMESTAMP",
    8: "LONGLONG",
    9: "INT24",
    10: "DATE",
    11: "TIME",
    12: "DATETIME",
    13: "YEAR",
    14: "NEWDATE",
    15: "VARCHAR",
    16: "BIT",
    17: "TIMESTAMP2",
    18: "DATETIME2",
    19: "TIME2",
    20: "TYPED_ARRAY",
    140: "BLOB_COMPRESSED",
    141: "VARCHAR_COMPRESSED",
    242: "VECTOR",
    243: "INVALID",
    244: "BOOL",
    245: "JSON",
    246: "NEWDECIMAL",
    247: "ENUM",
    248: "SET",
    249: "TINY_BLOB",
    250: "MEDIUM_BLOB",
    251: "LONG_BLOB",
    252: "BLOB",
    253: "VAR_STRING",
    254: "STRING",
    255: "GEOMETRY",
}


def column_type_name(code: int) -> str:
    """The name of a column type; a number nobody has assigned is named by itself."""
    return COLUMN_TYPES.get(code) or f"TYPE_{code}"

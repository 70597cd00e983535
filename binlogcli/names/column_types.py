"""Column type codes of TABLE_MAP events under the servers' names (`enum enum_field_types`) without MYSQL_TYPE_."""

from __future__ import annotations

DECIMAL = 0
TINY = 1
SHORT = 2
LONG = 3
FLOAT = 4
DOUBLE = 5
NULL = 6
TIMESTAMP = 7
LONGLONG = 8
INT24 = 9
DATE = 10
TIME = 11
DATETIME = 12
YEAR = 13
NEWDATE = 14
VARCHAR = 15
BIT = 16
TIMESTAMP2 = 17
DATETIME2 = 18
TIME2 = 19
TYPED_ARRAY = 20
# MariaDB's columns with the attribute COMPRESSED
BLOB_COMPRESSED = 140
VARCHAR_COMPRESSED = 141
VECTOR = 242
INVALID = 243
BOOL = 244
JSON = 245
NEWDECIMAL = 246
ENUM = 247
SET = 248
TINY_BLOB = 249
MEDIUM_BLOB = 250
LONG_BLOB = 251
BLOB = 252
VAR_STRING = 253
STRING = 254
GEOMETRY = 255

COLUMN_TYPES: dict[int, str] = {number: name for name, number in list(globals().items()) if name.isupper()}

INTEGER_WIDTHS = {TINY: 1, SHORT: 2, INT24: 3, LONG: 4, LONGLONG: 8}  # bytes
INTEGER_TYPES = frozenset(INTEGER_WIDTHS)
NUMERIC_TYPES = INTEGER_TYPES | {FLOAT, DOUBLE, DECIMAL, NEWDECIMAL}
OLD_TEMPORAL_TYPES = frozenset({TIMESTAMP, TIME, DATETIME})  # fractions in MariaDB alone, of unknown digits
FRACTIONAL_TYPES = frozenset({TIMESTAMP2, DATETIME2, TIME2})  # since MySQL 5.6: one byte of metadata, the digits
DATE_TYPES = frozenset({DATE, NEWDATE})
CHARACTER_TYPES = frozenset({VARCHAR, BLOB, VAR_STRING, STRING})


def column_type_name(code: int) -> str:
    """Return the name of a column type; TYPE_n for a number that no server has assigned."""
    return COLUMN_TYPES.get(code) or f"TYPE_{code}"

"""The column types of both servers' SQL by name, and the type codes that a table map can hold for each.

Other spellings of a type are mapped to the name that SHOW CREATE TABLE prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from binlogcli.names.column_types import (
    BIT,
    BLOB,
    BLOB_COMPRESSED,
    DATE,
    DATETIME,
    DATETIME2,
    DECIMAL,
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


class Family(Enum):
    """The arguments of a column type."""

    PLAIN = "nothing that matters here: integers, floats, dates, geometry"
    DECIMAL = "precision and scale"
    TEMPORAL = "digits of a second's fraction"
    BIT = "a number of bits"
    TEXT = "a length or none, and a character set"
    BINARY = "a length or none"
    LABELS = "a list of labels, and a character set"


@dataclass(frozen=True, slots=True)
class SqlType:
    """A column type of SQL and the type codes that its column can have in a table map."""

    name: str
    family: Family
    kinds: frozenset[int]


def _types(family: Family, kinds: dict[str, tuple[int, ...]]) -> dict[str, SqlType]:
    return {name: SqlType(name, family, frozenset(codes)) for name, codes in kinds.items()}


TYPES: dict[str, SqlType] = {
    **_types(
        Family.PLAIN,
        {
            "tinyint": (TINY,),
            "smallint": (SHORT,),
            "mediumint": (INT24,),
            "int": (LONG,),
            "bigint": (LONGLONG,),
            "float": (FLOAT,),
            "double": (DOUBLE,),
            "year": (YEAR,),
            "date": (DATE, NEWDATE),
            "json": (JSON, BLOB),  # MySQL's own type; MariaDB makes a LONGTEXT of it
            "geometry": (GEOMETRY,),
            "point": (GEOMETRY,),
            "linestring": (GEOMETRY,),
            "polygon": (GEOMETRY,),
            "multipoint": (GEOMETRY,),
            "multilinestring": (GEOMETRY,),
            "multipolygon": (GEOMETRY,),
            "geometrycollection": (GEOMETRY,),
            "geomcollection": (GEOMETRY,),
        },
    ),
    **_types(Family.DECIMAL, {"decimal": (NEWDECIMAL, DECIMAL)}),
    # Before and since the fractional formats of MySQL 5.6; MariaDB writes either.
    **_types(
        Family.TEMPORAL,
        {"time": (TIME, TIME2), "datetime": (DATETIME, DATETIME2), "timestamp": (TIMESTAMP, TIMESTAMP2)},
    ),
    **_types(Family.BIT, {"bit": (BIT,)}),
    **_types(
        Family.TEXT,
        {
            "char": (STRING,),
            "varchar": (VARCHAR, VAR_STRING),
            "tinytext": (BLOB,),
            "text": (BLOB,),
            "mediumtext": (BLOB,),
            "longtext": (BLOB,),
            "xmltype": (BLOB,),  # MariaDB
        },
    ),
    **_types(
        Family.BINARY,
        {
            "binary": (STRING,),
            "varbinary": (VARCHAR, VAR_STRING),
            "tinyblob": (BLOB,),
            "blob": (BLOB,),
            "mediumblob": (BLOB,),
            "longblob": (BLOB,),
            "uuid": (STRING,),
            "inet6": (STRING,),
            "inet4": (STRING,),
            "vector": (VECTOR, VARCHAR),  # a type of its own in MySQL, a VARBINARY in MariaDB
        },
    ),
    **_types(Family.LABELS, {"enum": (ENUM,), "set": (SET,)}),
}

# MariaDB's COMPRESSED columns.
COMPRESSED = {VARCHAR: VARCHAR_COMPRESSED, VAR_STRING: VARCHAR_COMPRESSED, BLOB: BLOB_COMPRESSED}


def kinds_of(name: str, *, compressed: bool) -> frozenset[int]:
    """Return the type codes that a column of this type can have in a table map."""
    kinds = TYPES[name].kinds
    return frozenset(COMPRESSED.get(code, code) for code in kinds) if compressed else kinds


# Types of which a key can have the first characters or bytes
WITH_PREFIXES = frozenset(
    name
    for name, kind in TYPES.items()
    if kind.kinds & {BLOB, GEOMETRY} or name in {"char", "varchar", "binary", "varbinary"}
)

# What a text type becomes with CHARACTER SET binary.
AS_BINARY = {
    "char": "binary",
    "varchar": "varbinary",
    "tinytext": "tinyblob",
    "text": "blob",
    "mediumtext": "mediumblob",
    "longtext": "longblob",
}

# Other spellings, the longest of which have three words.
SPELLINGS: dict[str, str] = {
    "bool": "tinyint",
    "boolean": "tinyint",
    "int1": "tinyint",
    "int2": "smallint",
    "int3": "mediumint",
    "middleint": "mediumint",
    "int4": "int",
    "integer": "int",
    "int8": "bigint",
    "serial": "bigint",
    "dec": "decimal",
    "numeric": "decimal",
    "fixed": "decimal",
    "float4": "float",
    "float8": "double",
    "real": "double",
    "double precision": "double",
    "character": "char",
    "national char": "char",
    "national character": "char",
    "nchar": "char",
    "varcharacter": "varchar",
    "char varying": "varchar",
    "character varying": "varchar",
    "nvarchar": "varchar",
    "varchar2": "varchar",  # this and the next three in MariaDB's sql_mode ORACLE
    "number": "decimal",
    "clob": "longtext",
    "raw": "varbinary",
    "nchar varchar": "varchar",
    "nchar varcharacter": "varchar",
    "nchar varying": "varchar",
    "national varchar": "varchar",
    "national varcharacter": "varchar",
    "national char varying": "varchar",
    "national character varying": "varchar",
    "long": "mediumtext",
    "long varchar": "mediumtext",
    "long varcharacter": "mediumtext",
    "long char varying": "mediumtext",
    "long character varying": "mediumtext",
    "long varbinary": "mediumblob",
}
NATIONAL = ("national", "nchar", "nvarchar")  # spellings that begin so mean CHARACTER SET utf8mb3

"""The column types of both servers' SQL by name, and what a table map can hold for each.

Names that are only another spelling are resolved to the name that SHOW CREATE TABLE prints.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Family(Enum):
    """What a column type has besides its name."""

    PLAIN = "nothing that matters here: integers, floats, dates, geometry"
    DECIMAL = "precision and scale"
    TEMPORAL = "digits of a second's fraction"
    BIT = "a number of bits"
    TEXT = "a length or none, and a character set"
    BINARY = "a length or none"
    LABELS = "a list of labels, and a character set"


@dataclass(frozen=True, slots=True)
class SqlType:
    """A column type of SQL and the type codes its column can have in a table map."""

    name: str
    family: Family
    kinds: frozenset[int]


def _types(family: Family, kinds: dict[str, tuple[int, ...]]) -> dict[str, SqlType]:
    return {name: SqlType(name, family, frozenset(codes)) for name, codes in kinds.items()}


_BLOB = (252,)
_GEOMETRY = (255,)
TYPES: dict[str, SqlType] = {
    **_types(
        Family.PLAIN,
        {
            "tinyint": (1,),
            "smallint": (2,),
            "mediumint": (9,),
            "int": (3,),
            "bigint": (8,),
            "float": (4,),
            "double": (5,),
            "year": (13,),
            "date": (10, 14),
            "json": (245, 252),  # MySQL's own type; text in MariaDB
            "geometry": _GEOMETRY,
            "point": _GEOMETRY,
            "linestring": _GEOMETRY,
            "polygon": _GEOMETRY,
            "multipoint": _GEOMETRY,
            "multilinestring": _GEOMETRY,
            "multipolygon": _GEOMETRY,
            "geometrycollection": _GEOMETRY,
            "geomcollection": _GEOMETRY,
        },
    ),
    **_types(Family.DECIMAL, {"decimal": (246, 0)}),
    # Before and since the fractional formats of MySQL 5.6; MariaDB writes either.
    **_types(Family.TEMPORAL, {"time": (11, 19), "datetime": (12, 18), "timestamp": (7, 17)}),
    **_types(Family.BIT, {"bit": (16,)}),
    **_types(
        Family.TEXT,
        {
            "char": (254,),
            "varchar": (15, 253),
            "tinytext": _BLOB,
            "text": _BLOB,
            "mediumtext": _BLOB,
            "longtext": _BLOB,
        },
    ),
    **_types(
        Family.BINARY,
        {
            "binary": (254,),
            "varbinary": (15, 253),
            "tinyblob": _BLOB,
            "blob": _BLOB,
            "mediumblob": _BLOB,
            "longblob": _BLOB,
            "uuid": (254,),
            "inet6": (254,),
            "inet4": (254,),
            "vector": (242, 15),  # a type of its own in MySQL, a VARBINARY in MariaDB
        },
    ),
    **_types(Family.LABELS, {"enum": (247,), "set": (248,)}),
}

# MariaDB's COMPRESSED columns.
COMPRESSED = {15: 141, 253: 141, 252: 140}

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

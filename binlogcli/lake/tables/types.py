"""The one table of types: what a column of a log becomes in Arrow and Parquet, and what reads all versions of a table.

Types are named by short texts (`int16`, `decimal(20,0)`, `list<string>`), so that descriptions travel between processes
and into `schema.json` without pyarrow; `lake.arrays` makes Arrow types of them. A type holds every value of its column
exactly; what it cannot hold (zero dates) is null, and stands as text in a column of its own where that is asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from binlogcli.names.column_types import (
    BIT,
    DATE,
    DATETIME,
    DATETIME2,
    DOUBLE,
    ENUM,
    FLOAT,
    FRACTIONAL_TYPES,
    GEOMETRY,
    INT24,
    JSON,
    LONG,
    LONGLONG,
    NEWDATE,
    NEWDECIMAL,
    NULL,
    SET,
    SHORT,
    TIME,
    TIME2,
    TIMESTAMP,
    TIMESTAMP2,
    TINY,
    TYPED_ARRAY,
    VECTOR,
    YEAR,
    column_type_name,
)
from binlogcli.rows.table.definition import ColumnInfo, TableDefinition

WIDE = "decimal(20,0)"  # any integer of 64 bits, whatever its sign
UTC = "timestamp[us,UTC]"
LABEL = "label"  # a string that is one of few: a dictionary in Arrow, a string in Parquet
MAX_DIGITS = 38  # of a decimal of 128 bits; Spark cannot read wider ones, so these stay text
WIDTHS = {  # bytes of a value; those of decimals are 16, all others of any length
    **dict.fromkeys(("bool", "int8"), 1),
    "int16": 2,
    **dict.fromkeys(("int32", "float32", "date32", LABEL), 4),
    **dict.fromkeys(("int64", "float64", "timestamp[us]", UTC), 8),
}
INTEGERS = {  # by type code: signed, and unsigned
    TINY: ("int8", "int16"),
    SHORT: ("int16", "int32"),
    INT24: ("int32", "int32"),
    LONG: ("int32", "int64"),
    LONGLONG: ("int64", WIDE),
}
DATES = {
    DATE: "date32",
    NEWDATE: "date32",
    DATETIME: "timestamp[us]",
    DATETIME2: "timestamp[us]",
    TIMESTAMP: UTC,
    TIMESTAMP2: UTC,
}
PLAIN = {
    **DATES,
    FLOAT: "float32",
    DOUBLE: "float64",
    NULL: "string",
    TIME: "int64",  # TIME in microseconds: Parquet's own are neither negative nor longer than a day
    YEAR: "int16",
    TIME2: "int64",
    TYPED_ARRAY: "json",
    VECTOR: "list<float32>",
    JSON: "json",
    GEOMETRY: "binary",
}
SQL_NAMES = {
    TINY: "TINYINT",
    SHORT: "SMALLINT",
    LONG: "INT",
    TIMESTAMP: "TIMESTAMP",
    LONGLONG: "BIGINT",
    INT24: "MEDIUMINT",
    DATETIME: "DATETIME",
    NEWDATE: "DATE",
    TIMESTAMP2: "TIMESTAMP",
    DATETIME2: "DATETIME",
    TIME2: "TIME",
    NEWDECIMAL: "DECIMAL",
}
BITS = frozenset({BIT, ENUM, SET})
ADDRESSES = frozenset({"uuid", "inet4", "inet6"})
NAMED = {"vector": "list<float32>", "binary": "binary", **dict.fromkeys(ADDRESSES, "string")}
RAW, SRID = "__raw", "__srid"  # what the companions of a column are called
METADATA = (  # the columns that say where a change stands; of a change's own are those in OWN
    ("_op", LABEL),
    ("_before", "struct"),
    ("_ts", UTC),
    ("_commit_ts", UTC),
    ("_gtid", "string"),
    ("_xid", "int64"),
    ("_server_id", "int64"),
    ("_thread_id", "int64"),
    ("_file", LABEL),
    ("_pos", "int64"),
    ("_row", "int32"),
    ("_seq", "int64"),
    ("_absent", "list<string>"),
)
OWN = frozenset({"_op", "_ts", "_pos"})  # those that `--columns-only` leaves


@dataclass(frozen=True, slots=True)
class LakeColumn:
    """A column of a data set: its name there and in the log, what the server calls its type, and its type here."""

    name: str
    column: str
    source: str
    type: str
    companion: bool = False  # what belongs to the column before it

    def as_record(self) -> dict[str, Any]:
        """For a commit record; `dataclasses.asdict` takes ten times as long, and there are thousands."""
        return {
            "name": self.name,
            "column": self.column,
            "source": self.source,
            "type": self.type,
            "companion": self.companion,
        }


@dataclass(frozen=True)
class TableSchema:
    """One version of a table's columns, without those that tell of the change. Equal descriptions are one version."""

    database: str
    table: str
    columns: tuple[LakeColumn, ...]
    columns_only: bool = False

    def __hash__(self) -> int:
        return hash((self.database, self.table, self.fingerprint))

    @cached_property
    def fingerprint(self) -> str:
        """What tells versions of a table apart, the same in every process."""
        parts = [self.columns_only, *((one.name, one.source, one.type) for one in self.columns)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @cached_property
    def own(self) -> list[LakeColumn]:
        """The log's own columns, by their place there."""
        return [column for column in self.columns if not column.companion]

    @cached_property
    def names(self) -> list[str]:
        """What these are called."""
        return [column.name for column in self.own]

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Name and type of the columns that tell of the change, which stand after the table's own."""
        return [(name, kind) for name, kind in METADATA if not self.columns_only or name in OWN]


def lake_type(info: ColumnInfo, charset: str | None) -> str:
    """The type of a column's values; a text column that holds bytes of no character set turns out as `binary`."""
    code = info.code
    if code in INTEGERS:
        return INTEGERS[code][bool(info.unsigned)]
    if code == NEWDECIMAL:
        precision, scale = info.metadata[0], info.metadata[1]
        return f"decimal({precision},{scale})" if precision <= MAX_DIGITS else "string"
    if code in BITS:
        return _bits_type(info)
    if info.type_name in NAMED:
        return NAMED[info.type_name]
    return PLAIN.get(code) or ("binary" if charset == "binary" else "string")


def _bits_type(info: ColumnInfo) -> str:
    """BIT, and ENUM and SET: labels where the log has them, else their numbers."""
    if info.code == ENUM:
        return "int32" if info.labels is None else LABEL
    if info.code == SET:
        return "list<string>" if info.labels is not None else "int64" if info.length < 8 else WIDE
    return "bool" if info.length == 1 else "int64" if info.length < 64 else WIDE


def source_type(info: ColumnInfo, charset: str | None) -> str:
    """What the server calls the type, as far as the log says."""
    name = (info.type_name or SQL_NAMES.get(info.code) or column_type_name(info.code)).upper()
    if info.code == NEWDECIMAL:
        name += f"({info.metadata[0]},{info.metadata[1]})"
    elif info.code == BIT:
        name += f"({info.length})"
    elif info.code in FRACTIONAL_TYPES and info.metadata[0]:
        name += f"({info.metadata[0]})"
    if info.unsigned:
        name += " UNSIGNED"
    return f"{name} {charset}" if charset not in (None, "binary") else name


def companions(info: ColumnInfo, kind: str, *, raw_dates: bool) -> list[tuple[str, str]]:
    """Ending and type of the columns that stand beside a column."""
    if info.code == GEOMETRY and kind == "binary":
        return [(SRID, "int32")]
    if raw_dates and info.code in DATES:
        return [(RAW, "string")]
    return []


def describe(definition: TableDefinition, *, columns_only: bool, raw_dates: bool, binary: Iterable[int]) -> TableSchema:
    """The data set's columns for a table; those in `binary` hold text that is no text."""
    taken = {name for name, _ in METADATA}
    columns: list[LakeColumn] = []
    turned = frozenset(binary)
    for info in definition.columns:
        charset = info.charset(mariadb=definition.mariadb)
        kind = "binary" if info.index in turned else lake_type(info, charset)
        name = free_name(info.name or f"c{info.index + 1}", taken)
        columns.append(LakeColumn(name, readable(info.shown_name), source_type(info, charset), kind))
        for ending, other in companions(info, kind, raw_dates=raw_dates):
            columns.append(LakeColumn(free_name(name + ending, taken), readable(info.shown_name), ending, other, True))
    return TableSchema(readable(definition.database), readable(definition.table), tuple(columns), columns_only)


def readable(name: str) -> str:
    """A name of a log as sound Unicode: what was no UTF-8 as U+FFFD."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def free_name(wanted: str, taken: set[str]) -> str:
    """That name, or with a number behind it where a column has it already; Spark tells names apart without case."""
    name = wanted = readable(wanted)
    number = 2
    while name.lower() in taken:
        name = f"{wanted}_{number}"
        number += 1
    taken.add(name.lower())
    return name


# versions of a table ------------------------------------------------------------------------------------------------

RANKS = {"bool": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4}
DIGITS = {"bool": 1, "int8": 3, "int16": 5, "int32": 10, "int64": 19}


def widen(first: str, second: str) -> str | None:
    """The type that holds the values of both exactly; None where there is none but text."""
    if first == second:
        return first
    pair = {"string" if kind in (LABEL, "json") else kind for kind in (first, second)}
    if len(pair) == 1:
        return "string"
    if pair <= RANKS.keys():
        return max(pair, key=RANKS.__getitem__)
    if pair == {"float32", "float64"}:
        return "float64"
    if pair == {"string", "binary"}:
        return "binary"
    if pair == {"date32", "timestamp[us]"}:
        return "timestamp[us]"
    return _wide_decimal(pair)


def _wide_decimal(pair: set[str]) -> str | None:
    """A decimal for two decimals, or for a decimal and an integer."""
    sizes = []
    for kind in pair:
        if kind in DIGITS:
            sizes.append((DIGITS[kind], 0))
        elif kind.startswith("decimal("):
            precision, scale = map(int, kind[8:-1].split(","))
            sizes.append((precision - scale, scale))
        else:
            return None
    scale = max(size[1] for size in sizes)
    precision = max(size[0] for size in sizes) + scale
    return f"decimal({precision},{scale})" if precision <= MAX_DIGITS else None


def widened(versions: Iterable[TableSchema]) -> list[tuple[str, str]]:
    """Name and type of the columns that hold all versions; text where versions have nothing else in common."""
    found: dict[str, tuple[str, str]] = {}
    for version in versions:
        for column in version.columns:
            key = column.name.lower()
            name, kind = found.get(key, (column.name, column.type))
            found[key] = (name, widen(kind, column.type) or "string")
    return list(found.values())


def spark_struct(columns: Iterable[tuple[str, str]], *, columns_only: bool = False) -> dict[str, object]:
    """Columns and what tells of the change as the JSON of a Spark StructType."""
    own = [_spark_field(name, spark_type(kind)) for name, kind in columns]
    fields = list(own)
    for name, kind in METADATA:
        if name == "_before" and not columns_only:
            fields.append(_spark_field(name, {"type": "struct", "fields": own}))
        elif not columns_only or name in OWN:
            fields.append(_spark_field(name, spark_type(kind)))
    return {"type": "struct", "fields": fields}


def _spark_field(name: str, kind: object) -> dict[str, object]:
    return {"name": name, "type": kind, "nullable": True, "metadata": {}}


SPARK = {
    "bool": "boolean",
    "int8": "byte",
    "int16": "short",
    "int32": "integer",
    "int64": "long",
    "float32": "float",
    "float64": "double",
    "date32": "date",
    "timestamp[us]": "timestamp_ntz",
    UTC: "timestamp",
    "string": "string",
    LABEL: "string",
    "json": "string",
    "binary": "binary",
}


def spark_type(kind: str) -> object:
    """A type as the JSON of Spark's types."""
    if kind.startswith("list<"):
        return {"type": "array", "elementType": spark_type(kind[5:-1]), "containsNull": True}
    return SPARK.get(kind, kind)  # decimals are written alike


def as_dicts(versions: Iterable[TableSchema]) -> Iterator[dict[str, object]]:
    """The versions for `schema.json`."""
    for version in versions:
        yield {
            "fingerprint": version.fingerprint,
            "columns": [
                {"name": one.name, "column": one.column, "source": one.source, "type": one.type}
                for one in version.columns
            ],
        }

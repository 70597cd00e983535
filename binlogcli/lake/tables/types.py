"""The one table of types: what a column of a log becomes in Arrow and Parquet.

Types are named by short texts (`int16`, `decimal(20,0)`, `list<string>`), so that schemas travel between processes and
into `schema.json` without pyarrow; `decode.arrow_batches` makes Arrow types of them. A type holds every value of its
column exactly; what it cannot hold (zero dates) is null, and with `--zero-dates raw` text in a column of its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from binlogcli.names import column_types
from binlogcli.names.column_types import column_type_name
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.sources.log_names import read_log_name

LogOrder = tuple[int, int, str]  # when a log was begun, its number, its name

WIDE = "decimal(20,0)"  # any integer of 64 bits, whatever its sign
UTC = "timestamp[us,UTC]"
SEQUENCE_TYPE = "decimal(38,0)"  # of `_seq` (`lake.sequence`)
LABEL = "label"  # a string with few distinct values: a dictionary in Arrow, a string in Parquet
MAX_DIGITS = 38  # of a decimal of 128 bits; wider ones become text, as Spark cannot read them
WIDTHS = {  # bytes of a value; a decimal has 16, all other types any length
    **dict.fromkeys(("bool", "int8"), 1),
    "int16": 2,
    **dict.fromkeys(("int32", "float32", "date32", LABEL), 4),
    **dict.fromkeys(("int64", "float64", "timestamp[us]", UTC), 8),
}
INTEGERS = {  # by type code: signed, and unsigned
    column_types.TINY: ("int8", "int16"),
    column_types.SHORT: ("int16", "int32"),
    column_types.INT24: ("int32", "int32"),
    column_types.LONG: ("int32", "int64"),
    column_types.LONGLONG: ("int64", WIDE),
}
DATES = {
    column_types.DATE: "date32",
    column_types.NEWDATE: "date32",
    column_types.DATETIME: "timestamp[us]",
    column_types.DATETIME2: "timestamp[us]",
    column_types.TIMESTAMP: UTC,
    column_types.TIMESTAMP2: UTC,
}
PLAIN = {
    **DATES,
    column_types.FLOAT: "float32",
    column_types.DOUBLE: "float64",
    column_types.NULL: "string",
    column_types.TIME: "int64",  # TIME in microseconds: Parquet's own are neither negative nor longer than a day
    column_types.YEAR: "int16",
    column_types.TIME2: "int64",
    column_types.TYPED_ARRAY: "json",
    column_types.VECTOR: "list<float32>",
    column_types.JSON: "json",
    column_types.GEOMETRY: "binary",
}
SQL_NAMES = {
    column_types.TINY: "TINYINT",
    column_types.SHORT: "SMALLINT",
    column_types.LONG: "INT",
    column_types.TIMESTAMP: "TIMESTAMP",
    column_types.LONGLONG: "BIGINT",
    column_types.INT24: "MEDIUMINT",
    column_types.DATETIME: "DATETIME",
    column_types.NEWDATE: "DATE",
    column_types.TIMESTAMP2: "TIMESTAMP",
    column_types.DATETIME2: "DATETIME",
    column_types.TIME2: "TIME",
    column_types.NEWDECIMAL: "DECIMAL",
}
BITS = frozenset({column_types.BIT, column_types.ENUM, column_types.SET})
ADDRESSES = frozenset({"uuid", "inet4", "inet6"})
NAMED = {"vector": "list<float32>", "binary": "binary", **dict.fromkeys(ADDRESSES, "string")}
RAW, SRID = "__raw", "__srid"  # endings of the names of companions
METADATA = (  # the columns that describe the change, after the table's own
    ("_op", LABEL),
    ("_before", "struct"),
    ("_key", "struct"),
    ("_ts", UTC),
    ("_commit_ts", UTC),
    ("_outcome", LABEL),
    ("_gtid", "string"),
    ("_xid", "int64"),
    ("_xa", LABEL),
    ("_server_id", "int64"),
    ("_thread_id", "int64"),
    ("_file", LABEL),
    ("_pos", "int64"),
    ("_row", "int32"),
    ("_seq", SEQUENCE_TYPE),
    ("_absent", "list<string>"),
)
KEPT_METADATA = frozenset({"_op", "_ts", "_outcome", "_pos"})  # the ones left by `--columns-only`


@dataclass(frozen=True, slots=True)
class LakeColumn:
    """A column of a data set: its name there (`name`) and in the log (`column`), the server's type and the lake's."""

    name: str
    column: str
    source: str
    type: str
    companion: bool = False  # whether it belongs to the column before it
    sign_unknown: bool = False  # whether its numbers, taken as signed, may be unsigned ones
    former: tuple[str, ...] = ()  # names that it had before statements renamed it, the first one first

    def as_record(self) -> dict[str, Any]:
        """Return it as a commit record has it; `dataclasses.asdict` takes ten times as long."""
        return {
            "name": self.name,
            "column": self.column,
            "source": self.source,
            "type": self.type,
            "companion": self.companion,
            "sign_unknown": self.sign_unknown,
            "former": list(self.former),
        }

    @classmethod
    def from_record(cls, fields: dict[str, Any]) -> LakeColumn:
        """Make it of what `as_record` returned."""
        return cls(**{**fields, "former": tuple(fields.get("former", ()))})

    def description(self) -> dict[str, object]:
        """Return it as `schema.json` has it."""
        found: dict[str, object] = {"name": self.name, "column": self.column, "source": self.source, "type": self.type}
        if self.former:
            found["former_names"] = list(self.former)
        return found | {"sign_unknown": True} if self.sign_unknown else found


@dataclass(frozen=True, slots=True)
class VersionOrigin:
    """Where in the logs a version of a table begins, and the statement that made it.

    It is the place of the statement; without one, that of the first rows, and `statement` is empty. `created` is when
    the log was begun, in seconds since 1970; 0 where it is not known.
    """

    file: str  # without folder and packed ending
    position: int
    statement: str = ""
    created: int = 0

    def order(self, orders: Mapping[str, LogOrder]) -> tuple[LogOrder, int]:
        """Return its place in the order of the logs, as a sort key; `orders` are those of logs by their names."""
        if not self.created:
            return orders.get(self.file, (0, 0, "")), self.position
        parts = read_log_name(self.file)
        return (self.created, 0 if parts is None else parts.number, self.file), self.position


NO_ORIGIN = VersionOrigin("", 0)


@dataclass(frozen=True)
class TableSchema:
    """One version of a table's columns, without `METADATA`. Equal names, types and keys are one version."""

    database: str
    table: str
    columns: tuple[LakeColumn, ...]
    columns_only: bool = False
    primary_key: tuple[str, ...] = ()  # names in the data set of the columns by which the server knows a row
    origin: VersionOrigin = field(default=NO_ORIGIN, compare=False)

    def __hash__(self) -> int:
        return hash((self.database, self.table, self.fingerprint))

    @cached_property
    def fingerprint(self) -> str:
        """What distinguishes versions of a table: a digest that is equal in every process."""
        parts: list[object] = [self.columns_only, *self.primary_key]
        parts += [(one.name, one.source, one.type, *one.former) + ("?",) * one.sign_unknown for one in self.columns]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @property
    def key(self) -> tuple[str, str, str]:
        """Database, table and version."""
        return self.database, self.table, self.fingerprint

    @cached_property
    def own(self) -> list[LakeColumn]:
        """The columns that the log has, in its order, without companions."""
        return [column for column in self.columns if not column.companion]

    @cached_property
    def names(self) -> list[str]:
        """The names of `own`."""
        return [column.name for column in self.own]

    def description(self) -> dict[str, object]:
        """Return the version as `schema.json` has it."""
        found: dict[str, object] = {"fingerprint": self.fingerprint}
        if self.origin != NO_ORIGIN:
            found |= {"file": self.origin.file, "pos": self.origin.position, "statement": self.origin.statement or None}
        return found | {"primary_key": list(self.primary_key), "columns": [one.description() for one in self.columns]}

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Name and type of the columns that tell of the change."""
        return [(name, kind) for name, kind in METADATA if has_metadata(name, self.columns_only, self.primary_key)]


def has_metadata(name: str, columns_only: bool, key: Collection[str]) -> bool:
    """Whether a table has a column of METADATA; `key` has the columns of its primary key."""
    return (not columns_only or name in KEPT_METADATA) and (name != "_key" or len(key) > 0)


def lake_type(info: ColumnInfo, charset: str | None) -> str:
    """Return the type of a column's values; that of text is `binary` where the column has no character set."""
    code = info.code
    if code in INTEGERS:
        return INTEGERS[code][bool(info.unsigned)]
    if code == column_types.NEWDECIMAL:
        precision, scale = info.metadata[0], info.metadata[1]
        return f"decimal({precision},{scale})" if precision <= MAX_DIGITS else "string"
    if code in BITS:
        return _bits_type(info)
    if info.type_name in NAMED:
        return NAMED[info.type_name]
    return PLAIN.get(code) or ("binary" if charset == "binary" else "string")


def _bits_type(info: ColumnInfo) -> str:
    """Return the type of BIT, ENUM and SET: labels where the log has them, else numbers."""
    if info.code == column_types.ENUM:
        return "int32" if info.labels is None else LABEL
    if info.code == column_types.SET:
        return "list<string>" if info.labels is not None else "int64" if info.length < 8 else WIDE
    return "bool" if info.length == 1 else "int64" if info.length < 64 else WIDE


def source_type(info: ColumnInfo, charset: str | None) -> str:
    """Return the server's name of the type, with what the log has of digits, sign and character set."""
    name = (info.type_name or SQL_NAMES.get(info.code) or column_type_name(info.code)).upper()
    if info.code == column_types.NEWDECIMAL:
        name += f"({info.metadata[0]},{info.metadata[1]})"
    elif info.code == column_types.BIT:
        name += f"({info.length})"
    elif info.code in column_types.FRACTIONAL_TYPES and info.metadata[0]:
        name += f"({info.metadata[0]})"
    if info.unsigned:
        name += " UNSIGNED"
    return f"{name} {charset}" if charset not in (None, "binary") else name


def companions(info: ColumnInfo, kind: str, *, raw_dates: bool) -> list[tuple[str, str]]:
    """Return name ending and type of the columns that are added to a column."""
    if info.code == column_types.GEOMETRY and kind == "binary":
        return [(SRID, "int32")]
    if raw_dates and info.code in DATES:
        return [(RAW, "string")]
    return []


def describe(
    definition: TableDefinition,
    *,
    columns_only: bool,
    raw_dates: bool,
    binary: Iterable[int] = (),
    origin: VersionOrigin = NO_ORIGIN,
) -> TableSchema:
    """Return the schema of a table. `binary` holds the indices of text columns in which invalid text was found."""
    taken = {name for name, _ in METADATA}
    columns: list[LakeColumn] = []
    own: list[str] = []
    turned = frozenset(binary)
    for info in definition.columns:
        charset = info.charset(mariadb=definition.mariadb)
        kind = "binary" if info.index in turned else lake_type(info, charset)
        name = free_name(info.name or f"c{info.index + 1}", taken)
        source = source_type(info, charset)
        column = LakeColumn(name, readable(info.shown_name), source, kind, sign_unknown=info.sign_unknown)
        columns.append(replace(column, former=tuple(map(readable, info.former))) if info.former else column)
        own.append(name)
        for ending, other in companions(info, kind, raw_dates=raw_dates):
            columns.append(LakeColumn(free_name(name + ending, taken), readable(info.shown_name), ending, other, True))
    key = tuple(own[index] for index in definition.primary_key if index < len(own))
    names = readable(definition.database), readable(definition.table)
    return TableSchema(*names, tuple(columns), columns_only, key, origin)


def readable(name: str) -> str:
    """Return a name as valid Unicode, with U+FFFD in place of bytes that are not UTF-8."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def free_name(wanted: str, taken: set[str]) -> str:
    """Return the name, with a number after it where it is taken; names are compared without case, as Spark does."""
    name = wanted = readable(wanted)
    number = 2
    while name.lower() in taken:
        name = f"{wanted}_{number}"
        number += 1
    taken.add(name.lower())
    return name

"""Views of duckdb: a table of the lake with all its versions as one, and the rows that are in it after all changes.

The views name the files of each version by a pattern, so that later epochs are in them without new views.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from binlogcli.lake.tables.latest_view import latest_view
from binlogcli.lake.tables.logical import LogicalTable
from binlogcli.lake.tables.sql_text import quoted, text, texts
from binlogcli.lake.tables.types import LABEL, METADATA, UTC, LakeColumn

LATEST = ".latest"  # appended to the name of a table: the view of its rows after all changes
_TEXTS = frozenset(("string", LABEL, "json"))
_TYPES = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "date32": "DATE",
    "timestamp[us]": "TIMESTAMP",
    UTC: "TIMESTAMPTZ",
    "string": "VARCHAR",
    LABEL: "VARCHAR",
    "json": "JSON",
    "binary": "BLOB",
    "list<string>": "VARCHAR[]",
    "list<float32>": "FLOAT[]",
}
_TIME = "'%Y-%m-%d %H:%M:%S.%f'"


@dataclass(frozen=True, slots=True)
class VersionFiles:
    """The pattern of a version's files, and which of their rows are wanted: `_seq` above `after` and below `before`."""

    pattern: str
    after: int | None = None
    before: int | None = None


Rows = tuple[LogicalTable, Sequence[VersionFiles]]  # a table, and the files of each of its versions


def views(name: tuple[str, str], own: Rows, all_names: Rows, xa: str = "") -> str:
    """Return the statements that make the views of a table, given by database and name.

    `own` are the rows that were logged under that name, `all_names` those under its earlier names, too. `xa` is the
    pattern of the ends of XA transactions; empty without any.
    """
    database, table = name
    logical = own[0]
    lines = [
        f"CREATE SCHEMA IF NOT EXISTS {quoted(database)};",
        f"CREATE OR REPLACE VIEW {quoted(database)}.{quoted(table)} AS",
        f"{_rows(*own, xa)};",
    ]
    if not logical.columns_only:
        lines += [
            f"CREATE OR REPLACE VIEW {quoted(database)}.{quoted(table + LATEST)} AS",
            f"{latest_view(f'{database}.{table}', _rows(*all_names, xa, lacking=True), all_names[0])};",
        ]
    return "\n".join(lines) + "\n"


def duckdb_type(kind: str) -> str:
    """Return duckdb's name of a type."""
    return _TYPES.get(kind, kind.upper())


# all versions as one ------------------------------------------------------------------------------------------------


def _rows(logical: LogicalTable, files: Sequence[VersionFiles], xa: str, *, lacking: bool = False) -> str:
    """Return the rows of all versions; if `lacking`, with the columns that their versions lack in `_absent`."""
    rows = "\nUNION ALL\n".join(
        _select(logical, number, one, logical.lacking_in(number) if lacking else ()) for number, one in enumerate(files)
    )
    return _decided(rows, xa) if xa and not logical.columns_only else rows


def _select(logical: LogicalTable, number: int, files: VersionFiles, lacking: Sequence[str]) -> str:
    """Return the rows of a version with the columns of all versions, and those of `lacking` in `_absent`."""
    columns = [f"{_value(one.sources.get(number), one.type)} AS {quoted(one.name)}" for one in logical.columns]
    there = {name for name, _ in logical.versions[number].metadata}
    for name, kind in METADATA:
        if name == "_before" and name in there:
            columns.append(f"{_before(logical, number)} AS _before")
        elif name == "_key" and name in there and logical.primary_key:
            columns.append(f"{_key(logical, number)} AS _key")
        elif name == "_key":
            if logical.primary_key:
                columns.append(f"NULL::{_key_type(logical)} AS _key")
        elif name == "_absent" and name in there:
            columns.append(f"{_absent(logical.renamed_in(number), lacking)} AS _absent")
        elif name in there:
            columns.append(name)
        elif not logical.columns_only:
            columns.append(f"NULL::{duckdb_type(kind)} AS {name}")
    bounds = [f"_seq > {files.after}"] if files.after is not None else []
    bounds += [f"_seq < {files.before}"] if files.before is not None else []
    where = f"\nWHERE {' AND '.join(bounds)}" if bounds else ""
    source = f"read_parquet({text(files.pattern)}, hive_partitioning = false)"
    return f"SELECT {', '.join(columns)}\nFROM {source}{where}"


def _decided(rows: str, xa: str) -> str:
    """Return rows with the outcome of prepared XA transactions, where their end is known."""
    ends = f"read_parquet({text(xa)}, hive_partitioning = false)"
    return (
        f"WITH changes AS (\n{rows}\n)\n"
        f"SELECT * FROM changes WHERE _outcome IS DISTINCT FROM 'xa_prepared'\n"
        f"UNION ALL SELECT changes.* REPLACE (coalesce(ends._outcome, changes._outcome) AS _outcome)\n"
        f"FROM changes ASOF LEFT JOIN {ends} AS ends\n"
        f"ON changes._xa = ends._xa AND changes._seq < ends._seq WHERE changes._outcome = 'xa_prepared'"
    )


def _value(column: LakeColumn | None, target: str, owner: str = "") -> str:
    """Return the value of a version's column as the type of all versions; NULL where the version lacks it."""
    if column is None:
        return f"NULL::{duckdb_type(target)}"
    return _cast(owner + quoted(column.name), column.type, target)


def _before(logical: LogicalTable, number: int) -> str:
    """Return the struct of the columns before an update."""
    own = [(column.name, column.type) for column in logical.versions[number].columns]
    if own == logical.types:
        return "_before"
    fields = [
        f"{quoted(one.name)} := {_value(one.sources.get(number), one.type, '_before.')}" for one in logical.columns
    ]
    return f"CASE WHEN _before IS NOT NULL THEN struct_pack({', '.join(fields)}) END"


def _key(logical: LogicalTable, number: int) -> str:
    """Return the struct of the primary key's columns."""
    known = logical.versions[number].primary_key
    columns = {one.name: one for one in logical.columns}
    fields = []
    for name in logical.primary_key:
        own = columns[name].sources.get(number)
        value = _value(own if own is not None and own.name in known else None, columns[name].type, "_key.")
        fields.append(f"{quoted(name)} := {value}")
    return f"CASE WHEN _key IS NOT NULL THEN struct_pack({', '.join(fields)}) END"


def _key_type(logical: LogicalTable) -> str:
    """Return the type of that struct."""
    types = dict(logical.types)
    return f"STRUCT({', '.join(f'{quoted(name)} {duckdb_type(types[name])}' for name in logical.primary_key)})"


def _absent(renamed: dict[str, str], lacking: Sequence[str]) -> str:
    """Return the names of the columns that an image lacks, and those of `lacking`."""
    found = "_absent"
    if renamed:
        names = renamed | {f"_before.{name}": f"_before.{now}" for name, now in renamed.items()}
        cases = " ".join(f"WHEN {text(name)} THEN {text(now)}" for name, now in names.items())
        found = f"list_transform(_absent, lambda name: CASE name {cases} ELSE name END)"
    if lacking:
        found = f"list_concat({found}, {texts((*lacking, *(f'_before.{name}' for name in lacking)))})"
    return found


def _cast(value: str, kind: str, target: str) -> str:
    """Return a value of one type as the other."""
    if kind == target or {kind, target} == {"string", LABEL}:
        return value
    if target == "string":
        return _as_text(value, kind)
    if target == "binary":
        return f"encode({_as_text(value, kind)})"
    return f"CAST({value} AS {duckdb_type(target)})"


def _as_text(value: str, kind: str) -> str:
    """Return a value as text, as `casting` has it."""
    if kind == "bool":
        return f"CAST(CAST({value} AS TINYINT) AS VARCHAR)"
    if kind == "timestamp[us]":
        return f"strftime({value}, {_TIME})"
    if kind == UTC:
        return f"strftime({value} AT TIME ZONE 'UTC', {_TIME})"
    if kind == "list<string>":
        return f"array_to_string({value}, ',')"
    return value if kind in ("string", LABEL) else f"CAST({value} AS VARCHAR)"

"""What an output directory says of its tables: `schema.json` of each, and the views of duckdb.

All of it follows from the commit records. It is written when a table has a new version, and again where the directory
was moved, as views name their files from the root.

Files by date go when the user removes their days. duckdb refuses a pattern without a file, so the patterns fit a file
without rows, too, which each version has in a directory of its own, out of the way of other readers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from binlogcli.lake.store.fsync import make_directories, sync_all
from binlogcli.lake.store.state import LakeState, LakeTable
from binlogcli.lake.table_marks import Lineage, lineage_of
from binlogcli.lake.tables.duckdb_views import Rows, VersionFiles, views
from binlogcli.lake.tables.logical import LogicalTable, logical_table
from binlogcli.lake.tables.spark_schema import spark_struct
from binlogcli.lake.tables.types import TableSchema

XA = "xa"  # the directory of the ends of XA transactions
_EMPTY = "_empty"  # that of files without rows, laid out as `tables`
_VIEWS = "views"
_ENCODING = "utf-8"


def logical_of(versions: Sequence[TableSchema], orders: Mapping[str, tuple[int, int, str]]) -> LogicalTable:
    """Return versions as one table; `orders` are those of the logs, as `History.orders` has them."""
    return logical_table(versions, sorted(range(len(versions)), key=lambda at: versions[at].origin.order(orders)))


def describe_tables(meta: Path, tables: Iterable[LakeTable], state: LakeState) -> None:
    """Replace `schema.json` and the views of these tables below `meta`, the directory `_binlog`.

    Where the directory was moved, has no views, or has the first end of an XA transaction, all are replaced.
    """
    orders: dict[str, dict[str, tuple[int, int, str]]] = {}  # by database
    root = meta.resolve().parent
    by_date = state.by_date
    basis = os.fsencode(root) + b"\n" + b"xa" * _has_ends(root)
    tables = list(state.tables.values()) if _basis(meta) != basis else _with_successors(tables, state)
    found: dict[str, bytes] = {}
    for table in tables:
        if table.database not in orders:
            orders[table.database] = state.orders_for(table.database)
        logical = logical_of(table.versions, orders[table.database])
        lineage = lineage_of((table.database, table.table), state.marks.renames)
        found[f"{meta}/tables/{table.directory}/schema.json"] = _description(table, logical, lineage)
        found[f"{meta}/{_VIEWS}/{_view_name(table)}.sql"] = _views(
            table, logical, _all_names(lineage, state, root, orders[table.database]), root, by_date=by_date
        )
        if by_date:
            found |= _empty_files(table, root)
    _replace_all(found)
    if found:
        _replace_all({f"{meta}/{_VIEWS}.sql": _all_views(meta, state.tables.values())})
        _replace_all({f"{meta}/{_VIEWS}/basis": basis})


def _has_ends(root: Path) -> bool:
    """Whether there are ends of XA transactions."""
    return next((root / XA).glob("*.parquet"), None) is not None


def _basis(meta: Path) -> bytes:
    """Return what the views are made for: the directory, and whether it has ends of XA transactions."""
    try:
        return (meta / _VIEWS / "basis").read_bytes()
    except FileNotFoundError:
        return b""


def _view_name(table: LakeTable) -> str:
    """Return the name of a table's views as that of a file, without ending."""
    return ".".join(part.replace(".", "%2E") for part in table.directory.split("/"))


def _with_successors(tables: Iterable[LakeTable], state: LakeState) -> list[LakeTable]:
    """Return these tables, and those that they were renamed to."""
    found = {(table.database, table.table): table for table in tables}
    for mark in sorted(state.marks.renames, key=lambda mark: mark.seq):
        new = (mark.new[0], mark.new[1])
        if (mark.database, mark.table) in found and new in state.tables:
            found[new] = state.tables[new]
    return list(found.values())


def _all_names(
    lineage: Iterable[Lineage], state: LakeState, root: Path, orders: Mapping[str, tuple[int, int, str]]
) -> Rows:
    """Return the rows that were logged under all names of a table, as one table."""
    versions: list[TableSchema] = []
    files: list[VersionFiles] = []
    for one in reversed(list(lineage)):
        if (table := state.tables.get((one.database, one.table))) is not None:
            versions += table.versions
            files += _files(table, root, one, by_date=state.by_date)
    return logical_of(versions, orders), files


def _files(table: LakeTable, root: Path, name: Lineage | None = None, *, by_date: bool) -> list[VersionFiles]:
    """Return the files of each version of a table, or those of its rows that were logged under a name."""
    top = f"{escaped(str(root))}/{'*' if by_date else 'tables'}"  # * is `tables` or _EMPTY
    bounds = (None, None) if name is None else (name.after, name.before)
    return [VersionFiles(f"{top}/{pattern_of(table.folder(at))}", *bounds) for at in range(len(table.versions))]


def _empty_files(table: LakeTable, root: Path) -> dict[str, bytes]:
    """Return a Parquet file without rows for each version of a table that has none yet, by path."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from binlogcli.lake.decode.arrow_batches import arrow_schema  # imports pyarrow

    found = {}
    for at, version in enumerate(table.versions):
        path = f"{root}/{_EMPTY}/{table.folder(at)}/0.parquet"
        if not os.path.exists(path):
            file = pa.BufferOutputStream()
            pq.write_table(arrow_schema(version).empty_table(), file, store_schema=False)
            found[path] = file.getvalue().to_pybytes()
    return found


def _views(table: LakeTable, logical: LogicalTable, all_names: Rows, root: Path, *, by_date: bool) -> bytes:
    """Return the views of a table."""
    ends = f"{root}/{XA}/*.parquet" if _has_ends(root) else ""
    name, own = (table.database, table.table), (logical, _files(table, root, by_date=by_date))
    return views(name, own, all_names, ends).encode(_ENCODING, "surrogateescape")


def pattern_of(folder: str) -> str:
    """Return the pattern of the files below a folder."""
    return f"{escaped(folder)}/**/*.parquet"


def escaped(path: str) -> str:
    """Return a pattern that fits a path alone: what is special in patterns is in brackets."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)


def _all_views(meta: Path, tables: Iterable[LakeTable]) -> bytes:
    """Return the views of all tables."""
    return b"\n".join(sorted(Path(f"{meta}/{_VIEWS}/{_view_name(table)}.sql").read_bytes() for table in tables))


def _description(table: LakeTable, logical: LogicalTable, lineage: Iterable[Lineage]) -> bytes:
    """Return a table's `schema.json`: its versions, and as `widened` the columns that read them all."""
    text = {
        "database": table.database,
        "table": table.table,
        "directory": f"tables/{table.directory}",
        "primary_key": list(logical.primary_key),
        "lineage": [one.description() for one in lineage],
        "versions": [
            {"schema": at, "generation": table.generations[at], "directory": f"tables/{table.folder(at)}"}
            | one.description()
            for at, one in enumerate(table.versions)
        ],
        "columns": [
            {"name": one.name, "type": one.type, "names": {str(at): own.name for at, own in one.sources.items()}}
            for one in logical.columns
        ],
        "widened": spark_struct(
            logical.types, columns_only=logical.columns_only, unsure=logical.unsure, key=logical.primary_key
        ),
    }
    return json.dumps(text).encode() + b"\n"


def _replace_all(files: Mapping[str, bytes]) -> None:
    """Replace files, each by a whole one. They are synced in lots: one by one it takes ten times as long."""
    folders = make_directories({path.rpartition("/")[0] for path in files})
    for path, data in files.items():
        with open(f"{path}.new", "wb") as file:
            file.write(data)
    sync_all([f"{path}.new" for path in files])
    for path in files:
        os.replace(f"{path}.new", path)
    sync_all(sorted(folders))

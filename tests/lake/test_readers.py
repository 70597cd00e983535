"""Spark, pyarrow and duckdb read the same values out of the same files, whatever their type."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import pickle
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from binlogcli.lake.decode import collector
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.tables.types import LABEL, UTC, TableSchema
from support.corpus import logs
from support.golden import golden_logs
from support.lake_runs import Quiet, serial
from support.lake_values import plain_numbers
from support.program import HOME, missing

duckdb = pytest.importorskip("duckdb")
SCRIPT = Path(__file__).with_name("spark_reading.py")
compiled = pytest.mark.skipif(str(collector.__file__).endswith(".py"), reason="runs once, on the compiled form")
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # most of Spark's time goes into making ready for more than this
Row = tuple[Any, ...]
SEEN = {  # what users of Spark and of duckdb are to see of each type of ours; decimals are called alike
    "bool": ("boolean", "BOOLEAN"),
    "int8": ("tinyint", "TINYINT"),
    "int16": ("smallint", "SMALLINT"),
    "int32": ("int", "INTEGER"),
    "int64": ("bigint", "BIGINT"),
    "float32": ("float", "FLOAT"),
    "float64": ("double", "DOUBLE"),
    "date32": ("date", "DATE"),
    "timestamp[us]": ("timestamp_ntz", "TIMESTAMP"),
    UTC: ("timestamp", "TIMESTAMP WITH TIME ZONE"),
    "string": ("string", "VARCHAR"),
    LABEL: ("string", "VARCHAR"),
    "json": ("string", "JSON"),
    "binary": ("binary", "BLOB"),
    "list<string>": ("array<string>", "VARCHAR[]"),
    "list<float32>": ("array<float>", "FLOAT[]"),
}


def kinds_of(version: TableSchema) -> dict[str, str]:
    """Name and type of all columns but structs."""
    told = {name: kind for name, kind in version.metadata if kind != "struct"}
    return {column.name: column.type for column in version.columns} | told


def chosen(versions: dict[Path, TableSchema], rows: dict[Path, int]) -> list[Path]:
    """Versions of tables that together have every type of column, each with most rows first."""
    left = {(column.source, column.type) for version in versions.values() for column in version.columns}
    found = []
    while left:
        best = max(versions, key=lambda path: (len(left & types_of(versions[path])), rows[path]))
        left -= types_of(versions[best])
        found.append(best)
    return found


def types_of(version: TableSchema) -> set[tuple[str, str]]:
    return {(column.source, column.type) for column in version.columns}


def make_lake(output: Path) -> dict[Path, TableSchema]:
    """Directories of Parquet files that have every type there is, and what they are to hold."""
    found = [path for path in logs() or golden_logs() if path.read_bytes()[:4] != b"\xfdbin"]
    job = Job(JobOptions(str(output), LakeOptions(zero_dates="raw"), final=True), serial)
    job.run(list(map(str, found)), Quiet())
    state, _ = job.store.look()
    versions = {
        output / "tables" / table.folder(number): version
        for table in state.tables.values()
        for number, version in enumerate(table.versions)
    }
    rows = {path: sum(pq.read_metadata(file).num_rows for file in path.iterdir()) for path in versions}
    return {path: versions[path] for path in chosen(versions, rows)}


def by_spark(folders: list[Path], scratch: Path) -> dict[str, tuple[list[tuple[str, str]], list[Row]]]:
    if shutil.which("java") is None:
        missing("Java is not installed")
    (scratch / "folders.json").write_text(json.dumps(list(map(str, folders))))
    command = [sys.executable, "-P", str(SCRIPT), str(scratch / "folders.json"), str(scratch / "answer")]
    environment = {
        **os.environ,
        "PYTHONPATH": str(HOME),
        "PYSPARK_PYTHON": sys.executable,
        "TZ": "UTC",
        "JAVA_TOOL_OPTIONS": QUICK,
    }
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(pickle.loads((scratch / "answer").read_bytes()))


def by_pyarrow(folder: Path) -> list[Row]:
    rows: list[tuple[int, Row]] = []
    for path in folder.iterdir():
        table = pq.ParquetFile(path).read()
        columns: list[list[Any]] = []
        for column in table.columns:
            whole = plain_numbers(column.combine_chunks(), pa)
            if pa.types.is_struct(whole.type):
                columns.append([one.is_valid for one in whole])
                columns += [part.to_pylist() for part in whole.flatten()]
            else:
                columns.append(whole.to_pylist())
        rows += zip(table["_seq"].to_pylist(), zip(*columns, strict=True), strict=True)
    return [row for _, row in sorted(rows, key=lambda one: one[0])]


def by_duckdb(connection: Any, folder: Path, version: TableSchema) -> tuple[dict[str, str], list[Row]]:
    source = f"read_parquet('{folder}/*.parquet', hive_partitioning = false)"
    kinds = {name: kind for name, kind, *_ in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}
    parts: list[str] = []
    types = {column.name: column.type for column in version.columns}
    structs = {"_before": [*types], "_key": version.primary_key}
    for name, kind in [*types.items(), *version.metadata]:
        if kind == "struct":
            parts.append(f"{name} IS NOT NULL")
            parts += [shown(f"{name}.{quoted(part)}", types[part]) for part in structs[name]]
        else:
            parts.append(shown(quoted(name), kind))
    return kinds, connection.execute(f"SELECT {', '.join(parts)} FROM {source} ORDER BY _seq").fetchall()


def shown(expression: str, kind: str) -> str:
    return f"epoch_us({expression})" if kind in {UTC, "timestamp[us]"} else expression


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def exact(value: Any) -> Any:
    """A value by what it is, whichever way Python was given it."""
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack("<d", value)
    if isinstance(value, dt.datetime):
        return (value - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    if isinstance(value, (list, tuple)):
        return tuple(map(exact, value))
    return value


@compiled
def test_spark_pyarrow_and_duckdb_read_the_same_of_every_type(tmp_path: Path) -> None:
    lake = make_lake(tmp_path / "lake")
    sparks = by_spark(list(lake), tmp_path)
    seen = set()
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for folder, version in lake.items():
            spark_kinds, spark_rows = sparks[str(folder)]
            duckdb_kinds, duckdb_rows = by_duckdb(connection, folder, version)
            for name, kind in kinds_of(version).items():
                assert (dict(spark_kinds)[name], duckdb_kinds[name]) == SEEN.get(kind, (kind, kind.upper()))
                seen.add(kind)
            first, second, third = (
                [tuple(map(exact, row)) for row in rows] for rows in (spark_rows, by_pyarrow(folder), duckdb_rows)
            )
            assert len(first) > 0
            assert first == second
            assert second == third
    assert seen >= SEEN.keys() or not logs()

"""The rows that a server had at the end, out of Parquet: inserts, updates and deletes added up by duckdb."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow.parquet as pq
import pytest

from binlogcli.lake import collect
from binlogcli.lake.decode import Batch, LakeOptions, Split, decode_split
from binlogcli.lake.parquet import writer_arguments
from binlogcli.lake.types import UTC, TableSchema
from corpus import CORPUS
from lakelike import key_options, microseconds
from test_corpus_rows import CANNOT_AGREE, FIDELITY

duckdb = pytest.importorskip("duckdb")
pytestmark = pytest.mark.skipif(not FIDELITY.exists(), reason="no corpus beside the project")
COMPILED = not str(collect.__file__).endswith(".py")
SMALL = ("mysql-8.4/types_int_full", "mysql-9.7/image-full", "mysql-8.4/types_dec_full")  # uncompiled, these alone
Table = tuple[str, str]


def fidelity() -> ModuleType:
    """The check of rows against the servers' own, whose ways of comparing are used here."""
    found = importlib.util.spec_from_file_location("fidelity", FIDELITY)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def scenarios() -> list[Path]:
    """Those whose rows can be rebuilt from their logs alone."""
    if not FIDELITY.exists():
        return []
    check = fidelity()
    return [
        folder
        for folder in check.scenarios(CORPUS, "")
        if check.exists(folder / "rows.jsonl")
        and (
            json.loads((folder / "info.json").read_text()).get("rows_check")
            or (folder.name in check.ROW_SCENARIOS and check.schema_of(folder))
        )
        and (COMPILED or str(folder.relative_to(CORPUS)) in SMALL)
    ]


def write(folder: Path, target: Path, check: ModuleType) -> dict[Table, list[TableSchema]]:
    """A Parquet file for each version of each table; the versions."""
    schema = check.schema_of(folder)
    versions: dict[Table, list[TableSchema]] = {}
    writers: dict[str, pq.ParquetWriter] = {}
    options = LakeOptions(schemas=(str(schema),) if schema else (), keys=key_options(folder))
    for number, log in enumerate(check.logs(folder)):
        for item in decode_split(Split(str(log), seq_base=number << 48), options):
            if not isinstance(item, Batch) or item.schema is None:
                continue
            path = path_of(item.schema, target)
            if path not in writers:
                versions.setdefault((item.schema.database, item.schema.table), []).append(item.schema)
                writers[path] = pq.ParquetWriter(path, item.data.schema, **writer_arguments(item.data))
            writers[path].write_batch(item.data)
    for writer in writers.values():
        writer.close()
    return versions


def path_of(schema: TableSchema, target: Path) -> str:
    name = hashlib.sha256(repr((schema.database, schema.table, schema.fingerprint)).encode()).hexdigest()
    return str(target / f"{name}.parquet")


def final_rows(versions: list[TableSchema], target: Path) -> Iterator[list[Any]]:
    """What is left of a table after all its changes, as JSON would show it."""
    version = versions[-1]
    files = [path_of(one, target) for one in versions]
    names = [f'"{column.name.replace(chr(34), chr(34) * 2)}"' for column in version.columns]
    kinds = {column.name: column.type for column in version.columns}
    before = [f"struct_extract(_before, '{column.name.replace(chr(39), chr(39) * 2)}')" for column in version.columns]
    shown = [f"epoch_us({name})" if kind == UTC else name for name, kind in zip(names, kinds.values(), strict=True)]
    query = f"""
        WITH changes AS (SELECT * FROM read_parquet({files}, union_by_name = true)), counted AS (
            SELECT {", ".join(names)}, CASE _op WHEN 'delete' THEN -1 ELSE 1 END AS n__ FROM changes
            UNION ALL SELECT {", ".join(before)}, -1 FROM changes WHERE _op = 'update')
        SELECT {", ".join(shown)}, sum(n__)::INT FROM counted GROUP BY {", ".join(names)} HAVING sum(n__) > 0"""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for *values, count in connection.execute(query).fetchall():
            yield from [values] * count


def as_shown(values: list[Any], version: TableSchema) -> list[Any]:
    """A row of the lake by the log's own columns."""
    shown: list[Any] = []
    for value, column in zip(values, version.columns, strict=True):
        if column.companion:
            shown[-1] = None if shown[-1] is None else {"srid": value, "wkb": shown[-1]["hex"]}
        else:
            shown.append({"hex": value.hex()} if isinstance(value, bytes) else value)
    return shown


def wanted(value: Any, column: dict[str, str], kind: str, check: ModuleType) -> Any:
    """A value of the truth as the lake is to hold it."""
    want = check.expected(value, column)
    if want is None:
        return None
    if kind in {UTC, "timestamp[us]", "date32"}:
        return microseconds(want)
    if kind == "list<string>":
        return want.split(",") if want else []
    if kind == "binary" and isinstance(want, str):  # text that a log without character sets does not know for text
        return {"hex": want.encode().hex()}
    return want


def have_value(value: Any, column: dict[str, str], kind: str) -> Any:
    """A value of the lake in the terms of the check."""
    if value is None:
        return None
    if kind in {"timestamp[us]", "date32"}:
        return microseconds(value.isoformat(sep=" ") if kind == "timestamp[us]" else value.isoformat())
    if column["type"].startswith("time") and kind == "int64":
        return clock(value, column["type"])
    if kind == "json":
        return json.loads(value)
    if kind.startswith("decimal") and not column["type"].startswith("decimal"):
        return int(value)
    return format(value, "f") if kind.startswith("decimal") else int(value) if kind == "bool" else value


def clock(value: int, kind: str) -> str:
    """Microseconds as the server prints a TIME(n)."""
    digits = int(kind[5:-1]) if "(" in kind else 0
    seconds, micro = divmod(abs(value), 1000000)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return ("-" if value < 0 else "") + text + (f".{micro:06d}"[: digits + 1] if digits else "")


def compare(
    columns: list[dict[str, str]], want_rows: list[Any], have_rows: list[Any], version: TableSchema, check: ModuleType
) -> str:
    kinds = [column.type for column in version.own]
    left = [
        [have_value(v, c, k) for v, c, k in zip(row, columns, kinds, strict=False)]
        for row in (as_shown(values, version) for values in have_rows)
    ]
    if len(want_rows) != len(left):
        return f"{len(want_rows)} rows wanted, {len(left)} found"
    for raw in want_rows:
        want = [wanted(v, c, k, check) for v, c, k in zip(raw, columns, kinds, strict=False)]
        hit = next((at for at, have in enumerate(left) if all(map(check.same, want, have, columns))), None)
        if hit is None:
            near = next((have for have in left if have and have[0] == want[0]), None)
            return f"no row like {str(want)[:300]}, near {str(near)[:300]}"
        del left[hit]
    return ""


@pytest.mark.parametrize("folder", scenarios(), ids=lambda folder: str(folder.relative_to(CORPUS)))
def test_final_rows_are_the_servers_own(folder: Path, tmp_path: Path) -> None:
    check = fidelity()
    versions = write(folder, tmp_path, check)
    problems = {}
    for table, columns, want in check.truth_tables(folder):
        name = f"{folder.relative_to(CORPUS)} {'.'.join(table)}"
        if name in CANNOT_AGREE or (table not in versions and not want):
            continue
        known = versions.get(table)
        have = list(final_rows(known, tmp_path)) if known else []
        problem = compare(columns, want, have, known[-1], check) if known else "no changes found"
        if problem:
            problems[name] = problem
    assert not problems

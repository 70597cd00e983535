"""The rows that a server had at the end, out of Parquet: each insert, update and delete applied in the order of `_seq`.

A scenario's logs are converted by a whole job (without Spark), duckdb reads what it published and puts it in order.
"""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from binlogcli.lake.decode import collector
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.table_marks import Lineage, lineage_of
from binlogcli.lake.tables.types import RAW, UTC, LakeColumn
from support.bodies import query
from support.corpus import CORPUS
from support.golden import GOLDEN
from support.lake_runs import Quiet, job, serial
from support.lake_values import key_options, microseconds
from support.logs import QUERY
from support.shop_logs import ShopLog
from test_corpus_rows import BLACKHOLE, CANNOT_AGREE, CASCADE, FIDELITY, STATEMENTS

duckdb = pytest.importorskip("duckdb")
COMPILED = not str(collector.__file__).endswith(".py")
SMALL = ("mysql-8.4/types_int_full", "mysql-9.7/image-full", "mysql-8.4/types_dec_full")  # uncompiled, these alone
BY_ROWS = (  # further scenarios all of whose changes were logged as rows
    *("mariadb-10.11/group-commit", "mariadb-11.8/group-commit", "mysql-5.6/image-full"),
    *("mysql-5.6/names-wide", "mysql-5.6/types-full", "mysql-5.6/rows", "mysql-5.6/rows-split", "mysql-5.6/v1-rows"),
    *("mysql-8.4/anonymous_gtid", "mysql-8.4/chain", "mysql-8.4/checksum_none", "mysql-8.4/cols_full"),
    *("mysql-8.4/compress_big", "mysql-8.4/crash", "mysql-8.4/ddl_ctas", "mysql-8.4/encrypted", "mysql-8.4/gtid_tags"),
    *("mysql-8.4/gtid_original", "mysql-8.4/in_use", "mysql-8.4/replica_relay", "mysql-8.4/rows_query"),
    *("mysql-8.4/savepoints", "mysql-9.7/group-commit", "mysql-9.7/gtid-tagged"),
)
PARTITION = "TRUNCATE PARTITION does not log the rows that it removes, and a run says so"
TOO_LITTLE = {
    **CANNOT_AGREE,
    **{f"mysql-5.6/{name} shop.bh": BLACKHOLE for name in ("rows", "rows-split", "v1-rows")},
    **{f"mysql-5.6/{name} shop.orders": CASCADE for name in ("rows", "rows-split", "v1-rows")},
    "mysql-8.4/cols_full t9.part": PARTITION,
    "mysql-8.4/ddl_ctas dd.child": CASCADE,
    "mysql-8.4/ddl_ctas dd.src": STATEMENTS,
}
BY_STATEMENT = {  # ids of rows that were inserted by statements; the others of the table were not
    "mariadb-11.8/xa": {"5", "50", "51"},
    "mysql-9.7/xa": {"5"},
    "mysql-8.4/xa": {"6"},
}
PARTLY = (  # images lack columns, or have of documents only what was changed
    *("mysql-9.7/partial-json", "mariadb-10.11/image-noblob", "mariadb-10.11/image-minimal"),
    *("mariadb-11.8/image-minimal", "mysql-5.6/image-minimal", "mysql-5.6/image-noblob", "mysql-9.7/image-minimal"),
    *("mysql-8.4/image_minimal_full", "mysql-8.4/image_minimal_minimal", "mysql-8.4/image_noblob_full"),
    *("mysql-8.4/image_noblob_minimal", "mysql-8.4/partial_json_full", "mysql-8.4/partial_json_noblob"),
    *("mysql-9.7/image-noblob", "mysql-9.7/partial-json-minimal"),
)
TEMPORAL = {UTC, "timestamp[us]", "date32"}


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
            or str(folder.relative_to(CORPUS)) in BY_ROWS
        )
        and (COMPILED or str(folder.relative_to(CORPUS)) in SMALL)
    ]


@dataclass
class Replayed:
    """A table after all its changes."""

    columns: list[LakeColumn]
    rows: list[list[Any]]
    strays: list[str]  # changes of rows that were not there
    unknown: list[list[str]] = field(default_factory=list)  # of each row the columns that the log does not tell


def replay(output: Path) -> dict[tuple[str, str], Replayed]:
    """All tables of a lake, each with the rows of the names that it has had."""
    state, _ = Job(JobOptions(str(output), LakeOptions()), serial).store.look()
    folders = {key: output / "tables" / table.directory for key, table in state.tables.items()}
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        ends = [f"{output}/xa/*.parquet"] if (output / "xa").exists() else []
        return {
            key: replay_table(
                connection, source_of(lineage_of(key, state.marks.renames), folders, ends), table.versions[-1].columns
            )
            for key, table in state.tables.items()
        }


def latest(output: Path) -> dict[tuple[str, str], Replayed]:
    """All tables of a lake as duckdb's views have them after all changes."""
    state, _ = Job(JobOptions(str(output), LakeOptions()), serial).store.look()
    found = {}
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute((output / "_binlog/views.sql").read_text())
        for (database, table), one in state.tables.items():
            columns = list(one.versions[-1].columns)
            own = ", ".join(shown(quoted(column.name), column.type) for column in columns)
            query = f"SELECT {own}, _unknown FROM {quoted(database)}.{quoted(table + '.latest')}"
            rows = connection.execute(query).fetchall()
            unknown = [row[-1] for row in rows]
            found[database, table] = Replayed(columns, [list(row[:-1]) for row in rows], [], unknown)
    return found


def source_of(lineage: list[Lineage], folders: dict[tuple[str, str], Path], ends: list[str]) -> str:
    """The committed changes of a table under all its names; XA transactions as they ended."""
    parts = []
    for one in lineage:
        if (one.database, one.table) in folders:
            pattern = text(f"{folders[one.database, one.table]}/**/*.parquet")
            rows = f"SELECT * FROM read_parquet({pattern}, union_by_name = true, hive_partitioning = false)"
            low, high = -1 if one.after is None else one.after, 10**38 - 1 if one.before is None else one.before
            parts.append(f"{rows} WHERE _seq > {low} AND _seq < {high}")
    changes = " UNION ALL BY NAME ".join(parts)
    if not ends:
        return f"({changes}) WHERE _outcome = 'committed'"
    settled = f"({changes}) c ASOF LEFT JOIN read_parquet({ends}) x ON c._xa = x._xa AND c._seq < x._seq"
    return f"(SELECT c.* FROM {settled} WHERE coalesce(x._outcome, c._outcome) = 'committed')"


def replay_table(connection: Any, source: str, columns: tuple[LakeColumn, ...]) -> Replayed:
    """One table; a row that a change refers to is found by all its values."""
    own = [shown(quoted(column.name), column.type) for column in columns]
    before = [shown(f"struct_extract(_before, {text(column.name)})", column.type) for column in columns]
    query = f"SELECT _op, {', '.join([*own, *before])} FROM {source} ORDER BY _seq"
    rows: dict[int, list[Any]] = {}
    places: dict[str, list[int]] = {}
    strays = []
    for number, (operation, *values) in enumerate(connection.execute(query).fetchall()):
        after, old = values[: len(own)], values[len(own) :]
        if operation in ("truncate", "drop"):
            rows.clear()
            places.clear()
            continue
        if operation != "insert":
            gone = after if operation == "delete" else old
            there = places.get(repr(gone))
            if there:
                del rows[there.pop()]
            else:
                strays.append(f"{operation} of {gone}")
        if operation != "delete":
            rows[number] = after
            places.setdefault(repr(after), []).append(number)
    return Replayed(list(columns), list(rows.values()), strays)


def shown(expression: str, kind: str) -> str:
    """A column as duckdb is to give it: points in time as numbers, for which Python needs no zone."""
    return f"epoch_us({expression})" if kind == UTC else expression


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


# what the server had ---------------------------------------------------------------------------------------------


def with_companions(values: list[Any], columns: list[LakeColumn]) -> list[Any]:
    """A row of the lake by the log's own columns: a date that is none is its text, a geometry has its SRID."""
    found: list[Any] = []
    for value, column in zip(values, columns, strict=True):
        if not column.companion:
            found.append({"hex": value.hex()} if isinstance(value, bytes) else value)
        elif column.source == RAW:
            assert value is None or found[-1] is None
            found[-1] = found[-1] if value is None else value
        else:
            found[-1] = None if found[-1] is None else {"srid": value, "wkb": found[-1]["hex"]}
    return found


def wanted(value: Any, column: dict[str, str], kind: str, check: ModuleType) -> Any:
    """A value of the truth as the lake is to hold it."""
    want = check.expected(value, column)
    if want is None:
        return None
    if kind in TEMPORAL:
        return want if microseconds(want) is None else microseconds(want)
    if kind == "list<string>":
        return want.split(",") if want else []
    if kind == "binary" and isinstance(want, str):  # text that a log without character sets does not know for text
        return {"hex": want.encode().hex()}
    return want


def have_value(value: Any, column: dict[str, str], kind: str) -> Any:
    """A value of the lake in the terms of the check."""
    if value is None or (kind in TEMPORAL and isinstance(value, str)):
        return value
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
    shown = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return ("-" if value < 0 else "") + shown + (f".{micro:06d}"[: digits + 1] if digits else "")


def difference(columns: list[dict[str, str]], want_rows: list[Any], found: Replayed, check: ModuleType) -> str:
    """What is not as the server had it; nothing where all that is known is."""
    if found.strays:
        return f"changes of rows that are not there: {found.strays[0][:300]}"
    kinds = [column.type for column in found.columns if not column.companion]
    names = [column.name for column in found.columns if not column.companion]
    rows = [
        [have_value(v, c, k) for v, c, k in zip(row, columns, kinds, strict=True)]
        for row in (with_companions(values, found.columns) for values in found.rows)
    ]
    known = [[name not in unknown for name in names] for unknown in found.unknown or [[]] * len(rows)]
    if len(want_rows) != len(rows):
        return f"{len(want_rows)} rows wanted, {len(rows)} found"
    left = dict.fromkeys(range(len(rows)))
    alike: dict[str, list[int]] = {}  # by their first value, mostly the key: the row that is wanted is mostly there
    for at, have in enumerate(rows):
        alike.setdefault(repr(have[:1]), []).append(at)
    for raw in want_rows:
        want = [wanted(v, c, k, check) for v, c, k in zip(raw, columns, kinds, strict=True)]
        near = [at for at in alike.get(repr(want[:1]), ()) if at in left]
        hit = next((at for at in chain(near, left) if is_row(want, rows[at], columns, known[at], check)), None)
        if hit is None:
            return f"no row like {str(want)[:300]}, near {str(rows[near[0]] if near else None)[:300]}"
        del left[hit]
    return ""


def is_row(
    want: list[Any], have: list[Any], columns: list[dict[str, str]], known: list[bool], check: ModuleType
) -> bool:
    """Whether a row has the values that are wanted, in the columns that are known."""
    values = zip(want, have, columns, known, strict=True)
    return all(check.same(one, other, column) if there else other is None for one, other, column, there in values)


def convert(folder: Path, output: Path, check: ModuleType) -> None:
    """Make a lake of a scenario's logs."""
    schema = check.schema_of(folder)
    options = LakeOptions(
        schemas=(str(schema),) if schema else (), keys=key_options(folder), zero_dates="raw", batch_bytes=1 << 14
    )
    report = Job(JobOptions(str(output), options, final=True), serial).run(
        list(map(os.fspath, check.logs(folder))), Quiet()
    )
    assert not report.errors
    assert not report.gaps


def problems_of(folder: Path, tables: dict[tuple[str, str], Replayed], check: ModuleType) -> dict[str, str]:
    """What is in tables of a scenario and not as the server had it, by table."""
    truth = {table for table, _, _ in check.truth_tables(folder)}
    problems = {f"{table}": "rows of a table that is gone" for table in tables.keys() - truth if tables[table].rows}
    for table, columns, want in check.truth_tables(folder):
        name = f"{folder.relative_to(CORPUS)} {'.'.join(table)}"
        if name in TOO_LITTLE or (table not in tables and not want):
            continue
        problem = difference(columns, want, tables[table], check) if table in tables else "no changes found"
        if problem:
            problems[name] = problem
    return problems


@pytest.mark.skipif(not FIDELITY.exists(), reason="no corpus beside the project")
@pytest.mark.parametrize("folder", scenarios(), ids=lambda folder: str(folder.relative_to(CORPUS)))
def test_final_rows_are_the_servers_own(folder: Path, tmp_path: Path) -> None:
    check = fidelity()
    convert(folder, tmp_path, check)
    assert not problems_of(folder, replay(tmp_path), check)
    views = latest(tmp_path)
    assert not problems_of(folder, views, check)
    scenario = str(folder.relative_to(CORPUS))
    unknown = {f"{scenario} {'.'.join(table)}" for table, one in views.items() if any(one.unknown)}
    assert unknown <= TOO_LITTLE.keys()


@pytest.mark.skipif(not FIDELITY.exists(), reason="no corpus beside the project")
@pytest.mark.parametrize("name", PARTLY if COMPILED else PARTLY[:2])
def test_what_the_latest_view_tells_of_images_without_all_columns_is_what_the_server_had(
    name: str, tmp_path: Path
) -> None:
    check = fidelity()
    convert(CORPUS / name, tmp_path, check)
    views = latest(tmp_path)
    assert not problems_of(CORPUS / name, views, check)
    assert any(any(one.unknown) for one in views.values())


@pytest.mark.parametrize("name", BY_STATEMENT)
def test_what_xa_transactions_leave_is_the_servers_own(name: str, tmp_path: Path) -> None:
    """Of those that were rolled back, and of those whose end is in the next log, among others."""
    folder = GOLDEN / name
    logs = sorted(path for path in folder.glob("*.0*") if path.suffix[1:].isdigit())
    for log in logs:
        job(tmp_path, log, final=True)
    (table,) = replay(tmp_path).values()
    head, *rows = map(json.loads, (folder / "rows.jsonl").read_text().splitlines())
    assert [column["name"] for column in head["columns"]][:1] == ["id"]
    found = [str(row[0]) for row in table.rows]
    assert {*found} | BY_STATEMENT[name] == {row[0] for row in rows}
    assert not table.strays
    assert len(found) == len({*found})
    assert ids_left(tmp_path, f"{head['db']}.{head['table']}") == sorted(map(int, found))


def test_a_table_that_is_truncated_renamed_and_filled_again(tmp_path: Path) -> None:
    log = ShopLog()
    log.next = 1
    log.trade(1).add(QUERY, query(text=b"TRUNCATE orders")).trade(1)
    log.add(QUERY, query(text=b"RENAME TABLE orders TO past")).map("past", 31).trade(1)
    log.begin().insert(1, table="past", table_id=31).commit()
    log.begin().insert(5).add(QUERY, query(text=b"ROLLBACK"))
    log.begin().insert(1).write(tmp_path / "bin.000001")  # a transaction that has no end
    job(tmp_path / "lake", tmp_path / "bin.000001", final=True)
    for tables in (replay(tmp_path / "lake"), latest(tmp_path / "lake")):
        found = {table: sorted(row[0] for row in replayed.rows) for (_, table), replayed in tables.items()}
        assert found == {"orders": [5, 6], "past": [3, 4, 7]}
    assert ids_left(tmp_path / "lake", "shop.orders") == [5, 6]
    assert ids_left(tmp_path / "lake", "shop.past") == [3, 4, 7]


def ids_left(output: Path, name: str) -> list[Any]:
    """The first column of what the view has that leaves out all that is gone."""
    database, table = name.split(".")
    with duckdb.connect() as connection:
        connection.execute((output / "_binlog/views.sql").read_text())
        return sorted(row[0] for row in connection.execute(f'FROM "{database}"."{table}.latest"').fetchall())

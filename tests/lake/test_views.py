"""duckdb's views, `read_lake` and polars give one table of all versions, and the same one."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import binlogcli
from binlogcli.lake.decode import collector
from binlogcli.lake.decode.arrow_batches import arrow_type
from binlogcli.lake.errors import LakeError
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.spark.lake_source import lake_struct
from binlogcli.lake.tables.casting import fitted
from binlogcli.lake.tables.duckdb_views import _cast, duckdb_type
from binlogcli.lake.tables.logical import logical_table
from binlogcli.lake.tables.sql_text import quoted
from binlogcli.lake.tables.types import LABEL, UTC, LakeColumn, TableSchema
from support.golden import GOLDEN, ROOT
from support.lake_runs import job
from support.lake_values import logs_by_keys, plain_numbers
from support.program import HOME, missing
from support.undescribed_logs import UndescribedLogs, put_days

duckdb = pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")
compiled = pytest.mark.skipif(str(collector.__file__).endswith(".py"), reason="runs once, on the compiled form")
SCRIPT = Path(__file__).with_name("lake_session.py")
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # most of Spark's time goes into making ready for more than this
DOCUMENTS = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "man/examples.md"))
MANUAL = (ROOT / "man/binlogcli-to-parquet.1").read_text(encoding="utf-8")
DAY = dt.date(1999, 12, 31)
TIME = dt.datetime(1999, 12, 31, 23, 59, 58, 500)
VALUES: dict[str, list[Any]] = {
    "bool": [True, False, None],
    "int8": [-128, 127, None],
    "int64": [-(1 << 63), (1 << 63) - 1, None],
    "float32": [1.0, 0.1, 1e16, 1.5e-7, -0.0, 16777216.0, None],
    "float64": [1.0, 0.1, 1e16, 1e15, 1.5e300, 5e-324, 123456.789, math.inf, None],
    "decimal(10,7)": [Decimal("0.0000001"), Decimal("-12.5"), None],
    "decimal(20,0)": [Decimal(18446744073709551615), None],
    "date32": [DAY, dt.date(1, 2, 3), None],
    "timestamp[us]": [TIME, dt.datetime(9, 1, 1), None],
    UTC: [TIME.replace(tzinfo=dt.UTC), None],
    "string": ["", "ä'\"", None],
    LABEL: ["x", "y", None],
    "json": ['{"a": [1, "ä"]}', None],
    "binary": [b"\x00\xff", b"", None],
    "list<string>": [["a", "b"], [], None],
    "list<float32>": [[1.0, 0.1, 3e20], [], None],
}


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as made:
        made.execute("SET TimeZone = 'UTC'")
        yield made


def seen(connection: Any, query: str) -> pa.Table:
    return connection.sql(query).to_arrow_table()


def plain(table: pa.Table) -> list[str]:
    """The values of each column as text, points in time as numbers."""
    columns = [pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([]) for column in table.columns]
    return [repr(plain_numbers(column, pa).to_pylist()) for column in columns]


@pytest.mark.parametrize("old", VALUES)
def test_duckdb_and_arrow_make_the_same_of_each_change_of_a_type(old: str, tmp_path: Path, connection: Any) -> None:
    values = pa.array(VALUES[old], pa.string() if old == "json" else arrow_type(old))
    if old == "json":
        values = pa.ExtensionArray.from_storage(pa.json_(), values)
    pq.write_table(pa.table({"v": values}), tmp_path / "old.parquet")
    for new in VALUES:
        versions = [TableSchema("d", "t", (LakeColumn("v", "v", "", kind),)) for kind in (old, new)]
        ((_, kind),) = logical_table(versions).types
        target = pa.schema([("v", pa.string() if kind in ("json", LABEL) else arrow_type(kind))])
        ours = pa.Table.from_batches([fitted(pa.record_batch({"v": values}), target)])
        theirs = seen(connection, f"SELECT {_cast('v', old, kind)} AS v FROM '{tmp_path}/old.parquet'")
        assert plain(theirs) == plain(ours), (old, new)
        assert seen(connection, f"SELECT NULL::{duckdb_type(kind)} AS v").schema.types == theirs.schema.types


def same(connection: Any, output: Path, database: str, table: str) -> pa.Table:
    """Check that duckdb, Python and polars read the same rows of a table; return them."""
    ours = binlogcli.read_lake(str(output), f"{database}.{table}").read_all().sort_by("_seq")
    theirs = seen(connection, f"SELECT * FROM {quoted(database)}.{quoted(table)} ORDER BY _seq")
    assert theirs.column_names == ours.column_names
    assert plain(theirs) == plain(ours)
    frame = polars.from_arrow(binlogcli.read_lake(str(output), f"{database}.{table}")).sort("_seq")
    assert frame.columns == ours.column_names
    assert plain(frame.to_arrow()) == plain(ours)
    return ours


def begin(connection: Any, output: Path) -> None:
    """Make the views of a lake, as `.read` does."""
    connection.execute((output / "_binlog/views.sql").read_text())


CREATE = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(60)) CHARSET latin1"


def test_a_table_is_read_across_its_changes(tmp_path: Path, connection: Any) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    logs.statement(CREATE).put(1, "x").turn((1, "x"), (1, "y")).statement("ALTER TABLE t RENAME COLUMN a TO b").put(
        2, "z"
    )
    logs.statement("ALTER TABLE t MODIFY b INT, ADD c INT").put(3, 4, 5).turn((3, 4, 5), (3, 6, 7))
    job(tmp_path / "lake's", logs.write(), final=True)
    output = tmp_path / "lake's"
    begin(connection, output)
    rows = same(connection, output, "shop", "t").to_pylist()
    assert [(row["id"], row["b"], row["c"]) for row in rows] == [
        (1, "x", None),
        (1, "y", None),
        (2, "z", None),
        (3, "4", 5),
        (3, "6", 7),
    ]
    assert [row["_before"] for row in rows] == [
        None,
        {"id": 1, "b": "x", "c": None},
        None,
        None,
        {"id": 3, "b": "4", "c": 5},
    ]
    assert binlogcli.read_lake(str(output), "shop.t", ["b", "_op"]).read_all().column_names == ["b", "_op"]
    some = connection.sql("SELECT count(*), count(c) FROM shop.t WHERE id > 1").fetchall()
    assert some == [(3, 2)]


def test_a_moved_directory_gets_new_views(tmp_path: Path, connection: Any) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    log = logs.statement(CREATE).put(1, "x").write()
    job(tmp_path / "old", log, final=True)
    shutil.move(tmp_path / "old", tmp_path / "new")
    job(tmp_path / "new", log, final=True)
    begin(connection, tmp_path / "new")
    assert same(connection, tmp_path / "new", "shop", "t").num_rows == 1


def test_a_view_has_later_rows(tmp_path: Path, connection: Any) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    job(tmp_path / "lake", logs.statement(CREATE).put(1, "x").write(), final=True)
    begin(connection, tmp_path / "lake")
    job(tmp_path / "lake", logs.begin().put(2, "y").write(), final=True)
    assert same(connection, tmp_path / "lake", "shop", "t").num_rows == 2


def test_what_a_process_has_read_of_a_lake_is_not_taken_for_a_later_one(tmp_path: Path) -> None:
    def ids() -> list[int]:
        return sorted(binlogcli.read_lake(str(tmp_path / "lake"), "shop.t").read_all()["id"].to_pylist())

    logs = UndescribedLogs(tmp_path).begin()
    job(tmp_path / "lake", logs.statement(CREATE).put(1, "x").write(), final=True)
    assert ids() == [1]
    job(tmp_path / "lake", logs.begin().statement("ALTER TABLE t ADD b INT").put(2, "y", 3).write(), final=True)
    assert ids() == [1, 2]
    shutil.rmtree(tmp_path / "lake")
    (tmp_path / "others").mkdir()
    others = UndescribedLogs(tmp_path / "others").begin().statement(CREATE)
    job(tmp_path / "lake", others.put(3, "z").write(), final=True)
    job(tmp_path / "lake", others.begin().put(4, "z").write(), final=True)  # as many epochs as before
    assert ids() == [3, 4]


def test_what_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="is not an output directory of to-parquet"):
        binlogcli.read_lake(str(tmp_path), "shop.t")
    job(tmp_path / "lake", UndescribedLogs(tmp_path).begin().statement(CREATE).put(1, "x").write(), final=True)
    with pytest.raises(LakeError, match=r"has no table shop\.u"):
        binlogcli.read_lake(str(tmp_path / "lake"), "shop.u")
    with pytest.raises(LakeError, match="has no column d"):
        binlogcli.read_lake(str(tmp_path / "lake"), "shop.t", ["id", "d"])
    with pytest.raises(LakeError, match=r"has no table shop\.u\.latest"):
        binlogcli.read_lake(str(tmp_path / "lake"), "shop.u.latest")


def test_what_is_left_of_a_table_comes_from_duckdb_as_the_message_says(tmp_path: Path, connection: Any) -> None:
    log = UndescribedLogs(tmp_path).begin().statement(CREATE).put(1, "x").turn((1, "x"), (1, "y")).write()
    job(tmp_path / "lake", log, final=True)
    with pytest.raises(LakeError, match=r"contains shop\.t\.latest only as a view for duckdb") as refused:
        lake_struct({"lake": str(tmp_path / "lake"), "table": "shop.t.latest"})
    told = re.fullmatch(r"run (.*) in duckdb, and query (.*): the result is Arrow, too", refused.value.hint)
    assert told is not None
    connection.execute(Path(told[1]).read_text())
    rows = seen(connection, f"SELECT * FROM {told[2]}")
    assert polars.from_arrow(rows).rows() == [(1, "y", [])]


@pytest.mark.parametrize("create", [CREATE, CREATE.replace(" PRIMARY KEY", "")])
def test_the_latest_view_has_what_is_left(create: str, tmp_path: Path, connection: Any) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    logs.statement(create).put(1, "a").put(2, "b").put(3, "c").put(4, "d")
    logs.turn((1, "a"), (1, "x")).take(2, "b").turn((3, "c"), (5, "y")).put(2, "again").turn((4, "d"), (3, "moved"))
    job(tmp_path / "lake", logs.write(), final=True)
    begin(connection, tmp_path / "lake")
    found = connection.sql('SELECT * FROM shop."t.latest" ORDER BY ALL').fetchall()
    assert found == [(1, "x", []), (2, "again", []), (3, "moved", []), (5, "y", [])]


def test_the_latest_view_begins_anew_behind_truncate_and_drop(tmp_path: Path, connection: Any) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    logs.statement(CREATE).put(1, "a").statement("TRUNCATE TABLE t").put(2, "b").put(3, "b", table="u")
    logs.statement("DROP TABLE u").statement(CREATE.replace("TABLE t", "TABLE v")).put(4, "c", table="v")
    logs.statement("RENAME TABLE v TO w").statement("ALTER TABLE w RENAME COLUMN a TO b").put(5, "d", table="w")
    logs.turn((4, "c"), (4, "x"), table="w").statement(CREATE.replace("TABLE t", "TABLE v")).put(6, "e", table="v")
    job(tmp_path / "lake", logs.write(), final=True)
    begin(connection, tmp_path / "lake")
    found = {}
    for name in ("t", "u", "v", "w"):
        found[name] = connection.sql(f'SELECT * FROM shop."{name}.latest" ORDER BY ALL').fetchall()
    assert found == {"t": [(2, "b", [])], "u": [], "v": [(6, "e", [])], "w": [(4, "x", []), (5, "d", [])]}
    assert connection.sql('SELECT * FROM shop."w.latest"').columns == ["id", "b", "_unknown"]


@pytest.mark.parametrize("name", ["mariadb-11.8/xa", "mysql-9.7/xa"])
def test_the_outcome_of_xa_transactions_is_that_of_their_ends(name: str, tmp_path: Path, connection: Any) -> None:
    logs = sorted(path for path in (GOLDEN / name).iterdir() if path.suffix[1:].isdigit())
    for log in logs:
        job(tmp_path / "lake", log)
    begin(connection, tmp_path / "lake")
    outcomes: set[str] = set()
    for path in sorted(tmp_path.glob("lake/_binlog/tables/*/*/schema.json")):
        told = json.loads(path.read_text())
        outcomes |= set(same(connection, tmp_path / "lake", told["database"], told["table"])["_outcome"].to_pylist())
    assert {"committed", "rolled_back"} <= outcomes


def test_rows_without_a_key_may_be_equal(tmp_path: Path, connection: Any) -> None:
    logs = UndescribedLogs(tmp_path).begin().statement("CREATE TABLE t (a INT, b INT)")
    logs.put(1, 1).put(1, 1).put(1, 1).take(1, 1).put(2, 2).take(2, 2)
    job(tmp_path / "lake", logs.write(), final=True)
    begin(connection, tmp_path / "lake")
    assert connection.sql('SELECT * FROM shop."t.latest"').fetchall() == [(1, 1, []), (1, 1, [])]


@compiled
def test_every_table_of_all_logs_is_read_alike(tmp_path: Path, connection: Any) -> None:
    """One lake of the whole corpus, or of the project's logs: tables of one name are of many servers, and differ."""
    for keys, logs in logs_by_keys().items():
        job(tmp_path / "lake", *logs, lake=LakeOptions(keys=keys), final=True)
    begin(connection, tmp_path / "lake")
    tables: dict[str, pa.Table] = {}
    several = 0
    for path in sorted(tmp_path.glob("lake/_binlog/tables/*/*/schema.json")):
        told = json.loads(path.read_text())
        rows = same(connection, tmp_path / "lake", told["database"], told["table"])
        assert rows.num_rows == sum(
            pq.read_metadata(file).num_rows
            for version in told["versions"]
            for file in (tmp_path / "lake" / version["directory"]).iterdir()
        )
        latest = f"{quoted(told['database'])}.{quoted(told['table'] + '.latest')}"
        lacking = not told["primary_key"] and any(rows["_absent"].to_pylist())
        try:
            assert connection.sql(f"SELECT count(*) FROM {latest}").fetchall()[0][0] <= rows.num_rows
        except duckdb.InvalidInputException:
            assert lacking
        several += len(told["versions"]) > 1
        tables[f"{told['database']}.{told['table']}"] = rows
    assert several > 5
    check_documented(connection, tmp_path / "lake")
    (tmp_path / "made").mkdir()
    days = put_days(UndescribedLogs(tmp_path / "made").begin()).write()
    job(tmp_path / "dated", days, lake=LakeOptions(by_date=True), final=True)
    check_on_spark(tmp_path, tables)


def check_documented(connection: Any, lake: Path) -> None:
    """Check that the queries of the documents answer on a lake."""
    queries = re.findall(r"^SELECT .*", "".join(re.findall(r"```sql\n(.*?)```", DOCUMENTS, re.DOTALL)), re.MULTILINE)
    assert len(queries) == 5
    for query in queries:
        assert connection.sql(query.replace("'lake/", f"'{lake}/")).to_arrow_table().num_rows, query
    manual = MANUAL.replace("\\(aq", "'").replace("\\(dq", '"').replace("\\", "")
    queries = re.findall(r""" -c ["'](SELECT .*)["']$""", manual, re.MULTILINE)
    assert len(queries) == 4
    for query in queries:
        connection.sql(query.replace('"/lake/', f'"{lake}/')).to_arrow_table()
    frames = re.findall(r"polars\.from_arrow.*", DOCUMENTS + MANUAL)
    assert len(frames) == 3
    for frame in frames:
        assert eval(frame.replace("/lake", "lake").replace('"lake"', repr(str(lake)))).height


def check_on_spark(work: Path, tables: dict[str, pa.Table]) -> None:
    """Check that Spark reads these rows of tables of a lake."""
    if shutil.which("java") is None:
        missing("Java is not installed")
    (work / "home").mkdir()
    if not (HOME / "pyspark_binlog").exists():  # the tree of the source, where nothing is installed
        (work / "home" / "pyspark_binlog").symlink_to(HOME / "binlogcli" / "lake" / "pyspark_binlog")
    paths = f"{HOME}{os.pathsep}{work / 'home'}"
    environment = {**os.environ, "PYTHONPATH": paths, "PYSPARK_PYTHON": sys.executable, "JAVA_TOOL_OPTIONS": QUICK}
    (work / "out").mkdir()
    documented = re.findall(r'spark\.read\.format\("binlog"\)\.option\("lake".*', DOCUMENTS + MANUAL)
    assert len(documented) == 3
    (work / "documented").write_text("\n".join(documented).replace("/lake", "lake"))
    command = [sys.executable, "-P", str(SCRIPT), str(work / "lake"), str(work / "out"), *tables]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    for number, rows in enumerate(tables.values()):
        with pa.ipc.open_file(work / "out" / str(number)) as file:
            theirs = file.read_all()
        assert theirs.column_names == rows.column_names
        assert plain(theirs) == plain(rows)


def test_options_that_have_no_effect_on_a_lake_are_refused(tmp_path: Path) -> None:
    job(tmp_path / "lake", UndescribedLogs(tmp_path).begin().statement(CREATE).put(1, "x").write(), final=True)
    options = {"lake": str(tmp_path / "lake"), "table": "shop.t"}
    assert [field["name"] for field in lake_struct({**options, "columns": "a,_op"})["fields"]] == ["a", "_op"]
    for name in ("path", "since", "keyFile"):
        with pytest.raises(LakeError, match="the option lake takes no"):
            lake_struct({**options, name: "x"})
    with pytest.raises(LakeError, match="the option lake needs a table"):
        lake_struct({"lake": str(tmp_path / "lake")})
    with pytest.raises(LakeError, match="there is no column d"):
        lake_struct({**options, "columns": "d"})

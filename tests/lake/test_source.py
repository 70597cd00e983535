"""The data source `binlog` in a session of Spark: tables, events, views, and a stream over logs that grow."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.datasource import DataSourceReader, EqualTo, Filter, GreaterThan, In
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from binlogcli.binary import cursor
from binlogcli.lake.spark.source import DefaultSource
from binlogcli.lake.spark.table_view import TableView, renames_in
from support.program import HOME, missing
from support.shop_logs import ShopLog
from support.undescribed_logs import CREATE, LARGE, UndescribedLogs

SCRIPT = Path(__file__).with_name("session.py")


@pytest.fixture
def found(tmp_path: Path) -> dict[str, Any]:
    """What a session says of a directory of logs, of which the last one grows and is followed by another."""
    if str(cursor.__file__).endswith(".py"):
        pytest.skip("runs once, on the compiled form")
    if shutil.which("java") is None:
        missing("Java is not installed")
    logs = tmp_path / "logs"
    later = tmp_path / "later"
    for folder in (logs, later / "0", later / "1"):
        folder.mkdir(parents=True)
    ShopLog(first=1).trade(4, rows=5, tables=2).stop().write(logs / "shop-bin.000001")
    growing = ShopLog(first=101, created=1_700_000_100).trade(2, rows=5)
    whole = len(growing.log)
    growing.begin().insert(3)
    (logs / "shop-bin.000002").write_bytes(growing.bytes()[: whole + 60])  # cut off in the middle of a transaction
    growing.commit().write(later / "0" / "shop-bin.000002")
    growing.trade(1, rows=2).stop().write(later / "1" / "shop-bin.000002")
    ShopLog(first=201, created=1_700_000_200).trade(1, rows=1).write(later / "1" / "shop-bin.000003")
    write_told(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    if not (HOME / "pyspark_binlog").exists():  # the tree of the source, where nothing is installed
        (home / "pyspark_binlog").symlink_to(HOME / "binlogcli" / "lake" / "pyspark_binlog")
    environment = {**os.environ, "PYTHONPATH": f"{HOME}{os.pathsep}{home}", "PYSPARK_PYTHON": sys.executable}
    command = [sys.executable, "-P", str(SCRIPT), str(logs), str(later), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


def write_told(folder: Path) -> None:
    """Write logs whose statements alone tell the names of columns, the last of them beside the folder of the others."""
    (folder / "told").mkdir()
    made = UndescribedLogs(folder / "told").begin()
    made.statement(CREATE).row().write()
    made.begin().row().statement("ALTER TABLE t RENAME COLUMN count TO number").row().write()
    made.begin().row().write().rename(folder / "bin.000003")


def test_a_session_reads_tables_events_views_and_a_stream(found: dict[str, Any]) -> None:
    first, second = [*range(1, 6), *range(11, 16)], [*range(6, 11), *range(16, 21)]
    grown = range(101, 111)
    assert found["columns"][:2] == ["c1", "c2"]
    assert found["orders"] == [*first, *grown]
    assert found["seqs"] == 20
    assert found["pushed"] == [*range(1, 6), *range(101, 106)]
    assert found["timed"] == [0, 20, 0]
    assert found["none"] == 0
    assert found["some"] == ["c1:int", "_op:string"]
    assert found["view"] == second
    assert found["types"] == {
        "FORMAT_DESCRIPTION_EVENT": 2,
        "GTID_EVENT": 7,
        "TABLE_MAP_EVENT": 6,
        "WRITE_ROWS_EVENT_V1": 6,
        "XID_EVENT": 6,
        "STOP_EVENT": 1,
        "null": 1,  # the end that is cut off
    }
    assert found["streamed"] == [
        [*first, *grown],
        [*first, *grown, 111, 112, 113],
        [*first, *grown, 111, 112, 113, 114, 115, 201],
    ]
    assert found["order"] == found["streamed"][-1]
    rows = [[LARGE, 1], [LARGE, 2], [LARGE, 3]]  # the renamed column is one
    assert found["told"] == rows
    assert found["told_later"] == [*rows, [LARGE, 4]]


def test_a_column_is_found_by_its_name_in_each_version(tmp_path: Path) -> None:
    """Also where another one has got its former name."""
    made = UndescribedLogs(tmp_path).begin().statement(CREATE).row()
    made.statement("ALTER TABLE t RENAME COLUMN count TO number").statement("ALTER TABLE t ADD COLUMN count INT")
    log = made.row(width=3).write()
    view = TableView.from_options({"path": str(log), "table": "shop.t"})
    planned = view.planned()
    struct = view.struct(view.logical(planned))
    target = to_arrow_schema(StructType.fromJson(struct), timezone="UTC")
    (split,) = planned.splits
    rows = [
        row for batch in view.batches(split, planned.history, target, renames_in(struct)) for row in batch.to_pylist()
    ]
    assert [(row["id"], row["number"], row["count"]) for row in rows] == [(LARGE, 1, None), (LARGE, 2, 2)]


def test_filters_leave_out_what_they_exclude(tmp_path: Path) -> None:
    paths = [tmp_path / f"shop-bin.00000{number}" for number in (1, 2)]
    for number, path in enumerate(paths):
        ShopLog(first=number * 100 + 1, created=1_700_000_000 + number).trade(2).write(path)
    source = DefaultSource({"path": str(tmp_path), "table": "shop.orders"})
    schema = source.schema()

    def read(*filters: Filter) -> list[int]:
        reader = source.reader(schema)
        assert list(reader.pushFilters(list(filters))) == list(filters)
        found = pickle.loads(pickle.dumps(reader))
        batches = [batch for one in reader.partitions() for batch in found.read(one)]
        return [row["c1"] for batch in batches for row in batch.to_pylist()]

    assert getattr(source.reader(schema).pushFilters, "__func__", None) is DataSourceReader.pushFilters
    assert read() == [1, 2, 3, 4, 101, 102, 103, 104]
    assert read(EqualTo(("_file",), str(paths[1]))) == [101, 102, 103, 104]
    assert read(GreaterThan(("_pos",), 1 << 20)) == []
    assert read(In(("_gtid",), ("0-101-2", "0-101-9"))) == [3, 4, 103, 104]
    assert read(EqualTo(("_server_id",), 77)) == []
    assert read(EqualTo(("_gtid",), "none"), EqualTo(("c1",), 1)) == [1, 2, 3, 4, 101, 102, 103, 104]

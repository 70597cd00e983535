"""Readers of some columns, operations or times of a table: the rest is passed over, and what is read stays the same."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, GreaterThanOrEqual, In, LessThan, LessThanOrEqual, Not

from binlogcli.lake.decode.batches import TableRows
from binlogcli.lake.decode.split_decoder import collect_split, decode_split
from binlogcli.lake.decode.table_maker import TableMaker
from binlogcli.lake.decode.wanted_rows import ALL_ROWS, WantedRows
from binlogcli.lake.errors import LakeError
from binlogcli.lake.model import Batch, LakeOptions, Split
from binlogcli.lake.spark.filters import rows_by
from binlogcli.lake.tables.types import METADATA
from support.golden import golden_logs
from support.lake_runs import columns_of
from support.undescribed_logs import CREATE, DAY, MIDNIGHT, UndescribedLogs

LOGS = [path for path in golden_logs() if path.read_bytes()[:4] != b"\xfdbin"]
WITHOUT_EVENTS = WantedRows(events=False)
FOLDERS = sorted({path.parent for path in LOGS})


def batches(log: Path, wanted: WantedRows = ALL_ROWS) -> Iterator[Batch]:
    """The batches of tables in a log."""
    for one in decode_split(Split(str(log)), LakeOptions(zero_dates="raw", invalid_text="replace"), None, wanted):
        if isinstance(one, Batch) and one.schema is not None:
            yield one


def by_version(log: Path, wanted: WantedRows = ALL_ROWS) -> dict[str, pa.Table]:
    """The rows of each version of each table in a log."""
    found: dict[str, list[pa.RecordBatch]] = {}
    for one in batches(log, wanted):
        assert one.schema is not None
        found.setdefault(".".join(one.schema.key), []).append(one.data)
    return {key: pa.Table.from_batches(some).combine_chunks() for key, some in found.items()}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_some_columns_are_those_of_all(folder: Path) -> None:
    chance = random.Random(folder.name)
    for log in (path for path in LOGS if path.parent == folder):
        whole = by_version(log)
        names = sorted({name.lower() for rows in whole.values() for name in rows.column_names})
        some = [frozenset(chance.sample(names, min(size, len(names)))) for size in (1, 2, 5)]
        for columns in (*some, frozenset({"_key"}), frozenset({"_absent"}), frozenset({"_before"})):
            found = by_version(log, WantedRows(columns))
            assert found.keys() == whole.keys()
            for key, rows in found.items():
                there = [name for name in whole[key].column_names if name == "_op" or name.lower() in columns]
                assert rows.column_names == there
                assert rows.to_pylist() == whole[key].select(there).to_pylist(), (log, columns)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_rows_and_gaps_are_the_same_without_the_table_of_events(folder: Path) -> None:
    for log in (path for path in LOGS if path.parent == folder):
        whole, found = by_version(log), by_version(log, WITHOUT_EVENTS)
        assert {key: rows.to_pylist() for key, rows in found.items()} == {
            key: rows.to_pylist() for key, rows in whole.items()
        }
        items = [list(decode_split(Split(str(log)), LakeOptions(), None, one)) for one in (ALL_ROWS, WITHOUT_EVENTS)]
        gaps = [[one for one in some if not isinstance(one, Batch)] for some in items]
        assert gaps[0] == gaps[1]
        assert sum(one.schema is None and not one.xa for one in items[1] if isinstance(one, Batch)) <= bool(gaps[1])


def test_values_of_other_columns_are_not_built(tmp_path: Path) -> None:
    log = UndescribedLogs(tmp_path).begin().statement(CREATE).put(1, 10).turn((1, 10), (1, 11)).write()
    for names, expected in (({"c2"}, [0, 2]), ({"_op", "_ts"}, [0, 0]), ({"_before"}, [2, 2]), ({"c1", "c2"}, [2, 2])):
        maker = TableMaker(LakeOptions(), WantedRows(frozenset(names)))
        for item in collect_split(Split(str(log)), LakeOptions(), maker):
            if isinstance(item, TableRows):
                assert [buffer.count for buffer in item.sink.columns] == expected


def test_rows_of_other_operations_and_times_are_passed_over(tmp_path: Path) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    for day in range(3):
        logs.time = MIDNIGHT + day * DAY
        logs.put(day, 1).turn((day, 1), (day, 2)).take(day, 2)
    log = logs.write()
    times = [dt.datetime.fromtimestamp(MIDNIGHT + day * DAY, dt.UTC) for day in range(3)]

    def read(*filters: Filter) -> list[tuple[int, str]]:
        found = [row for one in batches(log, rows_by(filters)) for row in one.data.to_pylist()]
        assert [row["_row"] for row in found] == [0] * len(found)
        return [(row["c1"], row["_op"]) for row in found]

    every = [(day, op) for day in range(3) for op in ("insert", "update", "delete")]
    assert read() == every
    assert read(EqualTo(("_op",), "update")) == [(day, "update") for day in range(3)]
    assert read(In(("_op",), ("insert", "truncate"))) == [(day, "insert") for day in range(3)]
    assert read(Not(EqualTo(("_op",), "insert")), Not(In(("_op",), ("delete",)))) == read(EqualTo(("_op",), "update"))
    assert read(EqualTo(("_op",), "none")) == []
    assert read(EqualTo(("_ts",), times[1])) == every[3:6]
    assert read(In(("_ts",), (times[0], times[1]))) == every[:6]
    assert read(GreaterThanOrEqual(("_ts",), times[1]), LessThan(("_ts",), times[2])) == every[3:]
    assert read(GreaterThan(("_ts",), times[2] + dt.timedelta(microseconds=1))) == []
    assert read(LessThanOrEqual(("_ts",), times[0])) == every[:3]
    for kept in (Not(EqualTo(("_ts",), times[0])), EqualTo(("_ts",), "x"), LessThan(("_ts", "x"), times[0])):
        assert read(kept) == every


def test_unknown_columns_are_refused_with_those_that_are_there(tmp_path: Path) -> None:
    log = UndescribedLogs(tmp_path).begin().statement(CREATE).put(1, 10).write()
    options = {"path": str(log), "table": "shop.t", "columns": "id, none"}
    with pytest.raises(LakeError) as caught:
        columns_of(options)
    there = ", ".join(["id", "count", *(name for name, _ in METADATA if name != "_key")])
    assert caught.value.line() == f"there is no column none; use one of {there}"

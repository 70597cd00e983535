"""Files of one day each, in directories that a user removes when they are old."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import binlogcli
from binlogcli.lake.errors import LakeError
from binlogcli.lake.lake_table import LakeTableView
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.tables import files
from binlogcli.lake.tables.dates import NO_DATE, parts_by_date
from binlogcli.select.choice import Choice
from support.lake_runs import job, table_rows
from support.program import run
from support.undescribed_logs import DAY, MIDNIGHT, UndescribedLogs, put_days

duckdb = pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")
BY_DATE = LakeOptions(by_date=True)
DAYS = ("2023-11-15", "2023-11-16", "2023-11-17", "2023-11-18")


@pytest.fixture
def logs(tmp_path: Path) -> UndescribedLogs:
    return UndescribedLogs(tmp_path).begin()


def days_of(lake: Path, pattern: str) -> list[str]:
    """The directories of days below those that fit the pattern."""
    return sorted({path.parent.name for path in lake.glob(f"{pattern}/*=*-*/*.parquet")})


def seen(lake: Path, query: str) -> list[Any]:
    """What duckdb answers with the views of the lake."""
    connection = duckdb.connect()
    connection.execute((lake / "_binlog/views.sql").read_text())
    return [tuple(row) for row in connection.sql(query).fetchall()]


def rows_of(lake: Path, table: str = "shop.t") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = binlogcli.read_lake(str(lake), table).read_all().sort_by("_seq").to_pylist()
    return rows


def expire(lake: Path, *days: str) -> None:
    """Remove all directories of these days, and the directories that are empty then, as a careful user might."""
    for day in days:
        for path in sorted(lake.glob(f"**/*date={day}")):
            shutil.rmtree(path)
    for path in sorted(lake.glob("tables/*/*/*/*"), reverse=True):
        if not list(path.iterdir()):
            path.rmdir()


def test_files_are_of_one_day_and_hold_all_rows(logs: UndescribedLogs, tmp_path: Path) -> None:
    log = put_days(logs).write()
    for size in (None, 300):
        lake, plain = tmp_path / f"lake{size}", tmp_path / f"plain{size}"
        job(lake, log, lake=BY_DATE, final=True, split_size=size)
        job(plain, log, final=True, split_size=size)
        assert days_of(lake, "tables/shop/t/*/schema=0") == [f"date={day}" for day in DAYS[:2]]
        assert days_of(lake, "tables/shop/t/*/schema=1") == [f"date={day}" for day in DAYS[1:3]]
        for path in lake.glob("tables/**/*.parquet"):
            days = {row["_ts"].date().isoformat() for row in pq.ParquetFile(path).read().to_pylist()}
            assert {path.parent.name} == {f"date={day}" for day in days}
        assert rows_of(lake) == rows_of(plain)
        assert table_rows(lake, "events/**/*.parquet") == table_rows(plain, "events/*.parquet")
        for query in (
            "SELECT id, number, _op, _seq FROM shop.t ORDER BY _seq",
            'SELECT * FROM shop."t.latest" ORDER BY ALL',
        ):
            assert seen(lake, query) == seen(plain, query)
            assert len(seen(lake, query)) >= 5
        assert job(lake, log, lake=BY_DATE, final=True).epochs == 0


def test_readers_of_partitions_find_the_days(logs: UndescribedLogs, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    job(lake, put_days(logs).write(), lake=BY_DATE, final=True)
    pattern = f"{lake}/tables/shop/t/generation=1/schema=1/**/*.parquet"
    day = dt.date(2023, 11, 17)
    found = duckdb.sql(f"SELECT id, date FROM read_parquet('{pattern}', hive_partitioning = true) ORDER BY _seq")
    assert found.fetchall()[1:2] == [(1, day)]
    frame = polars.scan_parquet(pattern, hive_partitioning=True).filter(polars.col("date") == day).collect()
    assert frame["id"].to_list() == [1]
    data = ds.dataset(f"{lake}/tables/shop/t/generation=1", partitioning="hive")
    assert data.to_table(filter=ds.field("date") == "2023-11-17").column("id").to_pylist() == [1]


def test_a_column_of_the_name_stays_apart(logs: UndescribedLogs, tmp_path: Path) -> None:
    logs.time = MIDNIGHT
    log = logs.statement("CREATE TABLE t (Date INT, _date INT)").put(1, 10).put(2, 20, table="u").write()
    lake = tmp_path / "lake"
    job(lake, log, lake=BY_DATE, final=True)
    assert days_of(lake, "tables/shop/t/*/*") == [f"__date={DAYS[0]}"]
    assert days_of(lake, "tables/shop/u/*/*") == [f"date={DAYS[0]}"]
    found = duckdb.sql(f"SELECT \"Date\", _date, __date FROM '{lake}/tables/shop/t/**/*.parquet'").fetchall()
    assert found == [(1, 10, dt.date(2023, 11, 15))]
    assert [row["Date"] for row in rows_of(lake)] == [1]


def test_days_may_be_removed(logs: UndescribedLogs, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    log = put_days(logs).write()
    job(lake, log, lake=BY_DATE, final=True)
    whole = rows_of(lake)
    expire(lake, *DAYS[:2])  # all of the first version
    left = [row for row in whole if row["_ts"].date().isoformat() == DAYS[2]]
    assert rows_of(lake) == left
    assert len(left) == 1
    assert seen(lake, "SELECT id, number FROM shop.t ORDER BY _seq") == [(1, 11)]
    assert seen(lake, 'SELECT id, number FROM shop."t.latest"') == [(1, 11)]
    assert job(lake, log, lake=BY_DATE, final=True).epochs == 0
    logs.time = MIDNIGHT + 3 * DAY
    later = logs.begin().put(6, 60).statement("ALTER TABLE t ADD c INT").put(7, 70, 700).statement("TRUNCATE t").write()
    assert job(lake, log, later, lake=BY_DATE, final=True).errors == []
    assert [row["_op"] for row in rows_of(lake)] == ["update", "insert", "insert", "truncate"]
    assert seen(lake, "SELECT id FROM shop.t ORDER BY _seq") == [(1,), (6,), (7,), (None,)]
    expire(lake, *DAYS)
    assert rows_of(lake) == seen(lake, "SELECT * FROM shop.t") == []
    assert [field.name for field in LakeTableView.find(str(lake), "shop.t").schema][:3] == ["id", "number", "c"]


def test_what_is_read_again_leaves_removed_days_alone(logs: UndescribedLogs, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    log = put_days(logs).write()
    sound = log.read_bytes()
    job(lake, log, lake=BY_DATE, final=True)
    at = sound.rindex(b"\x32\0\0\0")  # the value 50 of the last row
    damaged = tmp_path / "damaged"
    log.write_bytes(sound[:at] + b"\x33" + sound[at + 1 :])
    assert job(damaged, log, lake=BY_DATE, final=True).gaps
    log.write_bytes(sound)
    for _ in range(2):
        expire(damaged, DAYS[0])
        assert job(damaged, log, lake=BY_DATE, final=True, retry_gaps=True).errors == []
        assert rows_of(damaged) == [row for row in rows_of(lake) if row["_ts"].date().isoformat() != DAYS[0]]


def test_tables_may_be_added(logs: UndescribedLogs, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    log = put_days(logs).write()
    for tables in (("shop.u",), ("shop.u", "shop.t")):
        options = LakeOptions(by_date=True, choice=Choice(tables=tables))
        job(lake, log, lake=options, final=True)
    job(tmp_path / "whole", log, lake=BY_DATE, final=True)
    for table in ("shop.t", "shop.u"):
        assert rows_of(lake, table) == rows_of(tmp_path / "whole", table)


@pytest.mark.parametrize("first", [BY_DATE, LakeOptions()])
def test_an_output_keeps_its_choice(first: LakeOptions, logs: UndescribedLogs, tmp_path: Path) -> None:
    log = put_days(logs).write()
    job(tmp_path / "lake", log, lake=first, final=True)
    with pytest.raises(LakeError, match=r"was begun with(out)? --partition-by date"):
        job(tmp_path / "lake", log, lake=LakeOptions(by_date=not first.by_date))
    option = [] if first.by_date else ["--partition-by", "date"]
    done = run("to-parquet", "--dry-run", "-o", tmp_path / "lake", *option, log)
    how, what = ("with", "pass it again") if first.by_date else ("without", "omit it")
    line = f"{tmp_path / 'lake'}: was begun {how} --partition-by date; {what}, or use another --output"
    assert (done.returncode, done.stderr.decode()) == (2, f"binlogcli: {line}\n")


def test_few_files_are_open_however_the_days_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_ROW_GROUP", 1 << 12)
    table = files.TableFiles(str(tmp_path), by_date=True)
    written: list[files.WrittenFile] = []
    for start in range(0, 2000, 200):
        numbers = range(start, start + 200)
        times = [dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=number * 7 % 40) for number in numbers]
        columns = {"n": pa.array(numbers), "_ts": pa.array(times, pa.timestamp("us", "UTC")), "_pos": pa.array(numbers)}
        written += table.add(pa.RecordBatch.from_pydict(columns))
        assert len(table.files) <= 4
    written += table.finish()
    found = []
    for one in written:
        rows = pq.read_table(tmp_path / one.staged).to_pylist()
        assert {row["_ts"].date().isoformat() for row in rows} == {one.date}
        assert [row["n"] for row in rows] == sorted(row["n"] for row in rows)
        found += [row["n"] for row in rows]
    assert sorted(found) == list(range(2000))


def test_rows_without_a_time_have_a_part_of_their_own() -> None:
    times = pa.array([None, 0, None, 86_400_000_000, 1], pa.timestamp("us", "UTC"))
    table = pa.table({"_ts": times, "_pos": pa.array(range(5))})
    parts = {date: rows.column("_pos").to_pylist() for date, rows in parts_by_date(table)}
    assert parts == {"1970-01-01": [1, 4], "1970-01-02": [3], NO_DATE: [0, 2]}

"""Integers that may be unsigned or not: signed in Parquet, marked in schema.json, and named once a table by a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.report import JobReport
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions, UnsureColumn
from support.bodies import LONG, UNSIGNED, WRITE_V1, lenenc_field, rows_event, table_map, u4
from support.lake_runs import columns_of
from support.logs import TimedLog

NAMES = lenenc_field(4, b"\2id\5count")
COUNT = 4000000000


class Quiet:
    """A watcher that shows nothing."""

    shows = False

    @contextmanager
    def begin(self, size: int, stage: Path) -> Iterator[None]:
        yield


class Here:
    """A runner in this process."""

    parallelism = 2

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return [function(item) for item in items]


def run(output: Path, *logs: Path, unsigned: tuple[str, ...] = ()) -> JobReport:
    @contextmanager
    def here(_lock: int) -> Iterator[Here]:
        yield Here()

    options = JobOptions(str(output), LakeOptions(unsigned=unsigned), final=True)
    return Job(options, here).run([str(log) for log in logs], Quiet())


def add(log: TimedLog, number: int, *, metadata: bytes = NAMES) -> None:
    log.gtid(5, number)
    log.place(19, 5, table_map([LONG, LONG], optional=metadata))
    log.place(WRITE_V1, 5, rows_event(2, b"\0" + u4(number) + u4(COUNT)))
    log.xid(5, number)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    made = TimedLog()
    add(made, 1)
    add(made, 2)
    return written(made, tmp_path)


def written(made: TimedLog, folder: Path) -> Path:
    path = folder / "bin.000001"
    made.write(path)
    return path


def described(output: Path) -> dict[str, Any]:
    return dict(json.loads((output / "_binlog/tables/shop/t/schema.json").read_text()))


def counts(output: Path) -> list[int]:
    return [
        number
        for path in sorted(output.glob("tables/shop/t/**/*.parquet"))
        for number in pq.read_table(path).column("count").to_pylist()
    ]


def test_such_a_column_is_signed_and_marked(log: Path, tmp_path: Path) -> None:
    output = tmp_path / "lake"
    report = run(output, log)
    assert counts(output) == [COUNT - (1 << 32)] * 2
    (version,) = described(output)["versions"]
    assert [(one["type"], one.get("sign_unknown")) for one in version["columns"]] == [("int32", True)] * 2
    assert described(output)["widened"]["fields"][1]["metadata"]["sign_unknown"] is True
    assert report.unsure == {UnsureColumn("shop", "t", "count")}
    assert not report.vain


def test_a_column_that_the_user_takes_to_be_unsigned_is(log: Path, tmp_path: Path) -> None:
    output = tmp_path / "lake"
    report = run(output, log, unsigned=("shop.t.count", "shop.t.none"))
    assert counts(output) == [COUNT] * 2
    (version,) = described(output)["versions"]
    assert (version["columns"][1]["source"], version["columns"][1]["type"]) == ("INT UNSIGNED", "int64")
    assert "sign_unknown" not in version["columns"][1]
    assert not report.unsure
    assert report.vain == ["--assume-unsigned shop.t.none: no table in the output has this column"]


def test_rows_of_known_and_of_unknown_sign_are_two_versions(tmp_path: Path) -> None:
    output = tmp_path / "lake"
    made = TimedLog()
    add(made, 1)
    add(made, 2, metadata=lenenc_field(1, b"\0") + NAMES)
    report = run(output, written(made, tmp_path), unsigned=("shop.t.id",))
    versions = described(output)["versions"]
    assert [version["columns"][1].get("sign_unknown") for version in versions] == [True, None]
    assert [version["columns"][0]["source"] for version in versions] == ["INT UNSIGNED", "INT"]
    assert report.unsure == {UnsureColumn("shop", "t", "count")}


def test_a_log_with_metadata_marks_nothing(tmp_path: Path) -> None:
    output = tmp_path / "lake"
    made = TimedLog()
    add(made, 1, metadata=UNSIGNED + NAMES)
    report = run(output, written(made, tmp_path), unsigned=("shop.t.count",))
    assert "sign_unknown" not in json.dumps(described(output))
    assert not report.unsure
    assert report.vain == ["--assume-unsigned shop.t.count: the column is known to be signed, or is not an integer"]


def test_the_data_source_marks_the_field_and_takes_the_users_word(log: Path) -> None:
    options = {"path": str(log), "table": "shop.t"}
    fields = columns_of(options)["fields"]
    assert fields[1]["metadata"]["sign_unknown"] is True
    fields = columns_of({**options, "assumeUnsigned": "shop.t.count"})["fields"]
    assert (fields[1]["type"], fields[1]["metadata"]) == ("long", {})

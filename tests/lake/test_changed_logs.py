"""A log that is cut, replaced or written over while it is converted is left for the next run; nothing of it is lost."""

from __future__ import annotations

import gzip
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from binlogcli.crypto.key_options import KeyOptions
from binlogcli.errors import SourceError
from binlogcli.lake.decode.split_decoder import decode_split
from binlogcli.lake.errors import DamagedInputError, LogChangedError
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.report import JobReport
from binlogcli.lake.job.run import Job
from binlogcli.lake.log_stamp import stamp_of
from binlogcli.lake.model import Batch, LakeOptions
from binlogcli.lake.plan.log_plan import LogPlan, LogTask, plan_log
from support.encrypted_logs import encrypt_mariadb
from support.lake_output import check, ids, parquet_files
from support.shop_logs import ShopLog

Meddle = Callable[[Path], None]
ROWS = 100  # of each log


class Quiet:
    """A watcher that shows nothing."""

    shows = False

    @contextmanager
    def begin(self, size: int, stage: Path) -> Iterator[None]:
        yield


class Meddling:
    """A runner that calls a function before its N-th task, or after all of them where there are fewer."""

    parallelism = 2

    def __init__(self, at: int, meddle: Callable[[], None]) -> None:
        self.left = at
        self.meddle = meddle

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        found = []
        for item in items:
            self.left -= 1
            if self.left == 0:
                self.meddle()
            found.append(pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(item))))))
        return found


def run(output: Path, *logs: Path, at: int = 0, meddle: Callable[[], None] = lambda: None, **options: Any) -> JobReport:
    """Run to the end, with the logs meddled with before the N-th task."""

    @contextmanager
    def meddling(_lock: int) -> Iterator[Meddling]:
        yield Meddling(at, meddle)

    sizes = {"epoch_size": 1 << 30, "split_size": 1 << 11, **options}
    lake = sizes.pop("lake", LakeOptions())
    return Job(JobOptions(str(output), lake, **sizes), meddling).run([str(log) for log in logs], Quiet())


def shop_log(path: Path, number: int = 0, *, rows: int = ROWS, created: int = 1_700_000_000) -> Path:
    ShopLog(first=number * ROWS + 1, created=created + number).trade(rows // 2).stop().write(path)
    return path


def cut(log: Path) -> None:
    os.truncate(log, log.stat().st_size // 2 + 7)


def emptied(log: Path) -> None:
    os.truncate(log, 0)


def copied_over(log: Path) -> None:
    """A shorter log takes its place, in the same file."""
    other = shop_log(log.with_suffix(".other"), 5, rows=20)
    log.write_bytes(other.read_bytes())


def larger_copied_over(log: Path) -> None:
    other = shop_log(log.with_suffix(".other"), 5, rows=2 * ROWS)
    log.write_bytes(other.read_bytes())


def moved_over(log: Path) -> None:
    """A larger log takes its place, in a file of its own."""
    shop_log(log.with_suffix(".other"), 5, rows=2 * ROWS).rename(log)


def same_size_written_over(log: Path) -> None:
    """Rows in its middle are changed, with the size and the ends as they were."""
    content = bytearray(log.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 64] = bytes(64)
    with log.open("r+b") as file:
        file.write(content)
    os.utime(log, ns=(0, log.stat().st_mtime_ns + 1_000_000))


def cut_and_grown(log: Path) -> None:
    """It is cut, and other bytes make it as long as it was and longer."""
    content = log.read_bytes()
    half = len(content) // 2
    log.write_bytes(content[:half] + bytes(reversed(content[half:])) + bytes(500))


MEDDLING = [cut, emptied, copied_over, larger_copied_over, moved_over, same_size_written_over, cut_and_grown]


@pytest.mark.parametrize("meddle", MEDDLING)
@pytest.mark.parametrize("at", [1, 3])
def test_a_log_changed_before_its_tasks_read_it_is_left_for_the_next_run(
    at: int, meddle: Meddle, tmp_path: Path
) -> None:
    log, output = shop_log(tmp_path / "shop-bin.000001"), tmp_path / "lake"
    content, times = log.read_bytes(), log.stat().st_mtime_ns
    report = run(output, log, at=at, meddle=lambda: meddle(log))
    assert [error.file for error in report.changed] == [str(log)]
    assert "while it was converted" in report.changed[0].line()
    assert report.epochs == 0
    assert parquet_files(output) == []
    log.write_bytes(content)
    os.utime(log, ns=(times, times))
    assert run(output, log).changed == []
    check(output, range(1, ROWS + 1))


def test_the_other_logs_of_the_epoch_are_taken(tmp_path: Path) -> None:
    logs = [shop_log(tmp_path / f"shop-bin.{number + 1:06}", number) for number in range(4)]
    whole, output = logs[1].read_bytes(), tmp_path / "lake"

    def meddle() -> None:
        os.truncate(logs[1], 800)
        os.truncate(logs[2], 900)

    report = run(output, *logs, at=1, meddle=meddle, split_size=1 << 20)  # all in one task
    assert [error.file for error in report.changed] == [str(logs[1]), str(logs[2])]
    assert set(ids(output)) == {*range(1, ROWS + 1), *range(3 * ROWS + 1, 4 * ROWS + 1)}
    logs[1].write_bytes(whole)
    shop_log(logs[2], 2)
    assert run(output, *logs).changed == []
    check(output, range(1, 4 * ROWS + 1))


@pytest.mark.parametrize("meddle", [cut, copied_over, moved_over])
def test_a_log_changed_between_two_epochs_is_left_for_the_next_run(meddle: Meddle, tmp_path: Path) -> None:
    logs = [shop_log(tmp_path / f"shop-bin.{number + 1:06}", number) for number in range(3)]
    whole, output = logs[2].read_bytes(), tmp_path / "lake"
    report = run(output, *logs, at=2, meddle=lambda: meddle(logs[2]), epoch_size=1, split_size=1 << 20)
    assert [error.file for error in report.changed] == [str(logs[2])]
    assert report.epochs == 2
    check(output, range(1, 2 * ROWS + 1))
    logs[2].write_bytes(whole)
    run(output, *logs)
    check(output, range(1, 3 * ROWS + 1))


def test_a_log_that_was_cut_is_taken_as_it_then_is(tmp_path: Path) -> None:
    log, output = shop_log(tmp_path / "shop-bin.000001"), tmp_path / "lake"
    assert len(run(output, log, at=1, meddle=lambda: cut(log)).changed) == 1
    run(output, log)
    found = ids(output)
    assert sorted(found) == list(range(1, len(found) + 1))
    assert 20 < len(found) < ROWS


def test_a_changed_log_stops_a_run_that_is_to_stop(tmp_path: Path) -> None:
    log, output = shop_log(tmp_path / "shop-bin.000001"), tmp_path / "lake"
    with pytest.raises(DamagedInputError, match=r"was truncated from \d+ to \d+ bytes while it was converted"):
        run(output, log, at=1, meddle=lambda: cut(log), stop_on_damage=True)
    assert parquet_files(output) == []
    assert list((output / "_binlog" / "staging").iterdir()) == []


def test_a_log_that_grows_is_taken_up_to_its_plan(tmp_path: Path) -> None:
    log, output = tmp_path / "shop-bin.000001", tmp_path / "lake"
    content = ShopLog(in_use=True).trade(20)

    def grow() -> None:
        with log.open("ab") as file:
            file.write(content.trade(5).bytes()[log.stat().st_size :])

    log.write_bytes(content.bytes())
    for at in (1, 1, 1, 0):
        assert run(output, log, at=at, meddle=grow).changed == []
        assert sorted(ids(output)) == list(range(1, len(ids(output)) + 1))
    check(output, range(1, 71))


def test_a_log_that_its_server_closes_is_as_it_was(tmp_path: Path) -> None:
    log, output = tmp_path / "shop-bin.000001", tmp_path / "lake"
    ShopLog(in_use=True).trade(20).write(log)

    def close() -> None:
        with log.open("r+b") as file:
            file.seek(21)
            file.write(b"\0")
        os.utime(log, ns=(0, log.stat().st_mtime_ns + 1_000_000))

    assert run(output, log, at=1, meddle=close).changed == []
    check(output, range(1, 41))


def test_a_log_that_is_removed_is_reported(tmp_path: Path) -> None:
    log, output = shop_log(tmp_path / "shop-bin.000001"), tmp_path / "lake"
    (error,) = run(output, log, at=1, meddle=log.unlink).changed
    assert "cannot be read any more: no such file" in error.line()


def plan_of(log: Path, options: LakeOptions) -> LogPlan:
    plan = plan_log(LogTask(str(log), options, 1 << 30))
    assert plan.error is None, plan.error
    return plan


def batches_until_changed(plan: LogPlan, options: LakeOptions, meddle: Callable[[], None]) -> int:
    """Decode a plan with the log meddled with after the first batch; return how many batches came until that was told.

    Returns -1 where it was not told.
    """
    count = 0
    try:
        for split in plan.splits:
            for one in decode_split(split, options):
                count += isinstance(one, Batch)
                if count == 1:
                    meddle()
    except LogChangedError:
        return count
    return -1


@pytest.mark.parametrize("meddle", MEDDLING)
def test_a_log_changed_while_it_is_read_is_reported(meddle: Meddle, tmp_path: Path) -> None:
    log = shop_log(tmp_path / "shop-bin.000001", rows=20_000)  # some windows of the reader
    options = LakeOptions(batch_bytes=1 << 14, held_bytes=1 << 15)
    assert batches_until_changed(plan_of(log, options), options, lambda: meddle(log)) > 0


@pytest.mark.parametrize("at_once", [False, True])
def test_a_packed_log_that_is_cut_is_reported(tmp_path: Path, *, at_once: bool) -> None:
    plain = shop_log(tmp_path / "shop-bin.000001", rows=20_000)
    log = tmp_path / "shop-bin.000001.gz"
    log.write_bytes(gzip.compress(plain.read_bytes()))
    options = LakeOptions(batch_bytes=1 << 14, held_bytes=1 << 15)
    plan = plan_of(log, options)
    if at_once:
        cut(log)
    assert (batches_until_changed(plan, options, lambda: cut(log)) == 0) == at_once


@pytest.mark.parametrize("at_once", [False, True])
def test_an_encrypted_log_that_is_cut_is_reported(tmp_path: Path, *, at_once: bool) -> None:
    key = bytes(range(32))
    keys = tmp_path / "keys.txt"
    keys.write_text(f"1;{key.hex()}\n")
    log = tmp_path / "shop-bin.000001"
    log.write_bytes(encrypt_mariadb(shop_log(tmp_path / "plain", rows=20_000).read_bytes(), key, "aes-ctr")[0])
    options = LakeOptions(batch_bytes=1 << 14, held_bytes=1 << 15, keys=KeyOptions(key_file=str(keys)))
    plan = plan_of(log, options)
    if at_once:
        cut(log)
    assert (batches_until_changed(plan, options, lambda: cut(log)) == 0) == at_once


def test_a_log_replaced_between_two_looks_of_the_planner_is_reported(tmp_path: Path) -> None:
    log = shop_log(tmp_path / "shop-bin.000001")
    stamp = stamp_of(str(log))
    larger_copied_over(log)
    plan = plan_log(LogTask(str(log), LakeOptions(), 1 << 30, stamp=stamp))
    assert isinstance(plan.error, LogChangedError)
    assert plan.splits == ()


def test_the_same_log_in_another_file_of_the_same_name_is_reported(tmp_path: Path) -> None:
    log = shop_log(tmp_path / "shop-bin.000001")
    stamp = stamp_of(str(log))
    shutil.copy2(log, tmp_path / "copy")
    (tmp_path / "copy").rename(log)
    with pytest.raises(LogChangedError, match="was replaced while it was converted"):
        stamp.check(str(log), "the log")


def test_a_stream_of_a_log_that_was_cut_fails(tmp_path: Path) -> None:
    from pyspark.sql.streaming.datasource import ReadAllAvailable
    from pyspark.sql.types import StructType

    from binlogcli.lake.spark.source import BinlogStream
    from binlogcli.lake.spark.table_view import TableView

    log = shop_log(tmp_path / "shop-bin.000001")
    content = log.read_bytes()
    view = TableView.from_options({"path": str(log)})
    stream = BinlogStream(view, StructType(), 0)
    start = stream.initialOffset()
    end = stream.latestOffset(start, ReadAllAvailable())
    assert end["pos"] == len(content)
    cut(log)
    again = BinlogStream(view, StructType(), 0)  # as after a restart, between the offset and its batch
    for ask in (lambda: again.partitions(start, end), lambda: again.latestOffset(end, ReadAllAvailable())):
        with pytest.raises(SourceError, match="has shrunk"):
            ask()
    log.write_bytes(content)
    with pytest.raises(SourceError, match=r"the offset in the checkpoint is damaged: it\[0\].pos is 1.5"):
        again.partitions({**start, "pos": 1.5}, end)
    assert len(again.partitions(start, end)) == 1
    assert again.latestOffset(end, ReadAllAvailable()) == end

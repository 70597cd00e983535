"""What a run takes: new logs, new whole transactions of grown ones, packed ones, damaged ones; nothing twice."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from binlogcli.errors import SourceError
from binlogcli.gtids.parsing import read_gtids
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.results import lots_of
from binlogcli.lake.model import LakeOptions, Split
from binlogcli.lake.plan.log_plan import LogPlan, LogTask, plan_log, read_head
from binlogcli.lake.plan.planner import Planner
from binlogcli.lake.store.epochs import Store
from binlogcli.lake.store.paths import encoded, table_directory
from binlogcli.select.choice import Choice
from binlogcli.select.gtids import GtidChoice
from support.bodies import query
from support.lake_output import check, events, ids
from support.lake_values import lake_of
from support.logs import QUERY, LogBuilder
from support.program import HOME, run
from support.shop_logs import ShopLog

SCRIPT = Path(__file__).with_name("killed_run.py")


def converted(output: Path, *logs: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """A run without Spark, to its end."""
    command = [sys.executable, "-P", str(SCRIPT), "0", str(output), *map(str, logs)]
    environment = {**os.environ, "PYTHONPATH": str(HOME), "EPOCH_SIZE": str(1 << 30), **settings}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


def convert(output: Path, *logs: Path) -> None:
    """The same, which is to do all it can."""
    done = converted(output, *logs)
    assert done.returncode == 0, done.stderr


def plan(path: Path, split_size: int = 1 << 40, *, final: bool = False) -> LogPlan:
    found = plan_log(LogTask(str(path), LakeOptions(), split_size, final=final))
    assert found.error is None
    return found


def test_a_growing_log_gives_each_transaction_once_wherever_it_ends(tmp_path: Path) -> None:
    log, output = tmp_path / "shop-bin.000001", tmp_path / "lake"
    whole = ShopLog(in_use=True).trade(8, rows=3).bytes()
    for end in range(180, len(whole), 97):
        log.write_bytes(whole[:end])
        convert(output, log)
        found = ids(output)
        assert sorted(found) == list(range(1, len(found) // 3 * 3 + 1))
    log.write_bytes(whole)
    convert(output, log)
    check(output, range(1, 25))


def test_a_log_is_known_when_it_was_packed_or_moved(tmp_path: Path) -> None:
    log, output, archive = tmp_path / "shop-bin.000001", tmp_path / "lake", tmp_path / "archive"
    archive.mkdir()
    content = ShopLog().trade(6)
    log.write_bytes(content.bytes())
    convert(output, log)
    packed = archive / "shop-bin.000001.gz"
    packed.write_bytes(gzip.compress(content.trade(2).stop().bytes()))
    convert(output, packed)
    convert(output, packed, log)
    check(output, range(1, 17))


def test_a_log_given_twice_is_taken_once(tmp_path: Path) -> None:
    log, index = tmp_path / "shop-bin.000001", tmp_path / "shop-bin.index"
    ShopLog().trade(3).stop().write(log)
    index.write_text("./shop-bin.000001\n")
    convert(tmp_path / "lake", log, index, log)
    check(tmp_path / "lake", range(1, 7))


def test_another_log_of_the_same_name_is_another_log(tmp_path: Path) -> None:
    log, output = tmp_path / "shop-bin.000001", tmp_path / "lake"
    ShopLog(created=1_700_000_000).trade(3).write(log)
    convert(output, log)
    ShopLog(first=7, created=1_700_000_999).trade(2).write(log)
    convert(output, log)
    assert sorted(ids(output)) == list(range(1, 11))


def test_a_log_that_shrank_is_refused(tmp_path: Path) -> None:
    log, output = tmp_path / "shop-bin.000001", tmp_path / "lake"
    content = ShopLog().trade(30).bytes()
    log.write_bytes(content)
    convert(output, log)
    state, _ = Store(str(output)).look()
    log.write_bytes(content[:-100])
    planner = Planner(LakeOptions(), state, [str(log)], final=False, split_size=None)
    assert "bytes of it were read before" in str(planner.found[0].error)
    log.write_bytes(content[:40] + b"\xff" + content[41:])
    head = read_head(str(log))
    with pytest.raises(SourceError, match="its beginning is different"):
        state.find(str(log), head)


@pytest.mark.parametrize("size", [100, 300, 1000])
def test_splits_follow_one_another_and_carry_what_they_need(size: int, tmp_path: Path) -> None:
    path = tmp_path / "shop-bin.000001"
    log = ShopLog().trade(5)
    log.begin()
    for _ in range(20):  # one transaction of many statements
        log.insert(2)
    log.commit().begin().map()
    for at in range(30):  # and one of a single large statement
        log.rows(2, ends=at == 29)
    log.commit().trade(3).stop().write(path)
    splits = plan(path, size).splits
    assert splits[0].start == 0
    assert splits[-1].end == len(log.log)
    assert [split.end for split in splits[:-1]] == [split.start for split in splits[1:]]
    assert len(splits) > 4
    assert sorted(rows_of(splits)) == list(range(1, log.next))
    assert any(split.tail for split in splits)


@pytest.mark.parametrize("at", [8, 13, 23, 25, -5, -1])  # type, length, binlog_version, version, algorithm, checksum
def test_each_split_of_a_log_with_a_damaged_format_description_is_read(at: int, tmp_path: Path) -> None:
    path = tmp_path / "shop-bin.000001"
    log = ShopLog().trade(30)
    log.stop().write(path)
    damaged = bytearray(log.bytes())
    damaged[at if at > 0 else int.from_bytes(damaged[13:17], "little") + 4 + at] ^= 1 if at < 0 else 0x10
    path.write_bytes(damaged)
    splits = plan(path, 500).splits
    assert len(splits) > 4
    assert rows_of(splits) == list(range(1, log.next))


def rows_of(splits: tuple[Split, ...]) -> list[int]:
    from binlogcli.lake.decode.split_decoder import decode_split
    from binlogcli.lake.model import Batch

    found: list[int] = []
    for split in splits:
        for one in decode_split(split, LakeOptions()):
            if isinstance(one, Batch) and one.schema is not None:
                found += one.data.column("c1").to_pylist()
                assert set(one.data.column("_xid").to_pylist()) != {None}
                assert None not in one.data.column("_gtid").to_pylist()
    return found


def test_a_damaged_commit_gives_its_rows_no_xid(tmp_path: Path) -> None:
    path = tmp_path / "shop-bin.000001"
    log = ShopLog().begin()
    for _ in range(40):
        log.insert(2)
    log.commit()
    xid_at = log.starts[-1] + 19
    log.trade(2).stop().log[xid_at] ^= 0x40
    log.write(path)
    for size, options in ((1 << 40, LakeOptions(batch_bytes=1, held_bytes=1)), (1000, LakeOptions())):
        found: dict[int, int | None] = {}
        for split in plan(path, size).splits:
            _, changes, _ = lake_of(split, options)
            found |= {change["c1"]: change["_xid"] for change in changes}
        assert found == {**dict.fromkeys(range(1, 81)), 81: 2, 82: 2, 83: 3, 84: 3}


def test_what_no_commit_follows_waits_unless_the_log_grows_no_more(tmp_path: Path) -> None:
    path = tmp_path / "shop-bin.000001"
    log = ShopLog().trade(2)
    whole = len(log.log)
    log.begin().insert(1).write(path)
    assert (plan(path).end, plan(path).waiting) == (whole, len(log.log) - whole)
    assert plan(path, final=True).end == len(log.log)


def test_zeros_behind_the_last_event_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "shop-bin.000001"
    path.write_bytes(ShopLog().trade(2).stop().bytes() + bytes(1000))
    convert(tmp_path / "lake", path)
    check(tmp_path / "lake", range(1, 5))


@pytest.mark.parametrize("opening", ["GTID", "BEGIN"])
@pytest.mark.parametrize("load", [[17, 18], [17, 9, 18], [8, 9, 10]])
def test_load_data_does_not_end_the_transaction_that_it_stands_in(
    opening: str, load: list[int], tmp_path: Path
) -> None:
    path = tmp_path / "shop-bin.000001"
    log = ShopLog().trade(2)
    whole = len(log.log)
    if opening == "GTID":
        log.begin()
    else:
        log.add(QUERY, query(text=b"BEGIN"))
    for kind in load:
        log.add(kind, bytes(60))
    log.write(path)
    assert plan(path).end == whole
    log.insert(2).write(path)
    assert plan(path).end == whole
    log.commit().write(path)
    assert plan(path).end == len(log.log)


@pytest.mark.parametrize("load", [[17, 18], [8, 9, 10]])
def test_load_data_outside_of_a_transaction_is_one(load: list[int], tmp_path: Path) -> None:
    path = tmp_path / "shop-bin.000001"
    log = LogBuilder().describe()
    for kind in load:
        log.add(kind, bytes(60))
    whole = len(log.log)
    log.add(load[0], bytes(60)).write(path)
    assert plan(path).end == whole


def ten_logs_one_damaged(tmp_path: Path) -> list[Path]:
    logs = []
    for number in range(10):
        path = tmp_path / f"shop-bin.{number + 1:06}"
        ShopLog(first=number * 10 + 1, created=1_700_000_000 + number).trade(5).stop().write(path)
        logs.append(path)
    broken = bytearray(logs[4].read_bytes())
    at = broken.index(b"row 45") + 2
    broken[at] ^= 0xFF
    logs[4].write_bytes(broken)
    return logs


def test_a_damaged_log_among_others_stops_the_run_that_is_to_stop(tmp_path: Path) -> None:
    logs = ten_logs_one_damaged(tmp_path)
    done = converted(tmp_path / "lake", *logs, STOP_ON_DAMAGE="1")
    assert "DamagedInputError: " in done.stderr
    assert ": checksum mismatch" in done.stderr
    assert not list((tmp_path / "lake").rglob("*.parquet"))
    convert(tmp_path / "lake", *logs)
    assert len(ids(tmp_path / "lake")) == 98


def test_a_damaged_log_among_others_costs_its_damage_alone(tmp_path: Path) -> None:
    logs = ten_logs_one_damaged(tmp_path)
    convert(tmp_path / "lake", *logs)
    missing = set(range(1, 101)) - set(ids(tmp_path / "lake"))
    assert missing == {45, 46}  # the rows of one event
    assert max(ids(tmp_path / "lake").values()) == 1
    assert len(list(events(tmp_path / "lake"))) == 10 * 22  # the damage is in the place of the event


HOSTILE = [
    "..",
    ".",
    "",
    "/",
    "a/b",
    "a\0b",
    "_hidden",
    ".hidden",
    "x" * 255,
    "é" * 127,
    "a=b",
    "%2F",
    "CON ",
    "\n",
    "a.",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_makes_a_directory_below_the_output(name: str, tmp_path: Path) -> None:
    path = tmp_path / encoded(name)
    path.mkdir()
    assert path.resolve().parent == tmp_path.resolve()
    assert not path.name.startswith(("_", "."))


def test_no_two_tables_share_a_directory() -> None:
    taken: set[str] = set()
    names = ["orders", "Orders", "ORDERS", "orderS", *HOSTILE, "a%2Fb", "%5Fhidden"]
    for name in names:
        taken.add(table_directory("shop", name, taken).casefold())
    assert len(taken) == len(names)


def test_the_command_says_what_is_wrong_with_its_arguments(tmp_path: Path) -> None:
    log = tmp_path / "shop-bin.000001"
    ShopLog().trade(1).write(log)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("something else")
    (tmp_path / "file").write_text("no directory")
    for arguments, words in (
        ([log], b"missing option"),
        (["-o", tmp_path / "other", log], b"contains other files"),
        (["-o", tmp_path / "file", log], b"is not a directory"),
        (["-o", tmp_path / "lake", "-"], b"stdin can be read only once"),
        (["-o", tmp_path / "lake", tmp_path / "nothing"], b"no such file"),
        (["-o", tmp_path / "lake", "--conf", "x", log], b"does not have the form K=V"),
    ):
        done = run("to-parquet", *arguments)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr
    convert(tmp_path / "lake", log)
    done = run("to-parquet", "-o", tmp_path / "lake", "--columns-only", log)
    assert done.returncode == 2
    assert b"was created with another selection of events or columns" in done.stderr


def test_small_logs_share_a_task_and_large_ones_have_their_own() -> None:
    sizes = [3, 4, 3, 1, 30, 1, 9, 2]
    splits = [Split(str(at), 4, 4 + size) for at, size in enumerate(sizes)]
    lots = list(lots_of(splits, 10))
    assert [[split.size for split in lot] for lot in lots] == [[3, 4, 3], [1], [30], [1, 9], [2]]
    assert [split for lot in lots for split in lot] == splits
    assert list(lots_of([], 10)) == []


def test_tables_of_logs_in_one_task_and_in_many_are_the_same(tmp_path: Path) -> None:
    logs = []
    for number in range(7):
        path = tmp_path / f"shop-bin.{number + 1:06}"
        ShopLog(first=number * 12 + 1, created=1_700_000_000 + number).trade(6, tables=3).stop().write(path)
        logs.append(path)
    logs[3].write_bytes(logs[3].read_bytes()[:-60])  # torn: the end of its last transaction does not come
    found = []
    for size in ("0", str(1 << 11)):
        output = tmp_path / f"lake-{size}"
        done = converted(output, *logs, SPLIT_SIZE=size)
        assert done.returncode == 0, done.stderr
        tables = [pq.read_table(path).to_pylist() for path in sorted(output.glob("tables/**/*.parquet"))]
        assert len(tables) == 3
        found.append(sorted((row for rows in tables for row in rows), key=lambda row: row["_seq"]))
    assert found[0] == found[1]
    assert [row["c1"] for row in found[0]] == sorted(row["c1"] for row in found[0])
    assert set(range(1, 85)) - {row["c1"] for row in found[0]} <= {47, 48}


def chosen(include: str, exclude: str = "") -> LakeOptions:
    choices = [GtidChoice(read_gtids(text)) if text else None for text in (include, exclude)]
    return LakeOptions(choice=Choice(include_gtids=choices[0], exclude_gtids=choices[1]))


def test_what_all_runs_must_have_in_common_is_equal_for_equal_options() -> None:
    """Else the second run into one output is refused."""
    uuid = "993f1e26-e549-11f1-be96-02fc00000001"
    texts = ["0-1-5,1-1-7", "1-1-7,0-1-5", "0-1-5,1-1-7..8", f"{uuid}:1-5", f"{uuid}:1-3:4-5", f"{uuid}:blue:1-5", ""]
    names = ["", "0-1-3"]
    found = {(one, other): JobOptions("", chosen(one, other)).fingerprint() for one in texts for other in names}
    for (one, other), text in found.items():
        assert JobOptions("", chosen(one, other)).fingerprint() == text
        assert " at 0x" not in text
    assert found[texts[0], ""] == found[texts[1], ""]
    assert found[texts[3], ""] == found[texts[4], ""]
    assert len(set(found.values())) == 2 * (len(texts) - 2)


def test_a_second_run_with_gtids_takes_what_is_new(tmp_path: Path) -> None:
    log, output = tmp_path / "shop-bin.000001", tmp_path / "lake"
    content = ShopLog().trade(4)
    for more in (0, 4):
        content.trade(more).write(log)
        done = run("to-parquet", "--dry-run", "-o", output, "--include-gtids", "0-101-1..6", log)
        assert done.returncode == 0, done.stderr
        again = converted(output, log, INCLUDE_GTIDS="0-101-1..6")
        assert again.returncode == 0, again.stderr
    assert sorted(ids(output)) == list(range(1, 13))

"""Several logs as one history."""

from __future__ import annotations

import shutil
from pathlib import Path

from binlogcli.stats.log_order import missing, ordered
from support.golden import GOLDEN
from support.program import run
from support.reports import CHAIN, chain, kinds, stats, without_commands

ROTATION = GOLDEN / "mysql-9.7" / "relay"


def test_logs_are_ordered_by_what_they_say_of_their_successors() -> None:
    paths = ["x/c.000009", "x/b.000002", "x/b.000001", "other", "x/a.000007"]
    following = {"x/c.000009": None, "x/a.000007": "./c.000009"}
    assert ordered(paths, following) == ["x/b.000001", "x/b.000002", "other", "x/a.000007", "x/c.000009"]


def test_logs_that_name_each_other_in_a_circle_are_all_read() -> None:
    assert sorted(ordered(["a.000001", "b.000001"], {"a.000001": "b.000001", "b.000001": "a.000001"})) == [
        "a.000001",
        "b.000001",
    ]
    assert ordered(["a.000001", "a.000001"], {}) == ["a.000001"]


def test_missing_logs_are_named_with_their_numbers_width() -> None:
    logs = [{"file": "d/shop-bin.000008"}, {"file": "d/shop-bin.000011.gz"}, {"file": "relay.000020"}]
    assert missing(logs) == [("shop-bin.000009", "d/shop-bin.000011.gz"), ("shop-bin.000010", "d/shop-bin.000011.gz")]


def test_any_order_of_the_arguments_gives_the_history_of_the_index() -> None:
    by_index = without_commands(stats(CHAIN / "shop-bin.index"))
    logs = chain()
    assert without_commands(stats(*logs)) == by_index
    shuffled = without_commands(stats(logs[3], logs[0], logs[4], logs[1], logs[2]))
    assert shuffled["problems"][0]["kind"] == "file_order"
    del shuffled["problems"][0]
    assert shuffled == by_index
    assert by_index["summary"]["files"] == 5


def test_several_processes_give_the_same_bytes() -> None:
    logs = [CHAIN / "shop-bin.index", *sorted(ROTATION.glob("*-bin.0*"))]
    arguments: list[str | Path] = ["stats", "--format", "json", *logs]
    one = run(*arguments, "--jobs", "1")
    several = run(*arguments, "--jobs", "3")
    assert (one.stdout, one.stderr, one.returncode) == (several.stdout, several.stderr, several.returncode)


def test_several_processes_tell_of_damage_in_the_order_of_the_logs(tmp_path: Path) -> None:
    for path in chain():
        data = bytearray(path.read_bytes())
        data[300] ^= 1
        (tmp_path / path.name).write_bytes(data)
    arguments: list[str | Path] = ["stats", *sorted(tmp_path.iterdir())]
    one = run(*arguments, "--jobs", "1")
    several = run(*arguments, "--jobs", "4")
    assert one.returncode == 1
    assert one.stderr.count(b"checksum mismatch") == 5
    assert (one.stdout, one.stderr, one.returncode) == (several.stdout, several.stderr, several.returncode)


def test_a_log_that_is_not_there_is_told_of_and_its_figures_are_missing() -> None:
    logs = chain()
    report = stats(logs[0], CHAIN / "shop-bin.000009", status=2)
    assert report["summary"]["files"] == 1
    assert "unreadable_file" in kinds(report)


def test_a_log_between_two_others_is_missed() -> None:
    logs = chain()
    report = stats(logs[0], logs[1], logs[3])
    missed = [row for row in report["problems"] if row["kind"] == "missing_file"]
    assert [row["file"] for row in missed] == ["shop-bin.000003"]
    assert [row["gtid"] for row in report["gtids"]["gaps"]] == ["0-101-24"]


def test_a_log_twice_has_its_gtids_twice(tmp_path: Path) -> None:
    log = chain()[0]
    shutil.copy(log, tmp_path / log.name)
    report = stats(log, tmp_path / log.name)
    assert report["gtids"]["duplicates_count"] > 0
    assert "gtid_duplicates" in kinds(report)

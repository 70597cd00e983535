"""Several logs as one history, and logs that are not whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from binlogcli.stats.log_order import missing, ordered
from support.golden import GOLDEN
from support.logs import TimedLog
from support.program import run

ROTATION = GOLDEN / "mysql-9.7" / "relay"
CHAIN = GOLDEN / "mariadb-11.8" / "rotation"
FLAGS_AT = 4 + 17


def stats(*arguments: str | Path, status: int = 0) -> dict[str, Any]:
    done = run("stats", "--format", "json", *arguments)
    assert done.returncode == status, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def kinds(report: dict[str, Any]) -> list[str]:
    return [row["kind"] for row in report["problems"]]


def chain() -> list[Path]:
    return sorted(path for path in CHAIN.glob("shop-bin.0*") if path.suffix[1:].isdigit())


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
    by_index = stats(CHAIN / "shop-bin.index")
    logs = chain()
    assert stats(*logs) == by_index
    shuffled = stats(logs[3], logs[0], logs[4], logs[1], logs[2])
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


def test_a_log_in_use_says_so(tmp_path: Path) -> None:
    data = bytearray(chain()[0].read_bytes())
    data[FLAGS_AT] |= 1
    path = tmp_path / "shop-bin.000001"
    path.write_bytes(data[:-46])  # without its ROTATE event
    report = stats(path)
    assert kinds(report) == ["in_use"]
    assert report["summary"]["logs"][0]["state"] == "in use"


def test_a_tail_that_was_cut_off_is_a_problem_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "shop-bin.000001"
    path.write_bytes(chain()[0].read_bytes()[:-60])
    report = stats(path, status=1)
    (row,) = (row for row in report["problems"] if row["kind"] == "truncated_tail")
    assert row["position"] < path.stat().st_size
    assert report["summary"]["bytes_damaged"] == path.stat().st_size - row["position"]
    assert "unfinished" in kinds(report)


def test_a_wrong_checksum_is_a_problem_with_its_place(tmp_path: Path) -> None:
    data = bytearray(chain()[0].read_bytes())
    data[-100] ^= 0xFF
    path = tmp_path / "shop-bin.000001"
    path.write_bytes(data)
    (row,) = (row for row in stats(path, status=1)["problems"] if row["kind"] == "checksum")
    assert "stored 0x" in row["what"]
    assert row["next"] == "--no-verify reads it all the same"
    assert stats("--no-verify", path)["summary"]["gaps"] == 0


@pytest.mark.parametrize(
    ("folder", "options"),
    [("mariadb-11.8/enc-cbc-128", ("--key-file", "keys.txt")), ("mysql-9.7/enc-mysql", ("--keyring", "keyring_data"))],
)
def test_encrypted_logs_have_the_figures_of_the_plain_ones(
    folder: str, options: tuple[str, str], tmp_path: Path
) -> None:
    key = tmp_path / options[1]
    shutil.copy(GOLDEN / folder / options[1], key)
    key.chmod(0o600)
    for path in sorted((GOLDEN / folder).glob("shop-bin.0*")):
        if not path.suffix[1:].isdigit():
            continue
        plain = stats(path.with_name(f"plain-{path.name}"), "--section", "tables", "--section", "transactions")
        found = stats(options[0], key, path, "--section", "tables", "--section", "transactions")
        assert found["tables"] == plain["tables"]
        assert found["transactions"]["count"] == plain["transactions"]["count"]


def test_without_its_key_an_encrypted_log_is_a_problem() -> None:
    report = stats(GOLDEN / "mariadb-11.8" / "enc-cbc-128" / "shop-bin.000001", status=1)
    assert "encrypted" in kinds(report)


def test_a_clock_that_goes_back_is_a_problem_with_its_place(tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(2000, 1)
    at = log.transaction(1500, 2)
    log.transaction(2100, 3)
    path = tmp_path / "back.000001"
    path.write_bytes(bytes(log.log))
    (row,) = (row for row in stats(path)["problems"] if row["kind"] == "clock_backwards")
    assert row["position"] == at
    assert "500 seconds" in row["what"]


def test_statements_that_name_no_rows_by_a_key_are_problems(tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(1000, 1, "UPDATE t SET a = 1 WHERE id = 5")
    at = log.transaction(1000, 2, "DELETE FROM t LIMIT 5")
    log.transaction(1000, 3, "DELETE FROM t LIMIT 7")
    log.transaction(1000, 4, "INSERT INTO t SELECT * FROM s")
    path = tmp_path / "keyless.000001"
    path.write_bytes(bytes(log.log))
    rows = [row for row in stats(path)["problems"] if row["kind"] == "statement_without_key"]
    assert [row["position"] for row in rows] == [log.starts[5], log.starts[11]]
    assert rows[0]["position"] > at
    assert "(2 times)" in rows[0]["what"]


def test_filters_choose_what_is_counted_and_what_is_skipped() -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    whole = stats(log)
    some = stats("-T", "shop.orders", "-E", "*ROWS*", log)
    assert [(row["database"], row["table"]) for row in some["tables"]] == [("shop", "orders")]
    (table,) = (row for row in whole["tables"] if row["table"] == "orders")
    assert some["tables"][0]["inserted"] == table["inserted"]
    summary = some["summary"]
    assert summary["bytes_skipped"] > 0
    assert summary["bytes_decoded"] + summary["bytes_skipped"] == summary["bytes_seen"] == log.stat().st_size


def test_standard_input_and_packed_logs_are_counted_too(tmp_path: Path) -> None:
    log = chain()[0]
    whole = stats(log, "--section", "events")
    done = run("stats", "--format", "json", "--section", "events", "-", given=log.read_bytes())
    assert json.loads(done.stdout) == whole

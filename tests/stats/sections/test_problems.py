"""What is odd in one log, with its place."""

from __future__ import annotations

from pathlib import Path

from support.golden import GOLDEN
from support.logs import TimedLog
from support.reports import chain, kinds, stats

FLAGS_AT = 4 + 17


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
    assert row["next"] == "use --no-verify to read it anyway"
    assert stats("--no-verify", path)["summary"]["gaps"] == 0


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

"""What could not be read when its log was first met: it comes in later, once and in its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from binlogcli.crypto.key_options import KeyOptions
from binlogcli.errors import BinlogError
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.spark.table_view import TableView
from binlogcli.select.choice import Choice
from support.bodies import TIMESTAMP, WRITE_V1, mariadb_gtid, query, rows_event, table_map
from support.golden import GOLDEN
from support.lake_runs import job, serial, table_rows
from support.logs import GTID_MARIADB, QUERY, TABLE_MAP
from support.program import run
from support.shop_logs import ShopLog
from support.undescribed_logs import CREATE, UndescribedLogs

MARIADB = GOLDEN / "mariadb-11.8" / "enc-cbc-128"
MYSQL = GOLDEN / "mysql-9.7" / "enc-mysql"
KEYS = {
    MARIADB: KeyOptions(key_file=str(MARIADB / "keys.txt")),
    MYSQL: KeyOptions(keyring=str(next(MYSQL.glob("*keyring*")))),
}


def everything(output: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of all tables, and all events."""
    return table_rows(output), table_rows(output, "events/*.parquet")


def logs_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("shop-bin.00000[0-9]"))


@pytest.mark.parametrize(("folder", "first"), [(MARIADB, 0), (MYSQL, 1)])
def test_an_encrypted_log_is_taken_when_its_key_is_given(folder: Path, first: int, tmp_path: Path) -> None:
    lake = LakeOptions(keys=KEYS[folder])
    late, at_once = tmp_path / "late", tmp_path / "at-once"
    for _ in range(2):
        report = job(late, *logs_of(folder), final=True)
        assert [error.file for error in report.locked] == [str(path) for path in logs_of(folder)[first:]]
        assert bool(everything(late)[1]) == (first > 0)
    for _ in range(2):
        report = job(late, *logs_of(folder), lake=lake, final=True)
        assert not report.locked
        assert not report.gaps
    job(at_once, *logs_of(folder), lake=lake, final=True)
    assert everything(late) == everything(at_once)
    assert everything(late)[0]


def test_a_log_without_its_key_is_listed_at_each_run(tmp_path: Path) -> None:
    for options in (["--dry-run"], [], [], ["-v"]):
        done = run("to-parquet", "-o", tmp_path / "lake", *options, *logs_of(MARIADB))
        assert done.returncode == 1
        lines = done.stderr.decode().splitlines()
        for line, log in zip(lines, logs_of(MARIADB), strict=False):
            assert line == (
                f"binlogcli: {log}: at 296: the log is encrypted from this position; "
                "the log is skipped; to convert it, pass --key-file"
            )
        assert [line for line in lines if "new" in line] == []


def test_the_data_source_reads_no_encrypted_log_as_an_empty_one() -> None:
    for folder, option in ((MARIADB, "keyFile"), (MYSQL, "keyring")):
        with pytest.raises(BinlogError) as caught:
            TableView.from_options({"path": str(logs_of(folder)[1])}).planned()
        assert caught.value.line().endswith(f"; set the option {option}")


def two_logs(folder: Path) -> list[Path]:
    """Logs that share files: in each some transactions of two tables."""
    paths = [folder / f"shop-bin.00000{number}" for number in (1, 2)]
    for number, path in enumerate(paths):
        log = ShopLog(first=200 * number + 1, created=1_700_000_000 + number).trade(30, tables=2)
        log.begin().insert(3).insert(3, table="orders1", table_id=21).commit().trade(20).stop().write(path)
    return paths


def broken(path: Path, at: int) -> bytes:
    """Damage a byte of a log; return the log as it was."""
    content = path.read_bytes()
    path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
    return content


def starts_of(content: bytes) -> list[int]:
    """The positions of a log's events."""
    found = [4]
    while found[-1] < len(content):
        found.append(found[-1] + int.from_bytes(content[found[-1] + 9 : found[-1] + 13], "little"))
    return found[:-1]


EVENT = 30  # of a log above: the GTID of a transaction


@pytest.mark.parametrize("at", [0, 1, 2, 3, 119, 120, 121, 122, 123, 124, 125])
def test_what_was_repaired_comes_in_once_and_in_its_place(at: int, tmp_path: Path) -> None:
    logs = two_logs(tmp_path)
    job(tmp_path / "at-once", *logs)
    place = starts_of(logs[0].read_bytes())[EVENT + at]
    sound = broken(logs[0], place + 21)
    lake = tmp_path / "lake"
    assert job(lake, *logs).gaps
    assert everything(lake) != everything(tmp_path / "at-once")
    logs[0].write_bytes(sound)
    for _ in range(2):
        report = job(lake, *logs, retry_gaps=True)
        assert [*report.errors, *report.gaps] == []
        assert everything(lake) == everything(tmp_path / "at-once")
    assert report.epochs == 0
    assert job(lake, *logs).epochs == 0


def test_damage_that_is_still_there_changes_nothing(tmp_path: Path) -> None:
    logs = two_logs(tmp_path)
    broken(logs[1], starts_of(logs[1].read_bytes())[EVENT + 2] + 21)
    lake = tmp_path / "lake"
    job(lake, *logs)
    before = everything(lake)
    for _ in range(2):
        assert len(job(lake, *logs, retry_gaps=True).gaps) == 1
        assert everything(lake) == before
    assert not job(lake, *logs).gaps  # it is told once


def test_marks_that_are_read_again_are_there_once(tmp_path: Path) -> None:
    """Those that wait for their tables, under the name that their log had then; and what a swallowed GTID had told."""
    logs = [tmp_path / "bin.000001", tmp_path / "bin.000002"]
    log = ShopLog(created=1_700_000_000).trade(40)  # beyond the bytes that distinguish it from others
    for number, text in enumerate((b"TRUNCATE late", b"DROP DATABASE shop", b"RENAME TABLE late TO later"), 7):
        log.add(GTID_MARIADB, mariadb_gtid(number, 1)).add(QUERY, query(text=text))
    log.trade(1).stop().write(logs[0])
    ShopLog(created=1_600_000_000).insert(2, table="late").commit().stop().write(logs[1])
    job(tmp_path / "at-once", *logs)
    sound = logs[0].read_bytes()
    places = starts_of(sound)
    for number, damaged in enumerate(([0], [2], [4], [1], range(6))):
        lake = tmp_path / str(number)
        for at in damaged:
            broken(logs[0], places[161 + at] + 21)
        assert job(lake, logs[0]).gaps
        (tmp_path / f"copy{number}").mkdir()
        logs[0].write_bytes(sound)
        copy = tmp_path / f"copy{number}" / logs[0].name
        copy.write_bytes(sound)
        assert not job(lake, copy, retry_gaps=True).gaps
        job(lake, logs[1])
        marks = [row for row in everything(lake)[0] if row["_op"] not in ("insert", "update", "delete")]
        wanted = [
            row for row in everything(tmp_path / "at-once")[0] if row["_op"] not in ("insert", "update", "delete")
        ]
        assert [(row["_op"], row["_pos"], row["_gtid"]) for row in marks] == [
            (row["_op"], row["_pos"], row["_gtid"]) for row in wanted
        ]
        state, _ = Job(JobOptions(str(lake), LakeOptions()), serial).store.look()
        assert len(state.marks.renames) == 1


def test_a_log_whose_beginning_was_repaired_needs_the_option(tmp_path: Path) -> None:
    (log, _) = two_logs(tmp_path)
    sound = broken(log, starts_of(log.read_bytes())[EVENT + 2] + 21)
    job(tmp_path / "lake", log)
    log.write_bytes(sound)
    (error,) = job(tmp_path / "lake", log).errors
    assert error.hint == "pass --retry-gaps if it was repaired; otherwise restore it, or use another --output"
    done = run("to-parquet", "-o", tmp_path / "lake", "--retry-gaps", "--columns-only", log)
    assert done.returncode == 2
    done = run("to-parquet", "-o", tmp_path / "lake", "--retry-gaps", "--dry-run", log)
    assert b" again, " in done.stdout


def test_rows_that_lack_a_schema_are_due_until_it_is_given(tmp_path: Path) -> None:
    log = ShopLog().trade(3)
    log.begin().insert(1).add(TABLE_MAP, table_map([TIMESTAMP], table=b"clock", table_id=30))
    log.add(WRITE_V1, rows_event(1, b"\xfe" + bytes.fromhex("65e079f0007b"), table_id=30)).insert(1).commit()
    path = tmp_path / "shop-bin.000001"
    log.trade(3).write(path)
    lake, at_once = tmp_path / "lake", tmp_path / "at-once"
    job(lake, path)
    for number, text in enumerate(
        ("", "CREATE TABLE shop.other (a INT);", "CREATE TABLE shop.clock (`when` TIMESTAMP(4) NULL);")
    ):
        for _ in range(2):
            done = job(lake, path)
            assert (done.epochs, [gap.file for gap in done.due]) == (0, [str(path)])
            assert "pass --schema" in done.due[0].reason
        schema = tmp_path / f"{number}.sql"  # read once by a process
        schema.write_text(text)
        given = LakeOptions(schemas=(str(schema),)) if text else LakeOptions()
        done = job(lake, path, lake=given)
    job(at_once, path, lake=given)
    assert (done.due, done.gaps) == ([], [])
    assert everything(lake) == everything(at_once)
    assert len(table_rows(lake, "tables/shop/clock/**/*.parquet")) == 1
    log.trade(1).write(path)
    assert job(lake, path).due == []


@pytest.mark.parametrize("part", range(4))
def test_statements_that_were_repaired_count_for_the_rows_behind_them(part: int, tmp_path: Path) -> None:
    made = UndescribedLogs(tmp_path).begin().statement(CREATE).row().statement("DROP TABLE t").statement(CREATE).row()
    made.statement("TRUNCATE t").row().statement("ALTER TABLE t RENAME COLUMN count TO number").row()
    log = made.statement("RENAME TABLE t TO u").statement("CREATE TABLE t (a INT, b INT)").row().write()
    job(tmp_path / "at-once", log, final=True)
    starts = starts_of(log.read_bytes())
    for number, at in enumerate(starts[2:]):
        if number % 4 == part:
            sound = broken(log, at + 20)
            lake = tmp_path / f"lake-{number}"
            assert job(lake, log, final=True).gaps
            log.write_bytes(sound)
            assert job(lake, log, final=True, retry_gaps=True).gaps == []
            assert values(lake) == values(tmp_path / "at-once"), number


def values(output: Path) -> list[dict[str, Any]]:
    """The rows of all tables and all events, without nulls: TRUNCATE and the like have those of any version."""
    found = [row for rows in everything(output) for row in rows]
    return [{name: value for name, value in row.items() if value is not None} for row in found]


def choosing(*tables: str) -> LakeOptions:
    return LakeOptions(choice=Choice(tables=tables))


def test_a_table_may_be_added_to_those_that_are_chosen(tmp_path: Path) -> None:
    logs = two_logs(tmp_path)
    lake, at_once = tmp_path / "lake", tmp_path / "at-once"
    assert job(lake, *logs, lake=choosing("shop.orders")).added == []
    report = job(lake, *logs, lake=choosing("shop.orders1", "shop.orders"))
    assert report.added == ["shop.orders1: new in --table, and complete"]
    job(at_once, *logs, lake=choosing("shop.orders", "shop.orders1"))
    assert everything(lake) == everything(at_once)
    assert job(lake, *logs, lake=choosing("shop.orders", "shop.orders1")).epochs == 0
    assert job(lake, *logs).added == ["all tables: new in --table, and complete"]
    assert everything(lake)[0] == everything(at_once)[0]


def test_a_table_is_complete_from_the_logs_on_that_are_still_there(tmp_path: Path) -> None:
    first, second = two_logs(tmp_path)
    lake, at_once = tmp_path / "lake", tmp_path / "at-once"
    job(lake, first, second, lake=choosing("shop.orders"))
    both = choosing("shop.orders", "shop.orders1")
    report = job(lake, second, lake=both)
    assert report.added == [
        f"shop.orders1: new in --table, and complete starting with {second} (2023-11-14T22:13:21Z); "
        "pass older logs again to include their changes"
    ]
    job(at_once, first, second, lake=both)
    theirs, ours = table_rows(at_once), table_rows(lake)
    assert ours == [row for row in theirs if row["_file"] == str(second) or row in ours]
    assert len(ours) < len(theirs)
    job(lake, first, second, lake=both)
    assert everything(lake) == everything(at_once)


def test_a_table_that_is_chosen_no_more_keeps_its_rows(tmp_path: Path) -> None:
    first, second = two_logs(tmp_path)
    lake, at_once = tmp_path / "lake", tmp_path / "at-once"
    both = choosing("shop.orders", "shop.orders1")
    job(lake, first, lake=both)
    before = table_rows(lake)
    assert job(lake, first, second, lake=choosing("shop.orders")).retries == []
    assert [row for row in table_rows(lake) if row["_file"] == str(first)] == before
    assert job(lake, first, second, lake=both).added == ["shop.orders1: new in --table, and complete"]
    job(at_once, first, second, lake=both)
    assert everything(lake) == everything(at_once)


def test_where_rows_do_not_tell_their_log_the_tables_stay_as_they_are(tmp_path: Path) -> None:
    logs = two_logs(tmp_path)
    job(tmp_path / "lake", *logs, lake=replace(choosing("shop.orders"), columns_only=True))
    with pytest.raises(BinlogError, match="another selection of events or columns"):
        job(tmp_path / "lake", *logs, lake=replace(choosing("shop.orders1"), columns_only=True))

"""What could not be read when its log was first met: it comes in later, once and in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from binlogcli.crypto.key_options import KeyOptions
from binlogcli.errors import BinlogError
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.spark.table_view import TableView
from support.golden import GOLDEN
from support.lake_runs import job, table_rows
from support.program import run

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
                f"binlogcli: {log}: at 296: the log is encrypted from here on; "
                "nothing of the log is taken; pass --key-file and it is"
            )
        assert [line for line in lines if "new" in line] == []


def test_the_data_source_reads_no_encrypted_log_as_an_empty_one() -> None:
    for folder, option in ((MARIADB, "keyFile"), (MYSQL, "keyring")):
        with pytest.raises(BinlogError) as caught:
            TableView.from_options({"path": str(logs_of(folder)[1])}).plans()
        assert caught.value.line().endswith(f"; set the option {option}")

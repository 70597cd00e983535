"""The options that mysqlbinlog has under the same names, in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.corpus import CORPUS
from support.golden import GOLDEN
from support.mysqlbinlog_text import text_of
from support.program import missing, run

ROWS = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
MIXED = GOLDEN / "mariadb-10.11" / "mixed" / "shop-bin.000001"
SETTINGS = [
    ["--flashback", "-vv"],
    ["--rewrite-db", "shop->store", "-v"],
    ["-D"],
    ["--set-charset", "utf8mb4"],
    ["-o", "3"],
    ["--base64-output=never"],
    ["-s"],
    ["-H"],
]


@pytest.mark.parametrize("options", SETTINGS, ids=" ".join)
@pytest.mark.parametrize("log", [ROWS, MIXED], ids=["rows", "mixed"])
def test_an_option_does_what_it_does_in_the_servers_tool(log: Path, options: list[str]) -> None:
    tool = shutil.which("mariadb-binlog")
    if tool is None:
        missing("mariadb-binlog is not installed")
        return
    names = {"-o": "--offset", "-s": "--short-form", "-H": "--hexdump", "-D": "--disable-log-bin"}
    theirs = [names.get(option, option) for option in options]
    want = subprocess.run(
        [tool, "--no-defaults", *theirs, str(log)], capture_output=True, env={**os.environ, "TZ": "UTC"}, check=False
    ).stdout
    done = run("dump", *options, log)
    assert done.stdout == want
    lost = b"binlogcli: --flashback: not restored: rows that foreign keys deleted or changed in shop.orders"
    assert done.returncode == 0
    assert done.stderr == b"" or ("--flashback" in options and done.stderr.startswith(lost))


def test_the_text_can_be_written_to_a_file(tmp_path: Path) -> None:
    done = run("dump", "-v", "-r", tmp_path / "text", ROWS)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "text").read_bytes() == text_of(ROWS, verbose=1)


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    done = run("dump", "-r", tmp_path / "no" / "text", ROWS)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"no/text" in done.stderr


def test_the_dialect_can_be_chosen() -> None:
    done = run("dump", "--dialect", "mysql", ROWS)
    assert b"# The proper term is pseudo_replica_mode" in done.stdout


def test_flashback_of_a_mysql_log_says_what_to_use_instead() -> None:
    done = run("dump", "--flashback", GOLDEN / "mysql-9.7" / "rows" / "shop-bin.000001")
    assert done.returncode == 2
    assert b"--undo" in done.stderr


def test_the_short_form_has_no_part_of_a_two_phase_alter() -> None:
    log = GOLDEN / "mariadb-11.8" / "ddl-two-phase" / "shop-bin.000001"
    assert b"### ALTER" in text_of(log, verbose=1)
    assert b"### ALTER" not in text_of(log, verbose=1, short_form=True)


def test_where_nothing_was_asked_for_there_is_the_frame_alone() -> None:
    done = run("dump", "--stop-datetime", "2000-01-01 00:00:00", ROWS)
    lines = done.stdout.splitlines()
    assert (len(lines), lines[3], lines[-4]) == (9, b"DELIMITER /*!*/;", b"# End of log file")
    assert done.stderr == b"binlogcli: no event matched the filters, before 2000-01-01T00:00:00Z\n"


def test_several_logs_are_one_text() -> None:
    text = text_of(ROWS, MIXED)
    assert text.count(b"# End of log file") == 1
    assert text.count(b"DELIMITER /*!*/;") == 2


def test_files_of_load_data_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    log = CORPUS / "mariadb-10.11" / "load-data" / "shop-bin.000001"
    if not log.exists():
        pytest.skip("no corpus beside the project")
    done = run("dump", "--local-load", tmp_path, log)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"SQL_LOAD_MB-{number}-0" for number in (1, 2, 3, 6, 7)]
    assert all(str(tmp_path / name).encode() in done.stdout for name in names)
    run("dump", "--local-load", tmp_path, log)
    assert (tmp_path / "SQL_LOAD_MB-1-1").read_bytes() == (tmp_path / "SQL_LOAD_MB-1-0").read_bytes()


def test_a_rewrite_that_is_none_is_refused() -> None:
    done = run("dump", "--rewrite-db", "shop", ROWS)
    assert done.returncode == 2
    assert b"A->B" in done.stderr

"""LOAD DATA of MySQL 3.23 to 4.1 as text: the words of the tools that read these logs, and the files."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.bodies import query, u4
from support.live_mariadb import need_program
from support.load_logs import COMMAS, LOAD, NEW_LOAD, OLD_TABS, TABS, OldLog, load_head, load_names, loads
from support.logs import LogBuilder
from support.mysqlbinlog_text import text_of
from support.program import run

REST = (
    " INTO TABLE `t` FIELDS TERMINATED BY '\\t' ENCLOSED BY '' ESCAPED BY '\\\\'"
    " LINES TERMINATED BY '\\n' STARTING BY ''"
)
LISTED = (
    " REPLACE INTO TABLE `t` FIELDS TERMINATED BY ',' OPTIONALLY  ENCLOSED BY '\\'' ESCAPED BY '\\\\'"
    " LINES TERMINATED BY '\\n' STARTING BY '>' IGNORE 1 LINES"
)


def written(log: OldLog, folder: Path) -> Path:
    path = folder / "old.001"
    path.write_bytes(log.log)
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def said(log: OldLog, folder: Path, *options: str) -> list[str]:
    """The lines of the text that are about LOAD DATA or its database."""
    lines = run("dump", *options, written(log, folder)).stdout.decode().split("\n")
    return [line.removesuffix("/*!*/;") for line in lines if re.match("(# )?(use |LOAD|SET .*thread)", line)]


def test_the_statement_runs_where_its_file_is_complete(tmp_path: Path) -> None:
    lines = said(loads(), tmp_path, "-s")
    assert lines == [
        "SET @@session.pseudo_thread_id=999999999",
        "use `shop`",
        "LOAD DATA LOCAL INFILE './goods.txt-1-0'" + REST + " (`a`,`b`)",
        "use `other`",
        "use `shop`",
        "LOAD DATA LOCAL INFILE './empty-2-0'" + REST,
        "SET @@session.pseudo_thread_id=9",
        "LOAD DATA LOCAL INFILE './list.csv-3-0'" + LISTED,
    ]


def test_the_beginning_of_a_file_is_a_comment(tmp_path: Path) -> None:
    lines = [line for line in said(loads(), tmp_path) if line.startswith("#")]
    assert lines == [
        "# LOAD DATA INFILE '/tmp/goods.txt'" + REST + " (`a`,`b`)",
        *("# use `shop`", "# LOAD DATA INFILE 'empty'" + REST),
        *("# use `other`", "# LOAD DATA INFILE 'broken.csv'" + REST),
        *("# SET @@session.pseudo_thread_id=9", "# LOAD DATA INFILE 'list.csv'" + LISTED),
    ]


def test_files_are_written_with_the_tools_names(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "empty-2-0").write_bytes(b"of somebody else")
    done = run("dump", "-l", folder, written(loads(), tmp_path))
    assert files(folder) == {
        "goods.txt-1-0": b"1\tlamp\n2\tchair\n",
        "empty-2-0": b"of somebody else",
        "empty-2-1": b"",
        "broken.csv-3-0": b"1\nx",
        "list.csv-3-0": b"a,b\n>4,'it'\n>5,x\n",
    }
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} - {0o644} == {0o600}
    assert f"LOCAL INFILE '{folder}/empty-2-1'".encode() in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize("name", [b"../../up", b"/etc/passwd", b"..", b"", b"a/b/"])
def test_a_path_in_the_log_leads_nowhere(name: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "files"
    folder.mkdir(parents=True)
    run("dump", "-l", folder, written(OldLog().create(1, name, b"x").execute(1), tmp_path))
    last = name.rpartition(b"/")[2].decode()
    assert files(folder) == {f"{last}-1-0": b"x"}
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["old.001"]


@pytest.mark.parametrize("name", [b"it's", b"C:\\data.txt", b"a\nDROP TABLE t;", b"\xff\xfe", b"x" * 300, b"`"])
def test_a_name_that_is_no_plain_one_is_not_taken(name: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    done = run("dump", "-l", folder, written(OldLog().create(1, name, b"x").execute(1), tmp_path))
    assert files(folder) == {"SQL_LOAD_MB-1-0": b"x"}
    assert not re.search(rb"^DROP", done.stdout, re.MULTILINE)


def test_names_cannot_leave_their_comment_or_their_quotes(tmp_path: Path) -> None:
    bad = b"x`\nDROP TABLE t;\n'"
    log = OldLog().create(1, bad, b"x", (bad,), table=bad, database=bad)
    text = run("dump", written(log, tmp_path)).stdout
    assert not re.search(rb"^(DROP|')", text, re.MULTILINE)
    log = OldLog().add(NEW_LOAD, load_head(1, b"t`u") + TABS + load_names([b"c`"], b"t`u") + b"it's\n")
    assert b"INFILE 'it\\'s\\n' INTO TABLE `t``u` FIELDS" in text_of(written(log, tmp_path))


def test_events_that_name_a_file_of_the_server(tmp_path: Path) -> None:
    log = OldLog().add(NEW_LOAD, load_head(0, skip=2) + COMMAS + load_names([]) + b"data")
    lines = said(log, tmp_path, "-s")
    assert lines == ["use `shop`", "LOAD DATA INFILE 'data'" + LISTED.replace("1 LINES", "2 LINES")]
    oldest = OldLog(1).add(LOAD, load_head(1) + OLD_TABS + load_names([b"a"]) + b"data")
    assert said(oldest, tmp_path) == ["use `shop`", "LOAD DATA INFILE 'data'" + REST + " (`a`)"]


def test_another_database_gets_the_rows(tmp_path: Path) -> None:
    lines = said(OldLog().create(1, b"f", b"x").execute(1), tmp_path, "-s", "--rewrite-db", "shop->store")
    assert lines[0] == "use `store`"


def test_rows_that_are_taken_back_are_not_loaded(tmp_path: Path) -> None:
    text = run("dump", "--dialect=mariadb", "--flashback", written(loads(), tmp_path)).stdout
    assert b"LOAD DATA" not in text


def test_what_the_text_lacks_is_reported(tmp_path: Path) -> None:
    log = written(loads(), tmp_path)
    assert run("dump", log).stderr == (
        b"binlogcli: LOAD DATA: 3 files used by the output were not written; use --local-load DIR to write them\n"
    )
    assert b"left out" not in run("dump", "--database=shop", log).stderr
    end = log.read_bytes().rindex(b"goods.txt")
    done = run("dump", "-s", "--start-position", str(end), log)
    assert b"goods.txt" not in done.stdout
    assert b"1 statement was left out, because the beginning of the file was not read" in done.stderr


def test_statements_as_sql_are_told_to_lack_them(tmp_path: Path) -> None:
    done = run("dump", "--format=sql", written(loads(), tmp_path))
    assert b"into other.t" in done.stdout
    assert b"LOAD DATA: 4 statements left out; " in done.stderr


def test_a_query_whose_file_began_unseen_does_not_run(tmp_path: Path) -> None:
    """It would load a file of the server that happens to have the name."""
    text = b"LOAD DATA INFILE 'x'\nINTO TABLE t"
    head = query(text=b"", status=b"")
    body = head[:13] + u4(1) + u4(9) + u4(25) + b"\0" + head[13:] + text
    log = LogBuilder().describe().add(18, body)
    log.write(tmp_path / "log")
    done = run("dump", tmp_path / "log")
    assert re.findall(rb"^.*(?:INFILE|INTO).*$", done.stdout, re.MULTILINE) == [
        b"# LOAD DATA INFILE 'x'",
        b"# INTO TABLE t",
    ]
    assert b"left out" in done.stderr


@pytest.mark.parametrize("options", [(), ("-s",), ("-H",)], ids=["plain", "short", "hexdump"])
def test_the_words_are_those_of_the_tool_on_this_machine(options: Sequence[str], tmp_path: Path) -> None:
    tool = need_program("mariadb-binlog")
    folder = tmp_path / "files"
    folder.mkdir()
    log = written(loads(), tmp_path)
    done = subprocess.run(
        [tool, "--no-defaults", *options, f"--local-load={folder}", log],
        capture_output=True,
        env={**os.environ, "TZ": "UTC"},
        check=False,
    )
    if done.returncode:
        pytest.skip("this machine's tool reads no logs that are so old")
    theirs = files(folder)
    for path in folder.iterdir():
        path.unlink()
    ours = run("dump", "--dialect=mariadb", *options, f"--local-load={folder}", log)
    assert ours.stdout == done.stdout
    assert files(folder) == theirs

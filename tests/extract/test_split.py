"""One log for each transaction, table, size or hour: their names, their content, and what they leave behind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from binlogcli.extract.file_names import log_name, table_suffix
from binlogcli.extract.unit import Table
from extract.shop import Run, Shop, kinds
from support.bodies import query
from support.log_structure import content_of, form_of
from support.logs import GTID_MARIADB, QUERY, TABLE_MAP, XID
from support.program import run

WRITE = 23
HOUR = 3600


def names(directory: str) -> list[str]:
    return sorted(os.listdir(directory))


@pytest.fixture
def log(tmp_path: Path) -> Shop:
    log = Shop().begin().map("a").map("b").rows("a", last=False).rows("b").commit()
    return log.begin().map("b").rows("b").commit().begin().map("a").rows("a").commit().write(tmp_path / "log")


def test_by_transaction(extract: Run, log: Shop) -> None:
    assert extract("-o", "out", "--split", "transaction", "log") == ""
    starts = [log.starts[at] for at in (1, 7, 11)]
    assert names("out") == [f"log.{start:012d}" for start in starts]
    assert [one["gtids"] for one in extract.report] == ["0-101-1", "0-101-2", "0-101-3"]
    assert extract("-o", "joined", *(f"out/{name}" for name in names("out"))) == ""
    assert extract("-o", "once", "log") == ""
    joined, once = (form_of(Path(name).read_bytes()).events[3:] for name in ("joined", "once"))
    assert [content_of(one, checked=True) for one in joined] == [content_of(one, checked=True) for one in once]


def test_by_table(extract: Run, log: Shop) -> None:
    assert extract("-o", "out", "--split", "table", "log") == ""
    first, second = names("out")
    assert (first, second) == (f"log.{log.starts[1]:012d}.shop.a", f"log.{log.starts[1]:012d}.shop.b")
    for name in (first, second):
        assert kinds(f"out/{name}") == [GTID_MARIADB, TABLE_MAP, WRITE, XID] * 2
    assert [one["gtids"] for one in extract.report] == ["0-101-1,0-101-3", "0-101-1..2"]


def test_by_size(extract: Run, log: Shop) -> None:
    assert extract("-o", "out", "--split", "size", "--max-size", "1", "log") == ""
    assert len(names("out")) == 3
    largest = log.starts[11] - log.starts[1] + 350
    assert extract("-o", "two", "--split", "size", "--max-size", str(largest), "log") == ""
    assert all(one["bytes"] <= largest for one in extract.report)
    assert len(names("two")) == 2


def test_by_hour(tmp_path: Path, extract: Run) -> None:
    log = Shop()
    for time in (HOUR * 400_000, HOUR * 400_000 + 3599, HOUR * 400_001, HOUR * 400_000 + 7):
        log.add(QUERY, query(text=b"CREATE TABLE t (i INT)"), timestamp=time)
    log.write(tmp_path / "log")
    assert extract("-o", "out", "--split", "hour", "log") == ""
    assert names("out") == [f"log.{log.starts[1]:012d}.20150819T16Z", f"log.{log.starts[3]:012d}.20150819T17Z"]
    assert [one["transactions"] for one in extract.report] == [3, 1]


def test_more_tables_than_files_may_be_open(tmp_path: Path, extract: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("binlogcli.cli.output_directory._MOST_OPEN", 2)
    log = Shop()
    for _ in range(3):
        for name in "abcde":
            log.begin().map(name).rows(name).commit()
    log.write(tmp_path / "log")
    assert extract("-o", "out", "--split", "table", "log") == ""
    assert [one["transactions"] for one in extract.report] == [3] * 5
    assert all(kinds(f"out/{name}") == [GTID_MARIADB, TABLE_MAP, WRITE, XID] * 3 for name in names("out"))


def test_names_in_a_log_cannot_lead_out_of_the_directory(tmp_path: Path, extract: Run) -> None:
    log = Shop()
    for number, name in enumerate(("../../x", "a/b", "\x1b[2J", ".", "x" * 64, "ü" * 60, "a.b")):
        log.begin().map(name, table_id=number + 97).rows(chr(number + 97)).commit()
    log.write(tmp_path / "log")
    assert extract("-o", "out", "--split", "table", "log") == ""
    found = [name.split(".", 3)[3] for name in names("out")]
    expected = ["%2E%2E%2F%2E%2E%2Fx", "a%2Fb", "%1B%5B2J", "%2E", "x" * 64, "a%2Eb"]
    assert [name for name in sorted(found) if "~" not in name] == sorted(expected)
    assert len(found) == 7
    assert sorted(os.listdir()) == ["log", "out"]
    assert log_name("host:../.hidden") == "%2Ehidden"
    assert log_name("-") == "stdin"
    assert log_name("/images/disk.img:log-2") == "disk.img.log-2"
    assert table_suffix(Table()) == "no-table"


def test_files_are_kept_or_replaced_and_none_is_left_over(tmp_path: Path, extract: Run, log: Shop) -> None:
    Path("out").mkdir()
    name = f"log.{log.starts[11]:012d}"
    Path("out", name).write_bytes(b"mine")
    said = extract("-o", "out", "--split", "transaction", "log", status=2)
    assert said == f"binlogcli: out/{name}: exists already; use --force to replace it\n"
    assert Path("out", name).read_bytes() == b"mine"
    assert len(names("out")) == 3
    assert extract("-o", "out", "--split", "transaction", "--force", "log") == ""
    assert form_of(Path("out", name).read_bytes())


def test_a_manifest_has_the_files_and_can_be_verified(tmp_path: Path, extract: Run, log: Shop) -> None:
    assert extract("-o", "out", "--split", "table", "--manifest", "record", "log") == ""
    written = [one["path"] for one in json.loads(Path("record").read_bytes())["outputs"]]
    assert {f"out/{name}" for name in names("out")} <= set(written)
    assert extract("-o", "one", "--manifest", "record2", "log") == ""
    Path("one").write_bytes(b"changed")
    assert main(["verify", "record"]) == 0
    assert main(["verify", "record2"]) == 1


def test_stdout_gets_the_log_alone(log: Shop, extract: Run) -> None:
    done = run("extract", "-o", "-", "log")
    Path("made").mkdir()
    assert extract("-o", "made/log", "log") == ""  # the name is in the log
    assert (done.returncode, done.stdout, done.stderr) == (0, Path("made/log").read_bytes(), b"")

"""`binlogcli compare`: how the two sides are told apart, what is printed, exit statuses."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from binlogcli.compare.store import Store
from binlogcli.errors import OutputError
from support.golden import GOLDEN
from support.histories import MYSQL_FAMILY, Row, Style, Work, compared, log_of, replica_of
from support.program import run

CHAIN = GOLDEN / "mysql-8.4" / "chain"
FIRST, THIRD, FIFTH = (CHAIN / f"chain.00000{number}" for number in (1, 3, 5))
ROWS = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    works = [Work(number, (Row("update", number, 1, number),)) for number in range(1, 40)]
    log_of(works, Style()).write(tmp_path / "a.000001")
    works[4] = Work(5, (Row("update", 5, 1, 99),))
    del works[10:35]
    log_of([*works, Work(7, (Row("write", 7, 0, 7),), server=300)], Style(server_id=102)).write(tmp_path / "b.000001")
    return tmp_path / "a.000001", tmp_path / "b.000001"


def test_equal_histories_have_status_0(tmp_path: Path) -> None:
    done = run("compare", ROWS, ROWS)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"A and B are equal.\n")


def test_differences_have_status_1_and_commands_that_show_them(sides: tuple[Path, Path]) -> None:
    done = run("compare", *sides)
    assert (done.returncode, done.stderr) == (1, b"")
    text = done.stdout.decode()
    assert "different   1; 0-101-5\n" in text
    assert "only in A   25; 0-101-11..35; the first 20 follow, --limit 0 lists all\n" in text
    assert "only in B   1; 1 errant: 0-300-7\n" in text
    assert "    qt (after): 5 in A, 99 in B\n" in text
    assert "only in B 0-300-7: errant: A has no transaction of this server\n" in text
    command = next(line for line in text.splitlines() if line.startswith("  $ "))
    shown = run(*command.removeprefix("  $ binlogcli ").split())
    assert shown.returncode == 0
    assert b"GTID 0-101-5" in shown.stdout


def test_the_limit_is_for_each_kind_and_0_lists_all(sides: tuple[Path, Path]) -> None:
    for limit, count in (("1", 3), ("0", 27), ("25", 27)):
        done = run("compare", "--json", "-n", limit, *sides)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [line["type"] for line in lines] == ["summary"] + ["difference"] * count
        assert lines[0]["only_in_a"] == 25


def test_options_may_stand_on_both_sides_of_the_separator() -> None:
    for arguments in (
        ("--json", FIRST, THIRD, "--", FIFTH, "--limit", "1"),
        (FIRST, "--json", THIRD, "--", "--limit=1", FIFTH),
    ):
        done = run("compare", *arguments)
        summary = json.loads(done.stdout.splitlines()[0])
        assert (len(summary["a"]["logs"]), len(summary["b"]["logs"])) == (2, 1)
        assert len(done.stdout.splitlines()) == 2


def test_an_index_file_stands_for_its_logs_on_either_side(tmp_path: Path) -> None:
    index = tmp_path / "x.index"
    index.write_text(f"{FIRST}\n{THIRD}\n")
    done = run("compare", "--json", index, "--", FIRST, THIRD)
    assert (done.returncode, len(json.loads(done.stdout)["a"]["logs"])) == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FIRST,), "the two histories are not separated by --; write binlogcli compare A... -- B"),
        ((FIRST, THIRD, FIFTH), "the two histories are not separated by --; write binlogcli compare A... -- B"),
        ((), "the two histories are not separated by --; write binlogcli compare A... -- B"),
        (("--", FIRST), "no source before --; write binlogcli compare A... -- B"),
        ((FIRST, "--"), "no source after --; write binlogcli compare A... -- B"),
        (("-", "--", FIRST), "compare reads logs twice: pass log files, which can be read again, not - or a pipe"),
        (("--start-position", "4", FIRST, THIRD), "no such option '--start-position'"),
        (("--host", "db1", FIRST, THIRD), "--host is only for reading from a server; write mysql://HOST/LOG instead"),
    ],
)
def test_what_has_no_meaning_is_refused(arguments: tuple[str | Path, ...], message: str) -> None:
    done = run("compare", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert message in done.stderr.decode()


def test_a_side_without_any_readable_log_is_not_compared(tmp_path: Path) -> None:
    done = run("compare", tmp_path / "none.000001", "--", ROWS)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no such file" in done.stderr


def test_damage_is_told_once_and_no_difference(tmp_path: Path) -> None:
    data = bytearray(ROWS.read_bytes())
    data[4000] ^= 1
    path = tmp_path / "x.000001"
    path.write_bytes(data)
    done = run("compare", ROWS, path)
    assert done.returncode == 1
    assert done.stderr.count(b"checksum mismatch") == 1
    assert b"unknown     1; " in done.stdout
    assert b"different   0\n" in done.stdout


def test_a_choice_of_tables_times_and_gtids_is_for_both_sides(sides: tuple[Path, Path]) -> None:
    for arguments, matched in (
        (("-T", "shop.t"), 13),
        (("-T", "shop.other"), 0),
        (("--include-gtids", "0-101-1..4"), 4),
        (("--exclude-gtids", "0-101-5..100,0-300-7"), 4),
    ):
        summary = json.loads(run("compare", "--json", *arguments, *sides).stdout.splitlines()[0])
        assert summary["matched"] == matched, arguments
    for option, matched in (("--since", 0), ("--until", 45)):
        assert json.loads(run("compare", "--json", option, "2038-01-01", ROWS, ROWS).stdout)["matched"] == matched


def test_a_choice_that_matches_nothing_is_not_called_equal() -> None:
    done = run("compare", "-T", "shop.typo", ROWS, ROWS, "--include-gtids", "9-9-9")
    assert done.returncode == 1
    assert b"neither side has a transaction that was selected" in done.stderr
    assert done.stdout.startswith(b"Nothing was compared: ")
    assert b"A           0 transactions in 1 log\n" in done.stdout


def test_a_temporary_database_that_cannot_grow_is_told(
    sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "leave", refuse)
    with pytest.raises(OutputError, match="database or disk is full"):
        compared([sides[0]], [sides[1]])


def test_a_manifest_has_the_logs_of_both_sides_once(sides: tuple[Path, Path]) -> None:
    manifest = sides[0].parent / "m.json"
    assert run("compare", "--manifest", manifest, *sides).returncode == 1
    found = json.loads(manifest.read_text())
    assert [Path(entry["path"]).name for entry in found["inputs"]] == ["a.000001", "b.000001"]
    assert run("verify", manifest).returncode == 0


def test_what_logs_hold_cannot_steer_the_terminal(tmp_path: Path) -> None:
    for name, text in (("a", "SELECT '\x1b[31m'"), ("b", "SELECT '\x1b[32m\x07'")):
        log_of([Work(1, (), (text,))], replica_of(MYSQL_FAMILY)).write(tmp_path / name)
    done = run("compare", tmp_path / "a", tmp_path / "b")
    assert b"\x1b" not in done.stdout
    assert b"\\x1b[31m" in done.stdout

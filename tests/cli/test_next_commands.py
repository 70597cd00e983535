"""The commands in a report of `stats`: a shell runs them as they stand, and they show what the report is about."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from binlogcli.cli.commands.dump import dump
from binlogcli.cli.commands.hexdump import hexdump
from binlogcli.cli.commands.stats import stats
from binlogcli.cli.next_commands import file_word, shell_word, typed_options
from binlogcli.cli.options.help_sections import title_of
from support.golden import GOLDEN
from support.logs import TimedLog
from support.program import HOME, install, run

NAME = "it's a $HOME `log` \x1b[31m\n\u202e%.000001"
REPEATED = ("How logs are read", "Encrypted logs", "Servers")
TABLE = "t[a]*?\x07'x"


def entries(value: Any) -> Iterator[dict[str, Any]]:
    """Yield everything in a report that has a command."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from entries(inner)
    if isinstance(value, dict) and "command" in value:
        yield value


def report_of(*arguments: str | Path, folder: Path, status: int = 0) -> dict[str, Any]:
    done = run("stats", "--format", "json", *arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def pasted(command: str, folder: Path, programs: Path) -> str:
    """Return what bash shows for a line that is pasted into it."""
    variables = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(HOME), "TZ": "UTC"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, cwd=folder, env=variables)
    assert (done.returncode, done.stderr) == (0, b""), (command, done.stderr)
    return done.stdout.decode()


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    install(folder)
    return folder


def test_each_command_finds_what_it_is_about(programs: Path) -> None:
    report = report_of("shop-bin.000001", "--top", "2", folder=GOLDEN / "mysql-9.7" / "xa")
    found = [entry for entry in entries(report) if entry["command"]]
    shown = {command: pasted(command, GOLDEN / "mysql-9.7" / "xa", programs) for command in commands_of(found)}
    assert len(shown) > 5
    for entry in found:
        assert shown[entry["command"]].strip()
    for row in report["transactions"]["largest_by_bytes"]:
        assert row["command"] == f"binlogcli dump -vv --transaction-at {row['start']} shop-bin.000001"
        assert row["gtid"] in shown[row["command"]]
        assert f"# at {row['start']}\n" in shown[row["command"]]
    for row in report["statements"]:
        assert f"# at {row['position']}\n" in shown[row["command"]]


def commands_of(found: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(entry["command"] for entry in found))


def test_damage_is_shown_by_its_bytes(tmp_path: Path) -> None:
    raw = bytearray((GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001").read_bytes())
    raw[600] ^= 0xFF
    (tmp_path / "log.000001").write_bytes(raw)
    report = report_of("log.000001", "--section", "problems", folder=tmp_path, status=1)
    row = next(row for row in report["problems"] if row["kind"] == "checksum")
    assert row["command"] == f"binlogcli hexdump -j {row['position']} -n 1 log.000001"


def test_names_of_files_and_tables_are_quoted(programs: Path, tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(1000, 1, f"UPDATE `{TABLE}` SET a = 1", "d b")
    log.transaction(1001, 2, "UPDATE taken SET a = 1", "d b")
    (tmp_path / NAME).write_bytes(bytes(log.log))
    report = report_of(NAME, folder=tmp_path)
    for entry in entries(report):
        assert entry["command"].isprintable(), entry
        assert pasted(entry["command"], tmp_path, programs).strip()
    row = next(row for row in report["tables"] if row["table"] == TABLE)
    shown = pasted(row["command"], tmp_path, programs)
    assert "UPDATE" in shown
    assert "taken" not in shown


def test_a_name_is_taken_for_no_option(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "-v").write_bytes((GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001").read_bytes())
    report = report_of("--section", "transactions", "--", "-v", folder=tmp_path)
    assert pasted(report["transactions"]["largest_by_bytes"][0]["command"], tmp_path, programs)


def test_words_of_a_shell() -> None:
    assert shell_word("log.000001") == "log.000001"
    assert shell_word("my log's") == "'my log'\"'\"'s'"
    assert shell_word("a\tb'\\") == "$'a\\x09b\\'\\\\'"
    assert shell_word("\udcff") == "$'\\xff'"
    assert file_word("-R") == "./-R"


def test_options_that_read_the_log_are_repeated_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / "my tables.sql").write_text("CREATE TABLE x (id INT PRIMARY KEY)")
    options = ("--schema", "my tables.sql", "--no-verify", "--max-event-size", "1M", "--timezone", "+02:00")
    log = GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001"
    (tmp_path / "log").write_bytes(log.read_bytes())
    report = report_of(*options, "--no-defaults", "--database", "shop", "--top", "1", "log", folder=tmp_path)
    row = report["transactions"]["largest_by_bytes"][0]
    assert row["command"] == (
        "binlogcli dump -vv --no-verify --max-event-size 1048576 --schema 'my tables.sql' --timezone +02:00 "
        f"--transaction-at {row['start']} log"
    )


@pytest.mark.parametrize("command", [dump, hexdump], ids=lambda command: str(command.name))
def test_the_commands_have_all_options_that_are_repeated(command: click.Command) -> None:
    there = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    for param in stats.params:
        if isinstance(param, click.Option) and title_of(param) in REPEATED:
            assert there.issuperset((*param.opts, *param.secondary_opts)), param.name


def test_options_of_servers_are_repeated_for_servers_alone_and_name_no_secret() -> None:
    typed = ["-R", "--host", "db 1", "-p", "--password-file", "word", "--skip-ssl", "--key-file", "keys", "log.000001"]
    context = stats.make_context("stats", typed)
    words = ["--read-from-remote-server", "--host", "'db 1'", "--password", "--password-file", "word", "--skip-ssl"]
    assert typed_options(context, None, server=True) == [*words, "--key-file", "keys"]
    assert typed_options(context, None, server=False) == ["--key-file", "keys"]


def test_a_password_in_an_address_is_in_no_command(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes((GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001").read_bytes())
    report = report_of("mysql://root:secret@127.0.0.1:1/log", "log", folder=tmp_path, status=2)
    assert report["tables"][0]["command"] == "binlogcli dump --oneline -T shop.x log"
    assert "secret" not in json.dumps(report)


def test_what_is_read_only_once_has_no_commands() -> None:
    done = run("stats", "--json", "-", given=(GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001").read_bytes())
    assert {entry["command"] for entry in entries(json.loads(done.stdout))} == {None}


def test_of_many_files_those_with_the_table_are_named(programs: Path, tmp_path: Path) -> None:
    for at in range(20):
        log = TimedLog()
        log.transaction(1000 * at + 1000, at + 1, f"UPDATE t{at} SET a = 1", "shop")
        (tmp_path / f"log.{at:06}").write_bytes(bytes(log.log))
    names = sorted(path.name for path in tmp_path.glob("log.*"))
    report = report_of(*names, "--section", "tables", "--section", "timeline", folder=tmp_path)
    row = next(row for row in report["tables"] if row["table"] == "t19")
    assert row["command"] == r"binlogcli dump --oneline --grep '\bt19\b' log.000019"
    assert pasted(row["command"], tmp_path, programs).strip()


def test_transactions_out_of_a_capture_are_found_by_their_gtids(programs: Path) -> None:
    folder = GOLDEN / "captures"
    report = report_of("--section", "transactions", "replica.pcap", folder=folder)
    row = report["transactions"]["largest_by_bytes"][0]
    assert row["command"] == f"binlogcli dump -vv --include-gtids {row['gtid']} replica.pcap"
    assert row["gtid"] in pasted(row["command"], folder, programs)


def test_a_table_with_rows_is_found_by_its_name_alone(programs: Path) -> None:
    folder = GOLDEN / "mysql-9.7" / "rows"
    report = report_of("--section", "tables", "shop-bin.000001", folder=folder)
    row = report["tables"][0]
    assert row["command"] == f"binlogcli dump --oneline -T {row['database']}.{row['table']} shop-bin.000001"
    assert f"{row['database']}.{row['table']}" in pasted(row["command"], folder, programs)

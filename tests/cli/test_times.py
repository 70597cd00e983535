"""One zone reads and prints: a time copied from any output finds its event, whatever the zone."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from binlogcli.cli.main import COMMANDS as COMMAND_NAMES
from binlogcli.cli.main import cli, main
from binlogcli.cli.options.values import Zone
from binlogcli.select.times import read_time
from binlogcli.stats.wanted import SECTIONS
from support.golden import GOLDEN
from support.logs import TimedLog
from support.terminal import on_a_terminal

BEFORE = 1792800000  # of the first transaction, in the night before
USUAL = 1795224024  # 2026-11-21 01:20:24 UTC
ZONES = {
    "UTC": USUAL,
    "Europe/Berlin": 1792891800,  # 02:30 for the second time
    "America/St_Johns": 1793505600,  # 01:30 for the first time
    "Asia/Kathmandu": USUAL,
    "+02:00": USUAL,
}
TIME_OPTIONS = ("--since", "--until", "--at", "--timezone")
TIMED_SECTIONS = ("summary", "tables", "transactions", "timeline", "servers")
COMMANDS = (
    *("dump", "dump -vv", "dump -H", "dump --format json", "dump --format sql", "dump --undo --op insert"),
    *("hexdump", "hexdump --json", "hexdump --no-fields"),
    *("dump --oneline", "dump --format csv -T shop.table_00001", "dump --format tsv -T shop.table_00001"),
    *(f"stats --section {section}" for section in TIMED_SECTIONS),
    *(f"stats --format {form}" for form in ("json", "csv", "tsv", "markdown")),
    *("schema", "schema --format json", "schema --history", "schema --history --format json"),
)
TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC| ?[+-]\d\d:?\d\d| [A-Z]{3,4})"
    r"|#?\b\d{6} [ \d]\d:\d\d:\d\d|(?<=TIMESTAMP=)\d+"
)
SCREEN_TIME = re.compile(r"(?<=\d )\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?= )")  # of --oneline, whose heading has the zone
Run = Callable[..., bytes]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The program as a function from a command line to its stdout."""

    def run(*arguments: str | Path) -> bytes:
        assert main([str(argument) for argument in arguments]) == 0
        return capfdbinary.readouterr().out

    return run


@pytest.fixture(params=["TZ", "--timezone"])
def zoned(request: pytest.FixtureRequest) -> Iterator[Callable[[str], list[str]]]:
    """Have the machine in a zone, or give the options that do the same."""

    def zoned(zone: str) -> list[str]:
        if request.param == "--timezone":
            return ["--timezone", zone]
        os.environ["TZ"] = "XXX-2" if zone[0] == "+" else zone
        time.tzset()
        return []

    yield zoned
    os.environ["TZ"] = "UTC"
    time.tzset()


def a_log(tmp_path: Path, moment: int) -> Path:
    log = TimedLog(BEFORE)
    log.transaction(BEFORE, 1, "CREATE TABLE old (id INT)")
    log.transaction(moment, 2, "CREATE TABLE table_00001 (a BIGINT, b BIGINT)")
    log.insert(moment, 3, 1, 2)
    path = tmp_path / "bin.000001"
    path.write_bytes(log.log)
    return path


def seconds_of(run: Run, path: Path, options: list[str], pasted: str) -> list[str]:
    """Return the times of the events from a time on, as JSON shows them."""
    lines = run("dump", "--format", "json", *options, "--start-datetime", pasted, path).splitlines()
    return [json.loads(line)["time"] for line in lines]


@pytest.mark.parametrize("zone", ZONES)
def test_a_time_that_any_command_printed_finds_its_event(
    tmp_path: Path, run: Run, zoned: Callable[[str], list[str]], zone: str
) -> None:
    options = zoned(zone)
    path = a_log(tmp_path, ZONES[zone])
    expected = seconds_of(run, path, options, f"@{ZONES[zone]}")
    assert len(expected) == 7
    for command in COMMANDS:
        times = TIME.findall(run(*command.split(), *options, path).decode())
        found = [text for text in set(times) if seconds_of(run, path, options, text) == expected]
        assert found, f"{command}: {sorted(set(times))}"
        offsets = [text for text in times if text[4:5] == "-"]
        assert command.startswith("dump") or set(times) == set(offsets), "a time without its zone"


@pytest.mark.parametrize("zone", ZONES)
def test_every_command_that_takes_a_time_takes_those_that_others_print(tmp_path: Path, run: Run, zone: str) -> None:
    path = a_log(tmp_path, ZONES[zone])
    options = ["--timezone", zone]
    printed = [run(*command.split(), *options, path).decode() for command in ("dump", "hexdump", "stats --format json")]
    since = f"@{ZONES[zone]}"
    events = run("hexdump", "--json", *options, "--since", since, path)
    count = json.loads(run("stats", "--format", "json", *options, "--since", since, path))["summary"]["transactions"]
    definition = run("schema", *options, "--at", since, path)
    assert (count, b"table_00001" in definition) == (2, False)
    for text in printed:
        for pasted in (
            found
            for found in set(TIME.findall(text))
            if read_time(found, Zone().convert(zone, None, None)) == ZONES[zone]
        ):
            assert run("hexdump", "--json", *options, "--since", pasted, path) == events
            report = json.loads(run("stats", "--format", "json", *options, "--since", pasted, path))
            assert report["summary"]["transactions"] == count
            assert run("schema", *options, "--at", pasted, path) == definition


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_a_command_reads_the_times_of_its_options_as_all_do(name: str) -> None:
    """Options of times are one definition, read in one place; the names of commands without any are these."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = {word for param in command.params for word in param.opts if "datetime" in word or word in TIME_OPTIONS}
    expected = {"--start-datetime", "--stop-datetime", "--since", "--until", "--timezone"}
    others = {"schema": {"--at", "--timezone"}, "decrypt": set(), "pull": set(), "verify": set()}
    assert options == others.get(name, expected), name


@pytest.mark.parametrize(
    ("machine", "named"),
    [("Asia/Shanghai", "Asia/Shanghai"), ("CST-8", "UTC+08:00"), ("America/Chicago", "America/Chicago")],
)
def test_json_names_the_zone_of_the_machine_without_an_abbreviation(
    tmp_path: Path, run: Run, zoned: Callable[[str], list[str]], machine: str, named: str
) -> None:
    """CST is the standard time of Chicago, of Shanghai and of Havana."""
    if not zoned("UTC"):
        os.environ["TZ"] = machine
        time.tzset()
        assert json.loads(run("stats", "--format", "json", a_log(tmp_path, USUAL)))["timezone"] == named


def test_other_sections_have_no_times(tmp_path: Path, run: Run) -> None:
    """A section that gets times needs its place in `TIMED_SECTIONS`."""
    sections = [name for name in SECTIONS if name not in TIMED_SECTIONS]
    assert TIME.findall(run("stats", *options_of(sections), a_log(tmp_path, USUAL)).decode()) == []


def options_of(sections: list[str]) -> list[str]:
    return [word for name in sections for word in ("--section", name)]


@pytest.mark.parametrize("zone", ZONES)
def test_a_time_of_a_page_or_a_terminal_finds_its_event(tmp_path: Path, run: Run, zone: str) -> None:
    path = a_log(tmp_path, ZONES[zone])
    page = tmp_path / "page.html"
    options = ["--timezone", zone]
    expected = seconds_of(run, path, options, f"@{ZONES[zone]}")
    run("stats", *options, "--html", page, path)
    screens = [
        on_a_terminal(*command.split(), "--color", "never", *options, str(path))
        for command in ("dump --oneline", "dump -v", "hexdump", "stats --section timeline")
    ]
    for screen in (page.read_bytes(), *screens):
        times = set(TIME.findall(screen.decode())) | set(SCREEN_TIME.findall(screen.decode()))
        assert [text for text in times if seconds_of(run, path, options, text) == expected], times
    if zone != "UTC":
        assert "Z</td>" not in page.read_text()


def test_a_page_has_times_in_the_zone(tmp_path: Path, run: Run) -> None:
    page = tmp_path / "page.html"
    run("stats", "--timezone", "Asia/Kathmandu", "--html", page, a_log(tmp_path, USUAL))
    assert "2026-11-21T07:05:24+05:45" in page.read_text()
    assert "2026-11-21T01:20:24" not in page.read_text()


@pytest.mark.parametrize("zone", [zone for zone in ZONES if zone[0] != "+"])
def test_microseconds_of_commits_are_read_with_the_name_of_the_zone(
    run: Run, zoned: Callable[[str], list[str]], zone: str
) -> None:
    options = zoned(zone)
    path = GOLDEN / "mysql-8.4" / "gtid_tags" / "gtid_tags.000001"
    text = run("dump", *options, path).decode()
    commits = re.findall(r"immediate_commit_timestamp=\d+ \((.*)\)", text)
    assert commits
    shown = [len(seconds_of(run, path, options, commit)) for commit in (commits[0], commits[-1])]
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] > 0


def test_json_of_a_log_is_in_the_zone_of_the_machine_with_its_offset(
    tmp_path: Path, run: Run, zoned: Callable[[str], list[str]]
) -> None:
    for zone, text in (("Europe/Berlin", "02:20:24+01:00"), ("UTC", "01:20:24Z"), ("+02:00", "03:20:24+02:00")):
        options = zoned(zone)
        assert set(seconds_of(run, a_log(tmp_path, USUAL), options, "@1795000000")) == {f"2026-11-21T{text}"}


def test_times_that_match_nothing_are_told_as_they_were_understood(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "bin.000001"
    log = TimedLog(1_700_000_000)
    log.transaction(1_700_000_000, 1)
    path.write_bytes(log.log)
    told = {
        ("--since", "yesterday"): rb"--since: no events at or after 20\S*T00:00:00\+02:00",
        ("--start-datetime=-1h",): rb"--start-datetime: no events at or after 20\S*\+02:00",
        ("--since", "2022-11-01", "--until", "20221102000000"): (
            rb"no event matched the filters, "
            rb"from 2022-11-01T00:00:00\+02:00 on before 2022-11-02T00:00:00\+02:00"
        ),
    }
    for arguments, line in told.items():
        assert main(["dump", "--format", "json", "--timezone", "+02:00", *arguments, str(path)]) == 0
        found = capfdbinary.readouterr().err
        assert re.fullmatch(rb"binlogcli: " + line + rb"\n", found), found

"""`dump --oneline`: the figures of each transaction are those of its events in the JSON; its lines fit the terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.log.gaps import Damage
from binlogcli.render.ndjson.events import JsonLines
from binlogcli.render.oneline.fields import NAMES, TransactionFields
from binlogcli.render.oneline.screen import TransactionScreen, short
from binlogcli.stats.each_transaction import EachTransaction
from binlogcli.stats.scan import Scan
from binlogcli.stats.wanted import Wanted
from support.bodies import LONG, WRITE_V1, rows_event, table_map, u4
from support.golden import GOLDEN, golden_logs, golden_name
from support.logs import MARIADB, LogBuilder, TimedLog
from support.program import run
from support.terminal import on_a_terminal

LOGS = [path for path in golden_logs() if "enc" not in path.parent.name]
XA = "mysql-8.4/xa/xa.000001"


def lines_of(path: Path) -> tuple[list[dict[str, str]], list[Damage]]:
    """The lines of a log as a pipe has them, and the damage told."""
    written: list[bytes] = []
    damage: list[Damage] = []
    out = TextBuffer()
    out.drain = lambda piece: written.append(bytes(piece))
    lines = TransactionFields(out, None)
    with Log(str(path), ReadOptions()) as log:
        lines.begin_log(log.path)
        Scan(Wanted(("transactions",)), log, EachTransaction(lines.put), damage.append).read(log)
    header, *found = (b"".join(written) + out.content()).decode().splitlines()
    assert header.split("\t") == list(NAMES)
    assert {line.count("\t") for line in found} <= {len(NAMES) - 1}
    return [dict(zip(NAMES, line.split("\t"), strict=True)) for line in found], damage


def events_of(path: Path) -> list[dict[str, Any]]:
    """The events of a log in JSON."""
    written: list[bytes] = []
    with Log(str(path), ReadOptions()) as log:
        JsonLines(TextBuffer()).run(log, lambda piece: written.append(bytes(piece)), lambda _: None)
    return [json.loads(line) for line in b"".join(written).splitlines()]


def figures(events: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Sums over the events of one transaction: bytes, rows by what became of them, tables."""
    found: dict[str, Any] = {"bytes": 0, "inserted": 0, "updated": 0, "deleted": 0, "tables": {}}
    for event in events:
        body = event.get("body")
        if "within" not in event:
            found["bytes"] += event["end"] - event["pos"]
        if not isinstance(body, dict):
            continue
        if event["type"] == "TABLE_MAP_EVENT":
            found["tables"][f"{body['dbnam']}.{body['tblnam']}"] = None
        for row in body.get("rows", ()):
            kind = "updated" if len(row) == 2 else "inserted" if "after" in row else "deleted"
            found[kind] += 1
    return found


@pytest.mark.parametrize("path", LOGS, ids=golden_name)
def test_each_line_has_the_sums_of_the_json(path: Path) -> None:
    lines, damage = lines_of(path)
    if damage:
        return
    events = [event for event in events_of(path) if event.get("transaction") is not None]
    starts = [int(line["pos"]) for line in lines]
    assert starts == sorted(starts)
    for line, start, end in zip(lines, starts, [*starts[1:], 1 << 62], strict=False):
        mine = [event for event in events if start <= event.get("within", event["pos"]) < end]
        sums = figures(mine)
        assert line["bytes"] == str(sums["bytes"])
        assert line["gtid"] == (mine[-1]["transaction"]["gtid"] or "-")
        assert line["thread_id"] == str(mine[-1]["transaction"]["thread_id"] or "?")
        assert line["time"] == min(
            (event["time"] for event in mine if event["time"] > "1970-01-01T00:00:00Z"), default="?"
        )
        for name in ("inserted", "updated", "deleted"):
            assert line[name].rstrip("?") == (str(sums[name]) if sums[name] or line[name] != "?" else "")
        named = [] if line["tables"] == "-" else line["tables"].split(", ")
        assert named[:12] == list(sums["tables"])[:12]
        assert (len(named) > 12) == (len(sums["tables"]) > 12)


def fields_of(name: str, *, where: str) -> list[str]:
    lines, _ = lines_of(GOLDEN / where)
    return [line[name] for line in lines]


def test_how_a_transaction_ended_is_reported() -> None:
    outcomes = fields_of("outcome", where=XA)
    assert outcomes[2:6] == ["prepared", "xa-commit", "prepared", "xa-rollback"]
    xids = fields_of("xid", where=XA)
    assert xids[2] == xids[3] == "X'73696d706c65',X'',1"
    assert fields_of("outcome", where="mysql-8.4/torn/torn.000001")[-1] == "unfinished"


def test_a_commit_of_another_server_has_a_lag() -> None:
    lags = fields_of("lag", where="mysql-8.4/gtid_original/gtid_original.000001")
    assert lags[:3] == ["-", "-", "195223972.954806"]


def test_rows_of_a_logged_statement_are_not_known(tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(5, 1, "INSERT INTO t VALUES (1)")
    log.transaction(6, 2, "CREATE TABLE u (a INT)")
    log.gtid(7, 3)
    log.query(7, "INSERT INTO s VALUES (1)")
    log.place(19, 7, table_map([LONG]))
    log.place(WRITE_V1, 9, rows_event(1, b"\0" + u4(1)))
    log.xid(9, 3)
    log.write(tmp_path / "log")
    lines, _ = lines_of(tmp_path / "log")
    assert [(line["inserted"], line["updated"], line["seconds"]) for line in lines] == [
        ("?", "?", "0"),
        ("0", "0", "0"),
        ("1?", "?", "2"),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  INSERT\n\tINTO   t ", "INSERT INTO t"),
        ("DELETE FROM t\t\n", "DELETE FROM t"),
        ("SELECT 'é\x1b[31m'", "SELECT 'é\\x1b[31m'"),
        ("x" * 300, "x" * 200 + "…"),
        ("-- a comment\nSELECT 1", "'-- a comment SELECT 1"),
        ("", "-"),
    ],
)
def test_a_statement_is_one_line_of_text(text: str, shown: str, tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(5, 1, text)
    log.write(tmp_path / "log")
    assert lines_of(tmp_path / "log")[0][0]["statement"] == shown


def many_tables(path: Path, count: int) -> Path:
    """A transaction that writes a row into each of many tables."""
    log = TimedLog()
    log.gtid(5, 1)
    for number in range(count):
        log.place(19, 5, table_map([LONG], table=b"t%05d" % number, table_id=100 + number))
        log.place(WRITE_V1, 5, rows_event(1, b"\0" + u4(1), table_id=100 + number))
    log.xid(5, 1)
    log.write(path)
    return path


def test_of_many_tables_the_first_are_named(tmp_path: Path) -> None:
    line = lines_of(many_tables(tmp_path / "log", 1000))[0][0]
    assert line["inserted"] == "1000"
    assert line["tables"].startswith("shop.t00000, shop.t00001, ")
    assert line["tables"].endswith("shop.t00011, +988 tables")
    shown = screen_of(tmp_path / "log", 160)[-1]
    assert "shop.t00000, +999 tables" in shown
    assert lines_of(many_tables(tmp_path / "log", 5000))[0][0]["tables"].endswith("+4096 tables or more")


def screen_of(path: Path, width: int) -> list[str]:
    """The lines of a log on a terminal."""
    written: list[bytes] = []
    lines = TransactionScreen(written.append, width, None, painted=False)
    with Log(str(path), ReadOptions()) as log:
        lines.begin_log(log.path)
        Scan(Wanted(("transactions",)), log, EachTransaction(lines.put)).read(log)
    return b"".join(written).decode().splitlines()


@pytest.mark.parametrize("width", [40, 80, 100, 120, 160, 300])
@pytest.mark.parametrize("path", LOGS, ids=golden_name)
def test_no_line_is_wider_than_the_terminal(path: Path, width: int) -> None:
    lines = screen_of(path, width)
    assert max(map(cell_len, lines)) <= max(width, 66)
    assert all(line.isprintable() for line in lines)


def test_wide_characters_take_two_cells(tmp_path: Path) -> None:
    log = TimedLog()
    log.transaction(5, 1, "INSERT INTO 日本語 VALUES ('日本語日本語日本語日本語日本語')")
    log.write(tmp_path / "log")
    for width in range(70, 120):
        assert cell_len(screen_of(tmp_path / "log", width)[-1]) <= width


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (9999, "9999"),
        (10_000, "10.0K"),
        (99_949, "99.9K"),
        (99_960, "100K"),
        (999_400, "999K"),
        (999_600, "1.0M"),
    ],
)
def test_numbers_are_short(count: int, text: str) -> None:
    assert short(count) == text


def test_a_limit_counts_transactions_over_all_logs() -> None:
    log = GOLDEN / XA
    done = run("dump", "--oneline", "-n", "20", log, log)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 21)


def test_the_last_ones_are_of_all_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [str(GOLDEN / XA), str(GOLDEN / "mysql-8.4" / "gtid_original" / "gtid_original.000001")]
    lines = run("dump", "--oneline", *logs).stdout.splitlines()
    assert run("dump", "--oneline", "--last", "9", *logs).stdout.splitlines() == [lines[0], *lines[-9:]]
    given = Path(logs[0]).read_bytes()
    assert run("dump", "--oneline", "--last", "1", given=given).stdout.splitlines()[1].split(b"\t")[1] == b"5747"
    monkeypatch.setenv("COLUMNS", "160")
    shown = on_a_terminal("dump", "--color", "never", "--oneline", "--last", "9", *logs).splitlines()
    assert [line.decode() for line in (shown[1], shown[4])] == logs
    assert len(shown) == 12


def test_stdin_is_read_and_a_table_chosen() -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    done = run("dump", "--oneline", "-T", "shop.nokey", "-", given=log.read_bytes())
    lines = [line.split(b"\t") for line in done.stdout.splitlines()[1:]]
    assert done.returncode == 0
    assert {line[NAMES.index("tables")] for line in lines} == {b"-", b"shop.nokey"}


def test_chosen_rows_alone_are_counted() -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    schema = GOLDEN / "shop.sql"
    done = run("dump", "--oneline", "-T", "shop.customers", "--where", "id = 3", "--schema", schema, log)
    lines = [dict(zip(NAMES, line.decode().split("\t"), strict=True)) for line in done.stdout.splitlines()[1:]]
    rows = [(line["inserted"], line["updated"], line["deleted"]) for line in lines]
    assert ("1", "0", "0") in rows
    assert all(sum(map(int, line)) <= 2 for line in rows)


@pytest.mark.parametrize("options", [("--op", "ddl"), ("--op", "delete"), ("-T", "*.*"), ("-d", "*")])
@pytest.mark.parametrize("name", ["mariadb-10.11/rows/shop-bin.000001", XA, "mysql-8.4/ddl_ctas/ddl_ctas.000001"])
def test_a_transaction_of_which_some_events_are_chosen_has_one_line(name: str, options: tuple[str, str]) -> None:
    done = run("dump", "--oneline", *options, GOLDEN / name)
    lines = [dict(zip(NAMES, line.decode().split("\t"), strict=True)) for line in done.stdout.splitlines()[1:]]
    gtids = [line["gtid"] for line in lines if line["gtid"] != "-"]
    assert len(set(gtids)) == len(gtids)
    if options[0] == "--op":
        assert all(line["statement"] != "-" or line["deleted"] != "0" for line in lines)


def test_damage_is_told_in_its_place_with_status_1() -> None:
    done = run("dump", "--oneline", GOLDEN / "mysql-8.4" / "torn" / "torn.000001")
    assert done.returncode == 1
    assert b"the log ends inside an event header" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "json"), b"cannot be combined with --format json"),
        (("--json",), b"cannot be combined with --format json"),
        (("--undo",), b"cannot be combined with --format sql"),
        (("-v",), b"--verbose cannot be combined with --oneline"),
        (("--flashback",), b"--flashback cannot be combined with --oneline"),
        (("--assume-unsigned", "a.b.c"), b"--assume-unsigned requires"),
    ],
)
def test_options_that_have_no_effect_are_refused(arguments: tuple[str, ...], words: bytes) -> None:
    done = run("dump", "--oneline", *arguments, GOLDEN / XA)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr


def test_a_log_without_transactions_is_a_header() -> None:
    done = run("dump", "--oneline", "-", given=bytes(LogBuilder(MARIADB).describe().log))
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 1)


def test_a_terminal_gets_colours_and_no_control_character_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = TimedLog()
    log.transaction(5, 1, "SELECT '\x1b]0;x\x07'")
    log.write(tmp_path / "log")
    monkeypatch.setenv("COLUMNS", "120")
    shown = on_a_terminal("dump", "--oneline", str(tmp_path / "log")).decode()
    assert "\x1b[1m" in shown
    assert "\x1b]" not in shown
    assert "SELECT '\\x1b]0;x\\x07'" in shown


@pytest.mark.parametrize("width", ["80", "160"])
def test_the_screen_is_as_it_was(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """golden/dump/oneline.WIDTH.screen: the command, and what a terminal of that width shows."""
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.chdir(GOLDEN)
    path = GOLDEN / "dump" / f"oneline.{width}.screen"
    arguments = ("dump", "--color", "never", "--oneline", "mariadb-10.11/rows/shop-bin.000001", XA)
    shown = f"binlogcli {' '.join(arguments)}\n{on_a_terminal(*arguments).decode()}"
    if os.environ.get("BINLOGCLI_REWRITE"):
        path.write_text(shown)
    assert shown == path.read_text()

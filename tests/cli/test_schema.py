"""`binlogcli schema`: what it prints can be read back, stops at places, and says what is not known."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from binlogcli.schema.catalog import Catalog
from binlogcli.select.places import PlaceError, read_place
from support.bodies import LONG, mariadb_gtid, query, table_map
from support.golden import GOLDEN
from support.live_mariadb import NetworkedMariaServer, server_available
from support.load_logs import THREAD_SPECIFIC
from support.logs import GTID_MARIADB, MARIADB, MYSQL, QUERY, TABLE_MAP, LogBuilder
from support.program import run
from support.terminal import on_a_terminal

ROWS = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
CTAS = GOLDEN / "mysql-8.4" / "ddl_ctas" / "ddl_ctas.000001"
CHAIN = GOLDEN / "mysql-8.4" / "chain"
TORN = GOLDEN / "mysql-8.4" / "torn" / "torn.000001"


def log_of(path: Path, *statements: str | bytes, first: int = 0) -> Path:
    """Write a log of MySQL with these statements in the database `s`, one a second from second 1000 on."""
    log = LogBuilder(MYSQL).describe()
    for statement in statements:
        log.add(QUERY, query(db=b"s", text=statement.encode() if isinstance(statement, str) else statement))
    log.write(path)
    return path


def lines(*arguments: str | Path) -> list[dict[str, object]]:
    done = run("schema", "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def history(*arguments: str | Path) -> list[tuple[str, str]]:
    """Return the changes as names of tables with their kinds."""
    found = []
    for line in lines("--history", *arguments):
        tables = line["tables"]
        assert isinstance(tables, list)
        found.append((" ".join(f"{one['table']}:{one['change']}" for one in tables), str(line["statement"])))
    return found


@pytest.mark.parametrize("log", [ROWS, CTAS, GOLDEN / "mysql-8.4" / "types_int_full" / "types_int_full.000001"])
def test_the_statements_are_a_schema_file_that_gives_equal_definitions(log: Path, tmp_path: Path) -> None:
    shown = run("schema", log)
    assert (shown.returncode, shown.stderr) == (0, b"")
    path = tmp_path / "shown.sql"
    path.write_bytes(shown.stdout)
    catalog = Catalog.read([str(path)])
    assert not catalog.warnings
    again = run("schema", "--schema", path, log, "--at", f"{log.name}:4")
    without = [line for line in again.stdout.splitlines() if not line.startswith(b"-- ")]
    assert without == [line for line in shown.stdout.splitlines() if not line.startswith(b"-- ")]


@pytest.mark.parametrize(
    ("place", "tables"),
    [
        ("shop-bin.000001:4", 0),
        ("shop-bin.000001:793", 1),
        (f"{ROWS}:1119", 2),
        ("shop-bin.000001:0x45f", 2),
        ("shop-bin.000001:82448", 9),
        ("0-101-1", 0),
        ("0-101-3", 2),
        ("2026-11-21T00:30:08Z", 8),
        ("2026-11-21 01:30:08+01:00", 8),
        ("@1795221007", 0),
    ],
)
def test_a_place_is_a_position_a_gtid_or_a_time(place: str, tables: int) -> None:
    assert len(lines("--at", place, ROWS)) == tables


def test_all_kinds_of_sources_are_read(tmp_path: Path) -> None:
    wanted = [line["table"] for line in lines(ROWS)]
    packed = tmp_path / "shop-bin.000001.gz"
    packed.write_bytes(gzip.compress(ROWS.read_bytes()))
    assert [line["table"] for line in lines("--at", "shop-bin.000001:82448", packed)] == wanted
    done = run("schema", "--format", "json", "-", given=ROWS.read_bytes())
    assert [json.loads(line)["table"] for line in done.stdout.splitlines()] == wanted
    assert len(lines(GOLDEN / "mariadb-11.8" / "rotation" / "shop-bin.index")) > 0
    capture = GOLDEN / "captures" / "replica.pcap"
    assert history("--at", "shop-bin.000002:612", capture) == history(GOLDEN / "captures" / "shop-bin.000001")
    keys = tmp_path / "keys.txt"
    keys.write_bytes((GOLDEN / "mariadb-11.8" / "enc-cbc-128" / "keys.txt").read_bytes())
    keys.chmod(0o600)
    assert lines("--key-file", keys, GOLDEN / "mariadb-11.8" / "enc-cbc-128" / "shop-bin.000001")


@pytest.mark.skipif(not server_available(), reason="no MariaDB server here")
def test_a_live_server_is_read_as_its_logs_are() -> None:
    with NetworkedMariaServer() as server:
        server.sql("CREATE DATABASE s; CREATE TABLE s.a (x INT); FLUSH BINARY LOGS; ALTER TABLE s.a ADD y INT UNSIGNED")
        address = f"{server.url}?from=first"
        (line,) = lines("--no-defaults", address)
        assert [column["name"] for column in line["columns"]] == ["x", "y"]  # type: ignore[attr-defined]
        assert history("--no-defaults", address) == history(*server.logs())
        assert history("--no-defaults", "--at", "0-101-2", address) == [("a:added", "CREATE TABLE s.a (x INT)")]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("shop-bin.000001:794", "no event starts there; the nearest one starts at 1119"),
        ("shop-bin.000001:82447", "no event starts there; the nearest one starts at 82402"),
        ("shop-bin.000001:0", "no event starts there; the nearest one starts at 4"),
        ("shop-bin.000001:82449", "the log ends at 82448"),
        ("shop-bin.000002:4", "none of the logs has this name"),
        ("0-101-4444", "no transaction has this GTID"),
        ("2026-11-21T00:30:09Z", "the logs end earlier, at 2026-11-21T00:30:08Z"),
        ("2026-11-21T00:00:00Z", "the logs start later, at 2026-11-21T00:30:07Z"),
    ],
)
def test_a_place_that_the_logs_do_not_have_is_an_error(place: str, reason: str) -> None:
    for table in ((), ("-T", "shop.t")):  # that no definition was looked for there is not told
        done = run("schema", "--at", place, *table, ROWS)
        assert (done.returncode, done.stdout) == (2, b"")
        (line,) = done.stderr.decode().splitlines()
        assert line.startswith(f"binlogcli: --at {place}: {reason}; omit --at")


@pytest.mark.parametrize("text", ["", "noon", "0-1-1..2", "0-1-1,0-1-2", "file:", ":4"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(PlaceError):
        read_place(text, None)


def test_a_gtid_of_mysql_is_a_place() -> None:
    assert read_place("AF191118-e549-11f1-8aca-02fc00000001:x:2", None).gtid.endswith("-02fc00000001:x:2")
    assert len(lines("--at", "af191118-e549-11f1-8aca-02fc00000001:1", CHAIN / "chain.000001")) == 0
    assert len(lines("--at", "af191118-e549-11f1-8aca-02fc00000001:2", CHAIN / "chain.000001")) == 1


def test_the_history_has_what_may_have_changed_a_definition(tmp_path: Path) -> None:
    log = log_of(
        tmp_path / "log.000001",
        "CREATE TABLE a (x INT)",
        "CREATE TABLE IF NOT EXISTS a (y INT)",
        "CREATE TEMPORARY TABLE t (x INT)",
        "DROP TABLE never_seen",
        "DROP TABLE IF EXISTS never_seen",
        "ALTER TABLE a ADD y INT",
        "RENAME TABLE a TO b",
        "CREATE TABLE a (z INT)",
        "RENAME TABLE a TO c, b TO a, c TO b",
        "ALTER TABLE a FROBNICATE",
        "ALTER TABLE older ADD x INT",
        "INSERT INTO a VALUES (1)",
        "CREATE INDEX i ON b (z)",
        "DROP DATABASE s",
    )
    assert [tables for tables, _ in history(log)] == [
        "a:added",
        "never_seen:removed",
        "a:changed",
        "a:removed b:added",
        "a:added",
        "a:changed b:changed",
        "a:unknown",
        "older:unknown",
        "b:changed",
        "a:removed b:removed older:removed",
    ]
    assert [tables for tables, _ in history("-T", "s.b", log)] == [
        "a:removed b:added",
        "a:changed b:changed",
        "b:changed",
        "a:removed b:removed older:removed",
    ]


def test_what_is_not_known_says_why_and_since_when(tmp_path: Path) -> None:
    log = log_of(
        tmp_path / "log.000001",
        "CREATE TABLE a (x INT)",
        "ALTER TABLE a FROBNICATE",
        "ALTER TABLE b ADD x INT",
        "create table if not exists c (x INT)",
    )
    shown = run("schema", log).stdout.decode()
    assert "-- `s`.`a` is not known, since " in shown
    assert f" of {log} was not understood: " in shown
    assert f" of {log} defines only a part of it, and no earlier statement the rest\n" in shown
    unknown = {str(line["table"]): str(line["unknown"]) for line in lines(log)}
    assert list(unknown) == ["a", "b", "c"]
    assert unknown["c"].endswith("has IF NOT EXISTS, and no earlier statement shows whether the table already existed")


def test_a_definition_that_rows_contradict_is_not_known_until_one_fits_again(tmp_path: Path) -> None:
    log = LogBuilder(MYSQL).describe().add(QUERY, query(db=b"s", text=b"CREATE TABLE a (x INT)"))
    log.add(TABLE_MAP, table_map([LONG], database=b"s", table=b"a"))
    log.add(TABLE_MAP, table_map([LONG, LONG], database=b"s", table=b"a"))
    log.add(TABLE_MAP, table_map([LONG], database=b"s", table=b"older"))
    log.write(tmp_path / "log.000001")
    places = log.starts
    unknown = {str(line["table"]): line["unknown"] for line in lines(tmp_path / "log.000001")}
    assert unknown == {
        "a": "its rows there do not match its known definition: 1 instead of 2 columns",
        "older": "it has rows there, but no earlier statement defines it",
    }
    (_, older) = lines(tmp_path / "log.000001")
    assert older["columns_in_log"] == [{"name": "@1", "type": "LONG", "nullable": True}]
    assert b"\n-- its columns in the log: @1 LONG\n" in run("schema", tmp_path / "log.000001").stdout
    before = lines("--at", f"log.000001:{places[3]}", tmp_path / "log.000001")
    assert [(line["table"], "columns" in line) for line in before] == [("a", True)]
    log.add(TABLE_MAP, table_map([LONG], database=b"s", table=b"a"))
    log.add(QUERY, query(db=b"s", text=b"CREATE TABLE older (x INT)"))
    log.write(tmp_path / "log.000001")
    assert all("columns" in line for line in lines(tmp_path / "log.000001"))


def test_damage_and_missing_logs_are_told_in_the_output_too() -> None:
    done = run("schema", TORN)
    assert done.returncode == 1
    assert b"torn.000001: at 1753: the log ends inside an event header" in done.stderr
    assert b"torn.000001 is damaged at 1753: statements that changed definitions may be missing there" in done.stdout
    done = run("schema", CHAIN / "chain.000001", CHAIN / "chain.000003")
    assert done.returncode == 0
    for text in (done.stdout, done.stderr):
        assert b"chain.000003 does not follow " in text
        assert b"statements that changed definitions may be missing" in text
    assert run("schema", "/nowhere").stdout == b""


@pytest.mark.parametrize(
    ("flags", "gtid_flags", "charset"),
    [(THREAD_SPECIFIC, 1, ""), (THREAD_SPECIFIC, 0, "latin1"), (0, 1, "latin1")],
    ids=["LIKE a temporary table", "SELECT FROM a temporary table", "statement of a client"],
)
def test_a_table_like_a_temporary_one_need_not_have_the_character_set_of_its_database(
    tmp_path: Path, flags: int, gtid_flags: int, charset: str
) -> None:
    log = LogBuilder(MARIADB).describe()
    log.add(GTID_MARIADB, mariadb_gtid(1, 1)).add(QUERY, query(text=b"CREATE DATABASE shop CHARSET latin1"))
    text = b"CREATE TABLE `t` (\n  `a` varchar(5) DEFAULT NULL\n) ENGINE=InnoDB ROW_FORMAT=DYNAMIC"
    log.add(GTID_MARIADB, mariadb_gtid(2, gtid_flags)).add(QUERY, query(text=text), flags=flags)
    log.write(tmp_path / "log.000001")
    shown = run("schema", tmp_path / "log.000001").stdout.decode()
    assert (f"CHARSET={charset}" in shown) == (charset != "")


def test_truncate_is_an_event_of_its_table(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log.000001", "CREATE TABLE t (a INT)", " truncate TABLE t", "TRUNCATE x.u")
    found = history(log)
    assert found[1:] == [("t:truncated", " truncate TABLE t"), ("u:truncated", "TRUNCATE x.u")]
    (line,) = lines("-T", "s.t", log)
    created = lines("--history", log)[0]
    assert line["since"] == {"file": str(log), "pos": created["pos"], "time": created["time"], "gtid": None}
    assert b"truncated" in run("schema", "--history", log).stdout


def damaged(path: Path, *statements: str, at: str) -> Path:
    """Write a log in which the first byte of these words is another."""
    data = bytearray(log_of(path, *statements).read_bytes())
    data[data.index(at.encode())] ^= 1
    path.write_bytes(data)
    return path


def test_a_damaged_statement_is_listed_and_its_tables_are_unknown_from_there(tmp_path: Path) -> None:
    statements = ("CREATE TABLE t (a INT)", "CREATE TABLE u (b INT)", "ALTER TABLE t ADD second INT")
    log = damaged(tmp_path / "log.000001", *statements, at="second")
    done = run("schema", "--history", "--format", "json", log)
    assert done.returncode == 1
    assert b"log.000001: at " in done.stderr
    line = json.loads(done.stdout.splitlines()[-1])
    assert line["damaged"]
    assert "failed" not in line
    (table,) = line["tables"]
    assert (table["table"], table["change"]) == ("t", "unknown")
    assert table["unknown"].endswith(f"log.000001 is damaged at {line['pos']}: the statement there cannot be read")
    shown = run("schema", "--history", log)
    assert shown.returncode == 1
    assert b"damaged statement, unknown" in shown.stdout
    states = run("schema", "--format", "json", log)
    assert states.returncode == 1
    known = {line["table"]: "columns" in line for line in map(json.loads, states.stdout.splitlines())}
    assert known == {"t": False, "u": True}


def test_a_damaged_statement_of_no_known_table_is_listed_too(tmp_path: Path) -> None:
    log = damaged(tmp_path / "log.000001", "CREATE TABLE t (a INT)", "CREATE VIEW w AS SELECT 1", at="w AS")
    done = run("schema", "--history", "--format", "json", "-T", "s.t", log)
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1])["tables"] == []


def test_a_statement_that_is_cut_off_is_listed_with_the_tables_that_it_is_known_to_name(tmp_path: Path) -> None:
    statements = ("CREATE TABLE `t a` (a INT)", "CREATE TABLE u (b INT)", "RENAME TABLE `t a` TO v, u TO w")
    whole = log_of(tmp_path / "whole.000001", *statements).read_bytes()
    expected = {
        len("RENAME TABLE `t a"): set(),
        len("RENAME TABLE `t a` T"): {"t a"},
        len("RENAME TABLE `t a` TO v, "): {"t a", "v"},
        len("RENAME TABLE `t a` TO v, u TO "): {"t a", "v", "u"},
    }
    for length, tables in expected.items():
        log = tmp_path / "log.000001"
        log.write_bytes(whole[: len(whole) - 4 - len(statements[-1]) + length])
        done = run("schema", "--history", "--format", "json", log)
        assert done.returncode == 1
        line = json.loads(done.stdout.splitlines()[-1])
        assert line["damaged"]
        assert {table["table"] for table in line["tables"]} == tables
        shown = run("schema", "--format", "json", log)
        assert shown.returncode == 1
        known = {line["table"] for line in map(json.loads, shown.stdout.splitlines()) if "columns" in line}
        assert known == {"t a", "u"} - tables


def test_times_are_read_and_shown_in_the_zone_that_was_asked_for() -> None:
    arguments = ("--timezone", "+02:00", "--at", "2026-11-21 02:30:08", str(ROWS))
    (since, *_) = (line["since"] for line in lines("-T", "shop.nokey", *arguments))
    assert since == {"file": str(ROWS), "pos": 1161, "time": "2026-11-21T02:30:07+02:00", "gtid": "0-101-4"}
    assert b"2026-11-21T02:30:07+02:00" in run("schema", "--history", *arguments).stdout


def test_patterns_that_match_nothing_are_reported() -> None:
    assert [line["table"] for line in lines("-d", "sh*", "-T", "shop.b*", ROWS)] == ["bh", "bulk"]
    done = run("schema", "-T", "nope", ROWS)
    assert done.stderr == b"binlogcli: --table *.nope: no such table\n"
    assert b"-- None of the selected tables is known.\n" in done.stdout


def test_the_history_is_fitted_to_a_terminal() -> None:
    screen = on_a_terminal("schema", "--history", str(ROWS)).decode()
    assert max(map(len, screen.splitlines())) <= 80
    assert "…" in screen
    assert "…" not in run("schema", "--history", ROWS).stdout.decode()


def test_a_stop_that_never_comes_goes_with_the_json_of_the_history_alone() -> None:
    done = run("schema", "--stop-never", "mysql://u@127.0.0.1:1/")
    assert done.returncode == 2
    assert b"--stop-never (--follow) requires --history" in done.stderr

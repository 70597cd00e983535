"""`--op`, `--limit` and the options that choose whole transactions, against what a plain reading of the logs tells."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from binlogcli.cli.main import main
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows
from binlogcli.select.by_operation import operation_of_statement
from support.golden import GOLDEN
from support.logs import TimedLog

LOGS = [
    GOLDEN / name
    for name in (
        "mariadb-10.11/rows/shop-bin.000001",
        "mariadb-10.11/mixed/shop-bin.000001",
        "mariadb-11.8/load-data/shop-bin.000001",
        "mysql-9.7/rows/shop-bin.000001",
        "mysql-9.7/payload/shop-bin.000001",
        "mysql-9.7/partial-json-minimal/shop-bin.000001",
        "mysql-8.4/savepoints/savepoints.000001",
    )
]
IDS = ["/".join(path.parts[-3:-1]) for path in LOGS]


@pytest.fixture
def dumped(capfdbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Runs dump with options, and gives its lines of JSON and of stderr."""

    def run(*arguments: str | Path) -> tuple[list[dict[str, Any]], list[str]]:
        main(["dump", "--format", "json", *map(str, arguments)])
        done = capfdbinary.readouterr()
        return [json.loads(line) for line in done.out.splitlines()], done.err.decode().splitlines()

    return run


def events_of(path: Path) -> list[Event]:
    with Log(str(path)) as log:
        return [item for item in log if isinstance(item, Event)]


def operations(lines: list[dict[str, Any]]) -> Counter[str]:
    """How many row events do what, by the names of their types."""
    kinds = Counter[str]()
    for line in lines:
        name = line.get("type", "")
        if "ROWS" in name and "rows" in line["body"]:
            kinds[name.partition("WRITE_")[1] or name.partition("UPDATE_")[1] or name.partition("DELETE_")[1]] += 1
    return kinds


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_an_operation_is_all_event_types_that_do_it(path: Path, dumped: Any) -> None:
    everything = operations(dumped(path)[0])
    for name, part in (("insert", "WRITE_"), ("update", "UPDATE_"), ("delete", "DELETE_")):
        found = operations(dumped("--op", name, path)[0])
        assert found == Counter({part: everything[part]} if everything[part] else {})
    assert operations(dumped("--op", "insert,update", "--op", "delete", path)[0]) == everything


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_rows_that_an_operation_chooses_have_their_table_map_and_transaction(path: Path, dumped: Any) -> None:
    for name in ("insert", "update", "delete"):
        lines, _ = dumped("--op", name, path)
        maps = set()
        before = ""
        for line in lines:
            if line.get("type") == "TABLE_MAP_EVENT":
                maps.add(line["body"]["table_id"])
            elif "rows" in line.get("body", {}):
                assert line["body"]["table_id"] in maps
            else:
                assert before != "TABLE_MAP_EVENT"  # it describes rows that are shown
            before = line.get("type", "")
        with_rows = {json.dumps(line["transaction"]) for line in lines if "rows" in line.get("body", {})}
        if name == "delete" and with_rows:
            framed = {json.dumps(line["transaction"]) for line in lines if line.get("transaction")}
            assert len(framed) < len(
                {json.dumps(line["transaction"]) for line in dumped(path)[0] if line["transaction"]}
            )


@pytest.mark.parametrize(
    ("statement", "operation"),
    [
        (b"INSERT INTO t VALUES (1)", "insert"),
        (b"/* a */ -- b\n replace t VALUES (1)", "insert"),
        (b"/*!50003 CREATE TRIGGER*/ t", "ddl"),
        (b"(UPDATE t SET a = 1)", "update"),
        (b"WITH d AS (SELECT 1) DELETE FROM t", "delete"),
        (b"SET STATEMENT max_statement_time=1 FOR DELETE FROM t", "delete"),
        (b"truncate shop.orders", "ddl"),
        (b"SET PASSWORD = ''", ""),
        (b"ANALYZE TABLE t", ""),
        (b"", ""),
        (b"WITH", ""),
        (b"/* " * 40000, ""),
    ],
)
def test_what_a_statement_does(statement: bytes, operation: str) -> None:
    assert operation_of_statement(statement) == operation


def test_statements_are_chosen_by_what_they_do(dumped: Any) -> None:
    log = GOLDEN / "mariadb-10.11" / "mixed" / "shop-bin.000001"
    for name in ("insert", "ddl"):
        chosen = {line["pos"] for line in dumped("--op", name, log)[0] if line["type"].startswith("QUERY")}
        of_it = {
            event.start
            for event in events_of(log)
            if isinstance(event, Query) and operation_of_statement(event.query) == name
        }
        assert of_it
        assert of_it <= chosen


def test_an_operation_that_is_none_and_one_that_is_not_there(dumped: Any) -> None:
    log = GOLDEN / "mysql-8.4" / "savepoints" / "savepoints.000001"
    lines, told = dumped("--op", "drop", log)
    assert lines == []
    says = "invalid value for '--op': 'drop' is not one of insert, update, delete, ddl"
    assert told == [f"binlogcli: {says}; see binlogcli dump --help"]


@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_transactions_by_their_number_place_rows_and_size(path: Path, dumped: Any) -> None:
    transactions: dict[int, list[Event]] = {}
    order: list[int] = []
    for event in events_of(path):
        if event.transaction is not None:
            key = id(event.transaction)
            if key not in transactions:
                order.append(key)
            transactions.setdefault(key, []).append(event)
    for key in order:
        events = transactions[key]
        outer = [event for event in events if event.within_at < 0]
        places = [(event.start, event.within) for event in events]
        at = outer[len(outer) // 2]
        lines, _ = dumped("--transaction-at", str(at.end - 1), path)
        assert [(line["pos"], line.get("within")) for line in lines] == places
        xid = events[-1].transaction.xid if events[-1].transaction is not None else None
        if xid is not None:
            lines, _ = dumped("--xid", str(xid), path)
            assert (events[0].start, events[0].within) in [(line["pos"], line.get("within")) for line in lines]
    sizes = [sum(event.length for event in transactions[key] if event.within_at < 0) for key in order]
    rows = [sum(len(event.rows) for event in transactions[key] if isinstance(event, Rows)) for key in order]
    for figures, option in ((sizes, "--min-size"), (rows, "--min-rows")):
        limit = sorted(figures)[len(figures) // 2]
        if limit == 0:
            continue
        lines, _ = dumped(option, str(limit), path)
        large = [key for key, figure in zip(order, figures, strict=True) if figure >= limit]
        expected = {event.start for key in large for event in transactions[key] if event.within_at < 0}
        assert {line["pos"] for line in lines if "within" not in line or line["within"] is None} == expected


def test_connections_that_the_log_tells_and_those_that_it_does_not(dumped: Any) -> None:
    log = GOLDEN / "mysql-9.7" / "rows" / "shop-bin.000001"
    threads = Counter(
        event.transaction.thread_id for event in events_of(log) if event.transaction and event.transaction.thread_id
    )
    assert threads
    for thread in threads:
        lines, told = dumped("--thread-id", str(thread), log)
        assert {line["transaction"]["thread_id"] for line in lines if "rows" in line["body"]} <= {thread}
        assert told == []
    _, told = dumped("--thread-id", "4000000000", log)
    assert told == [
        "binlogcli: --thread-id 4000000000: no transaction of this connection",
        "binlogcli: no event matched the filters",
    ]
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    _, told = dumped("--thread-id", "9", log)
    assert "--thread-id: the log does not record the connection of " in told[0]


def test_places_and_numbers_that_are_not_there(dumped: Any) -> None:
    log = LOGS[0]
    assert dumped("--transaction-at", "999999", log)[1][0] == "binlogcli: --transaction-at 999999: no transaction there"
    assert dumped("--xid", "999999", log)[1][0] == "binlogcli: --xid 999999: no such transaction"
    assert dumped("--min-rows", "999999", log)[1][0] == "binlogcli: no transaction is that large"


@pytest.mark.parametrize("form", ["mysqlbinlog", "json", "sql"])
@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_a_limit_counts_events(path: Path, form: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    main(["dump", "--format", form, str(path)])
    whole = capfdbinary.readouterr().out.splitlines()
    for count in (1, 5, 9):
        main(["dump", "--format", form, "-n", str(count), str(path)])
        some = capfdbinary.readouterr().out.splitlines()
        if form == "json":
            assert some == whole[:count]
        elif form == "mysqlbinlog":
            starts = [line for line in some if line.startswith(b"# at ")]
            assert starts == [line for line in whole if line.startswith(b"# at ")][: len(starts)]
            assert 0 < len(starts) <= count + 1 or b"within" in b"".join(some)


def test_a_limit_ends_within_the_frame_of_a_transaction(dumped: Any) -> None:
    log = LOGS[3]
    whole, _ = dumped("-T", "*.*", log)
    for count in range(1, 20):
        assert dumped("-T", "*.*", "-n", str(count), log)[0] == whole[:count]


@pytest.mark.parametrize(
    "options", [("--op", "delete"), ("-T", "shop.orders", "--op", "insert"), ("-d", "shop", "--op", "insert,delete")]
)
def test_a_limit_of_chosen_changes_does_not_count_the_frames_in_the_text(
    options: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def places(*more: str) -> list[bytes]:
        """The ends of the events with rows or a statement of their own."""
        main(["dump", "-v", *options, *more, str(LOGS[0])])
        done = capfdbinary.readouterr()
        text = done.out
        assert b"nothing matched" not in done.err  # it may be behind the limit
        ends = [line for line in text.splitlines() if b"_rows: table id" in line or b"\tQuery\t" in line]
        assert not more or 0 < text.count(b"START TRANSACTION") == text.count(b"COMMIT/*!*/;")
        return ends

    whole = places()
    for count in (1, 2, 5):
        assert places("-n", str(count)) == whole[:count]


def test_one_table_is_shown_with_its_database_but_not_with_others(tmp_path: Path, dumped: Any) -> None:
    log = TimedLog()
    for number, database in enumerate(("shop", "stock"), 1):
        log.transaction(1000, number, f"CREATE DATABASE {database}", database)
    log.transaction(1000, 3, "CREATE TABLE orders (id INT)")
    log.transaction(1000, 4, "DROP DATABASE stock", "stock")
    log.transaction(1000, 5, "DROP DATABASE shop")
    path = tmp_path / "bin.000001"
    path.write_bytes(log.log)
    shown, _ = dumped("-T", "shop.orders", path)
    statements = [line["body"]["query"] for line in shown if line["type"] == "QUERY_EVENT"]
    assert statements == ["CREATE DATABASE shop", "CREATE TABLE orders (id INT)", "DROP DATABASE shop"]


def test_the_last_events_of_a_hexdump_are_the_last_ones_of_all(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    def events(*options: str) -> list[bytes]:
        assert main(["hexdump", "--json", *options, str(LOGS[0])]) == 0
        return [line for line in capfdbinary.readouterr().out.splitlines() if b'"type_code"' in line]

    for options in ((), ("--op", "delete"), ("-E", "XID_EVENT")):
        whole = events(*options)
        for count in (1, 4, len(whole) + 1):
            assert events(*options, "--last", str(count)) == whole[-count:]


def test_a_limit_of_table_lines_counts_events_with_rows(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    def lines(*options: str) -> list[bytes]:
        main(["dump", "--format", "csv", "-T", "shop.customers", "--op", "insert", *options, str(LOGS[0])])
        return capfdbinary.readouterr().out.splitlines()[1:]

    whole = lines()
    places = list(dict.fromkeys(line.split(b",")[3] for line in whole))
    assert len(places) > 3
    for count in (1, 3):
        assert {line.split(b",")[3] for line in lines("-n", str(count))} == set(places[:count])
        assert {line.split(b",")[3] for line in lines("--last", str(count))} == set(places[-count:])


def test_a_limit_of_sql_counts_statements_and_rows(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    def lines(*options: str) -> list[bytes]:
        main(["dump", "--format", "sql", *options, str(LOGS[0])])
        return [line for line in capfdbinary.readouterr().out.splitlines() if not line.startswith(b"SET")]

    whole = lines("--op", "delete")
    places = list(dict.fromkeys(line.split(b" -- ")[1] for line in whole if b" -- " in line))
    assert len(places) > 3
    for count in (1, 3):
        first, last = lines("--op", "delete", "-n", str(count)), lines("--op", "delete", "--last", str(count))
        assert first == whole[: len(first)]
        assert last == whole[-len(last) :]
        assert (first[0], first[-1], last[0], last[-1]) == (b"BEGIN;", b"COMMIT;", b"BEGIN;", b"COMMIT;")
        assert [line.split(b" -- ")[1] for line in first if b" -- " in line] == places[:count]
        assert list(dict.fromkeys(line.split(b" -- ")[1] for line in last if b" -- " in line)) == places[-count:]
    assert lines("-n", "1")[0].startswith(b"CREATE DATABASE shop; -- ")


def test_transactions_are_looked_for_in_files_alone(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["dump", "--xid", "5", "-"]) == 2
    said = capfdbinary.readouterr().err.decode()
    assert said.startswith(
        "binlogcli: --xid, --thread-id, --min-rows, --min-size and --transaction-at read the logs twice: "
        "pass log files, which can be read again"
    )


@pytest.mark.parametrize(
    "options", [(), ("-T", "*.*"), ("--op", "insert,update"), ("-E", "*ROWS*"), ("--min-rows", "2")]
)
@pytest.mark.parametrize("path", LOGS, ids=IDS)
def test_the_last_events_are_the_last_of_what_is_chosen(path: Path, options: tuple[str, ...], dumped: Any) -> None:
    whole, _ = dumped(*options, path)
    for count in (1, 2, 7, len(whole), len(whole) + 5):
        assert dumped(*options, "--last", str(count), path)[0] == whole[-count:]


def test_the_last_events_of_several_logs(dumped: Any, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = GOLDEN / "mysql-8.4" / "chain"
    paths = sorted(folder.glob("chain.0*"))
    whole, _ = dumped(*paths)
    assert len({line["file"] for line in whole}) > 3
    for count in (1, 3, 10, 40, len(whole)):
        assert dumped("--last", str(count), *paths)[0] == whole[-count:]
    main(["dump", "-v", "--last", "3", *map(str, paths)])
    text = capfdbinary.readouterr().out
    assert text.count(b"Start: binlog") == 1

"""With `--table`, a transaction is shown by what opens and ends it only if something in it is about the table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.statements import Query, StatementText
from binlogcli.events.tables import Rows, TableMap
from binlogcli.log.boundaries import role_of
from binlogcli.log.roles import RELEASE_SAVEPOINT
from binlogcli.select.choice import Choice
from binlogcli.select.selection import Selection
from support.golden import GOLDEN
from support.logs import TimedLog

LOGS = [
    GOLDEN / name
    for name in (
        "mariadb-10.11/rows/shop-bin.000001",
        "mariadb-10.11/compress/shop-bin.000001",
        "mysql-9.7/rows/shop-bin.000001",
        "mysql-9.7/payload/shop-bin.000001",
        "mysql-9.7/xa/shop-bin.000002",
        "mysql-8.4/savepoints/savepoints.000001",
    )
]


def events_of(path: Path, choice: Choice | None = None, *, framing: bool = False) -> Iterator[Event]:
    with Log(str(path)) as log:
        if choice is not None:
            Selection(choice, framing=framing).begin_log(log, first=True, last=True)
        yield from (item for item in log if isinstance(item, Event))


def tables_of(path: Path) -> set[str]:
    return {
        f"{event.plan.definition.database}.{event.plan.definition.table}"
        for event in events_of(path)
        if isinstance(event, TableMap)
    }


def is_row_of(event: Event, table: str) -> bool:
    if not isinstance(event, TableMap | Rows):
        return False
    definition = event.plan.definition
    return f"{definition.database}.{definition.table}" == table


def is_statement(event: Event) -> bool:
    """Whether an event is a statement other than BEGIN, COMMIT, SAVEPOINT and the like."""
    return isinstance(event, Query) and role_of(event.query, 0, len(event.query)) < RELEASE_SAVEPOINT


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-3:]))
def test_frames_of_transactions_that_touch_the_table_and_no_others(path: Path) -> None:
    for table in sorted(tables_of(path)):
        shown = [(event.start, event.within_at) for event in events_of(path, Choice(tables=(table,)))]
        transactions: dict[int, list[Event]] = {}
        everything = list(events_of(path))
        for event in everything:
            transactions.setdefault(id(event.transaction) if event.transaction is not None else 0, []).append(event)
        expected = set()
        for key, events in transactions.items():
            chosen = [
                event for event in events if is_row_of(event, table) or (is_statement(event) and place(event) in shown)
            ]
            if chosen or key == 0:
                expected |= {place(event) for event in events if not isinstance(event, TableMap | Rows | StatementText)}
                expected -= {place(event) for event in events if is_statement(event) and event not in chosen}
                expected |= {place(event) for event in chosen}
        texts = {place(event) for event in everything if isinstance(event, StatementText)}
        assert set(shown) - texts == expected
        assert shown == [place(event) for event in everything if place(event) in shown]


def place(event: Event) -> tuple[int, int]:
    return event.start, event.within_at


def transactions_log(tmp_path: Path) -> Path:
    """Two tables in turn, a transaction for each row."""
    maker = TimedLog()
    for number in range(1, 9):
        maker.insert(1000 + number, number, number % 2 + 1, 2)
    path = tmp_path / "two.000001"
    path.write_bytes(maker.log)
    return path


def test_what_a_transaction_opens_with_waits_for_rows_of_the_table(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = transactions_log(tmp_path)
    tables = sorted(tables_of(path))
    assert main(["dump", "--format", "json", "-T", tables[0], str(path)]) == 0
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    inside = [line for line in lines if line.get("transaction")]
    everything = [event for event in events_of(path) if event.transaction is not None]
    assert len(inside) * 2 == len(everything)
    names = {line["body"]["table"] for line in inside if "table" in line["body"]}
    assert names == {tables[0].partition(".")[2]}


def test_a_type_chooses_among_the_events_of_touched_transactions(tmp_path: Path) -> None:
    path = transactions_log(tmp_path)
    table = min(tables_of(path))
    for name in {event.type for event in events_of(path) if event.transaction is not None}:
        some = [event.start for event in events_of(path, Choice(tables=(table,), events=(name,)))]
        every = [event.start for event in events_of(path, Choice(tables=(table,))) if event.type == name]
        assert some == every
        assert some


def test_statements_about_other_tables_are_left_out() -> None:
    log = GOLDEN / "mysql-9.7" / "rows" / "shop-bin.000001"
    defining = [event for event in events_of(log) if isinstance(event, Query) and b"CREATE TABLE" in event.query]
    assert len(defining) > 2
    for event in defining:
        name = event.query.split(b"CREATE TABLE")[1].split()[0].strip(b"`(").decode()
        shown = {event.start for event in events_of(log, Choice(tables=(f"*.{name}",)))}
        assert [other.start for other in defining if other.start in shown] == [event.start]


def test_a_table_that_is_emptied_is_not_that_of_others() -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    emptied = [event.start for event in events_of(log) if isinstance(event, Query) and b"TRUNCATE" in event.query]
    assert len(emptied) == 1
    assert set(emptied) <= {event.start for event in events_of(log, Choice(tables=("shop.copy1",)))}
    assert not set(emptied) & {event.start for event in events_of(log, Choice(tables=("shop.orders",)))}


def test_text_of_a_table_or_an_operation_has_its_transactions_alone() -> None:
    for log in LOGS:
        formats = {event.start for event in events_of(log) if event.type_code in (15, 4)}
        for choice in (Choice(tables=(min(tables_of(log)),)), Choice(operations=("delete",))):
            shown = {event.start for event in events_of(log, choice)}
            assert {event.start for event in events_of(log, choice, framing=True)} == shown | formats


def test_texts_of_statements_stay_with_their_rows() -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    for table in sorted(tables_of(log)):
        shown = list(events_of(log, Choice(tables=(table,))))
        for at, event in enumerate(shown):
            if isinstance(event, StatementText):
                assert isinstance(shown[at + 1], TableMap)

"""Which events are given out: what the options choose from all of them, wherever reading began."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows
from binlogcli.gtids.parsing import read_gtids
from binlogcli.log.gaps import Damage
from binlogcli.select.choice import Choice
from binlogcli.select.gtids import GtidChoice
from binlogcli.select.patterns import PatternError
from binlogcli.select.selection import Selection
from support.logs import TimedLog

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
MARIADB = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"


def read(paths: list[Path], *, framing: bool = False, **options: Any) -> tuple[list[Event | Damage], Selection]:
    """What the logs give, one after another."""
    selection = Selection(Choice(**options), framing=framing)
    found: list[Event | Damage] = []
    for at, path in enumerate(paths):
        with Log(str(path)) as log:
            selection.begin_log(log, first=at == 0, last=at == len(paths) - 1)
            found += [item for item in log if isinstance(item, (Event, Damage))]
        if selection.over:
            break
    return found, selection


def starts(found: list[Event | Damage]) -> list[int]:
    return [item.start for item in found]


def all_events(path: Path) -> list[Event]:
    with Log(str(path)) as log:
        return [item for item in log if isinstance(item, Event)]


@pytest.fixture
def long_log(tmp_path: Path) -> tuple[Path, TimedLog]:
    """A log of several windows, whose clock goes back and forth."""
    chance = random.Random(5)
    maker = TimedLog(time=1000)
    time = 2000
    for number in range(1, 6000):
        time += chance.choice([0, 1, 1, 2, -5])
        maker.transaction(time, number, "x" * chance.randrange(200))
    path = tmp_path / "bin.000001"
    path.write_bytes(maker.log)
    return path, maker


@pytest.mark.parametrize("since", [0, 1500, 2000, 2003, 1900, 2100, 99999])
def test_a_start_time_begins_with_the_first_event_that_is_late_enough(
    long_log: tuple[Path, TimedLog], since: int
) -> None:
    path, _ = long_log
    events = [event for event in all_events(path) if event.type_code != 15]
    late = [event.timestamp >= since for event in events]
    expected = [event.start for event in events[late.index(True) :]] if True in late else []
    found, selection = read([path], start_time=since)
    assert [start for start in starts(found) if start > 4] == expected
    assert bool(selection.remarks()) == (not expected)


def test_one_late_event_far_before_the_others_is_not_passed_over(tmp_path: Path) -> None:
    maker = TimedLog(time=100)
    for number in range(1, 3000):
        maker.transaction(500 if number == 40 else 200, number, "x" * 300)
    path = tmp_path / "bin.000001"
    path.write_bytes(maker.log)
    found, _ = read([path], start_time=400)
    assert found[0].start == maker.starts[1 + 39 * 3]
    assert len(found) == (3000 - 40) * 3


def test_a_stop_time_ends_the_run_at_the_first_event_that_is_as_late(long_log: tuple[Path, TimedLog]) -> None:
    path, _ = long_log
    events = all_events(path)
    stop = next(at for at, event in enumerate(events) if event.timestamp >= 2010)
    found, _ = read([path, path], stop_time=2010)
    assert starts(found) == [event.start for event in events[:stop]]


def test_positions_choose_the_events_between_them(long_log: tuple[Path, TimedLog]) -> None:
    path, maker = long_log
    chance = random.Random(9)
    for _ in range(30):
        low, high = sorted(chance.sample(maker.starts, 2))
        found, selection = read([path], start_position=low, stop_position=high)
        assert starts(found) == [start for start in maker.starts if low <= start < high]
        assert not selection.remarks()


def test_an_event_in_the_middle_of_a_transaction_still_knows_its_gtid(long_log: tuple[Path, TimedLog]) -> None:
    path, maker = long_log
    xid = maker.starts[3 * 5000]
    found, _ = read([path], start_position=xid)
    assert found[0].start == xid
    assert isinstance(found[0], Event)
    assert found[0].transaction is not None
    assert found[0].transaction.gtid == "0-101-5000"


def test_a_start_inside_of_an_event_begins_with_the_next_and_says_so(long_log: tuple[Path, TimedLog]) -> None:
    path, maker = long_log
    found, selection = read([path], start_position=maker.starts[9000] + 1)
    assert found[0].start == maker.starts[9001]
    assert "no event starts there" in selection.remarks()[0]


def test_a_start_after_the_end_says_so(long_log: tuple[Path, TimedLog]) -> None:
    path, maker = long_log
    found, selection = read([path], start_position=len(maker.log) + 1)
    assert not found
    assert "no events at or after this position" in selection.remarks()[0]


def test_positions_belong_to_the_first_and_the_last_log(long_log: tuple[Path, TimedLog]) -> None:
    path, maker = long_log
    low, high = maker.starts[7000], maker.starts[100]
    found, _ = read([path, path, path], start_position=low, stop_position=high)
    assert starts(found) == maker.starts[7000:] + maker.starts + maker.starts[:100]


def test_a_compressed_log_that_cannot_be_sought_in_gives_the_same(
    long_log: tuple[Path, TimedLog], tmp_path: Path
) -> None:
    path, maker = long_log
    packed = tmp_path / "bin.000001.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    several: list[dict[str, Any]] = [{"start_position": maker.starts[8001]}, {"start_time": 2050}]
    for options in several:
        assert starts(read([path], **options)[0]) == starts(read([packed], **options)[0])


def test_rows_after_the_start_are_read_with_the_table_map_before_it() -> None:
    rows = next(event for event in all_events(MARIADB) if isinstance(event, Rows))
    found, _ = read([MARIADB], start_position=rows.start)
    assert isinstance(found[0], Rows)
    assert found[0].rows == rows.rows


def test_a_table_by_its_name_and_statements_by_their_database() -> None:
    found, selection = read([MARIADB], tables=("shop.ord*",))
    tables = {event.table for event in found if isinstance(event, Rows)}
    assert tables
    assert all(table is not None and table.startswith("ord") for table in tables)
    assert not selection.remarks()
    statements = {event.db for event in found if isinstance(event, Query) and not event.query.startswith(b"BEGIN")}
    assert "shop" in statements
    assert statements <= {"shop", ""}


def test_each_name_that_matched_nothing_is_reported() -> None:
    _, selection = read([MARIADB], databases=("shop", "nosuch"), tables=("shop.*", "absent"))
    assert selection.remarks() == ["--database nosuch: nothing matched", "--table *.absent: no rows of this table"]


def test_filters_that_exclude_one_another_are_reported() -> None:
    _, selection = read([MARIADB], databases=("shop",), events=("INCIDENT",))
    assert selection.remarks()


def test_event_types_by_name_without_its_end_and_by_wildcard() -> None:
    types = {event.type for event in read([MARIADB], events=("xid", "*_rows_event*"))[0] if isinstance(event, Event)}
    assert "XID_EVENT" in types
    assert types <= {
        "XID_EVENT",
        "WRITE_ROWS_EVENT_V1",
        "UPDATE_ROWS_EVENT_V1",
        "DELETE_ROWS_EVENT_V1",
        "ANNOTATE_ROWS_EVENT",
    }


def test_event_types_by_the_beginning_of_their_names() -> None:
    chosen = {event.type for event in read([MARIADB], events=("Delete_rows",))[0] if isinstance(event, Event)}
    assert chosen == {"DELETE_ROWS_EVENT_V1"}
    assert read([MARIADB], events=("Delete_rows",))[1].remarks() == []


def test_a_whole_name_of_a_type_is_that_type_and_others_that_are_there_are_suggested() -> None:
    found, selection = read([MARIADB], events=("delete_rows_event", "xid"))
    assert {event.type for event in found if isinstance(event, Event)} == {"XID_EVENT"}
    (line,) = selection.remarks()
    assert line.startswith("--event delete_rows_event: no such events found; the logs contain DELETE_ROWS_EVENT_V1, ")


def test_an_event_type_that_is_none_is_an_error() -> None:
    with pytest.raises(PatternError) as caught:
        Selection(Choice(events=("writes_rows",)))
    assert "WRITE_ROWS_EVENT_V1" in caught.value.line()


def test_transactions_by_gtid_stay_whole() -> None:
    events = all_events(MARIADB)
    wanted = sorted({str(event.transaction.gtid) for event in events if event.transaction is not None})[3:6]
    gtids = GtidChoice(read_gtids(",".join(wanted)))
    chosen = [event.start for event in events if event.transaction is not None and event.transaction.gtid in wanted]
    assert starts(read([MARIADB], include_gtids=gtids)[0]) == chosen
    assert starts(read([MARIADB], exclude_gtids=gtids)[0]) == [e.start for e in events if e.start not in chosen]


def test_a_text_is_given_the_format_description_whatever_was_chosen() -> None:
    found, _ = read([MARIADB], framing=True, events=("XID",), server_ids=(77,))
    assert {event.type for event in found if isinstance(event, Event)} <= {"FORMAT_DESCRIPTION_EVENT", "ROTATE_EVENT"}
    assert found[0].start == 4


def test_damage_outside_of_the_range_is_not_reported(long_log: tuple[Path, TimedLog]) -> None:
    path, maker = long_log
    data = bytearray(maker.log)
    data[maker.starts[200] + 25] ^= 1
    path.write_bytes(data)
    after = maker.starts[600]
    assert not any(isinstance(item, Damage) for item in read([path], start_position=after)[0])
    assert not any(isinstance(item, Damage) for item in read([path], stop_position=maker.starts[200])[0])
    assert any(isinstance(item, Damage) for item in read([path], start_position=maker.starts[199])[0])


def test_a_torn_end_is_told_to_who_begins_there(long_log: tuple[Path, TimedLog]) -> None:
    path, maker = long_log
    torn = maker.starts[-1]
    path.write_bytes(maker.log[: torn + 30])
    for low in (torn, maker.starts[-2] + 1):
        found, _ = read([path], start_position=low)
        assert [(type(item), item.start) for item in found] == [(Damage, torn)]
    found, _ = read([path], start_position=torn, stop_position=torn)
    assert not found


def test_damage_right_before_the_first_event_in_time_is_reported(tmp_path: Path) -> None:
    maker = TimedLog(time=100)
    for number in range(1, 50):
        maker.transaction(100 + number, number)
    data = bytearray(maker.log)
    for at in (3, 57):
        data[maker.starts[at] + 25] ^= 1
    path = tmp_path / "bin.000001"
    path.write_bytes(data)
    found, _ = read([path], start_time=100 + 20)
    assert isinstance(found[0], Damage)
    assert found[0].start == maker.starts[57]


def test_the_command_says_on_stderr_what_matched_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "binlogcli", "dump", "--format", "json", "-d", "nosuch", "-E", "*ROWS*", str(MARIADB)],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert not done.stdout
    assert b"--database nosuch: nothing matched" in done.stderr

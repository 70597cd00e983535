"""Where in a long log a start time falls: the first event that is late enough, whatever the clock did."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.select.choice import Choice
from binlogcli.select.selection import Selection
from support.logs import TimedLog

COUNT = 6000
FILLER = "INSERT INTO t VALUES ('" + "x" * 1800 + "')"
Times = Callable[[int, random.Random], int]


def steady(number: int, _: random.Random) -> int:
    return 10_000 + 3 * number


def jittering(number: int, chance: random.Random) -> int:
    return 10_000 + 3 * number + chance.randrange(-200, 200)


def set_back(number: int, _: random.Random) -> int:
    return 10_000 + 3 * number - (7200 if number > COUNT // 2 else 0)


def two_sources(number: int, chance: random.Random) -> int:
    return 10_000 + 3 * number - chance.choice([0, 5000])


def shifted_once(number: int, _: random.Random) -> int:
    return 10_000 + 3 * number + (500 if number == 1000 else 0)


def make(path: Path, times: Times) -> list[tuple[int, int]]:
    """A log of 11 MB; place and time of each event after the first."""
    chance = random.Random(3)
    maker = TimedLog(time=10_000)
    moments = [0]
    for number in range(1, COUNT):
        time = times(number, chance)
        maker.gtid(time, number)
        maker.query(time - chance.choice([0, 1, 300]), FILLER)
        maker.xid(time, number)
        moments += [int.from_bytes(maker.log[start : start + 4], "little") for start in maker.starts[-3:]]
    path.write_bytes(maker.log)
    return list(zip(maker.starts, moments, strict=True))[1:]


def first_place(path: Path, since: int) -> int:
    """Where what is given out begins; -1 where nothing is."""
    selection = Selection(Choice(start_time=since))
    with Log(str(path)) as log:
        selection.begin_log(log, first=True, last=True)
        for item in log:
            if isinstance(item, Event) and item.type_code != 15:
                return item.start
    return -1


@pytest.mark.parametrize("times", [steady, jittering, set_back, two_sources, shifted_once])
def test_begins_with_the_first_event_that_is_late_enough(tmp_path: Path, times: Times) -> None:
    path = tmp_path / "bin.000001"
    events = make(path, times)
    chance = random.Random(4)
    for since in [1, 10_000, 40_000, *(chance.randrange(9_000, 10_000 + 3 * COUNT + 1000) for _ in range(40))]:
        expected = next((start for start, time in events if time >= since), -1)
        assert first_place(path, since) == expected, since


def test_a_transaction_longer_than_all_others_together(tmp_path: Path) -> None:
    path = tmp_path / "bin.000001"
    maker = TimedLog(time=1000)
    for number in range(1, 500):
        maker.transaction(1000 + 10 * number, number)
    long = maker.gtid(9000, 500)
    for _ in range(4000):
        maker.query(7000, FILLER)
    maker.xid(9000, 500)
    after = [maker.transaction(9000 + 10 * number, 500 + number) for number in range(1, 500)]
    path.write_bytes(maker.log)
    assert first_place(path, 8000) == long
    assert first_place(path, 9010) == after[0]
    assert first_place(path, 11_000) == after[199]


def test_a_log_of_statements_alone(tmp_path: Path) -> None:
    path = tmp_path / "bin.000001"
    maker = TimedLog(time=1000)
    for number in range(4000):
        maker.query(1000 + number, FILLER)
    path.write_bytes(maker.log)
    assert first_place(path, 4000) == maker.starts[1 + 3000]


def test_damage_is_passed(tmp_path: Path) -> None:
    path = tmp_path / "bin.000001"
    events = make(path, steady)
    data = bytearray(path.read_bytes())
    for at in range(0, len(data), len(data) // 32):
        data[at + 100 : at + 140] = b"\xff" * 40
    path.write_bytes(data)
    for since in (12_000, 20_001, 27_000):
        expected = next(start for start, time in events if time >= since)
        found = first_place(path, since)
        assert expected <= found <= expected + 4 * len(FILLER)  # the event itself may be among the damaged


def test_several_logs_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "bin.000001"
    maker = TimedLog(time=1000)
    head = bytes(maker.log[23 : maker.starts[0] + len(maker.log) - 8])
    for number in range(1, 6000):
        if number % 20 == 0:
            maker.place(15, 1000 + number, head)
        maker.transaction(1000 + number, number, FILLER)
    path.write_bytes(maker.log)
    expected = next(
        start for start in maker.starts[1:] if maker.log[start + 4] != 15 and moment_at(maker, start) >= 5000
    )
    assert first_place(path, 5000) == expected


def moment_at(maker: TimedLog, start: int) -> int:
    return int.from_bytes(maker.log[start : start + 4], "little")


def test_a_log_in_the_values_of_another_is_no_place_to_begin(tmp_path: Path) -> None:
    path = tmp_path / "bin.000001"
    inner = TimedLog(time=50)
    for number in range(1, 40):
        inner.transaction(50, number)
    maker = TimedLog(time=1000)
    for number in range(1, 3000):
        start = maker.gtid(1000 + number, number)
        maker.query(1000 + number, inner.log.decode("latin-1"))
        maker.xid(1000 + number, number)
        if number == 2000:
            expected = start
    path.write_bytes(maker.log)
    assert first_place(path, 3000) == expected

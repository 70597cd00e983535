"""Times as users write them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from binlogcli.select.times import TimeError, read_time, time_text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01 00:00:10", 10),
        ("1970-01-01T00:01", 60),
        ("1970-1-1 0:0:1", 1),
        ("1970-01-02", 86400),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01 00:00:01.5", 1),
        ("19700101T000002", 2),
        ("@1795219518", 1795219518),
        ("@5.25", 5),
        ("@5." + "0" * 5000, 5),
        ("1950-01-01", 0),
        ("#261121  1:20:24", 1795224024),
        ("990203  0:00:00", 918000000),
        ("20261121012024", 1795224024),
        ("1795224024.123456", 1795224024),
        ("2026-11-21 01:20:24 UTC", 1795224024),
        ("2026-11-21 01:20:24.999999 UTC", 1795224024),
        ("2026-11-21 02:20:24 +01:00", 1795224024),
        ("2026-11-21 02:20:24 UTC+01:00", 1795224024),
        ("2026-11-20 21:50:24 -0330", 1795224024),
        ("2026-11-20 22:20:24 -03", 1795224024),
    ],
)
def test_forms_of_a_time(text: str, seconds: int) -> None:
    assert read_time(text, UTC) == seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-03-29T10:30:15Z"),
        ("Today", "2026-03-28T23:00:00Z"),
        ("today 09:05", "2026-03-29T07:05:00Z"),
        ("09:05", "2026-03-29T07:05:00Z"),
        ("9:05:07", "2026-03-29T07:05:07Z"),
        ("yesterday", "2026-03-27T23:00:00Z"),
        ("yesterday 14:00", "2026-03-28T13:00:00Z"),
        ("yesterday 14:00 UTC", "2026-03-28T14:00:00Z"),
        ("-90s", "2026-03-29T10:28:45Z"),
        ("-30m", "2026-03-29T10:00:15Z"),
        ("-12h", "2026-03-28T22:30:15Z"),  # the clock was put forward in between
        ("-1h30m", "2026-03-29T09:00:15Z"),
        ("-2d", "2026-03-27T10:30:15Z"),
        ("-1w", "2026-03-22T10:30:15Z"),
        ("2 hours ago", "2026-03-29T08:30:15Z"),
        ("1 day 2h ago", "2026-03-28T08:30:15Z"),
    ],
)
def test_times_that_are_told_by_the_clock(text: str, expected: str) -> None:
    now = datetime(2026, 3, 29, 10, 30, 15, 400000, tzinfo=UTC).timestamp()  # a night after which it is summer time
    found = read_time(text, ZoneInfo("Europe/Berlin"), clock=lambda: now)
    assert time_text(found, UTC) == expected


def test_a_second_that_a_fraction_is_of_is_within_what_is_asked_for() -> None:
    assert [read_time("@5.25", UTC, up=up) for up in (False, True)] == [5, 6]
    assert read_time("1970-01-01 00:00:00.5", UTC, up=True) == 1
    assert read_time("@5." + "0" * 5000 + "1", UTC, up=True) == 6
    assert read_time("@5.000", UTC, up=True) == 5


def test_the_name_of_the_zone_tells_which_of_two_hours_is_meant() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    for zone in (berlin, None):
        with machine_in("Europe/Berlin"):
            assert read_time("2026-10-25 02:30:00 CEST", zone) + 3600 == read_time("2026-10-25 02:30:00 CET", zone)
            assert read_time("2026-10-25 02:30:00", zone) == read_time("2026-10-25 02:30:00 CEST", zone)
    with pytest.raises(TimeError, match="'CEST' is not the name of the zone at that time; write an offset"):
        read_time("2026-12-25 02:30:00 CEST", berlin)


@contextmanager
def machine_in(zone: str) -> Iterator[None]:
    """Have the machine in a zone."""
    before = os.environ["TZ"]
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        os.environ["TZ"] = before
        time.tzset()


def test_a_time_without_a_zone_is_of_the_zone_that_was_given() -> None:
    assert read_time("2026-07-01 12:00", ZoneInfo("Europe/Berlin")) == read_time("2026-07-01T10:00Z", None)
    assert read_time("1970-01-01 00:00:00", timezone(-timedelta(hours=1))) == 3600


def test_without_any_zone_it_is_of_the_machine() -> None:
    with machine_in("Etc/GMT+3"):
        assert read_time("1970-01-01 00:00:00", None) == 3 * 3600


@pytest.mark.parametrize(
    "text",
    [
        *("", "2026-13-01", "2026-02-30 00:00:00", "@", "@x", "24:00", "2026-01-01 25:00", "yesterday 14", "tomorrow"),
        *("1h", "-1", "-h", "- 1h", "ago", "-5y", "-999999999w", "2026-01-01 12:00 XYZ", "261321  1:00:00", "12:00 PM"),
    ],
)
def test_what_is_no_time_is_an_error(text: str) -> None:
    with pytest.raises(TimeError):
        read_time(text, UTC)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "2026-13-01",
            "'2026-13-01' is not a time: month must be in 1..12; write 2026-11-21 00:05:18, 09:05 for today",
        ),
        ("-5y", "'-5y' is not a time: 'y' is not a unit (s, m, h, d or w)"),
        ("soon", "'soon' is not a time; write 2026-11-21 00:05:18"),
    ],
)
def test_it_says_what_is_wrong_and_what_to_write(text: str, reason: str) -> None:
    with pytest.raises(TimeError) as caught:
        read_time(text, UTC)
    assert caught.value.line().startswith(reason)

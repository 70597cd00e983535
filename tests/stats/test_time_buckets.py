"""Buckets of time begin where the zone's clock and calendar do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest

from binlogcli.stats.time_buckets import LADDER, TimeBuckets

BERLIN = ZoneInfo("Europe/Berlin")
INDIA = ZoneInfo("Asia/Kolkata")
ZONES = (UTC, BERLIN, INDIA, *map(ZoneInfo, ("Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana")))


def second(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


@pytest.mark.parametrize(
    ("zone", "width", "time", "start", "end"),
    [
        (UTC, 86400, "2026-11-21T13:00Z", "2026-11-21T00:00Z", "2026-11-22T00:00Z"),
        (INDIA, 86400, "2026-11-21T01:00+05:30", "2026-11-21T00:00+05:30", "2026-11-22T00:00+05:30"),
        (INDIA, 3600, "2026-11-21T01:59+05:30", "2026-11-21T01:00+05:30", "2026-11-21T02:00+05:30"),
        (
            ZoneInfo("Asia/Kathmandu"),
            1800,
            "2026-11-21T01:44+05:45",
            "2026-11-21T01:30+05:45",
            "2026-11-21T02:00+05:45",
        ),
        (timezone(timedelta(hours=-3, minutes=-7)), 600, "2026-11-21T01:04-03:07", "2026-11-21T01:00-03:07", ""),
        (BERLIN, 86400, "2026-10-25T12:00+01:00", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"),  # 25 hours
        (BERLIN, 86400, "2026-03-29T12:00+02:00", "2026-03-29T00:00+01:00", "2026-03-30T00:00+02:00"),  # 23 hours
        (BERLIN, 21600, "2026-10-25T05:00+01:00", "2026-10-25T00:00+02:00", "2026-10-25T06:00+01:00"),
        (BERLIN, 3600, "2026-10-25T02:30+02:00", "2026-10-25T02:00+02:00", ""),
        (BERLIN, 3600, "2026-10-25T02:30+01:00", "2026-10-25T02:00+01:00", ""),
        (ZoneInfo("America/Havana"), 86400, "2026-11-01T00:30-05:00", "2026-11-01T00:00-04:00", ""),
    ],
)
def test_a_bucket_begins_and_ends_by_the_clock(zone: tzinfo, width: int, time: str, start: str, end: str) -> None:
    buckets = TimeBuckets(width, zone)
    assert buckets.start_of(second(time)) == second(start)
    assert buckets.end_of(second(start)) == (second(end) if end else second(start) + buckets.width) or not end


@pytest.mark.parametrize("zone", ZONES, ids=str)
@pytest.mark.parametrize("width", LADDER[:13])
def test_buckets_are_in_the_order_of_time_and_within_wider_ones(zone: tzinfo, width: int) -> None:
    buckets, wider = TimeBuckets(width, zone), TimeBuckets(width, zone).wider()
    before = 0
    for change in ("2026-04-04T12:00Z", "2026-10-24T12:00Z", "2026-11-01T00:00Z"):
        for time in range(second(change), second(change) + 90_000, 419):
            start = buckets.start_of(time)
            assert before <= start <= time
            assert buckets.start_of(start) == start
            assert wider.start_of(start) == wider.start_of(time)
            low, high = buckets.around(time)
            assert low <= time < high
            assert buckets.start_of(low) == buckets.start_of(high - 1) == start
            before = start
        before = 0

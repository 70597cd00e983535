"""Times as users write them."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from binlogcli.select.times import TimeError, read_time


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01 00:00:10", 10),
        ("1970-01-01T00:01", 60),
        ("1970-1-1 0:0:1", 1),
        ("1970-01-02", 86400),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01 00:00:00.5", 1),
        ("19700101T000002", 2),
        ("@1795219518", 1795219518),
        ("@5.25", 6),
        ("@5." + "0" * 5000, 5),
        ("@5." + "0" * 5000 + "1", 6),
        ("1950-01-01", 0),
    ],
)
def test_forms_of_a_time(text: str, seconds: int) -> None:
    assert read_time(text, UTC) == seconds


def test_a_time_without_a_zone_is_of_the_zone_that_was_given() -> None:
    assert read_time("2026-07-01 12:00", ZoneInfo("Europe/Berlin")) == read_time("2026-07-01T10:00Z", None)
    assert read_time("1970-01-01 00:00:00", timezone(-timedelta(hours=1))) == 3600


def test_without_any_zone_it_is_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Etc/GMT+3")
    time.tzset()
    try:
        assert read_time("1970-01-01 00:00:00", None) == 3 * 3600
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "text", ["", "now", "2026-13-01", "2026-02-30 00:00:00", "@", "@x", "12:00", "2026-01-01 25:00"]
)
def test_what_is_no_time_is_an_error(text: str) -> None:
    with pytest.raises(TimeError):
        read_time(text, UTC)

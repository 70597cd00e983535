"""Round numbers and times for the axes of plots."""

from __future__ import annotations

from datetime import datetime, timedelta

_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)  # seconds
_DAY = 86400
_ROUND = (
    *(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100),
    *(150, 200, 250, 300, 400, 500, 600, 800, 1024),
)


def round_above(value: int, *, binary: bool) -> int:
    """Return the round, even number at or above a value, so that its half is whole; `binary`: in units of bytes."""
    size = 1
    while size * (1024 if binary else 10) < value:
        size *= 1024 if binary else 10
    return next(step * size for step in _ROUND if step * size >= value and step * size % 2 == 0)


def slot_of(first: datetime, at: datetime, bucket: int) -> int:
    """Return how many buckets of so many seconds after the first one another begins; days may be of 23 or 25 hours."""
    return (int((at - first).total_seconds()) + bucket // 2) // bucket


def time_ticks(first: datetime, last: datetime, most: int) -> list[tuple[datetime, str]]:
    """Return at most `most` round times from `first` to `last`, with their labels."""
    span = max(int((last - first).total_seconds()), 1)
    step = next((one for one in _STEPS if span // one < most), 0)
    if not step:
        days = -(-span // (_DAY * max(most - 1, 1)))
        step = days * _DAY
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    past = int((first - midnight).total_seconds())
    at = midnight + timedelta(seconds=-(-past // step) * step)
    found = []
    while at <= last:
        found.append((at, time_label(at, step)))
        at += timedelta(seconds=step)
    return found[:most]


def time_label(at: datetime, step: int) -> str:
    """Return a time as exactly as steps of so many seconds need it; midnight as its date."""
    if step >= _DAY or (at.hour, at.minute, at.second) == (0, 0, 0):
        return at.strftime("%Y-%m-%d")
    return at.strftime("%H:%M:%S" if step % 60 else "%H:%M")

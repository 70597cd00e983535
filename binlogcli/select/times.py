"""Parses times as users write them: `2026-11-21 00:05:18`, ISO 8601 with or without a zone, `@` and seconds."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from math import ceil

from binlogcli.errors import BinlogError

_EPOCH = re.compile(r"@(\d{1,12})(?:\.(\d+))?", re.ASCII)
# Old tools take any character between the parts, and numbers of one digit: 2026-1-2 3:04:05
_LOOSE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2}))?)?", re.ASCII)


class TimeError(BinlogError):
    """A text that cannot be parsed as a time."""


def read_time(text: str, zone: tzinfo | None) -> int:
    """Return the time as seconds since the epoch, rounded up: events have whole seconds. Raises `TimeError`.

    A time without a zone is in `zone`, or in the machine's zone where that is None; of an hour that the clock passes
    twice it is in the first.
    """
    stripped = text.strip()
    known = _EPOCH.fullmatch(stripped)
    if known is not None:
        return int(known[1]) + (1 if known[2] is not None and known[2].strip("0") else 0)
    try:
        moment = _civil(stripped)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone) if zone is not None else moment.astimezone()
        return max(ceil(moment.timestamp()), 0)
    except (ValueError, OverflowError, OSError):
        raise TimeError(
            f"{text!r} is no time", hint="write YYYY-MM-DD HH:MM:SS, ISO 8601 such as 2026-11-21T00:05:18Z, or @seconds"
        ) from None


def _civil(text: str) -> datetime:
    known = _LOOSE.fullmatch(text)
    if known is not None:
        return datetime(*(int(part or 0) for part in known.groups()))  # type: ignore[arg-type]
    return datetime.fromisoformat(text)

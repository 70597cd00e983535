"""Times as users read and write them. Both are in one zone: that of `--timezone`, or the machine's where it is None.

`read_time` takes what a user types (`FORMS`), and every time that an output shows, such as the `261121  0:05:18` of
the vendors' text and the `2026-11-21 00:05:18 UTC` of the hexdump. Days without a date are days of the machine's clock.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import ceil, floor

from binlogcli.errors import BinlogError

FORMS = "write 2026-11-21 00:05:18, 09:05 for today, 'yesterday 14:00', -2h, or @ and seconds since 1970"

_ASCII = re.ASCII
# seconds since 1970: any number after @, ten digits without (SET TIMESTAMP=1795219518)
_EPOCH = r"(?:@(\d{1,12})|(\d{10}))(?:\.(\d+))?"
_CLOCK = r"(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?"
# Old tools take any character between the parts, and numbers of one digit: 2026-1-2 3:04:05
_LOOSE = rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})(?:(?:[ ]+|T){_CLOCK})?"
_COMPACT = r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)"  # 20261121000518, a DATETIME as a number
_VENDORS = rf"#?(\d\d)(\d\d)(\d\d) +{_CLOCK}"  # 261121  0:05:18 before each event of the vendors' text
_DAY = rf"(?:(today|yesterday) *)?(?:{_CLOCK})?"
_STEP = r"(\d{1,9}) *([a-z]+) *"
_BACK = rf"-((?:{_STEP})+)|((?:{_STEP})+)ago"
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_UNITS = {**_SECONDS, **{name: _SECONDS[name[0]] for name in ("sec", "second", "min", "minute", "hour", "day", "week")}}
_OFFSET = r"(?:UTC|GMT)?([-+]\d\d:?\d\d(?::\d\d)?)"
_ZONED = rf"(.*\S) +([A-Za-z]{{1,6}}|{_OFFSET}|[-+]\d\d)"  # a name, which has to be one of the zone at that time
_CENTURY = 70  # years of two digits from here on are of the 20th century

Clock = Callable[[], float]


class TimeError(BinlogError):
    """A text that cannot be parsed as a time."""


def read_time(text: str, zone: tzinfo | None, *, up: bool = False, clock: Clock = time.time) -> int:
    """Return the time as seconds since the epoch. Raises `TimeError`.

    Events have whole seconds: a fraction is dropped, or makes it the next second with `up`. A time without a zone is in
    `zone`, or in the machine's zone where that is None; of an hour that the clock passes twice it is in the first.
    """
    stripped = text.strip()
    try:
        known = re.fullmatch(_EPOCH, stripped, _ASCII)
        if known is not None:
            return int(known[1] or known[2]) + (1 if up and known[3] is not None and known[3].strip("0") else 0)
        now = datetime.fromtimestamp(clock(), UTC).astimezone(zone)
        exact = _moment(stripped, zone, now).timestamp()
    except (ValueError, OverflowError, OSError) as error:
        raise TimeError(f"{text!r} is not a time{_why(error)}", hint=FORMS) from None
    return max(ceil(exact) if up else floor(exact), 0)


def moment_at(second: int, zone: tzinfo | None) -> datetime:
    """Return the moment so many seconds after the epoch, in the zone."""
    return datetime.fromtimestamp(second, UTC).astimezone(zone)


def time_text(second: int, zone: tzinfo | None) -> str:
    """Return the time so many seconds after the epoch as `iso_text`."""
    return iso_text(moment_at(second, zone), "seconds")


def zone_name(zone: tzinfo | None) -> str:
    """Return the name of a zone, such as Asia/Shanghai; of one without a name its offset now, such as UTC+08:00.

    Abbreviations such as CST are not used: each stands for several zones.
    """
    if zone is not None:
        return str(zone)
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # only where a zone is named

    for name in _names_of_machine_zone():
        try:
            return str(ZoneInfo(name))
        except (ValueError, OSError, ZoneInfoNotFoundError):
            continue
    now = datetime.now(UTC).astimezone()
    return str(timezone(now.utcoffset() or timedelta()))


def _names_of_machine_zone() -> list[str]:
    """Return what may be the name of the machine's zone: what TZ says, or where /etc/localtime links to."""
    zone = os.environ.get("TZ")
    if zone is not None:
        return [zone.removeprefix(":") or "UTC"]
    linked = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    return ["UTC" if linked == "Etc/UTC" else linked]


def iso_text(moment: datetime, precision: str) -> str:
    """Return ISO 8601 with the offset of the moment's zone; Z if the offset is zero.

    `precision` is one of the values of `timespec` in datetime.isoformat.
    """
    text = moment.isoformat(timespec=precision)
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


class _WhyError(ValueError):
    """What is wrong with a text that has the form of a time."""


def _why(error: Exception) -> str:
    """Return what is known of an error beyond that the text has none of the forms."""
    return f": {error}" if isinstance(error, _WhyError) else ""


def _moment(text: str, zone: tzinfo | None, now: datetime) -> datetime:
    """Return the moment that a text specifies. Raises ValueError if it is not a time."""
    zoned = re.fullmatch(_ZONED, text, _ASCII)
    if zoned is not None and zoned[2] != "ago":
        return _in_named_zone(zoned[1], zoned[2], zoned[3], zone, now)
    if re.fullmatch(_BACK, text.lower(), _ASCII) is not None:
        return now.astimezone(UTC) - timedelta(seconds=_length(text.lower()))
    if text.lower() == "now":
        return now
    civil = _civil(text, now)
    if civil.tzinfo is not None:
        return civil
    return civil.replace(tzinfo=zone) if zone is not None else civil.astimezone()


def _in_named_zone(text: str, name: str, offset: str | None, zone: tzinfo | None, now: datetime) -> datetime:
    """Return the moment where a text ends in an offset, in UTC, or in a name that the zone has at that time."""
    if offset is not None or name[0] in "+-":
        fixed = _fixed_zone(offset or f"{name}00")
        return _moment(text, fixed, now.astimezone(fixed))
    if name.upper() in {"UTC", "GMT", "Z"}:
        return _moment(text, UTC, now.astimezone(UTC))
    civil = _civil(text, now)
    for fold in (0, 1):
        moment = civil.replace(tzinfo=zone, fold=fold) if zone is not None else civil.replace(fold=fold).astimezone()
        if moment.tzname() == name.upper():
            return moment
    raise _WhyError(f"{name!r} is not the name of the zone at that time; write an offset such as +02:00")


def _fixed_zone(offset: str) -> tzinfo:
    """Return the zone of an offset: +0200, +02:00."""
    digits = offset[1:].replace(":", "")
    hours, minutes, seconds = (int(digits[at : at + 2] or 0) for at in (0, 2, 4))
    distance = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-distance if offset[0] == "-" else distance)


def _length(text: str) -> int:
    """Return the seconds that steps such as `1h 30m` have in all."""
    seconds = 0
    for number, unit in re.findall(_STEP, text.removesuffix("ago"), _ASCII):
        size = _UNITS.get(unit) or _UNITS.get(unit.removesuffix("s"))
        if size is None:
            raise _WhyError(f"{unit!r} is not a unit (s, m, h, d or w)")
        seconds += int(number) * size
    return seconds


def _civil(text: str, now: datetime) -> datetime:
    """Return what a calendar and a clock show, as a moment that mostly has no zone."""
    known = re.fullmatch(_LOOSE, text, _ASCII) or re.fullmatch(_COMPACT, text, _ASCII)
    if known is not None:
        return _of_parts(*(int(part or 0) for part in known.groups()))
    known = re.fullmatch(_VENDORS, text, _ASCII)
    if known is not None:
        year, *rest = (int(part or 0) for part in known.groups())
        return _of_parts(year + (1900 if year >= _CENTURY else 2000), *rest)
    known = re.fullmatch(_DAY, text.lower(), _ASCII)
    if known is not None and text:
        day = now - timedelta(days=1) if known[1] == "yesterday" else now
        return _of_parts(day.year, day.month, day.day, *(int(part or 0) for part in known.groups()[1:]))
    return datetime.fromisoformat(text)


def _of_parts(*parts: int) -> datetime:
    """Return the moment of year, month, day, hour, minute and second."""
    try:
        return datetime(*parts)  # type: ignore[arg-type]
    except ValueError as error:
        raise _WhyError(str(error)) from None

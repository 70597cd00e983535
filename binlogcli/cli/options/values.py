"""The types of option values: numbers, sizes, positions, zones, names of files."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from typing import Any

import click

from binlogcli.errors import SourceError
from binlogcli.sources.opening import is_server
from binlogcli.sources.urls import local_path

LARGEST = (1 << 63) - 1
LONGEST = 20  # digits of it, and one more
_LARGEST_SIZE = 1 << 50  # to which a place in a file can be added
DAY = 24 * 60  # minutes
_SERVER_NAME = re.compile("[a-z0-9_-]{1,64}")
_SIZE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def whole(text: str, base: int = 10) -> int:
    """Return the number that digits of a base stand for; -1 for other texts, and for too many digits."""
    if not text.isascii() or not text.isalnum() or len(text) > LONGEST:
        return -1
    try:
        return int(text, base)
    except ValueError:
        return -1


class Number(click.ParamType[int]):
    """A whole number from `low` to `high`."""

    name = "number"

    def __init__(self, low: int = 0, high: int = LARGEST) -> None:
        self.low = low
        self.high = high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that a text stands for."""
        text = str(value)
        number = whole(text)
        if not self.low <= number <= self.high:
            self.fail(f"{value!r} {self._wrong(text, number)}", param, ctx)
        return number

    def _wrong(self, text: str, number: int) -> str:
        """Return what is wrong with a text that stands for `number`, or for none (-1)."""
        if self.high < LARGEST:
            return f"must be a whole number from {self.low} to {self.high}"
        if number > self.high or (number < 0 and text.isascii() and text.isdecimal()):
            return f"is too large: the largest number is {self.high}"
        return f"must be a whole number of at least {self.low}"


class Position(click.ParamType[int]):
    """An offset in a file: decimal, or hexadecimal after 0x."""

    name = "position"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that a text stands for."""
        text = str(value)
        number = whole(text[2:], 16) if text[:2].lower() == "0x" else whole(text)
        if not 0 <= number <= LARGEST:
            self.fail(f"{value!r} is not a position; write 794 or 0x31a", param, ctx)
        return number


class Size(click.ParamType[int]):
    """A number of bytes: 1073741824, 512M, 1G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes that a text stands for."""
        if isinstance(value, int):
            return value
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        unit = text[-1:] if text[-1:] in "kmg" else ""
        size = whole(text.removesuffix(unit)) * _SIZE_UNITS[unit]
        if not 0 < size <= _LARGEST_SIZE:
            self.fail(f"{value!r} is not a size; write 1073741824, 512M or 1G", param, ctx)
        return size


class ColumnName(click.ParamType[str]):
    """The name of a column with those of its database and table; names may hold dots themselves."""

    name = "column"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, if it has three parts."""
        text = str(value)
        if not all(text.split(".", 2)) or text.count(".") < 2 or text.endswith("."):
            self.fail(
                f"{value!r} is not a column; write DB.TABLE.COLUMN, or DB.TABLE.@2 for the second one", param, ctx
            )
        return text


class ServerName(click.ParamType[str]):
    """A name for a server, which is the beginning of other names."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, if it can stand before a dot."""
        text = str(value)
        if text and not _SERVER_NAME.fullmatch(text):
            self.fail(f"{value!r} is not a valid server name; use lower-case letters, digits, - and _", param, ctx)
        return text


class Seconds(click.ParamType[float]):
    """A length of time of no more than a day, with fractions."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds that a text stands for."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = 0
        if not 0.1 <= seconds <= 60 * DAY:  # nan is not, either
            self.fail(f"{value!r} is not a number of seconds from 0.1 to {60 * DAY}", param, ctx)
        return seconds


class Zone(click.ParamType[tzinfo]):
    """A time zone: an IANA name, UTC, or an offset such as +02:00."""

    name = "zone"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tzinfo:
        """Return the zone that a text names."""
        if isinstance(value, tzinfo):
            return value
        text = str(value)
        hours, minutes = whole(text[1:3]), whole(text[4:])
        if len(text) == 6 and text[0] in "+-" and text[3] == ":" and 0 <= hours < 24 and 0 <= minutes < 60:
            offset = timedelta(hours=hours, minutes=minutes)
            return timezone(-offset if text[0] == "-" else offset)
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # only where the option is used

        try:
            return ZoneInfo(text)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.fail(f"{text!r} is not a time zone; write Europe/Berlin, UTC or +02:00", param, ctx)


class _FileName(click.Path):
    """The name of a file or directory; empty ones, as of an unset variable of the shell, and URLs are refused.

    Whether the file can be used shows when it is opened, so that one that cannot leaves the others to be read.
    """

    def __init__(self, *, servers: bool = False) -> None:
        super().__init__(readable=False)
        self.servers = servers  # addresses of servers are taken, too

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name as it was typed; of a `file:` URL the path."""
        if value == "":
            self.fail("'' is not a file name; is a shell variable empty?", param, ctx)
        name = str(super().convert(value, param, ctx))
        if self.servers and is_server(name):
            return name
        try:
            return local_path(name)
        except SourceError as error:
            raise click.UsageError(error.line(), ctx) from error


SOURCE = _FileName(servers=True)
FILE_NAME = _FileName()  # one for all options: click looks the type's name up in translations each time it makes one

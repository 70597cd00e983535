"""Timestamps in the formats of the tools, in the machine's zone or a given one."""

from __future__ import annotations

import time
from datetime import datetime, tzinfo


class TextClock:
    """Formats timestamps for the text; `zone` None is the machine's own."""

    def __init__(self, zone: tzinfo | None) -> None:
        self.zone = zone

    def stamp(self, second: int) -> bytes:
        """Return seconds since 1970 as YYMMDD hh:mm:ss, the hour padded with a space."""
        if self.zone is None:
            at = time.localtime(second)
            year, month, day, hour, minute, rest = at.tm_year, at.tm_mon, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec
        else:
            moment = datetime.fromtimestamp(second, self.zone)
            year, month, day = moment.year, moment.month, moment.day
            hour, minute, rest = moment.hour, moment.minute, moment.second
        return b"%02d%02d%02d %2d:%02d:%02d" % (year % 100, month, day, hour, minute, rest)

    def microsecond(self, micro: int) -> str:
        """Return microseconds since 1970 as YYYY-MM-DD hh:mm:ss.ffffff and the zone's name."""
        second, fraction = divmod(micro, 1000000)
        try:
            if self.zone is None:
                at = time.localtime(second)
                return f"{time.strftime('%Y-%m-%d %H:%M:%S', at)}.{fraction:06d} {time.strftime('%Z', at)}"
            moment = datetime.fromtimestamp(second, self.zone)
        except (ValueError, OverflowError, OSError):  # a year outside of Python's calendar
            return f"{second}.{fraction:06d}"
        return f"{moment:%Y-%m-%d %H:%M:%S}.{fraction:06d} {moment.tzname()}"

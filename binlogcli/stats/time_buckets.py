"""Stretches of time of one width, which begin where the clock and the calendar of a zone show a multiple of it.

A bucket is known by its first second, since the epoch. Days and longer buckets follow the calendar: one in which clocks
are changed has 23 or 25 hours. An hour that the clock passes twice is two buckets of an hour, and part of one longer.
Each width of LADDER is a multiple of the one before, so that buckets can be joined to wider ones.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from binlogcli.select.times import moment_at

LADDER = (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800, 2419200, 29030400, 290304000)
_MINUTE, _HOUR = 60, 3600
_EPOCH = datetime(1970, 1, 1)


class TimeBuckets:
    """The buckets of a width in seconds, in a zone; None is the machine's."""

    def __init__(self, width: int, zone: tzinfo | None) -> None:
        self.width = width
        self.zone = zone
        self._minute = self._start = -1  # that was asked for last, and its bucket

    def start_of(self, second: int) -> int:
        """Return the first second of the bucket in which a second is."""
        if self.width < _MINUTE:  # zones differ by whole minutes
            return second - second % self.width
        minute = second // _MINUTE
        if minute != self._minute:
            wall = self._wall(second)
            self._start = self._second_of(wall - wall % self.width, second)
            self._minute = minute
        return self._start

    def around(self, second: int) -> tuple[int, int]:
        """Return the first of the seconds around this one that are surely in its bucket, and the one after the last."""
        step = min(self.width, _MINUTE)
        low = second - second % step
        return low, low + step

    def end_of(self, start: int) -> int:
        """Return the second after the last of the bucket that begins at `start`."""
        if self.width <= _HOUR:
            return start + self.width
        wall = self._wall(start)
        return self._second_of(wall - wall % self.width + self.width, start + 2 * self.width)

    def wider(self) -> TimeBuckets:
        """Return the buckets of the next width of LADDER; of the last one itself."""
        return TimeBuckets(next((width for width in LADDER if width > self.width), self.width), self.zone)

    def widest(self) -> bool:
        """Return whether there is no wider one."""
        return self.width >= LADDER[len(LADDER) - 1]

    def _wall(self, second: int) -> int:
        """Return what the zone's clock and calendar show, in seconds since they showed the beginning of 1970."""
        shown = moment_at(second, self.zone).replace(tzinfo=None) - _EPOCH
        return shown.days * 86400 + shown.seconds

    def _second_of(self, wall: int, latest: int) -> int:
        """Return when the clock shows this: where it does so twice, the one for the width, not after `latest`."""
        shown = _EPOCH + timedelta(seconds=wall)
        found = [int(shown.replace(tzinfo=self.zone, fold=fold).timestamp()) for fold in (0, 1)]
        fitting = [second for second in found if second <= latest] or found
        return max(fitting) if self.width <= _HOUR else min(fitting)

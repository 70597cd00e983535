"""Section `timeline`: events, bytes, rows and transactions by buckets of time; the peaks and the gaps.

Buckets begin at multiples of their width since the epoch. They are as narrow as memory allows: where STRETCHES of them
are filled, they are joined to the next width of _LADDER, of which each is a multiple of the one before.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.stats.collector import EventFacts, SectionCollector, counters
from binlogcli.stats.times import At
from binlogcli.stats.wanted import Wanted

_LADDER = (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 604800, 2419200, 29030400, 290304000)
STRETCHES = 1 << 13
_SHOWN = 60  # stretches at most that --bucket auto makes
_EVENTS, _BYTES, _ROWS, _TRANSACTIONS = range(4)
_MEASURES = ("events", "bytes", "rows", "transactions")
_PEAKS = 3


class TimelineCollector(SectionCollector):
    """Counts one log by buckets of time."""

    def __init__(self, wanted: Wanted) -> None:
        self.width = wanted.width or _LADDER[0]
        self.stretches: dict[int, Any] = {}
        self.current = counters(4)
        self.current_at = -1

    def see(self, facts: EventFacts) -> None:
        """Count one event."""
        if facts.timestamp == 0:
            return
        self.turn(facts.timestamp)
        self.current[_EVENTS] += 1
        if facts.outer:
            self.current[_BYTES] += facts.length
        self.current[_ROWS] += facts.rows

    def close(self, work: TransactionFacts) -> None:
        """Count a transaction at the time of its end."""
        if work.end_time > 0:
            self.turn(work.end_time)
            self.current[_TRANSACTIONS] += 1

    def turn(self, timestamp: int) -> None:
        """Make the bucket of this time the current one."""
        at = timestamp // self.width
        if at != self.current_at:
            self.find(at)

    def find(self, at: int) -> None:
        """Make a bucket the current one, by its number; widen the buckets where they are too many."""
        found = self.stretches.get(at)
        if found is None:
            if len(self.stretches) >= STRETCHES:
                at *= self.width
                self.widen()
                at //= self.width
            found = self.stretches.setdefault(at, counters(4))
        self.current = found
        self.current_at = at

    def widen(self) -> None:
        """Join buckets until at most half as many as are allowed are left."""
        while len(self.stretches) >= STRETCHES // 2 and self.width < _LADDER[len(_LADDER) - 1]:
            wider = _next_width(self.width)
            self.stretches = _joined(self.stretches, self.width, wider)
            self.width = wider

    def export(self) -> Any:
        """Return the width in seconds, and the counts by bucket."""
        return self.width, {at: list(found) for at, found in self.stretches.items()}


def _next_width(width: int) -> int:
    """Return the next step of the ladder."""
    return next(wider for wider in _LADDER if wider > width)


def _joined(stretches: dict[int, Any], width: int, wider: int) -> dict[int, Any]:
    """Return the counts in wider buckets."""
    found: dict[int, Any] = {}
    for at, counts in stretches.items():
        sums = found.setdefault(at * width // wider, counters(4))
        for measure in range(4):
            sums[measure] += counts[measure]
    return found


class TimelineTotal:
    """Joins the buckets of all logs; without a wanted width they are widened to at most _SHOWN."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted.width
        self.width = wanted.width or _LADDER[0]
        self.stretches: dict[int, Any] = {}

    def absorb(self, file: str, found: Any) -> None:
        """Add the buckets of a log."""
        width, stretches = found
        if width > self.width:
            self.widen(width)
        elif width < self.width:
            stretches = _joined(stretches, width, self.width)
        for at, counts in stretches.items():
            sums = self.stretches.setdefault(at, counters(4))
            for measure in range(4):
                sums[measure] += counts[measure]
        while len(self.stretches) > STRETCHES and self.width < _LADDER[-1]:
            self.widen(_next_width(self.width))

    def widen(self, width: int) -> None:
        """Join the buckets to those of a larger width."""
        self.stretches = _joined(self.stretches, self.width, width)
        self.width = width

    def report(self) -> tuple[dict[str, Any], None]:
        """Return the buckets that have events, in order of time, the peaks and the gaps."""
        if not self.wanted and self.stretches:
            while self.spread() > _SHOWN and self.width < _LADDER[-1]:
                self.widen(_next_width(self.width))
        order = sorted(self.stretches)
        width = self.width
        found: dict[str, Any] = {"bucket_seconds": width}
        if self.wanted and width != self.wanted:
            found["bucket_wanted_seconds"] = self.wanted
        found["buckets"] = [
            {"time": At(at * width), **dict(zip(_MEASURES, self.stretches[at], strict=True))} for at in order
        ]
        found["peaks"] = {measure: self.peaks(order, at) for at, measure in enumerate(_MEASURES)}
        found["gaps"] = self.gaps(order)
        return found, None

    def spread(self) -> int:
        """Return the number of buckets from the first to the last, empty ones included."""
        return max(self.stretches) - min(self.stretches) + 1

    def peaks(self, order: list[int], measure: int) -> list[dict[str, Any]]:
        """Return the _PEAKS buckets with the highest values of a measure."""
        best = sorted(order, key=lambda at: (-self.stretches[at][measure], at))[:_PEAKS]
        return [
            {"time": At(at * self.width), "value": self.stretches[at][measure]}
            for at in best
            if self.stretches[at][measure]
        ]

    def gaps(self, order: list[int]) -> list[dict[str, Any]]:
        """Return the ten longest times without an event."""
        found = [
            {
                "from": At((one + 1) * self.width),
                "to": At(other * self.width),
                "seconds": (other - one - 1) * self.width,
            }
            for one, other in pairwise(order)
            if other > one + 1
        ]
        return sorted(found, key=lambda gap: (-int(gap["seconds"]), gap["from"]))[:10]

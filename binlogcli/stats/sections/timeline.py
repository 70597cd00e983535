"""Section `timeline`: events, bytes, rows and transactions by buckets of time; the peaks and the gaps.

Buckets are as narrow as memory allows: where STRETCHES of them are filled, they are joined to the next width.
"""

from __future__ import annotations

from typing import Any

from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.stats.collector import EventFacts, SectionCollector, counters
from binlogcli.stats.time_buckets import LADDER, TimeBuckets
from binlogcli.stats.times import At
from binlogcli.stats.wanted import Wanted

STRETCHES = 1 << 14  # more than a week has minutes
_SHOWN = 60  # stretches at most that --bucket auto makes
_EVENTS, _BYTES, _ROWS, _TRANSACTIONS = range(4)
_MEASURES = ("events", "bytes", "rows", "transactions")
_PEAKS = 3


class TimelineCollector(SectionCollector):
    """Counts one log by buckets of time."""

    def __init__(self, wanted: Wanted) -> None:
        self.buckets = TimeBuckets(wanted.width or LADDER[0], wanted.zone)
        self.stretches: dict[int, Any] = {}  # by the first second
        self.current = counters(4)
        self.low = self.high = 0  # seconds from the one up to the other are in the current bucket

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
        if timestamp < self.low or timestamp >= self.high:
            self.find(timestamp)

    def find(self, timestamp: int) -> None:
        """Make the bucket of this time the current one, though it may be new; widen all where they are too many."""
        start = self.buckets.start_of(timestamp)
        found = self.stretches.get(start)
        if found is None:
            if len(self.stretches) >= STRETCHES:
                self.widen()
                start = self.buckets.start_of(timestamp)
            found = self.stretches.setdefault(start, counters(4))
        self.current = found
        self.low, self.high = self.buckets.around(timestamp)

    def widen(self) -> None:
        """Join buckets until at most half as many as are allowed are left."""
        while len(self.stretches) >= STRETCHES // 2 and not self.buckets.widest():
            self.buckets = self.buckets.wider()
            self.stretches = _joined(self.stretches, self.buckets)

    def export(self) -> Any:
        """Return the width in seconds, and the counts by the first second of each bucket."""
        return self.buckets.width, {start: list(found) for start, found in self.stretches.items()}


def _joined(stretches: dict[int, Any], buckets: TimeBuckets) -> dict[int, Any]:
    """Return the counts in wider buckets."""
    found: dict[int, Any] = {}
    for start, counts in stretches.items():
        sums = found.setdefault(buckets.start_of(start), counters(4))
        for measure in range(4):
            sums[measure] += counts[measure]
    return found


class TimelineTotal:
    """Joins the buckets of all logs; without a wanted width they are widened to at most _SHOWN."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted.width
        self.buckets = TimeBuckets(wanted.width or LADDER[0], wanted.zone)
        self.stretches: dict[int, Any] = {}

    def absorb(self, file: str, found: Any) -> None:
        """Add the buckets of a log."""
        width, stretches = found
        while width > self.buckets.width:
            self.widen()
        if width < self.buckets.width:
            stretches = _joined(stretches, self.buckets)
        for start, counts in stretches.items():
            sums = self.stretches.setdefault(start, counters(4))
            for measure in range(4):
                sums[measure] += counts[measure]
        while len(self.stretches) > STRETCHES and not self.buckets.widest():
            self.widen()

    def widen(self) -> None:
        """Join the buckets to those of the next width."""
        self.buckets = self.buckets.wider()
        self.stretches = _joined(self.stretches, self.buckets)

    def report(self) -> tuple[dict[str, Any], None]:
        """Return the buckets that have events, in order of time, the peaks and the gaps."""
        if not self.wanted and self.stretches:
            while self.spread() > _SHOWN and not self.buckets.widest():
                self.widen()
        order = sorted(self.stretches)
        width = self.buckets.width
        found: dict[str, Any] = {"bucket_seconds": width}
        if self.wanted and width != self.wanted:
            found["bucket_wanted_seconds"] = self.wanted
        found["buckets"] = [
            {"time": At(start), **dict(zip(_MEASURES, self.stretches[start], strict=True))} for start in order
        ]
        found["peaks"] = {measure: self.peaks(order, at) for at, measure in enumerate(_MEASURES)}
        found["gaps"] = self.gaps(order)
        return found, None

    def spread(self) -> int:
        """Return the number of buckets from the first to the last, empty ones included."""
        return (max(self.stretches) - min(self.stretches)) // self.buckets.width + 1

    def peaks(self, order: list[int], measure: int) -> list[dict[str, Any]]:
        """Return the _PEAKS buckets with the highest values of a measure."""
        best = sorted(order, key=lambda start: (-self.stretches[start][measure], start))[:_PEAKS]
        return [
            {"time": At(start), "value": self.stretches[start][measure]}
            for start in best
            if self.stretches[start][measure]
        ]

    def gaps(self, order: list[int]) -> list[dict[str, Any]]:
        """Return the ten longest times without an event."""
        ends = [self.buckets.end_of(start) for start in order]
        found = [
            {"from": At(end), "to": At(start), "seconds": start - end}
            for end, start in zip(ends, order[1:], strict=False)
            if start > end
        ]
        return sorted(found, key=lambda gap: (-int(gap["seconds"]), gap["from"]))[:10]

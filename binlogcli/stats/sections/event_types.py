"""Section `events`: number and bytes of events by type; events in payload events are also counted apart."""

from __future__ import annotations

from typing import Any

from binlogcli.names.event_types import event_type_name
from binlogcli.stats.collector import EventFacts, SectionCollector, counters

_CODES = 256
_LARGE = (1 << 62) - 1


class EventTypesCollector(SectionCollector):
    """Counts the events of one log by type code."""

    def __init__(self) -> None:
        self.counts = counters(_CODES)
        self.sizes = counters(_CODES)
        self.least = counters(_CODES)
        self.most = counters(_CODES)
        self.inner_counts = counters(_CODES)
        self.inner_sizes = counters(_CODES)

    def see(self, facts: EventFacts) -> None:
        """Count one event."""
        self.add(facts.code, facts.length, facts.outer)

    def add(self, code: int, length: int, outer: bool) -> None:
        """Count an event of this type and length in bytes."""
        if self.counts[code] == 0 or length < self.least[code]:
            self.least[code] = length
        self.most[code] = max(self.most[code], length)
        self.counts[code] += 1
        self.sizes[code] += length
        if not outer:
            self.inner_counts[code] += 1
            self.inner_sizes[code] += length

    def export(self) -> Any:
        """Return the counts of the types that occur, by code."""
        return {
            code: (
                self.counts[code],
                self.sizes[code],
                self.least[code],
                self.most[code],
                self.inner_counts[code],
                self.inner_sizes[code],
            )
            for code in range(_CODES)
            if self.counts[code]
        }


class EventTypesTotal:
    """Joins the counts of all logs."""

    def __init__(self) -> None:
        self.found: dict[int, tuple[int, ...]] = {}

    def absorb(self, found: dict[int, tuple[int, ...]]) -> None:
        """Add the counts of a log."""
        for code, (count, size, least, most, inner_count, inner_size) in found.items():
            old = self.found.get(code, (0, 0, _LARGE, 0, 0, 0))
            self.found[code] = (
                old[0] + count,
                old[1] + size,
                min(old[2], least),
                max(old[3], most),
                old[4] + inner_count,
                old[5] + inner_size,
            )

    def report(self) -> list[dict[str, Any]]:
        """Return a row for each type, those with most bytes first."""
        total = sum(values[1] for values in self.found.values()) or 1
        return [
            {
                "type": event_type_name(code),
                "type_code": code,
                "count": count,
                "bytes": size,
                "share": round(size / total, 6),
                "smallest": least,
                "mean": round(size / count, 1),
                "largest": most,
                "within_payloads": inner_count,
                "within_payloads_bytes": inner_size,
            }
            for code, (count, size, least, most, inner_count, inner_size) in sorted(
                self.found.items(), key=lambda item: (-item[1][1], item[0])
            )
        ]

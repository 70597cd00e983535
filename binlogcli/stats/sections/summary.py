"""Section `summary`: sums over all logs, times, servers, versions, and how many bytes could be read."""

from __future__ import annotations

from typing import Any

from binlogcli.events.control import FormatDescription, StartV3
from binlogcli.events.event import Event
from binlogcli.log.gaps import Damage, Padding
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, START_EVENT_V3
from binlogcli.stats.bounded import earliest
from binlogcli.stats.collector import EventFacts, SectionCollector
from binlogcli.stats.times import At
from binlogcli.stats.wanted import Wanted

_MAGIC_SIZE = 4
_SERVERS_KEPT = 1024
_FORMATS_KEPT = 64
_CHECKSUMS = {None: "NONE", 0: "NONE", 1: "CRC32"}


class SummaryCollector(SectionCollector):
    """Counts one log as a whole."""

    def __init__(self) -> None:
        self.events = 0
        self.decoded = 0
        self.rows = 0
        self.transactions = 0
        self.first_time = self.last_time = 0
        self.last_server = -1
        self.damaged = 0
        self.padding = 0
        self.gaps = 0
        self.servers: set[int] = set()
        self.formats: list[tuple[str, int, str]] = []

    def see(self, facts: EventFacts) -> None:
        """Count one event."""
        self.add(facts.length, facts.timestamp, facts.server_id, facts.outer)
        self.rows += facts.rows
        if facts.opens:
            self.transactions += 1
        if facts.code == FORMAT_DESCRIPTION_EVENT or facts.code == START_EVENT_V3:
            self.meet_format(facts.event)

    def add(self, length: int, timestamp: int, server_id: int, outer: bool) -> None:
        """Count an event by its header."""
        self.events += 1
        if outer:
            self.decoded += length
        if timestamp > 0:
            if timestamp < self.first_time or self.first_time == 0:
                self.first_time = timestamp
            self.last_time = max(self.last_time, timestamp)
        if server_id != self.last_server:
            self.last_server = server_id
            if len(self.servers) < _SERVERS_KEPT:
                self.servers.add(server_id)

    def count(self, rows: int, opens: bool) -> None:
        """Count rows, and a transaction if one opens."""
        self.rows += rows
        if opens:
            self.transactions += 1

    def meet_format(self, event: Event) -> None:
        """Note server version, binlog version and checksum algorithm of a format description."""
        if isinstance(event, FormatDescription | StartV3) and len(self.formats) < _FORMATS_KEPT:
            written = event.format
            checksum = _CHECKSUMS.get(written.checksum, str(written.checksum))
            self.formats.append((str(written.server_version), int(written.binlog_version), checksum))

    def miss(self, gap: Damage | Padding) -> None:
        """Count the bytes of a gap."""
        if isinstance(gap, Padding):
            self.padding += gap.end - gap.start
            return
        self.gaps += 1
        if gap.within is None:
            self.damaged += gap.end - gap.start

    def known(self) -> int:
        """Return the number of bytes that were events, damage or padding, the magic number included."""
        return _MAGIC_SIZE + self.decoded + self.damaged + self.padding

    def export(self) -> Any:
        """Return all counts by name."""
        return {
            "events": self.events,
            "decoded": self.decoded,
            "rows": self.rows,
            "transactions": self.transactions,
            "first_time": self.first_time,
            "last_time": self.last_time,
            "damaged": self.damaged,
            "padding": self.padding,
            "gaps": self.gaps,
            "servers": sorted(self.servers),
            "formats": self.formats,
        }


class SummaryTotal:
    """Joins the counts of all logs, and keeps a row for each."""

    def __init__(self, wanted: Wanted) -> None:
        self.chosen = wanted.scope.chosen
        self.logs: list[dict[str, Any]] = []
        self.sums = dict.fromkeys(
            ("events", "decoded", "rows", "transactions", "damaged", "padding", "gaps", "seen"), 0
        )
        self.first_time = self.last_time = 0
        self.servers: dict[int, None] = {}
        self.formats: dict[tuple[str, int, str], None] = {}

    def absorb(self, log: dict[str, Any], found: dict[str, Any]) -> None:
        """Add the counts of a log, whose name and size are in `log`."""
        for name in self.sums:
            self.sums[name] += found.get(name, log.get(name, 0))
        self.first_time = earliest(self.first_time, found["first_time"])
        self.last_time = max(self.last_time, found["last_time"])
        self.servers |= dict.fromkeys(found["servers"])
        self.formats |= dict.fromkeys(map(tuple, found["formats"]))
        self.logs.append(
            {
                "file": log["file"],
                "bytes": found["decoded"] if self.chosen else log["seen"],
                "events": found["events"],
                "transactions": found["transactions"],
                "rows": found["rows"],
                "first_time": At(found["first_time"]),
                "last_time": At(found["last_time"]),
                "damaged_bytes": found["damaged"],
                "state": log["state"],
            }
        )

    def report(self) -> dict[str, Any]:
        """Return the figures by name."""
        sums = self.sums
        decoded = sums["decoded"] + _MAGIC_SIZE * len(self.logs)
        skipped = sums["seen"] - decoded - sums["damaged"] - sums["padding"]
        return {
            "files": len(self.logs),
            "bytes": sums["decoded"] if self.chosen else sums["seen"],
            "events": sums["events"],
            "transactions": sums["transactions"],
            "rows": sums["rows"],
            "first_time": At(self.first_time),
            "last_time": At(self.last_time),
            "seconds": self.last_time - self.first_time,
            "server_ids": list(self.servers),
            "server_versions": list(dict.fromkeys(version for version, _, _ in self.formats)),
            "binlog_versions": list(dict.fromkeys(number for _, number, _ in self.formats)),
            "checksums": list(dict.fromkeys(name for _, _, name in self.formats)),
            "bytes_seen": sums["seen"],
            "bytes_decoded": min(decoded, sums["seen"]),
            "bytes_skipped": max(skipped, 0),
            "bytes_damaged": sums["damaged"],
            "bytes_padding": sums["padding"],
            "gaps": sums["gaps"],
            "logs": self.logs,
        }

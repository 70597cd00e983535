"""Section `servers`: events, bytes, transactions and rows by server id and by thread."""

from __future__ import annotations

from typing import Any

from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.stats.bounded import OWN_WEIGHT, Weighed, joined_counts
from binlogcli.stats.collector import EventFacts, SectionCollector
from binlogcli.stats.times import At
from binlogcli.stats.wanted import Wanted

_SERVERS_KEPT = 1024
_THREADS_KEPT = 1 << 13
_SUMS = 4
_MEASURES = ("events", "bytes", "transactions", "rows")


class WriterTally:
    """What one server, or one thread of it, wrote."""

    def __init__(self) -> None:
        self.events = self.bytes = self.transactions = self.rows = 0
        self.first_time = self.last_time = 0

    def weight(self) -> int:
        """Return the measure by which writers are ranked: bytes."""
        return self.bytes

    def add(self, events: int, length: int, rows: int, timestamp: int) -> None:
        """Count events of `length` bytes in all."""
        self.events += events
        self.bytes += length
        self.rows += rows
        if timestamp > 0:
            if timestamp < self.first_time or self.first_time == 0:
                self.first_time = timestamp
            self.last_time = max(self.last_time, timestamp)

    def finish(self) -> None:
        """Count one transaction."""
        self.transactions += 1

    def values(self) -> tuple[int, ...]:
        """Return the counts in the order of _MEASURES, then the first and last time."""
        return (self.events, self.bytes, self.transactions, self.rows, self.first_time, self.last_time)


class ServersCollector(SectionCollector):
    """Counts one log by the server id in event headers, and by the thread that began a transaction."""

    def __init__(self, wanted: Wanted) -> None:
        self.servers: Weighed[int, WriterTally] = Weighed(_SERVERS_KEPT, OWN_WEIGHT)
        self.threads: Weighed[tuple[int, int], WriterTally] = Weighed(_THREADS_KEPT, OWN_WEIGHT)
        self.last_id = -1
        self.last: WriterTally = WriterTally()

    def see(self, facts: EventFacts) -> None:
        """Count one event."""
        if facts.server_id != self.last_id:
            self.last = self.share(self.servers, facts.server_id)
            self.last_id = facts.server_id
        self.last.add(1, facts.length if facts.outer else 0, facts.rows, facts.timestamp)

    def close(self, work: TransactionFacts) -> None:
        """Count one transaction."""
        self.share(self.servers, work.server_id).finish()
        transaction = work.transaction
        if transaction is None or transaction.thread_id is None:
            return
        thread = self.share(self.threads, (work.server_id, transaction.thread_id))
        thread.add(work.events, work.bytes, work.rows, work.first_time)
        thread.finish()

    def share(self, shares: Any, key: object) -> WriterTally:
        """Return the tally of a server or thread; it may be a new one."""
        found: WriterTally | None = shares.get(key)
        if found is None:
            shares.shrink()
            self.last_id = -1
            found = WriterTally()
            shares[key] = found
        return found

    def export(self) -> Any:
        """Return the tallies by server, and by thread."""
        return [
            ({key: one.values() for key, one in shares.items()}, shares.dropped, shares.missed)
            for shares in (self.servers, self.threads)
        ]


class ServersTotal:
    """Joins the tallies of all logs."""

    def __init__(self, wanted: Wanted) -> None:
        self.top = wanted.top
        self.servers: Weighed[int, tuple[int, ...]] = Weighed(_SERVERS_KEPT, _weight)
        self.threads: Weighed[tuple[int, int], tuple[int, ...]] = Weighed(_THREADS_KEPT, _weight)

    def absorb(self, file: str, found: Any) -> None:
        """Add the tallies of a log."""
        both: tuple[Weighed[Any, tuple[int, ...]], ...] = (self.servers, self.threads)
        for mine, (shares, dropped, missed) in zip(both, found, strict=True):
            mine.dropped += dropped
            mine.missed += missed
            for key, values in shares.items():
                old = mine.get(key)
                if old is None:
                    mine.shrink()
                mine[key] = values if old is None else joined_counts(old, values)

    def report(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return servers and threads, those with most bytes first, and what was cut."""
        top = self.top
        servers = sorted(self.servers.items(), key=lambda item: (-_weight(item[1]), item[0]))
        threads = sorted(self.threads.items(), key=lambda item: (-_weight(item[1]), item[0]))
        report = {
            "servers": [{"server_id": key} | _row_of(values) for key, values in servers],
            "threads": [{"server_id": key[0], "thread_id": key[1]} | _row_of(values) for key, values in threads[:top]],
        }
        dropped = self.threads.dropped
        if not dropped and len(threads) <= top and not self.servers.dropped:
            return report, None
        cut = {"threads_shown": min(top, len(threads)), "threads": len(threads) + dropped}
        if dropped:
            cut |= {"threads_are_at_most": True, "threads_dropped": dropped, "bytes_missed": self.threads.missed}
        if self.servers.dropped:
            cut |= {"servers_dropped": self.servers.dropped}
        return report, cut


def _weight(values: tuple[int, ...]) -> int:
    """Return the bytes among the counts."""
    return values[1]


def _row_of(values: tuple[int, ...]) -> dict[str, Any]:
    """Return the counts by name."""
    row: dict[str, Any] = dict(zip(_MEASURES, values, strict=False))
    return row | {"first_time": At(values[_SUMS]), "last_time": At(values[_SUMS + 1])}

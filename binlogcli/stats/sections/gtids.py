"""Section `gtids`: which transactions are there, in what order, how late they came, how many could run at once."""

from __future__ import annotations

from typing import Any

from binlogcli.events.event import Event
from binlogcli.events.mariadb import GtidList, MariadbGtid
from binlogcli.events.mysql import MysqlGtid, PreviousGtids
from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.text import mariadb_gtid, mysql_gtid
from binlogcli.names.event_types import (
    ANONYMOUS_GTID_LOG_EVENT,
    GTID_EVENTS,
    GTID_LIST_EVENT,
    PREVIOUS_GTIDS_LOG_EVENT,
    type_table,
)
from binlogcli.stats.bounded import Top
from binlogcli.stats.collector import EventFacts, SectionCollector, counters, power
from binlogcli.stats.wanted import Wanted

SOURCES_KEPT = 1024
INTERVALS_KEPT = 1 << 12  # of a source
FOUND_KEPT = 100  # gaps, duplicates and so on that are listed; all of them are counted
SIZES = 64
Source = tuple[Any, Any]  # MySQL: UUID and tag; MariaDB: domain and server


class GroupSizes:
    """Sizes of groups that follow one another: transactions that were committed, or could run, together."""

    def __init__(self) -> None:
        self.key: object = None
        self.size = 0
        self.groups = self.members = self.largest = 0
        self.sizes = counters(SIZES)

    def add(self, key: object) -> None:
        """A transaction of the group with that key; None is of none."""
        self.members += 1
        if key is not None and key == self.key:
            self.size += 1
            return
        self.end()
        self.key = key
        self.size = 1

    def end(self) -> None:
        """The group is complete."""
        if self.size:
            self.groups += 1
            self.largest = max(self.largest, self.size)
            self.sizes[min(power(self.size), SIZES - 1)] += 1
            self.size = 0

    def export(self) -> tuple[int, int, int, list[int]]:
        """Groups, transactions, the largest, and the histogram."""
        self.end()
        return self.groups, self.members, self.largest, list(self.sizes)


class GtidsCollector(SectionCollector):
    """The GTIDs of one log."""

    def __init__(self, wanted: Wanted) -> None:
        self.codes = type_table((*GTID_EVENTS, PREVIOUS_GTIDS_LOG_EVENT, GTID_LIST_EVENT))
        self.sets: dict[Source, Intervals] = {}
        self.left_out = 0
        self.before: list[tuple[Source, int, int]] = []  # what the log says came before it
        self.mariadb = False
        self.domains: dict[int, tuple[int, int]] = {}  # server and number that came last in a domain
        self.counts: dict[str, int] = {"gtids": 0, "anonymous": 0, "duplicates": 0, "out_of_order": 0, "gaps": 0}
        self.found: dict[str, list[Any]] = {"duplicates": [], "out_of_order": [], "gaps": []}
        self.lag = Top(wanted.top)
        self.lag_sum = self.lag_count = self.lag_most = 0
        self.independent = 0
        self.commits = GroupSizes()
        self.together = GroupSizes()

    def see(self, facts: EventFacts) -> None:
        """Another event."""
        if not self.codes[facts.code]:
            return
        event = facts.event
        if isinstance(event, MariadbGtid):
            self.see_mariadb(event, facts.start)
        elif isinstance(event, MysqlGtid):
            self.see_mysql(event, facts.start)
        else:
            self.see_history(event)

    def see_mariadb(self, event: MariadbGtid, position: int) -> None:
        """MariaDB: numbers count within a domain, whatever the server."""
        self.mariadb = True
        number = event.seq_no
        source = (event.domain_id, event.server_id)
        fresh = self.take(source, number)
        last = self.domains.get(event.domain_id)
        if not fresh:
            self.note("duplicates", event.gtid, position, None)
        elif last is not None and number <= last[1]:
            self.note("out_of_order", event.gtid, position, mariadb_gtid(event.domain_id, *last))
        elif last is not None and number > last[1] + 1:
            self.note("gaps", event.gtid, position, mariadb_gtid(event.domain_id, *last))
        if len(self.domains) < SOURCES_KEPT or event.domain_id in self.domains:
            self.domains[event.domain_id] = (event.server_id, number)
        self.commits.add(event.commit_id or None)

    def see_mysql(self, event: MysqlGtid, position: int) -> None:
        """MySQL: numbers count by server and tag."""
        if event.type_code == ANONYMOUS_GTID_LOG_EVENT:
            self.counts["anonymous"] += 1
        else:
            known = self.sets.get((event.sid, event.tag))
            last = known.last if known is not None else -2
            number = event.gno
            if not self.take((event.sid, event.tag), number):
                self.note("duplicates", str(event.gtid), position, None)
            elif last >= 0 and number < last:
                self.note("out_of_order", str(event.gtid), position, mysql_gtid(event.sid, event.tag, last))
            elif last >= 0 and number > last + 1:
                self.note("gaps", str(event.gtid), position, mysql_gtid(event.sid, event.tag, last))
        if event.original_commit_timestamp is not None and event.immediate_commit_timestamp is not None:
            self.see_lag(event, position)
        if event.last_committed is not None and event.sequence_number is not None:
            if event.last_committed < event.sequence_number - 1:
                self.independent += 1
            self.together.add(event.last_committed)

    def see_lag(self, event: MysqlGtid, position: int) -> None:
        """How much later than at its origin it was committed here."""
        lag = int(event.immediate_commit_timestamp or 0) - int(event.original_commit_timestamp or 0)
        self.lag_count += 1
        self.lag_sum += lag
        self.lag_most = max(self.lag_most, lag)
        if lag > self.lag.least:
            self.lag.put(lag, {"file": "", "position": position, "gtid": event.gtid, "microseconds": lag})

    def see_history(self, event: Event) -> None:
        """What was there before this log."""
        if self.before or self.sets:
            return
        if isinstance(event, PreviousGtids):
            for source, pairs in event.gtid_set.entries:
                self.before += [(source, first, last) for first, last in pairs]
                if pairs:
                    self.place(source).last = pairs[-1][1]
        elif isinstance(event, GtidList):
            self.mariadb = True
            for domain, server, number in event.list:
                self.before.append(((domain, server), number, number))
                self.domains[domain] = (server, number)

    def take(self, source: Source, number: int) -> bool:
        """Take a GTID into the log's set; False where it was there already."""
        self.counts["gtids"] += 1
        return self.place(source).add(number)

    def place(self, source: Source) -> Intervals:
        """The numbers of one source."""
        known = self.sets.get(source)
        if known is None:
            known = Intervals(INTERVALS_KEPT)
            if len(self.sets) < SOURCES_KEPT:
                self.sets[source] = known
            else:
                self.left_out += 1
        return known

    def note(self, kind: str, gtid: str, position: int, after: str | None) -> None:
        """Something is odd about a GTID."""
        self.counts[kind] += 1
        if len(self.found[kind]) < FOUND_KEPT:
            self.found[kind].append({"file": "", "position": position, "gtid": gtid, "after": after})

    def export(self) -> Any:
        """All of it."""
        return {
            "mariadb": self.mariadb,
            "sets": {source: found.pairs() for source, found in self.sets.items() if found.starts},
            "cut": self.left_out > 0 or any(found.cut for found in self.sets.values()),
            "before": self.before,
            "domains": self.domains,
            "counts": self.counts,
            "found": self.found,
            "lag": (self.lag_count, self.lag_sum, self.lag_most, self.lag.things()),
            "independent": self.independent,
            "commits": self.commits.export(),
            "together": self.together.export(),
        }

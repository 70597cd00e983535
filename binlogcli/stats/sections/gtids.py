"""Section `gtids`, in one log: sets, order, commit lag, and the sizes of groups that could run in parallel."""

from __future__ import annotations

from typing import Any

from binlogcli.events.event import Event
from binlogcli.events.mariadb import GtidList, MariadbGtid
from binlogcli.events.mysql import MysqlGtid, PreviousGtids
from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.text import mariadb_gtid, mysql_gtid
from binlogcli.names import event_types
from binlogcli.names.event_types import ANONYMOUS_GTID_LOG_EVENT, type_table
from binlogcli.stats.bounded import Top
from binlogcli.stats.collector import EventFacts, SectionCollector, counters, power
from binlogcli.stats.wanted import Wanted

_SOURCES_KEPT = 1024
INTERVALS_KEPT = 1 << 12  # of a source
FOUND_KEPT = 100  # gaps, duplicates and so on that are listed; all of them are counted
SIZES = 64
Source = tuple[Any, Any]  # MySQL: UUID and tag; MariaDB: domain and server


class GroupSizes:
    """Sizes of consecutive groups: transactions that were committed together, or that could run together."""

    def __init__(self) -> None:
        self.key: object = None
        self.size = 0
        self.groups = self.members = self.largest = 0
        self.sizes = counters(SIZES)

    def add(self, key: object) -> None:
        """Count a transaction of the group with this key; with None it is a group of its own."""
        self.members += 1
        if key is not None and key == self.key:
            self.size += 1
            return
        self.end()
        self.key = key
        self.size = 1

    def end(self) -> None:
        """Count the group that is complete."""
        if self.size:
            self.groups += 1
            self.largest = max(self.largest, self.size)
            self.sizes[min(power(self.size), SIZES - 1)] += 1
            self.size = 0

    def export(self) -> tuple[int, int, int, list[int]]:
        """Return the numbers of groups and transactions, the largest group, and the histogram by powers of two."""
        self.end()
        return self.groups, self.members, self.largest, list(self.sizes)


class GtidsCollector(SectionCollector):
    """Counts the GTIDs of one log."""

    def __init__(self, wanted: Wanted) -> None:
        self.codes = type_table(
            (*event_types.GTID_EVENTS, event_types.PREVIOUS_GTIDS_LOG_EVENT, event_types.GTID_LIST_EVENT)
        )
        self.continuous = wanted.scope.continuous
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
        """Count one event, if it is a GTID, PREVIOUS_GTIDS or GTID_LIST event."""
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
        """Count a GTID of MariaDB, whose numbers grow within a domain, on all servers."""
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
        if len(self.domains) < _SOURCES_KEPT or event.domain_id in self.domains:
            self.domains[event.domain_id] = (event.server_id, number)
        self.commits.add(event.commit_id or None)

    def see_mysql(self, event: MysqlGtid, position: int) -> None:
        """Count a GTID of MySQL, whose numbers grow for each server and tag."""
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
        """Count the time from the commit at the origin to the commit on this server."""
        lag = int(event.immediate_commit_timestamp or 0) - int(event.original_commit_timestamp or 0)
        self.lag_count += 1
        self.lag_sum += lag
        self.lag_most = max(self.lag_most, lag)
        if lag > self.lag.least:
            self.lag.put(lag, {"file": "", "position": position, "gtid": event.gtid, "microseconds": lag})

    def see_history(self, event: Event) -> None:
        """Record the set of GTIDs before this log, which is at its beginning."""
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
        """Add a GTID to the log's set; return False where it was in it."""
        self.counts["gtids"] += 1
        return self.place(source).add(number)

    def place(self, source: Source) -> Intervals:
        """Return the numbers of a source; those of a source beyond _SOURCES_KEPT are not kept."""
        known = self.sets.get(source)
        if known is None:
            known = Intervals(INTERVALS_KEPT)
            if len(self.sets) < _SOURCES_KEPT:
                self.sets[source] = known
            else:
                self.left_out += 1
        return known

    def note(self, kind: str, gtid: str, position: int, after: str | None) -> None:
        """Count a gap, a duplicate or a number out of order; keep the first ones.

        Where single transactions were chosen, those between them are no gap.
        """
        if kind == "gaps" and not self.continuous:
            return
        self.counts[kind] += 1
        if len(self.found[kind]) < FOUND_KEPT:
            self.found[kind].append({"file": "", "position": position, "gtid": gtid, "after": after})

    def export(self) -> Any:
        """Return the sets and counts of the log."""
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

"""Counts the decoded events of one log.

The scan keeps the event and the transaction at hand as facts, hands them to the collectors of the sections that are
wanted, and counts the rows of each event by their widths, without decoding values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from binlogcli.errors import DEFECTS, UNDECODABLE, DecodeError, undecodable
from binlogcli.events.control import Rotate
from binlogcli.events.damage import damage_in
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.mysql import MysqlGtid
from binlogcli.events.statements import Query, StatementText, XaPrepare
from binlogcli.events.tables import Rows, TableMap
from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.log.boundaries import role_of
from binlogcli.log.gaps import Damage, Padding
from binlogcli.log.roles import RELEASE_SAVEPOINT
from binlogcli.names.event_types import ROTATE_EVENT, STOP_EVENT
from binlogcli.rows.column import Sink
from binlogcli.rows.count import RowSkipper
from binlogcli.rows.images import RowImages
from binlogcli.rows.walk import RowWalker
from binlogcli.sources.source import PiecedSource
from binlogcli.stats.collector import DELETE, NO_ROWS, UPDATE, EventFacts, SectionCollector
from binlogcli.stats.sections.event_types import EventTypesCollector
from binlogcli.stats.sections.registry import collectors
from binlogcli.stats.sections.summary import SummaryCollector
from binlogcli.stats.wanted import Wanted

_GAPS_KEPT = 10_000  # of one log; those after them are counted
_FRAME_SIZE = 400  # bytes; statements that only frame a transaction are shorter
_XA_END = re.compile(
    rb"XA\s+(?:COMMIT|ROLLBACK)\s+(X?)'([^']*)'(?:\s*,\s*(X?)'([^']*)')?(?:\s*,\s*(\d{1,10}))?", re.IGNORECASE
)


class Scan:
    """Counts what is in one log, for all sections that are wanted; `log_figures` makes one for each log.

    With `each`, for this collector alone; damage is passed to `tell` then, when it is found.
    """

    def __init__(
        self,
        wanted: Wanted,
        log: Log,
        each: SectionCollector | None = None,
        tell: Callable[[Damage], object] | None = None,
    ) -> None:
        self.count_all = wanted.rows
        self.facts = EventFacts()
        self.work = TransactionFacts()
        self.open = False  # whether `work` is a transaction that has not ended
        self.skipper = RowSkipper()
        self.images = RowImages.__new__(RowImages)
        self.overall = SummaryCollector()
        self.by_type = EventTypesCollector()
        self.named: dict[str, SectionCollector] = {}
        if each is None:
            self.named = collectors(wanted) | {"summary": self.overall, "events": self.by_type}
        self.collectors = list(self.named.values()) if each is None else [each]
        self.tell = tell
        self.stream = log.stream
        self.gaps: list[Damage] = []
        self.more_gaps = 0
        self.rotate_to: str | None = None
        self.last_code = 0

    def read(self, log: Log) -> None:
        """Decode and count the events up to the log's end."""
        while True:
            event = log.advance()
            if event is not None:
                try:
                    self.see(event)
                except DEFECTS as error:
                    self.keep_damage(damage_in(event, error))
                continue
            gap = log.take_gap()
            if gap is None:
                break
            self.miss(gap)
        if self.open:
            self.close()

    def figures(self, log: Log) -> dict[str, Any]:
        """Return what was counted, when the log was read; `sections` has what each collector exported."""
        outer = log.stream.outer
        seen = outer.base + outer.pos
        if isinstance(log.source, PiecedSource):  # it holds only what was sent of the log
            seen = self.overall.known()
        for collector in self.collectors:
            collector.finish(seen)
        return {
            "file": log.path,
            "seen": seen,
            "in_use": bool(outer.in_use),
            "state": self.state(log, in_use=bool(outer.in_use)),
            "rotate_to": self.rotate_to,
            "gaps": self.gaps,
            "more_gaps": self.more_gaps,
            "sections": {name: collector.export() for name, collector in self.named.items()},
        }

    def state(self, log: Log, *, in_use: bool) -> str:
        """Return in words how the log ends; where events are chosen, it may not have been read up to there."""
        chooser, outer = self.stream.chooser, self.stream.outer
        last = self.last_code
        if chooser is not None:
            size = log.source.size
            if chooser.target > outer.end or not (outer.ended or (size is not None and outer.end >= size)):
                return "not read to its end"
            last = outer.type_code
        if last == ROTATE_EVENT:
            return "rotated"
        if last == STOP_EVENT:
            return "server stopped"
        return "in use" if in_use else "no end"

    def see(self, event: Event) -> None:
        """Count one event."""
        facts = self.facts
        facts.event = event
        facts.code = event.type_code
        facts.length = event.length
        facts.timestamp = event.timestamp
        facts.server_id = event.server_id
        facts.outer = event.within_at < 0
        facts.start = event.start if event.within_at < 0 else event.within_at
        if event.within_at < 0:
            facts.end = event.end
        facts.opens = False
        facts.plan = None
        facts.operation = NO_ROWS
        facts.rows = 0
        facts.unread = ""
        facts.work = None
        if event.transaction is not None:
            self.place(event)
        elif self.open:
            self.close()
        if isinstance(event, TableMap):
            facts.plan = event.plan
        elif isinstance(event, Rows):
            self.count_rows(event)
        for collector in self.collectors:
            collector.see(facts)
        self.last_code = facts.code
        if facts.code == ROTATE_EVENT:
            self.note_rotate(event)
        if facts.work is not None:
            self.add_to_work(event)

    def place(self, event: Event) -> None:
        """Set the transaction that the event is part of; it may be a new one."""
        work = self.work
        if not self.open or work.transaction is not event.transaction:
            if self.open:
                self.close()
            work.forget()
            work.transaction = event.transaction
            work.start = self.facts.start
            work.server_id = event.server_id
            self.open = True
            self.facts.opens = True
        self.facts.work = work

    def add_to_work(self, event: Event) -> None:
        """Add the event to its transaction, and close that at its end."""
        facts = self.facts
        work = self.work
        work.end = facts.end
        work.events += 1
        if facts.operation != NO_ROWS:
            self.add_rows(work)
        if facts.outer:
            work.bytes += facts.length
        if facts.timestamp > 0:
            work.end_time = facts.timestamp
            if facts.timestamp < work.first_time or work.first_time == 0:
                work.first_time = facts.timestamp
            work.last_time = max(work.last_time, facts.timestamp)
        if facts.plan is not None:
            work.name_table(facts.plan)
            if work.statement is None and isinstance(event, Rows):
                work.statement = event.statement  # where its own event is not chosen
        else:
            self.describe_work(event)
        if self.stream.ends_transaction(event):
            self.close()

    def add_rows(self, work: TransactionFacts) -> None:
        """Add the event's rows to its transaction."""
        facts = self.facts
        work.rows += facts.rows
        if facts.operation == UPDATE:
            work.updated += facts.rows
        elif facts.operation == DELETE:
            work.deleted += facts.rows
        if facts.unread:
            work.unread = True

    def describe_work(self, event: Event) -> None:
        """Note statement, commit time and XA identifier of the transaction, if the event holds them."""
        work = self.work
        if isinstance(event, StatementText):
            if work.statement is None:
                work.statement = event
        elif isinstance(event, Query):
            self.note_statement(event)
        elif isinstance(event, MysqlGtid):
            if event.original_commit_timestamp:
                work.commit_micro = event.original_commit_timestamp
            if event.immediate_commit_timestamp:
                work.here_micro = event.immediate_commit_timestamp
        elif isinstance(event, XaPrepare) and not event.one_phase:
            work.prepared = (True, (event.format_id, event.gtrid, event.bqual))

    def note_statement(self, event: Query) -> None:
        """Note a statement of the transaction: its time, the first one's text, an XA transaction that it ends."""
        work = self.work
        work.exec_time = max(work.exec_time, event.exec_time)
        size = len(event.query)
        if size < _FRAME_SIZE and role_of(event.query, 0, size) >= RELEASE_SAVEPOINT:
            self.note_xa_end(event.query)
        else:
            work.statements += 1
            if work.statement is None:
                work.statement = event

    def note_xa_end(self, query: bytes) -> None:
        """Note the XA transaction that the statement commits or rolls back, if it does."""
        known = _XA_END.match(query)
        if known is not None:
            gtrid, bqual = _unhex(known[1], known[2]), _unhex(known[3] or b"", known[4] or b"")
            self.work.prepared = (False, (int(known[5] or 1), gtrid, bqual))

    def count_rows(self, event: Rows) -> None:
        """Set the number of rows in the event's facts; note why if they cannot be counted."""
        facts = self.facts
        facts.operation = event.operation
        facts.plan = event.plan
        if not self.count_all or event.only_ends():
            return
        try:
            facts.rows = self.count_images(event)
        except UNDECODABLE as error:
            found = self.failure_of(event, error)
            facts.unread = str(found)
            self.keep_damage(damage_in(event, found))

    @staticmethod
    def failure_of(event: Rows, error: Exception) -> DecodeError:
        """Return why rows that could not be counted cannot be read: by their values, as all commands tell it."""
        try:
            event.walk(RowWalker(), Sink())
        except DecodeError as found:
            return found
        return undecodable(error)

    def count_images(self, event: Rows) -> int:
        """Return how many rows the event holds, or how many of them are chosen, counted by their widths."""
        images = self.images
        event.fill(images, event.resolve())
        if event.ranges is None:
            return self.skipper.count(images)
        count = 0
        for images.start, images.end in event.ranges:
            count += self.skipper.count(images)
        return count

    def note_rotate(self, event: Event) -> None:
        """Note the name of the next log, which the last ROTATE event holds."""
        if isinstance(event, Rotate):
            self.rotate_to = event.new_log_ident

    def close(self) -> None:
        """Count the transaction at hand, at its end or where it breaks off."""
        self.open = False
        for collector in self.collectors:
            collector.close(self.work)

    def miss(self, gap: Damage | Padding) -> None:
        """Count a Damage or Padding gap."""
        if isinstance(gap, Damage):
            self.keep_damage(gap)
        for collector in self.collectors:
            collector.miss(gap)

    def keep_damage(self, damage: Damage) -> None:
        """Keep a Damage for the messages to the user, or tell it."""
        if self.tell is not None:
            self.tell(damage)
        elif len(self.gaps) < _GAPS_KEPT:
            self.gaps.append(damage)
        else:
            self.more_gaps += 1


def _unhex(mark: bytes, text: bytes) -> bytes:
    """Return a part of an XA identifier; `mark` is set if it is in hexadecimal."""
    try:
        return bytes.fromhex(text.decode("ascii")) if mark else text
    except ValueError:
        return text

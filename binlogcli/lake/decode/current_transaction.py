"""The transaction that an event belongs to: when it began, and when it was committed."""

from __future__ import annotations

from binlogcli.events.event import Event
from binlogcli.events.mysql import MysqlGtid, TransactionPayload
from binlogcli.events.statements import Query
from binlogcli.events.stream import EventStream
from binlogcli.lake.decode.columns.transaction_columns import TrackedTransaction, TransactionColumns
from binlogcli.lake.decode.commit_lookahead import CommitLookahead
from binlogcli.log.boundaries import OPENING_TYPES
from binlogcli.names.event_types import MYSQL_GTID_EVENTS, QUERY_EVENTS, type_table

SECOND = 1000000  # microseconds
MYSQL_GTIDS = type_table(MYSQL_GTID_EVENTS)
QUERIES = type_table(QUERY_EVENTS)


class CurrentTransaction:
    """The transaction that a stream of events is in: `tracked`, None outside of any."""

    def __init__(self, stream: EventStream, lookahead: CommitLookahead) -> None:
        self.stream = stream
        self.lookahead = lookahead
        self.gtids = MYSQL_GTIDS
        self.queries = QUERIES
        self.openings = OPENING_TYPES
        self.tracked: TrackedTransaction = None  # type: ignore[assignment] # until there is a transaction
        self.statements = 0  # of the transaction that have ended
        self.payload: TransactionPayload | None = None  # the last one: its events follow it

    def see(self, event: Event) -> None:
        """Take over what an event has of its transaction: times, and its end."""
        if event.transaction is None:
            self.tracked = None  # type: ignore[assignment] # outside of any
            return
        tracked = self.tracked
        if tracked is None or tracked.transaction is not event.transaction:
            tracked = TrackedTransaction(event.transaction)
            self.tracked = tracked
            self.statements = 0
        if self.gtids[event.type_code]:
            gtid: MysqlGtid = event  # type: ignore[assignment] # the registry's class for these types
            if gtid.immediate_commit_timestamp:
                tracked.commit = gtid.immediate_commit_timestamp
        elif self.queries[event.type_code] and self.statements == 0 and tracked.begun < 0:
            micro = _micro_of(event)  # type: ignore[arg-type] # the registry's class for these types
            if micro > 0:
                tracked.begun = event.timestamp * SECOND + micro
        if not tracked.over and tracked.transaction.outcome:
            tracked.over = True
            if tracked.commit < 0:
                tracked.commit = event.timestamp * SECOND

    def recall(self, events: list[Event], start: int) -> None:
        """Take the events from before a split that begins at `start`: a transaction may be open.

        They are its GTID and BEGIN, and what is before the rows of an open statement.
        """
        end = -1
        for event in events:
            if event.transaction is None:
                continue
            self.see(event)
            if end >= 0 and event.start != end:
                self.statements = 1  # the ones between the events are left out
            end = event.end
            opening = self.openings[event.type_code] or self.queries[event.type_code]
            if opening and event is events[-1] and end != start:
                self.statements = 1

    def time_of(self, event: Event) -> int:
        """Return the time of an event in microseconds; with fractions for a statement, where the log has them."""
        if self.queries[event.type_code]:
            return event.timestamp * SECOND + _micro_of(event)  # type: ignore[arg-type]
        return event.timestamp * SECOND

    def time_of_rows(self, event: Event) -> int:
        """Return the time of rows in microseconds; with the fraction of the transaction's first statement, in that."""
        tracked = self.tracked
        if tracked is not None and self.statements == 0:
            begun = tracked.begun  # -1 where it is not known
            if begun >= 0 and begun // SECOND == event.timestamp:
                return begun
        return event.timestamp * SECOND

    def look_ahead(self, transactions: TransactionColumns) -> None:
        """Look up the end of the open transaction, if rows of it are about to be handed out."""
        tracked = self.tracked
        if tracked is None or tracked.over or transactions.last is not tracked:
            return
        tracked.over = True
        framer = self.stream.outer
        nested = self.payload if self.stream.within >= 0 else None
        found = self.lookahead.find(framer.base + framer.pos, framer.format, self.stream.context, nested)
        if found is not None:
            tracked.xid = found.xid
            tracked.outcome = found.outcome
            tracked.prepared = found.prepared
            if tracked.commit < 0:
                tracked.commit = found.time * SECOND


def _micro_of(event: Query) -> int:
    """Return the microseconds of a statement's start; 0 where the log has none."""
    micro = event.status.microseconds if event.status.hrnow is None else event.status.hrnow
    return micro if micro is not None and 0 <= micro < SECOND else 0

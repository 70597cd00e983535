"""The events of a stream sorted into columns: a table's rows to its own, every event to those of the events.

This is the loop that all events of a split pass through; what is full is handed out as it is, and made into Arrow by
`lake.arrays`. No value, and of the usual events none, becomes an object here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from binlogcli.binary.json_writer import json_bytes
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import BinlogError, DecodeError
from binlogcli.events.bodies import BodyWriter
from binlogcli.events.event import Event
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.stream import EventStream
from binlogcli.events.tables import Rows, TableMap
from binlogcli.lake.decode.batches import EventRows, TableRows, TableUse
from binlogcli.lake.decode.commit_lookahead import CommitLookahead
from binlogcli.lake.decode.current_transaction import CurrentTransaction
from binlogcli.lake.decode.transaction_columns import TransactionColumns
from binlogcli.log.gaps import Damage
from binlogcli.rows.column import Sink
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.sinks.arrow_columns import FullError
from binlogcli.rows.walk import RowWalker

if TYPE_CHECKING:
    from binlogcli.lake.decode.table_maker import TableMaker

SECOND = 1000000
SEQ_BITS = 16  # a byte of a log has so many numbers of `_seq`: more than it can have rows
ONE_EVENT = 4  # how often a batch may be filled by one event before it is given out in its midst
EVENTS = 1 << 17  # in one batch
EVENT_BATCHES = 4  # as many times as large as a table's a batch of events may be: it becomes a row group by itself
TRANSACTION_BYTES = 1 << 24  # bytes of transactions that rows which are not given out refer to
UPDATE = 1


class Collector:
    """Takes the events of a stream; `advance` gives what is full (`TableRows`, `EventRows`) and any `Damage`.

    `maker` makes the empty columns of a table.
    """

    def __init__(
        self,
        stream: EventStream,
        maker: TableMaker,
        lookahead: CommitLookahead,
        seq_base: int,
        start: int,
        batch_bytes: int,
        held_bytes: int,
    ) -> None:
        self.stream = stream
        self.maker = maker
        self.current = CurrentTransaction(stream, lookahead)
        self.seq_base = seq_base
        self.start = start
        self.batch_bytes = batch_bytes
        self.held_bytes = held_bytes
        self.tables: dict[TablePlan, TableRows] = {}
        self.turned: dict[TablePlan, set[int]] = {}
        self.transactions = TransactionColumns()
        self.uses: dict[TablePlan, TableUse] = {}  # of tables among the events
        self.events = EventRows(self.transactions, self.uses, 0)
        self.walker = RowWalker()
        self.out = TextBuffer()
        self.bodies = BodyWriter()
        self.held = 0
        self.place = -1
        self.row_number = 0
        self.event_number = 0
        self.sequence = 0
        self.rows_event: Rows | None = None  # whose rows are being read
        self.rows_count = 0
        self.rows_at = self.rows_end = 0  # what is still to be read of them
        self.spans: list[tuple[int, int]] | None = None
        self.problem = ""
        self.target: TableRows | None = None
        self.ready: list[TableRows | EventRows | Damage] = []

    def advance(self) -> TableRows | EventRows | Damage | None:
        """The next thing to give out."""
        while not self.ready:
            if self.rows_event is not None:
                self.read_rows(self.rows_event)
                continue
            event = self.stream.advance()
            if event is not None:
                self.take(event)
                continue
            gap = self.stream.take_gap()
            if gap is None:
                return self.last()
            if isinstance(gap, Damage):
                self.take_gap(gap)
        return self.ready.pop(0)

    def recall(self, events: list[Event], start: int) -> None:
        """What was before the first event, which begins at `start`."""
        self.current.recall(events, start)

    def last(self) -> TableRows | EventRows | None:
        """What is left at the end, one after another; None after all."""
        for plan in self.tables:
            rows = self.give(plan)
            rows.last = True
            return rows
        if self.events.count > 0:
            return self.give_events()
        return None

    def take_gap(self, gap: Damage) -> None:
        """A stretch without events."""
        self.turn_to(gap.start if gap.within is None else gap.within)
        self.events.put_gap(gap, self.sequence + self.event_number)
        self.event_number += 1
        self.ready.append(gap)

    def turn_to(self, place: int) -> None:
        """What comes stands at this place of the log, alone or inside of what does."""
        if place != self.place:
            self.place = place
            self.row_number = 0
            self.event_number = 0
            self.sequence = self.seq_base + ((place - self.start) << SEQ_BITS)

    def take(self, event: Event) -> None:
        """An event."""
        self.turn_to(event.start if event.within_at < 0 else event.within_at)
        self.current.see(event)
        if isinstance(event, Rows):
            self.begin_rows(event)
        else:
            self.put_event(event)

    def put_event(self, event: Event) -> None:
        """An event that holds no rows."""
        events = self.events
        events.put_place(event.start, event.end, event.within_at, self.sequence + self.event_number)
        self.event_number += 1
        events.put_head(event, self.current.time_of(event), self.current.tracked)
        if isinstance(event, TableMap):
            events.put_table_map(event)
        else:
            self.out.clear()
            self.bodies.put(self.out, event)
            events.bodies.append_out(self.out)
            events.put_last_body(self.out.size)
            if isinstance(event, TransactionPayload):
                self.current.payload = event
        events.count += 1
        self.give_full_events()

    # rows ---------------------------------------------------------------------------------------------------------

    def begin_rows(self, event: Rows) -> None:
        """Rows: find out which columns they go to."""
        self.rows_event = event
        self.rows_count = 0
        self.rows_at = event.rows_start
        self.rows_end = event.rows_end
        self.spans = None
        if event.ranges is not None:
            self.spans = list(event.ranges)
            self.next_span()
        try:
            if event.plan is None and event.rows_start == event.rows_end:
                event.walk(self.walker, Sink())  # only ends a statement, or has lost its table
                self.rows_at = -1
            else:
                self.target = self.columns_of(event.resolve())
        except DecodeError as error:
            self.end_rows(event, self.unread(event, error, event.rows_start))
            return
        self.read_rows(event)

    def next_span(self) -> None:
        """Turn to the next rows that were chosen."""
        self.rows_at = -1
        if self.spans:
            self.rows_at, self.rows_end = self.spans.pop(0)

    def columns_of(self, plan: TablePlan) -> TableRows:
        """Where the rows of a table are put."""
        if self.target is not None and self.target.plan is plan:
            return self.target
        found = self.tables.get(plan)
        if found is None:
            turned = self.turned.get(plan)
            found = self.maker.columns_of(plan, set() if turned is None else turned)
            found.sink.limit = ONE_EVENT * self.batch_bytes
            self.tables[plan] = found
            self.held += found.cost()
        found.sink.fetch()
        return found

    def expect_updates(self, target: TableRows) -> None:
        """The first update of a table: from here on its rows have two states."""
        self.held -= target.cost()
        self.maker.expect_updates(target)
        self.held += target.cost()

    def read_rows(self, event: Rows) -> None:
        """Read the rows of an event, as many as fit; the rest when those are given out."""
        damage = None
        while self.rows_at >= 0:
            target = self.target
            if target is None:
                target = self.columns_of(event.resolve())
                self.target = target
            used = target.sink.used
            target.sink.updating = event.operation == UPDATE
            if target.sink.updating and not target.sink.before:
                self.expect_updates(target)
            full = False
            try:
                images = event.images(target.plan)
                images.start, images.end = self.rows_at, self.rows_end
                self.walker.walk(images, target.sink)
                self.next_span()
            except FullError:
                full = True
                self.rows_at = self.walker.cursor.pos
                if self.rows_at == self.rows_end:
                    self.next_span()
            except DecodeError as error:
                target.sink.drop_row()
                damage = self.unread(event, error, self.walker.row_start)
                self.rows_at = -1
            self.held += target.sink.used - used
            self.stamp(event, target)
            if full:
                self.problem = self.problem or target.sink.problem
                self.ready.append(self.give(target.plan))
                return
        self.end_rows(event, damage)

    def stamp(self, event: Rows, target: TableRows) -> None:
        """Say of the rows that were read where they stand."""
        tracked = self.current.tracked
        time = self.current.time_of_rows(event)
        number = self.transactions.number(tracked)
        count = target.stamp(event, tracked, number, time, self.place, self.row_number, self.sequence)
        self.row_number += count
        self.rows_count += count
        if target.sink.refusal:
            hint = "--zero-dates and --invalid-text say what becomes of such values"
            raise BinlogError(target.sink.refusal, offset=self.place, hint=hint)

    def unread(self, event: Rows, error: DecodeError, start: int) -> Damage:
        """Rows that could not be read: their bytes stand in the event's body."""
        rest = event.row_data[start : event.rows_end]
        body = {
            "database": event.database,
            "table": event.table,
            "table_id": event.table_id,
            "columns": event.columns,
            "rows": [{"hex": rest.hex(), "reason": str(error)}],
        }
        self.events.bodies.append(json_bytes(body))
        self.events.body_at.pad(self.events.count)
        self.events.body_at.put(self.events.bodies.count - 1)
        self.events.used += 2 * len(rest)
        return self.damage_of(event, str(error))

    def damage_of(self, event: Rows, reason: str) -> Damage:
        """What is told of rows that could not be read."""
        within = None if event.within_at < 0 else event.within_at
        return Damage(event.start, event.end, f"{event.type}: {reason}", within=within)

    def end_rows(self, event: Rows, damage: Damage | None) -> None:
        """The rows are read: the event itself, and what is full."""
        target = self.target
        if target is not None and target.sink.problem:
            self.problem = self.problem or target.sink.problem
            target.sink.problem = ""
        if damage is None and self.problem:
            damage = self.damage_of(event, self.problem)
        self.problem = ""
        events = self.events
        events.put_place(event.start, event.end, event.within_at, self.sequence + self.event_number)
        self.event_number += 1
        events.put_head(event, event.timestamp * SECOND, self.current.tracked)
        if event.plan is not None:
            events.put_table(event.plan)
        events.rows.pad(events.count)
        events.rows.put(self.rows_count)
        if damage is not None:
            events.put_damage(damage.reason)
            self.ready.append(damage)
        events.count += 1
        if event.ends_statement:
            self.current.statements += 1
        self.rows_event = None
        self.give_what_is_full(target)

    def give_what_is_full(self, target: TableRows | None) -> None:
        """A table that is full is given out; where all of them are together, the largest is."""
        if target is not None and target.sink.used > self.batch_bytes:
            self.ready.append(self.give(target.plan))
        elif self.held > self.held_bytes:
            largest = None
            for rows in self.tables.values():
                if largest is None or rows.sink.used > largest.sink.used:
                    largest = rows
            if largest is not None:
                self.ready.append(self.give(largest.plan))
        self.give_full_events()

    def give_full_events(self) -> None:
        """The same of events and transactions."""
        if self.events.count >= EVENTS or self.events.used > EVENT_BATCHES * self.batch_bytes:
            self.ready.append(self.give_events())
        if self.transactions.used() > TRANSACTION_BYTES:
            self.begin_transactions()

    # out ----------------------------------------------------------------------------------------------------------

    def give(self, plan: TablePlan) -> TableRows:
        """The rows of a table, which begins anew."""
        rows: TableRows = self.tables.pop(plan)
        if self.target is rows:
            self.target = None
        self.held -= rows.sink.used + rows.cost()
        if rows.last_transaction == self.transactions.count - 1:
            self.current.look_ahead(self.transactions)
            self.transactions.close()
        rows.transactions = self.transactions
        turned = rows.sink.turned()
        if turned:
            self.turned[plan] = turned
        return rows

    def begin_transactions(self) -> None:
        """So many transactions are kept that all is given out which refers to them."""
        for plan in list(self.tables):
            self.ready.append(self.give(plan))
        self.transactions = TransactionColumns()
        events = self.give_events()
        if events.count > 0:
            self.ready.append(events)

    def give_events(self) -> EventRows:
        """The events, which begin anew."""
        events = self.events
        self.events = EventRows(self.transactions, self.uses, events.number + 1)
        self.events.expect_like(events)
        return events

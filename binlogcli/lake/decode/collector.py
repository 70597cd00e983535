"""The loop that all events of a split pass through: rows go to the columns of their table, all events to the events.

The idea: no value, and of the usual events none, becomes a Python object. The row walker reads a row image into column
buffers that are laid out as Arrow has them (`rows.sinks.arrow_columns`); an event adds some numbers to the columns of
the events. What all rows of an event share (position, time, transaction, operation) is noted once for the event, by
`RowOrigins`, and made into columns when the batch is finished.

Invariants:

* The batches of a table come in the order of the log, and so do those of the events.
* A batch that is full in the middle of an event (`FullError`) is handed out there; the next call continues with the row
  that follows. An event is therefore never larger than memory allows, however many rows it has.
* An event that cannot be decoded stays in the events, with the bytes of its unread rows as its body and the reason as
  its damage. Rows read before the failure are kept.
* What a row says of its transaction's end (XID, commit time) is known before its batch is handed out: `PendingBatches`
  has the end looked up when it hands out rows of the open transaction.
* All decisions depend on the split and its bytes alone, so that a repeated task gives the same batches.
"""

from __future__ import annotations

from binlogcli.binary.json_writer import json_bytes
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECTS, UNDECODABLE, BinlogError, undecodable
from binlogcli.events.damage import damage_in, rows_damage
from binlogcli.events.event import Event
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.statements import Query
from binlogcli.events.stream import EventStream
from binlogcli.events.tables import Rows, TableMap
from binlogcli.lake.decode.batches import EventRows, TableRows
from binlogcli.lake.decode.columns.row_origins import LogPosition
from binlogcli.lake.decode.columns.undone_parts import UndoneParts
from binlogcli.lake.decode.current_transaction import CurrentTransaction
from binlogcli.lake.decode.event_bodies import BodyWriter
from binlogcli.lake.decode.mark_finder import marks_of
from binlogcli.lake.decode.pending import PendingBatches
from binlogcli.lake.decode.wanted_rows import ALL_ROWS, OPERATIONS, WantedRows
from binlogcli.lake.decode.xa_ends import XaEnds
from binlogcli.lake.table_marks import TableMark
from binlogcli.log.boundaries import may_define, may_truncate, role_of
from binlogcli.log.gaps import Damage
from binlogcli.log.roles import SAVEPOINT, XA_COMMIT, XA_ROLLBACK
from binlogcli.log.savepoints import Undone
from binlogcli.rows.column import Sink
from binlogcli.rows.sinks.arrow_columns import FullError
from binlogcli.rows.walk import RowWalker

SECOND = 1000000  # microseconds
UPDATE = 1
_DATE_HINT = "with --zero-dates null such values become NULL, with --zero-dates raw their text is kept, too"
_TEXT_HINT = "with --invalid-text binary the column is stored as binary, with --invalid-text replace as text"


class Collector:
    """Takes the events of a stream; `advance` hands out batches and damage.

    `current` and `pending` are the stream's own; `position` begins where the split does, of which `undone` are parts.
    """

    def __init__(
        self,
        stream: EventStream,
        current: CurrentTransaction,
        pending: PendingBatches,
        position: LogPosition,
        wanted: WantedRows = ALL_ROWS,
        undone: tuple[Undone, ...] = (),
    ) -> None:
        self.stream = stream
        self.current = current
        self.pending = pending
        self.position = position
        self.walker = RowWalker()
        self.out = TextBuffer()
        self.bodies = BodyWriter()
        self.rows_event: Rows | None = None  # the event whose rows are being read
        self.rows_count = 0  # of its rows that were read
        self.rows_at = self.rows_end = 0  # the bytes of them that are still to be read; -1: none
        self.spans: list[tuple[int, int]] | None = None  # the chosen ranges of bytes that follow
        self.with_events = wanted.events
        self.choosing = wanted.some
        self.operations = [name in wanted.operations for name in OPERATIONS]
        self.since, self.until = wanted.since, wanted.until
        self.undone = UndoneParts(undone)
        self.some_undone = len(undone) > 0
        self.xa_ends = XaEnds()
        self.values = Sink()  # has the `problem` of the event, whose rows may go to several batches

    def advance(self) -> TableRows | EventRows | XaEnds | TableMark | str | Damage | None:
        """Return the next batch or damage; None at the end of the split."""
        pending = self.pending
        while not pending.ready:
            if self.rows_event is not None:
                self._read_rows(self.rows_event)
                continue
            event = self.stream.advance()
            if event is not None:
                self._take(event)
                continue
            gap = self.stream.take_gap()
            if gap is None:
                item = pending.take_last()
                return self._taken_xa_ends() if item is None and self.xa_ends.rows else item
            if isinstance(gap, Damage):
                self._take_damage(gap)
        return pending.ready.pop(0)

    def _take_damage(self, damage: Damage) -> None:
        """Add a range of bytes that could not be read to the events."""
        self.position.turn_to(damage.start if damage.within is None else damage.within)
        self.pending.events.put_gap(damage, self.position.next_event())
        self.pending.ready.append(damage)

    def _take(self, event: Event) -> None:
        """Add an event."""
        self.position.turn_to(event.start if event.within_at < 0 else event.within_at)
        self.current.see(event)
        if self.some_undone:
            self._see_undone(event)
        if isinstance(event, Rows):
            self._begin_rows(event)
        else:
            self._put_event(event)

    def _see_undone(self, event: Event) -> None:
        """Set what became of the event's part of its transaction, whose end is looked up before another part begins."""
        tracked = self.current.tracked
        outcome = self.undone.outcome_of(event, self.stream.context)
        if tracked is not None and tracked.undone != outcome:
            self.current.look_ahead(self.pending.transactions)
            tracked.undone = outcome

    def _put_event(self, event: Event) -> None:
        """Add an event that holds no rows to the events; as damage where that fails."""
        try:
            self._put_fields(event)
        except DEFECTS as error:
            self.pending.events.take_back()
            self._take_damage(damage_in(event, error))
            return
        self.pending.hand_out_full_events()

    def _put_fields(self, event: Event) -> None:
        """Add an event's place, header and body to the events."""
        sequence = self.position.next_event()
        events = self.pending.events
        if self.with_events:
            events.put_place(event.start, event.end, event.within_at, sequence)
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
        elif isinstance(event, Query):
            self._see_statement(event, sequence)
        events.count += self.with_events

    def _see_statement(self, event: Query, sequence: int) -> None:
        """Take over what a statement tells of transactions before it, and of whole tables."""
        role = role_of(event.query, 0, len(event.query))
        if role in (XA_COMMIT, XA_ROLLBACK):
            self.xa_ends.see(event, self.current.time_of(event), self.position.place, sequence)
            if self.xa_ends.is_full:
                self.pending.ready.append(self._taken_xa_ends())
        elif role == SAVEPOINT and event.within_at >= 0 and self.current.payload is not None:
            self.undone.look_into(self.current.payload, self.stream.context, self.current.lookahead)
            self.some_undone = bool(self.undone)
        elif may_define(event.query, 0, len(event.query)) or may_truncate(event.query, 0, len(event.query)):
            time = self.current.time_of(event)
            self.pending.ready.extend(marks_of(event, self.stream.context, sequence, time))

    def _taken_xa_ends(self) -> XaEnds:
        """Return the ends of XA transactions, and begin anew."""
        ends = self.xa_ends
        self.xa_ends = XaEnds()
        return ends

    def _begin_rows(self, event: Rows) -> None:
        """Begin to read the rows of an event: find the batch that they go to."""
        self.rows_event = event
        self.rows_count = 0
        self.rows_at = event.rows_start
        self.rows_end = event.rows_end
        self.spans = None
        if event.ranges is not None:
            self.spans = list(event.ranges)
            self._next_span()
        if self.choosing and not self._is_wanted(event):
            self._end_rows(event, None)
            return
        try:
            if event.plan is None and event.rows_start == event.rows_end:
                event.walk(self.walker, Sink())  # only ends a statement, or has lost its table
                self.rows_at = -1
            else:
                self.pending.rows_of(event.resolve())
        except UNDECODABLE as error:
            self._end_rows(event, self._unread(event, error, event.rows_start))
            return
        self._read_rows(event)

    def _is_wanted(self, event: Rows) -> bool:
        """Whether the reader wants rows of this operation and time."""
        return bool(self.operations[event.operation]) and self.since <= self.current.time_of_rows(event) <= self.until

    def _next_span(self) -> None:
        """Turn to the next range of chosen rows; without one, `rows_at` is -1."""
        self.rows_at = -1
        if self.spans:
            self.rows_at, self.rows_end = self.spans.pop(0)

    def _read_rows(self, event: Rows) -> None:
        """Read the rows of an event, as many as the batch takes; a later call reads the rest."""
        pending = self.pending
        damage = None
        while self.rows_at >= 0:
            target = pending.latest
            if target is None:
                target = pending.rows_of(event.resolve())
            used = target.sink.used
            target.sink.updating = event.operation == UPDATE
            if target.sink.updating and not target.sink.before:
                pending.expect_updates(target)
            full = False
            try:
                images = event.images(target.reader)
                images.start, images.end = self.rows_at, self.rows_end
                self.walker.walk(images, target.sink)
                self._next_span()
            except FullError:
                full = True
                self.rows_at = self.walker.cursor.pos
                if self.rows_at == self.rows_end:
                    self._next_span()
            except UNDECODABLE as error:
                target.sink.drop_row()
                damage = self._unread(event, error, self.walker.row_start)
                self.rows_at = -1
            pending.held += target.sink.used - used
            self._note_origins(event, target)
            if full:
                self.values.problem = self.values.problem or target.sink.problem
                pending.hand_out(target.plan)
                return
        self._end_rows(event, damage)

    def _note_origins(self, event: Rows, target: TableRows) -> None:
        """Record the origin of the rows that were read. Raises BinlogError for a value that the options refuse."""
        tracked = self.current.tracked
        time = self.current.time_of_rows(event)
        number = self.pending.transactions.number(tracked)
        self.rows_count += target.note_origins(event, tracked, number, time, self.position)
        if target.sink.refusal:
            hint = _DATE_HINT if target.sink.refused_date else _TEXT_HINT
            raise BinlogError(target.sink.refusal, offset=self.position.place, hint=hint)

    def _unread(self, event: Rows, error: Exception, start: int) -> Damage:
        """Keep the rows from `start` on, which could not be read, as hex in the event's body; return the damage."""
        rest = event.row_data[start : event.rows_end]
        body = {
            "database": event.database,
            "table": event.table,
            "table_id": event.table_id,
            "columns": event.columns,
            "rows": [{"hex": rest.hex(), "reason": str(undecodable(error))}],
        }
        events = self.pending.events
        events.bodies.append(json_bytes(body))
        events.put_last_body(2 * len(rest))
        return damage_in(event, error)

    def _end_rows(self, event: Rows, damage: Damage | None) -> None:
        """Add an event whose rows are read to the events, and hand out what is full."""
        pending = self.pending
        target = pending.latest
        if target is not None and target.sink.problem:
            self.values.problem = self.values.problem or target.sink.problem
            target.sink.problem = ""
        if damage is None and self.values.problem:
            damage = rows_damage(event, None, self.values)
        self.values.problem = ""
        sequence = self.position.next_event()
        if self.with_events or damage is not None:
            self._put_rows_event(event, damage, sequence)
        if event.ends_statement:
            self.current.statements += 1
        self.rows_event = None
        pending.hand_out_full(target)

    def _put_rows_event(self, event: Rows, damage: Damage | None, sequence: int) -> None:
        """Add an event whose rows are read to the events."""
        events = self.pending.events
        events.put_place(event.start, event.end, event.within_at, sequence)
        events.put_head(event, event.timestamp * SECOND, self.current.tracked)
        if event.plan is not None:
            events.put_table(event.plan)
        events.rows.pad(events.count)
        events.rows.put(self.rows_count)
        if damage is not None:
            events.put_damage(damage.reason)
            self.pending.ready.append(damage)
        events.count += 1

"""Decides for each event of a run whether it is shown; made once from a `Choice`, and used for every log in turn.

With `wary`, neither `--event` nor `--where` hides statements, which may change rows. With `framing`, for text in the
vendors' form, format descriptions and rotations are always shown, as by their tools, and with `--database` alone what
frames the other transactions; of the events that belong to the statement after them mariadb-binlog drops only the text
with that statement. `--table` and `--op`, which the tools do not have, choose whole frames in every form. As in
mysqlbinlog, all events after the first that is late enough count as late enough, and the first event at or after the
end ends the run.
"""

from __future__ import annotations

from binlogcli.binary.byte_search import ByteSearch
from binlogcli.errors import BinlogError
from binlogcli.events.event import Event, Transaction
from binlogcli.events.log import Log
from binlogcli.events.statements import Query, StatementText
from binlogcli.events.stream import NO_LIMIT, Chooser
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import HEAD_TYPES
from binlogcli.log.context import LogContext
from binlogcli.names import event_types
from binlogcli.names.event_types import (
    FORMAT_DESCRIPTION_EVENT,
    PARTIAL_ROW_DATA_EVENT,
    QUERY_COMPRESSED_EVENT,
    ROTATE_EVENT,
    TABLE_MAP_EVENT,
    type_table,
)
from binlogcli.names.verdicts import END, HOLD, JUMP, RELEASE, SHOW, SKIP
from binlogcli.select.by_name import NameChoice
from binlogcli.select.by_operation import OperationChoice
from binlogcli.select.choice import Choice
from binlogcli.select.limits import ALL, Limits
from binlogcli.select.patterns import TypeChoice
from binlogcli.select.remarks import Outcome, problem_of, remarks_of
from binlogcli.select.seeking import StartFinder
from binlogcli.select.transactions import Stretches
from binlogcli.select.values.conditions import RowFilter
from binlogcli.select.values.where import WhereError

_BEFORE_STATEMENT = type_table(
    event_types.VARIABLE_EVENTS | event_types.STATEMENT_TEXT_EVENTS
)  # belong to the statement after them
# may change rows unseen
_STATEMENTS = type_table(
    (
        *event_types.QUERY_EVENTS,
        event_types.LOAD_EVENT,
        event_types.CREATE_FILE_EVENT,
        event_types.NEW_LOAD_EVENT,
        event_types.BEGIN_LOAD_QUERY_EVENT,
        event_types.EXECUTE_LOAD_QUERY_EVENT,
        event_types.INCIDENT_EVENT,
        event_types.PARTIAL_ROW_DATA_EVENT,
    )
)
_STATEMENT_TEXTS = type_table(event_types.STATEMENT_TEXT_EVENTS)
_NONE = bytes(256)
# what a transaction has beside its rows and other statements
_FRAMES = type_table(
    event_types.GTID_EVENTS
    | event_types.QUERY_EVENTS
    | {event_types.XID_EVENT, event_types.XA_PREPARE_LOG_EVENT, event_types.TRANSACTION_PAYLOAD_EVENT}
)
_MOST_HELD = 256  # events of a frame, such as SAVEPOINTs, until the transaction touches what is chosen


class Selection(Chooser):
    """The chooser of a run. It is given the events in the order of the logs."""

    def __init__(
        self, choice: Choice, *, framing: bool = False, wary: bool = False, all_transactions: bool = False
    ) -> None:
        super().__init__()
        self.choice = choice
        if choice.whole:  # what is chosen then, a first reading has found
            choice = Choice(limit=choice.limit, last=choice.last, counted=choice.counted)
        self.framing = framing
        self.wary = wary
        self.spared = _STATEMENTS if wary else _NONE
        self.by_touch = bool(choice.tables or choice.operations or (choice.databases and not framing))
        self.by_touch = self.by_touch and not all_transactions
        self.over = False  # whether the stop time was reached: later logs are not read
        self.low = 0
        self.late = choice.start_time is None  # whether an event was at the start time or later
        self.since = choice.start_time or 0
        self.until = NO_LIMIT if choice.stop_time is None else choice.stop_time
        self.ranged = False
        self.heads = HEAD_TYPES
        self.before_statement = _STATEMENT_TEXTS if framing and not self.by_touch else _BEFORE_STATEMENT
        self.context: LogContext = None  # type: ignore[assignment] # each log has its own
        self.events = TypeChoice(choice.events)
        self.types = self.events.types if choice.events else b"\x01" * 256
        self.seen = bytearray(256)  # 1 for each type that was in range
        self.by_server = bool(choice.server_ids)
        self.servers = frozenset(choice.server_ids)
        self.servers_seen: set[int] = set()
        self.by_gtid = choice.include_gtids is not None or choice.exclude_gtids is not None
        self.transaction: Transaction | None = None
        self.transaction_chosen = False
        self.by_name = bool(choice.databases or choice.tables)
        self.names = NameChoice(choice.databases, choice.tables)
        self.operations = OperationChoice(choice.operations)
        self.by_operation = self.operations.given
        self.shows_held = not self.by_touch
        self.touched: Transaction | None = None  # the last transaction with an event that was chosen by name
        self.grep = choice.grep
        self.rows = RowFilter(choice.where, choice.grep) if choice.where or choice.grep else None
        self.search = ByteSearch(()) if self.rows is None or self.rows.search is None else self.rows.search.raw
        self.grep_of_statements = choice.grep if choice.where is None else None
        self.in_ascii = self.grep is not None and self.grep.in_ascii
        self.notes: list[str] = []
        self.texts = 0  # statements that matched
        self.rows_seen = False  # since the last table map
        self.stretches: Stretches | None = None  # of the log, where only some are chosen
        self.limits = Limits(choice)

    # a log begins -----------------------------------------------------------------------------------------------

    def begin_log(
        self, log: Log, *, first: bool, last: bool, stretches: Stretches | None = None, to_drop: int = 0
    ) -> None:
        """Begin a log: set its range, find where decoding begins, and become the chooser of its stream.

        Of a log with `stretches` only these are shown, and not the first `to_drop` events that are chosen.
        """
        choice = self.choice
        self.stretches = stretches
        self.limits.to_drop = to_drop
        self.low = choice.start_position if first else 0
        self.limit = choice.stop_position if last and choice.stop_position is not None else NO_LIMIT
        if self.low > self.limit:
            raise BinlogError(f"--start-position {self.low} is after --stop-position {self.limit}", hint="swap them")
        if stretches is not None:
            self.low = max(self.low, stretches.start) if stretches else NO_LIMIT
            if last and stretches:
                self.limit = min(self.limit, stretches.end)
        self.begun = self.late and self.low <= 4
        self.ranged = not self.begun or self.limit < NO_LIMIT or self.until < NO_LIMIT
        self.target = -1
        self.transaction = None
        log.stream.chooser = self
        self.context = log.stream.context
        if not self.begun and log.source.seekable and log.source.size is not None:
            self.target = StartFinder(log.source, log.stream.options.max_event_size).find(
                self.low, 0 if self.late else self.since
            )
            log.source.seek(0)

    # verdicts ---------------------------------------------------------------------------------------------------

    def verdict(self, event: Event) -> int:
        """Return SHOW, HOLD, SKIP, JUMP, END or RELEASE for an event."""
        code = event.type_code
        framed = self.framing and code in (FORMAT_DESCRIPTION_EVENT, ROTATE_EVENT)
        if framed:
            dropped = _STATEMENT_TEXTS if self.context.mariadb and not self.by_touch else _BEFORE_STATEMENT
            self.before_statement = dropped
        found = self.verdict_by_place(event, framed=framed)
        if found != SHOW:
            return found
        self.seen[code] = 1
        waits = self.waits_for_rows(event)
        if self.by_touch:
            return self.touching(event, waits=waits, framed=framed)
        if not self.takes_content(event, framed=framed):
            return self.skip(code)
        if waits or ((self.by_name or self.by_operation) and self.before_statement[code]):
            return HOLD
        return self.show(event)

    def verdict_by_place(self, event: Event, *, framed: bool) -> int:
        """Return SHOW for an event between start and end, of a chosen transaction and server; otherwise what to do."""
        if self.limits.left == 0:
            self.over = not self.limits.takes_behind(event)
            if self.over:
                return END
            if not self.limits.ends(event):
                return self.skip(event.type_code)
        if self.ranged:
            found = self.in_range(event)
            if found != SHOW:
                return found
        if framed:
            return SHOW
        taken = self.stretches is None or self.in_stretches(event)
        taken = taken and (not self.by_gtid or self.takes_transaction(event.transaction))
        taken = taken and (not self.by_server or self.takes_server(event.server_id))
        return SHOW if taken else self.skip(event.type_code)

    def takes_content(self, event: Event, *, framed: bool) -> bool:
        """Return whether an event is chosen by its type, its table or database, what it does, and by `--where`."""
        code = event.type_code
        if not self.types[code] and not framed and not self.spared[code]:
            return False
        if self.by_name and not self.names.takes(event, self.context):
            return False
        if self.by_operation and not self.operations.takes(event):
            return False
        return self.rows is None or framed or self.spared[code] != 0 or self.takes_rows(event)

    def show(self, event: Event) -> int:
        """Return SHOW, and count the event with those held for it, each of which a limit may exclude."""
        self.release()
        if self.admits(event):
            return SHOW
        return RELEASE if self.held else SKIP

    def release(self) -> int:
        """Return RELEASE, which shows what is held, as far as the limits allow."""
        if self.held:
            self.held = [held for held in self.held if self.admits(held)]
        return RELEASE

    def admits(self, event: Event) -> bool:
        """Return whether the limits admit an event; a text needs format descriptions all the same."""
        if self.framing and event.type_code == FORMAT_DESCRIPTION_EVENT and self.limits.to_drop < ALL:
            return True
        return self.limits.admit(event)

    def without_limits(self) -> Selection:
        """Return a selection of all events that this one chooses from, for a reading of its own."""
        return Selection(self.choice._replace(limit=None, last=None), framing=self.framing, wary=self.wary)

    def without_transactions(self) -> Selection:
        """Return a selection of the events whose whole transactions this one shows."""
        return Selection(self.choice._replace(limit=None, last=None, whole=False), wary=self.wary)

    def in_stretches(self, event: Event) -> bool:
        """Return whether an event is in a chosen stretch of the log."""
        return self.stretches is not None and self.stretches.takes(
            event.start if event.within_at < 0 else event.within_at
        )

    def skip(self, code: int) -> int:
        """Return SKIP, and drop the events held for the statement; one table map of several drops nothing."""
        if code != TABLE_MAP_EVENT and self.held:
            self.held = [held for held in self.held if held.type_code == TABLE_MAP_EVENT]
        return SKIP

    def waits_for_rows(self, event: Event) -> bool:
        """Return whether an event is held for the rows after it; drop the table maps of a statement that is over."""
        if not self.by_operation or event.type_code == PARTIAL_ROW_DATA_EVENT:
            return False
        if isinstance(event, Rows):
            self.rows_seen = True
            return False
        maps = event.type_code == TABLE_MAP_EVENT
        if self.held and (self.rows_seen or not maps):
            self.held = [held for held in self.held if held.type_code != TABLE_MAP_EVENT]
        self.rows_seen = False
        return maps

    def touching(self, event: Event, *, waits: bool, framed: bool) -> int:
        """Return the verdict where the frame of a transaction waits for an event that is chosen by name."""
        code = event.type_code
        transaction = event.transaction
        if self.held and self.held[0].transaction is not transaction:
            self.held.clear()
        if framed:
            return self.show(event)
        if transaction is None and self.by_operation:
            return SKIP  # it does nothing to a table
        taken = not self.by_name or self.names.takes(event, self.context)
        taken = taken and (not self.by_operation or self.operations.takes(event))
        touches = taken and not waits and transaction is not None and self.names.names(event)
        if touches:
            self.touched = transaction
        if not taken or not self.takes_type_and_rows(event):
            return self.skip_in_frame(code, touches=touches)
        if waits or self.before_statement[code]:
            return HOLD
        if transaction is not None and _FRAMES[code] and transaction is not self.touched:
            return HOLD if len(self.held) < _MOST_HELD else SKIP
        return self.show(event)

    def takes_type_and_rows(self, event: Event) -> bool:
        """Return whether an event is chosen by its type and by `--where`."""
        code = event.type_code
        return self.spared[code] != 0 or (self.types[code] != 0 and (self.rows is None or self.takes_rows(event)))

    def skip_in_frame(self, code: int, *, touches: bool) -> int:
        """Return the verdict on an event that is not shown; one that `touches` has what is held shown."""
        if not self.held:
            return SKIP
        if touches:
            return self.release()
        if code != TABLE_MAP_EVENT:
            self.held = [held for held in self.held if not self.before_statement[held.type_code]]
        return SKIP

    def in_range(self, event: Event) -> int:
        """Return SHOW for an event between start and end; what to do instead for others."""
        code = event.type_code
        place = event.start if event.within_at < 0 else event.within_at
        if place < self.low:
            return self.too_early(event, place)
        if not self.late:
            if event.timestamp < self.since or code == FORMAT_DESCRIPTION_EVENT:
                return self.too_early(event, place)
            self.late = True
        if event.timestamp >= self.until or place >= self.limit:
            self.over = event.timestamp >= self.until
            return END
        if not self.begun:
            self.begun = True
            if self.low > 4 and place > self.low and self.stretches is None:
                self.notes.append(f"--start-position {self.low}: no event starts there; starting at {place}")
        return SHOW

    def too_early(self, event: Event, place: int) -> int:
        """Return what to do with an event before the start: a text needs the format description all the same."""
        code = event.type_code
        timely = place >= self.low and self.since <= event.timestamp < self.until
        framed = self.framing and self.low < NO_LIMIT
        if code == FORMAT_DESCRIPTION_EVENT and (framed or timely):
            return SHOW
        if self.target > event.end and event.within_at < 0 and not self.heads[code]:
            return JUMP
        return SKIP

    def takes_transaction(self, transaction: Transaction | None) -> bool:
        """Return whether an event is chosen by GTID; one outside of transactions is, unless GTIDs are included."""
        if transaction is None:
            return self.framing or self.choice.include_gtids is None
        if transaction is not self.transaction:
            self.transaction = transaction
            self.transaction_chosen = self.choose_transaction(transaction)
        return self.transaction_chosen

    def choose_transaction(self, transaction: Transaction) -> bool:
        """Return whether a transaction is chosen by its GTID."""
        include, exclude = self.choice.include_gtids, self.choice.exclude_gtids
        if include is not None and not include.holds(transaction):
            return False
        return exclude is None or not exclude.holds(transaction)

    def takes_server(self, server_id: int) -> bool:
        """Return whether events of this server are chosen; note that it was seen."""
        if server_id not in self.servers:
            return False
        self.servers_seen.add(server_id)
        return True

    def takes_rows(self, event: Event) -> bool:
        """Return whether an event holds rows that meet `--where` and match `--grep`, or a text that does the latter."""
        if isinstance(event, Rows):
            return self.rows is not None and self.rows.choose(event)
        grep = self.grep_of_statements
        if grep is None or not isinstance(event, (Query, StatementText)):
            return False
        if self.in_ascii and not self.has_needle(event) and event.query.isascii():
            return False
        text = event.text
        found: bool = grep.matches(event.query.decode("latin-1") if text is None else text)
        self.texts += found
        return found

    def has_needle(self, event: Query | StatementText) -> bool:
        """Return whether the bytes of a statement have a needle of `--grep`."""
        if event.type_code == QUERY_COMPRESSED_EVENT:
            return self.search.found_in(event.query, 0, len(event.query))
        return self.search.found(event.data, event.body_start, event.body_end)

    # in the end -------------------------------------------------------------------------------------------------

    def remarks(self) -> list[str]:
        """Return the lines to print at the end: filters that matched nothing, a start position between events."""
        if NO_LIMIT > self.low > self.limit or self.choice.whole:
            return []  # it was an error, or the first reading has reported them
        if self.limits.left == 0:
            return list(self.notes)  # what filters match may come after the last event
        return remarks_of(
            Outcome(
                self.choice,
                self.notes,
                self.limits.shown,
                self.late,
                self.begun,
                self.names,
                self.operations,
                self.events,
                bytes(self.seen),
                self.servers_seen,
                self.rows,
                self.matched_nothing,
            )
        )

    @property
    def matched_nothing(self) -> bool:
        """Whether `--grep` was given and has matched nothing."""
        return self.grep is not None and self.rows is not None and self.rows.matched == 0 and self.texts == 0

    def problem(self) -> WhereError | None:
        """Return an error where a column of `--where` was in no table, else None."""
        return problem_of(self.rows)

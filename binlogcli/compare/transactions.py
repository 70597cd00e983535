"""The transactions of a log, each with a hash of what it does: its rows and statements, in their order.

The hash is over bytes that both servers of a replication write alike: of rows the table, its columns' types and the
row images as they are in the log; of statements the text, and the session variables that change its meaning. Times,
server and thread ids, positions, checksums, table ids, logical clocks, texts of row events' statements, compression,
and how rows are grouped to events are left out. How the transaction ended is not hashed, but kept beside the hash.

Where tables differ in types, or row images in the columns that they hold, the hashes differ although the transactions
may be alike: `differences` compares the values then. An event is hashed as it comes, none is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from binlogcli.binary import kernel
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.compare.logged_transaction import COMMITTED, HASHED, PREPARED, ROLLED_BACK, UNFINISHED, LoggedTransaction
from binlogcli.compare.meaning import heading_of, load_of, meaning_of, settings_of, variable_of, without_file
from binlogcli.errors import UNDECODABLE, DecodeError, undecodable
from binlogcli.events.control import Incident
from binlogcli.events.damage import damage_in
from binlogcli.events.event import Event, Transaction
from binlogcli.events.load import ExecuteLoadQuery, FileBlock, Load
from binlogcli.events.log import Log
from binlogcli.events.mariadb import GtidList, PartialRowData
from binlogcli.events.mysql import PreviousGtids
from binlogcli.events.statements import Intvar, Query, Rand, UserVar
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import OPENING_TYPES, role_of
from binlogcli.log.gaps import Damage
from binlogcli.log.roles import BEGIN, COMMIT, RELEASE_SAVEPOINT, ROLLBACK, ROLLBACK_TO, SAVEPOINT, XA_START
from binlogcli.log.savepoints import Savepoints
from binlogcli.names import event_types
from binlogcli.names.event_types import type_table
from binlogcli.rows.column import Sink
from binlogcli.rows.count import RowSkipper
from binlogcli.rows.images import RowImages
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.walk import RowWalker
from binlogcli.select.by_name import NameChoice

_SHAPE = 64  # bytes of the names of tables, from which on their hash stands for them
_HEADINGS_KEPT = 1 << 12  # of rows
_SAVEPOINTS_KEPT = 64  # of a transaction
_OTHERS = type_table(  # that say what a statement does, besides its text
    event_types.VARIABLE_EVENTS
    | {
        event_types.LOAD_EVENT,
        event_types.CREATE_FILE_EVENT,
        event_types.NEW_LOAD_EVENT,
        event_types.APPEND_BLOCK_EVENT,
        event_types.BEGIN_LOAD_QUERY_EVENT,
        event_types.PARTIAL_ROW_DATA_EVENT,
    }
)
_RUN_END, _BLANK = 0x45, 0x20
_SMALL = 1 << 13  # bytes that two transactions are compared by without a hash
_PIECE = 1 << 16  # bytes that are collected before they are hashed
_OUTCOMES = {"": UNFINISHED, "COMMIT": COMMITTED, "ROLLBACK": ROLLED_BACK}


class TransactionReader:
    """Reads the transactions of one side, log after log; damage is passed to `tell` with the path of its log."""

    def __init__(self, names: NameChoice | None, tell: Callable[[str, Damage], object]) -> None:
        self.names = names
        self.tell = tell
        self.log: Log = None  # type: ignore[assignment] # until the first one
        self.number = -1
        self.place = 0
        self.gaps = 0
        self.before: list[Event] = []  # PREVIOUS_GTIDS and GTID_LIST events before the first transaction
        self.begun = False  # whether a transaction was read
        self.current: Transaction | None = None
        self.work: LoggedTransaction | None = None
        self.ahead: Event | None = None
        self.numbered = False  # whether GTID events were read
        self.torn = False  # whether the next transaction may lack its beginning
        self.skipper = RowSkipper()
        self.images = RowImages.__new__(RowImages)
        self.opening = OPENING_TYPES
        self.others = _OTHERS
        self.out = TextBuffer()
        self.hash: Any = None  # of what was collected before
        self.shapes: set[bytes] = set()
        self.plan: TablePlan | None = None  # the rows that were collected last
        self.operation = -1
        self.present = self.present_after = b""
        self.headings: dict[tuple[object, ...], tuple[bytes, bytes]] = {}
        self.run = 0  # bytes of rows since the last heading
        self.settings: tuple[object, ...] = ()
        self.session = b""
        self.waiting: list[bytes] = []  # variables that belong to the next statement
        self.events = 0  # of the transaction
        self.savepoints: Savepoints | None = None  # once the transaction has one
        self.kept: dict[int, tuple[Any, ...]] = {}  # what was collected up to each savepoint, by its event

    def begin_log(self, log: Log) -> None:
        """Continue with a log; a transaction that the one before left open may go on in it."""
        self.log = log
        self.number += 1
        self.current = None
        self.plan = None

    def advance(self) -> LoggedTransaction | None:
        """Return the next transaction of the log; None at its end, where one may still be open."""
        stream = self.log.stream
        while True:
            event = self.ahead
            if event is None:
                event = stream.advance()
            else:
                self.ahead = None
            if event is None:
                gap = self.log.take_gap()
                if gap is None:
                    return None
                if isinstance(gap, Damage):
                    self.miss(gap)
                continue
            if event.transaction is None:
                self.pass_by(event)
                continue
            work = self.work
            if work is not None and event.transaction is not self.current and not self.goes_on(event):
                self.ahead = event
                return self.close(work)
            work = self.see(event)
            if stream.ends_transaction(event):
                return self.close(work)

    def finish(self) -> LoggedTransaction | None:
        """Return the transaction that is open at the end of the last log, None if there is none."""
        return None if self.work is None else self.close(self.work)

    def goes_on(self, event: Event) -> bool:
        """Whether an event continues the transaction that the log before left open, as relay logs do."""
        if self.current is not None or opens(event):
            return False
        self.current = event.transaction
        return True

    def miss(self, gap: Damage) -> None:
        """Take in a damaged stretch: what is open is not whole, and what follows may lack its beginning."""
        self.tell(self.log.path, gap)
        self.gaps += 1
        self.torn = True
        if self.work is not None:
            self.work.doubt = "damaged"

    def pass_by(self, event: Event) -> None:
        """Take in an event that is part of no transaction."""
        if isinstance(event, PreviousGtids | GtidList):
            if not self.begun:
                self.before.append(event)
        elif isinstance(event, Incident):  # events are missing here: the server says so
            self.gaps += 1
            self.torn = True

    def see(self, event: Event) -> LoggedTransaction:
        """Add an event to its transaction, which may begin with it, and return that."""
        work = self.work or self.begin(event)
        self.events += 1
        code = event.type_code
        if work.time == 0 and not self.opening[code]:
            work.time = event.timestamp
        if isinstance(event, Rows):
            self.add_rows(work, event)
        elif isinstance(event, Query):
            self.add_query(work, event)
        elif self.others[code]:
            self.add_other(work, event)
        return work

    def begin(self, event: Event) -> LoggedTransaction:
        """Begin and return the transaction that an event opens."""
        self.work = work = LoggedTransaction()
        self.current = event.transaction
        work.log = self.number
        work.start = event.start if event.within_at < 0 else event.within_at
        work.place = self.place
        work.gaps = self.gaps
        self.place += 1
        self.begun = True
        self.events = 0
        if self.opening[event.type_code]:
            self.numbered = True
            self.torn = False
        elif self.torn and (self.numbered or self.before or not opens(event)):
            work.doubt = "damaged"  # a part of one that may have lost its GTID
        else:
            self.torn = False
        return work

    def close(self, work: LoggedTransaction) -> LoggedTransaction:
        """Return the transaction, which has ended."""
        transaction = self.current
        self.end_run()
        if self.hash is not None:
            self.hash.update(self.out.content())
            work.content = self.hash.digest()[:HASHED]
        elif self.out.size <= _SMALL:
            work.raw = bytes(self.out.content())
        else:
            work.content = hashlib.sha256(self.out.content()).digest()[:HASHED]
        self.out.clear()
        self.hash = None
        if self.shapes:
            shape = b"\0".join(sorted(self.shapes)) if len(self.shapes) > 1 else self.shapes.pop()
            work.shape = shape if len(shape) <= _SHAPE else hashlib.sha256(shape).digest()
            self.shapes.clear()
        if transaction is not None:
            self.identify(work, transaction)
        self.waiting.clear()
        if self.savepoints is not None:
            self.savepoints = None
            self.kept.clear()
        self.work = None
        self.current = None
        return work

    def identify(self, work: LoggedTransaction, transaction: Transaction) -> None:
        """Set the GTID, unless the transaction began in an earlier log, and the outcome."""
        if transaction.mariadb_gtid:
            work.source = (transaction.domain_id, transaction.server_id)
            work.number = transaction.seq_no
        elif transaction.sid is not None:
            work.source = (transaction.sid, transaction.tag)
            work.number = transaction.gno
        work.outcome = PREPARED if transaction.prepared is not None else _OUTCOMES[transaction.outcome]

    # what is hashed ---------------------------------------------------------------------------------------------

    def drain(self) -> None:
        """Hash what was collected, if it is much."""
        if self.out.size >= _PIECE:
            if self.hash is None:
                self.hash = hashlib.sha256()
            self.hash.update(self.out.content())
            self.out.clear()

    def put_part(self, mark: bytes, part: bytes) -> None:
        """Collect bytes with a mark of what they are, and their length."""
        self.out.put(mark)
        self.out.put_uint(len(part))
        self.out.put_char(_BLANK)
        self.out.put(part)
        self.drain()

    def add_rows(self, work: LoggedTransaction, event: Rows) -> None:
        """Collect the rows of an event."""
        plan = event.plan
        if plan is None and event.only_ends():
            return
        if self.names is not None and not self.names.takes(event, self.log.stream.context):
            return
        try:
            event.fill(self.images, event.resolve())
            work.rows += self.skipper.count(self.images)
        except UNDECODABLE as error:
            self.fail(event, error)
            return
        if (
            plan is not self.plan
            or event.operation != self.operation
            or event.present != self.present
            or event.present_after != self.present_after
            or event.partial
        ):
            self.head_rows(event)
        size = event.rows_end - event.rows_start
        self.run += size
        work.empty = False
        if size >= _PIECE:
            self.put_long(event)
            return
        self.out.put(kernel.cut(event.row_data, event.rows_start, event.rows_end))
        if self.out.size >= _PIECE:
            self.drain()

    def put_long(self, event: Rows) -> None:
        """Hash the many rows of an event without a copy."""
        if self.hash is None:
            self.hash = hashlib.sha256()
        self.hash.update(self.out.content())
        self.out.clear()
        self.hash.update(memoryview(event.row_data)[event.rows_start : event.rows_end])

    def head_rows(self, event: Rows) -> None:
        """Collect what the rows that follow are: their table with the types of its columns, and the operation."""
        self.end_run()
        self.plan = event.plan
        self.operation = event.operation
        self.present = event.present
        self.present_after = event.present_after
        key = (event.plan, event.operation, event.present, event.present_after, event.partial)
        found = self.headings.get(key)
        if found is None:
            if len(self.headings) >= _HEADINGS_KEPT:
                self.headings.clear()
            found = self.headings[key] = heading_of(event)
        self.shapes.add(found[0])
        self.out.put(found[1])

    def end_run(self) -> None:
        """Collect how many bytes the rows had since the last heading."""
        if self.operation >= 0:
            self.out.put_char(_RUN_END)
            self.out.put_uint(self.run)
            self.run = 0
            self.operation = -1
            self.plan = None

    def fail(self, event: Rows, error: Exception) -> None:
        """Report rows that cannot be read: what they change is not known."""
        found: DecodeError = undecodable(error)
        try:
            event.walk(RowWalker(), Sink())
        except DecodeError as better:
            found = better
        self.tell(self.log.path, damage_in(event, found))
        if self.work is not None:
            self.work.doubt = "damaged"

    def add_query(self, work: LoggedTransaction, event: Query) -> None:
        """Collect a statement, unless it only begins or ends the transaction."""
        query = event.query
        role = role_of(query, 0, len(query))
        if role in (BEGIN, COMMIT, ROLLBACK):
            return
        if role in (SAVEPOINT, RELEASE_SAVEPOINT, ROLLBACK_TO):
            self.see_savepoint(work, query, role)
            return
        if self.names is not None and not self.names.takes(event, self.log.stream.context):
            self.waiting.clear()
            return
        self.end_run()
        if self.waiting:
            for part in self.waiting:
                self.put_part(b"V", part)
            self.waiting.clear()
        if isinstance(event, ExecuteLoadQuery):
            query = without_file(event)
        if role < RELEASE_SAVEPOINT:
            work.empty = False
            self.out.put(self.session_of(event))
        self.put_part(b"Q", meaning_of(query))
        work.statements += 1
        self.shapes.add(b"Q")

    def see_savepoint(self, work: LoggedTransaction, query: bytes, role: int) -> None:
        """Keep what was collected up to a savepoint; go back to it where the rows since then are undone.

        Statements may have changed tables without transactions, which a rollback leaves as they are: they remain.
        """
        if role == RELEASE_SAVEPOINT:
            return
        self.end_run()
        if self.savepoints is None:
            self.savepoints = Savepoints()
        self.savepoints.see(role, query, self.events, 0)
        if role == SAVEPOINT:
            if len(self.kept) < _SAVEPOINTS_KEPT:
                state = None if self.hash is None else self.hash.copy()
                figures = (work.rows, work.statements, work.empty)
                self.kept[self.events] = (state, bytes(self.out.content()), set(self.shapes), figures)
            return
        undone = self.savepoints.undone[-1]
        kept = self.kept.get(undone.start) if undone.certain else None
        if kept is None or kept[3][1] != work.statements:
            self.put_part(b"Q", b"%d %d %s" % (work.rows, work.statements, query))
            work.statements += 1
            return
        state, text, shapes, (work.rows, work.statements, work.empty) = kept
        self.hash = None if state is None else state.copy()
        self.out.clear()
        self.out.put(text)
        self.shapes = set(shapes)
        work.undone = [*(one for one in work.undone if one[0] < undone.start), (undone.start, self.events)]

    def session_of(self, event: Query) -> bytes:
        """Return the session variables that change what a statement means, as bytes."""
        found = settings_of(event)
        if found != self.settings:
            self.settings = found
            self.session = repr(found).encode("utf-8", "surrogateescape")
        return self.session

    def add_other(self, work: LoggedTransaction, event: Event) -> None:
        """Collect a variable of the next statement, or a part of a file that it loads."""
        if self.names is None and isinstance(event, Intvar):
            self.end_run()
            self.out.put(b"V")  # nothing leaves out the statement that it belongs to
            self.out.put_uint(event.kind)
            self.out.put_char(_BLANK)
            self.out.put_uint(event.val)
        elif isinstance(event, Intvar | Rand | UserVar):
            self.waiting.append(variable_of(event))
        elif isinstance(event, FileBlock):
            self.end_run()
            work.empty = False
            self.out.put_long(event.block)
            self.drain()
        elif isinstance(event, Load):
            self.end_run()
            work.empty = False
            self.put_part(b"L", load_of(event))
        elif isinstance(event, PartialRowData):
            work.doubt = "rows in fragments cannot be compared"
            work.empty = False


def opens(event: Event) -> bool:
    """Return whether an event is the first one of a transaction."""
    if OPENING_TYPES[event.type_code]:
        return True
    return isinstance(event, Query) and role_of(event.query, 0, len(event.query)) in (BEGIN, XA_START)

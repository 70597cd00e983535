"""What a log did, as SQL: one statement per row change, statements of the log as logged, each in its session.

A transaction begins where its first statement is printed and ends as it did in the log; one whose end was not read is
rolled back. The vendors' text replays events; this SQL makes the changes anew: triggers of the target run again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import tzinfo

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError, counted
from binlogcli.events.control import Incident
from binlogcli.events.damage import rows_damage
from binlogcli.events.event import Event, Transaction
from binlogcli.events.load import ExecuteLoadQuery, Load
from binlogcli.events.log import Log
from binlogcli.events.statements import Intvar, Query, Rand, UserVar, XaPrepare, Xid
from binlogcli.events.tables import Rows
from binlogcli.log import roles
from binlogcli.log.boundaries import role_of
from binlogcli.log.gaps import Damage
from binlogcli.render.client import NO_BACKSLASH_ESCAPES, SPLIT, StatementReader
from binlogcli.render.escape import visible
from binlogcli.render.sql.quoting import hex_literal
from binlogcli.render.sql.rows import SqlRows
from binlogcli.render.sql.session import SqlSession, before_statement
from binlogcli.render.sql.side_effects import TM_BIT_HAS_TRIGGERS_F
from binlogcli.render.writer import EventWriter
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.walk import RowWalker
from binlogcli.select.times import time_text

_START_TRANSACTION = b" START TRANSACTION"  # end of the CREATE TABLE that MySQL 8.0.21 logs for CREATE TABLE ... SELECT
DUMMY = b"# DUMMY EVENT"  # in capitals: MariaDB sends a comment for an event that a replica does not know
_NOT_ENDED = b"ROLLBACK; -- the end of this transaction was not read\n"
_SYSTEM_VERSIONING = re.compile(rb"\bSYSTEM\s+VERSIONING\b", re.IGNORECASE)
_AXIS_ORDER = b", 'axis-order=long-lat'"
_AXIS_ORDER_SINCE = 8  # major version of MySQL from which ST_GeomFromWKB takes the option
_DELIMITER = b"/*!*/;"


class SqlStatements(EventWriter):
    """Writes the events of all logs of a run as SQL; `finish` follows the last log."""

    def __init__(self, out: TextBuffer, zone: tzinfo | None = None) -> None:
        EventWriter.__init__(self, out)
        self.zone = zone
        self.second = -1  # `time` is its text
        self.time = ""
        self.file = ""
        self.walker = RowWalker()
        self.sink = SqlRows(out)
        self.plan: TablePlan | None = None
        self.log: Log | None = None
        self.session = SqlSession()
        self.transaction: Transaction | None = None
        self.opened = False
        self.explicit = False
        self.savepoints: list[bytes] = []  # held back until the transaction's first change
        self.versioned = False  # a table WITH SYSTEM VERSIONING was seen
        self.unnamed: dict[str, None] = {}
        self.triggered: dict[str, None] = {}
        self.dated: dict[str, None] = {}
        self.unsure: dict[str, None] = {}  # columns
        self.loads = 0  # statements LOAD DATA
        self.misread: dict[str, str] = {}  # what clients misread of statements, and the place of the first
        self.reader = StatementReader(_DELIMITER, mariadb=True)

    def begin_log(self, log: Log) -> None:
        """Prepare for a log's events."""
        self.file = visible(log.path)
        self.log = log
        self.plan = None

    def finish(self, write: Callable[[memoryview], object]) -> None:
        """Close the open transaction and write everything out."""
        self._end_transaction()
        write(self.out.content())
        self.out.clear()

    def remarks(self) -> list[str]:
        """Return what the user should know before running the output, a sentence each."""
        found = []
        if self.unnamed:
            found.append(
                f"the column names of {_some(self.unnamed)} are unknown: @1, @2, ... are used instead; pass --schema"
            )
        if self.triggered:
            found.append(
                f"{_some(self.triggered)}: running the output would fire triggers again: drop the triggers first, "
                f"and create them again afterwards"
            )
        if self.dated:
            found.append(f"{_some(self.dated)}: system versioning: the server sets row_start and row_end itself")
        if self.unsure:
            found.append(
                f"{_some(self.unsure)}: unknown whether UNSIGNED: values are written as signed, with the unsigned "
                f"value in a comment; pass --schema or --assume-unsigned"
            )
        if self.loads:
            left_out = counted(self.loads, "statement")
            found.append(
                f"LOAD DATA: {left_out} left out; use --format mysqlbinlog with --local-load for them and their files"
            )
        found += [f"{place}: the statement {trouble}" for trouble, place in self.misread.items()]
        return found

    # events -----------------------------------------------------------------------------------------------------

    def put_event(self, event: Event) -> Damage | None:
        """Write what an event did; return the damage where its rows could not all be read."""
        transaction = event.transaction
        if transaction is not None and transaction is not self.transaction:
            self._end_transaction()
            self.transaction = transaction
        if isinstance(event, Rows):
            return self.put_rows(event)
        if isinstance(event, Query):
            self.put_query(event)
        elif isinstance(event, (Intvar, Rand, UserVar)):
            self._put_setting(event)
        elif isinstance(event, Xid):
            self._end_transaction()
        elif isinstance(event, XaPrepare):
            self._put_prepare(event)
        elif isinstance(event, Load):
            self.loads += 1
            self._put_note(
                event, f"LOAD DATA of a file that is not part of the output, into {event.db}.{event.table_name}"
            )
        elif isinstance(event, Incident):
            self._put_note(event, f"incident {event.incident}: the server lost events here: {event.message}")
        return None

    def put_rows(self, event: Rows) -> Damage | None:
        """Write a statement for each row."""
        self._begin_transaction(in_group=True)
        self.out.put(self.session.for_rows(event.timestamp, event.row_flags))
        self.see_table(event)
        sink = self.sink
        if event.plan is not None and sink.table(event.plan).period >= 0:
            self.session.forget_clock()
        sink.begin_event(b"; -- " + self.place(event) + b"\n")
        failure = None
        try:
            event.walk(self.walker, sink)
        except DecodeError as error:
            failure = error
            self.put_unread(event, error)
        if sink.doubts:
            self.unsure.update(dict.fromkeys(doubtful_columns(event, sink)))
        return rows_damage(event, failure, sink)

    def see_table(self, event: Rows) -> None:
        """Note what `remarks` tells of a table, and how its geometries are written."""
        plan = event.plan
        if plan is None or plan is self.plan or self.log is None:
            return
        self.plan = plan
        name = f"{event.database}.{event.table}"
        if not self.sink.table(plan).named:
            self.unnamed[name] = None
        catalog, definition = self.log.stream.context.catalog, plan.definition
        known = catalog is not None and catalog.triggers(definition.database, definition.table)
        if plan.map_flags & TM_BIT_HAS_TRIGGERS_F or known:
            self.triggered[name] = None
        if self.sink.table(plan).period >= 0:
            self.versioned = True
            self.dated[name] = None
        version = self.log.stream.context.format.server_version.split(".")[0]
        modern = not plan.definition.mariadb and version.isdigit() and int(version) >= _AXIS_ORDER_SINCE
        self.sink.axis_order = _AXIS_ORDER if modern else b""

    def put_unread(self, event: Rows, error: DecodeError) -> None:
        """Write the rows from an unreadable one on as a comment."""
        if self.sink.begun:
            self.out.size = self.sink.row_at
        self._put_note(event, f"rows of {event.database}.{event.table} that could not be read: {error}")

    def put_query(self, event: Query) -> None:
        """Write a statement of the log: what begins or ends a transaction, or any other as it was logged."""
        text = event.query.lstrip()
        words = text[:32].upper()
        role = role_of(text, 0, len(text))
        if role == roles.BEGIN:
            self.explicit = True
        elif role in {roles.COMMIT, roles.ROLLBACK}:
            self._end_transaction()
        elif role in {roles.SAVEPOINT, roles.ROLLBACK_TO, roles.RELEASE_SAVEPOINT}:
            self._put_savepoint(event)
        elif role >= roles.RELEASE_SAVEPOINT:  # XA
            self._allow_prepare()
            ends = words.startswith(b"XA END")
            if ends:
                self._begin_transaction(in_group=True)  # a transaction without changes is not open yet
            self.opened = role == roles.XA_START or (self.opened and ends)
            self.put_statement(event, event.query)
        elif isinstance(event, ExecuteLoadQuery):
            self.loads += 1
            self._put_note(event, f"LOAD DATA of a file that is not part of the output: {event.query!r}")
        elif not words.startswith(DUMMY):
            self._begin_transaction(in_group=self.explicit)
            self.out.put(self.session.for_query(event))
            self.versioned = self.versioned or (event.mariadb and _SYSTEM_VERSIONING.search(event.query) is not None)
            if self.versioned and words.startswith(b"ALTER"):
                self.out.put(self.session.turn({b"system_versioning_alter_history": b"KEEP"}))
            self.put_statement(event, event.query.removesuffix(_START_TRANSACTION))

    def put_statement(self, event: Query, text: bytes) -> None:
        """Write a statement's text, with another delimiter where it holds semicolons."""
        out = self.out
        comment = b" -- " + self.place(event) + b"\n"
        troubles = self._troubles(event, text)
        if b";" not in text and not troubles:
            out.put_long(text)
            out.put(b"\n;" if b"--" in text or b"#" in text or self.reader.sent_comment else b";")
            out.put(comment)
            return
        body, delimiter = self.reader.whole()
        for trouble in troubles:
            self.misread.setdefault(trouble, self.place(event).decode())
        out.put(comment.lstrip())
        out.put(b"DELIMITER " + delimiter + b"\n")
        out.put_long(body)
        out.put(b"\n" + delimiter + b"\nDELIMITER ;\n")

    def _troubles(self, event: Query, text: bytes) -> list[str]:
        """Return what clients misread in a statement, apart from delimiters."""
        mode = event.status.sql_mode
        self.reader.mariadb = event.mariadb
        self.reader.escapes = mode is None or mode & NO_BACKSLASH_ESCAPES == 0
        return [trouble for trouble in self.reader.troubles(text) if trouble != SPLIT]

    def _put_savepoint(self, event: Query) -> None:
        """Write a savepoint; before the transaction's first change it is held back until there is one."""
        start = self.out.size
        self.out.held = not self.opened
        self.put_statement(event, in_backticks(event.query))
        self.out.held = False
        if not self.opened:
            self.savepoints.append(bytes(self.out.content()[start:]))
            self.out.size = start

    def _put_setting(self, event: Intvar | Rand | UserVar) -> None:
        """Write the variable that the next statement reads."""
        try:
            self.out.put(before_statement(event))
        except DecodeError as error:
            self._put_note(event, f"{event.type}: {error}")

    def _put_note(self, event: Event, text: str) -> None:
        """Write a comment line."""
        self.out.put(b"-- " + visible(text).encode("utf-8", "replace") + b" -- " + self.place(event) + b"\n")

    def put_damage(self, damage: Damage) -> None:
        """Write a damaged stretch as a comment."""
        reason = visible(damage.reason).encode("utf-8", "replace")
        self.out.put(b"-- " + self.file.encode() + b":%d: " % damage.start + reason + b"\n")

    def place(self, event: Event) -> bytes:
        """Return file, position, time and GTID of an event."""
        start = event.start if event.within_at < 0 else event.within_at
        if event.timestamp != self.second:
            self.second = event.timestamp
            self.time = time_text(event.timestamp, self.zone)
        text = f"{self.file}:{start} {self.time}"
        gtid = None if event.transaction is None else event.transaction.gtid
        return (text if gtid is None else f"{text} {visible(gtid)}").encode("utf-8", "replace")

    # transactions -----------------------------------------------------------------------------------------------

    def _begin_transaction(self, *, in_group: bool) -> None:
        """Open the transaction, unless it is open; `in_group`: the statement is not one by itself."""
        if self.opened or self.transaction is None:
            return
        transaction = self.transaction
        if transaction.xa is not None and not transaction.standalone:
            self._allow_prepare()
            self.out.put(b"XA START " + _xid_text(*transaction.xa) + b";\n")
        elif in_group or (transaction.mariadb_gtid and not transaction.standalone):
            self.out.put(b"BEGIN;\n")
        else:
            return
        self.opened = True
        self.out.put(b"".join(self.savepoints))
        self.savepoints.clear()

    def _allow_prepare(self) -> None:
        """Set pseudo_slave_mode, in which a session leaves a prepared transaction and may begin the next."""
        self.out.put(self.session.turn({b"pseudo_slave_mode": b"1"}))

    def _end_transaction(self) -> None:
        """Close the open transaction as it ended in the log."""
        if self.opened and self.transaction is not None:
            outcome = self.transaction.outcome
            self.out.put(outcome.encode("ascii") + b";\n" if outcome else _NOT_ENDED)
        self.opened = False
        self.explicit = False
        self.savepoints.clear()
        self.transaction = None

    def _put_prepare(self, event: XaPrepare) -> None:
        """Write XA PREPARE, or XA COMMIT ONE PHASE."""
        name = _xid_text(event.format_id, event.gtrid, event.bqual)
        if event.one_phase:
            self.out.put(b"XA COMMIT " + name + b" ONE PHASE;\n")
        else:
            self.out.put(b"XA PREPARE " + name + b";\n")
        self.opened = False
        self._end_transaction()


def doubtful_columns(event: Rows, sink: SqlRows) -> list[str]:
    """Return the columns that were set to a number whose sign is not known, as DATABASE.TABLE.COLUMN."""
    return [f"{event.database}.{event.table}.{event.columns[index]}" for index in sorted(sink.doubts)]


def in_backticks(savepoint: bytes) -> bytes:
    """Return a savepoint statement with its name in backticks: ANSI_QUOTES logs it in double quotes."""
    words, _, name = savepoint.partition(b'"')
    if b"`" in words or not name.endswith(b'"'):
        return savepoint
    return words + b"`" + name[:-1].replace(b'""', b'"').replace(b"`", b"``") + b"`"


def _xid_text(format_id: int, gtrid: bytes, bqual: bytes) -> bytes:
    """Return the id of an XA transaction."""
    return hex_literal(gtrid) + b"," + hex_literal(bqual) + b",%d" % format_id


def _some(names: dict[str, None]) -> str:
    """Return the first three names, and the number of the others."""
    first = list(names)[:3]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")

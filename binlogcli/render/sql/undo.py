"""The SQL that undoes the row changes of logs, last change first; or the reason why it cannot be right.

The logs are read forwards. Each row change becomes the statement that reverses it (`SqlRows` with `inverse`: INSERT and
DELETE exchanged, an UPDATE from its image after to its image before), and `ReversedText` keeps these statements in a
temporary file, from which they are printed backwards. Each transaction is kept as COMMIT, its statements, BEGIN.

What holds:
- Nothing is printed before everything was read: after a refusal there is no half of an undo.
- Anything that may have changed data and is not a row is refused (statements, LOAD DATA, a rolled back part), and so is
  anything that may hide such a change (damage, lost events, rows that cannot be read). The user leaves it out by name.
- A row is undone only if its images hold enough to find it and to restore it: a DELETE needs all columns before, an
  INSERT the key (or all columns) after, an UPDATE the key and each changed column before. A number with two readings,
  since it is not known whether its column is unsigned, finds a row by both, but is not restored.
- What foreign keys and triggers do beside the rows is refused, accepted by the user, or reported (`side_effects`).
- One session serves the whole output. Its settings come first and allow what any of the events was allowed
  (foreign_key_checks off if one event had them off), since they are known only at the end.
- Memory does not grow with the log: one event's statements and a block of kept text are in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECTS, BinlogError, DecodeError, undecodable
from binlogcli.events.control import Incident
from binlogcli.events.event import Event, Transaction
from binlogcli.events.load import FileBlock, Load
from binlogcli.events.log import Log
from binlogcli.events.mariadb import PartialRowData
from binlogcli.events.statements import Query, XaPrepare
from binlogcli.events.tables import Rows
from binlogcli.log import roles
from binlogcli.log.boundaries import role_of
from binlogcli.log.gaps import MISMATCH, Damage
from binlogcli.render.reversed_text import ReversedText
from binlogcli.render.sql.rows import SqlRows
from binlogcli.render.sql.session import ROWS, SqlSession, rows_checks
from binlogcli.render.sql.side_effects import SideEffects
from binlogcli.render.sql.statements import DUMMY, SqlStatements, doubtful_columns
from binlogcli.rows.images import DELETE, UPDATE, WRITE
from binlogcli.rows.walk import RowWalker
from binlogcli.select.by_operation import operation_of_statement

_FRAME = frozenset({roles.BEGIN, roles.COMMIT, roles.SAVEPOINT, roles.RELEASE_SAVEPOINT})
_XA = frozenset({roles.XA_START, roles.XA_OTHER, roles.XA_COMMIT, roles.XA_ROLLBACK})
_HARMLESS = (b"FLUSH", b"ANALYZE", b"DROP TEMPORARY TABLE", b"DROP /*!40005 TEMPORARY */ TABLE", DUMMY)
_CHOOSE = "exclude it with --start-position, --stop-position, --exclude-gtids, --database or --table"
_EXCLUDE = "with --exclude-gtids, --start-position or --stop-position"
_WITHOUT_DDL = f"exclude DDL with --op insert,update,delete, or this statement {_EXCLUDE}"
_WITHOUT_XA = f"exclude the transaction {_EXCLUDE}"


class UndoError(BinlogError):
    """Changes that cannot be undone by what the log holds."""


class Undo:
    """Takes the events of all logs of a run through `run`; `finish` prints the undo."""

    def __init__(
        self, zone: tzinfo | None = None, *, parents_only: bool = False, without_triggers: bool = False
    ) -> None:
        self.effects = SideEffects(parents_only=parents_only, without_triggers=without_triggers)
        self.out = TextBuffer()
        self.sink = SqlRows(self.out)
        self.sink.inverse = True
        self.walker = RowWalker()
        self.reversed = ReversedText()
        self.comments = SqlStatements(self.out, zone)
        self.transaction: Transaction | None = None
        self.in_group = False
        self.row_flags = 0
        self.file = ""

    def run(self, log: Log) -> None:
        """Read all of a log; UndoError at the first thing that cannot be undone."""
        self.file = log.path
        self.effects.catalog = log.stream.context.catalog
        self.comments.begin_log(log)
        for item in log:
            if isinstance(item, Damage):
                raise UndoError(f"damage: {item.reason}", file=self.file, offset=item.start, hint=_around(item))
            if isinstance(item, Event):
                try:
                    self.take(item)
                except DEFECTS as error:
                    raise self.refuse(item, str(undecodable(error)), "please report it") from error

    def finish(self, write: Callable[[bytes], object]) -> None:
        """Print all statements through `write`, the last change first; UndoError if these are not to be run."""
        if against := self.effects.reason_at_end():
            reason, hint = against
            raise UndoError(f"cannot be undone: {reason}", file=self.file, hint=hint)
        self._leave_group()
        settings = {**ROWS, **rows_checks(self.row_flags)}
        session = SqlSession()
        write(session.turn(settings))
        for block in self.reversed.backwards():
            write(block)

    def remarks(self) -> list[str]:
        """Return what the user has to know before running the undo, a line each."""
        return self.effects.remarks()

    def refuse(self, event: Event, reason: str, hint: str = _CHOOSE) -> UndoError:
        """Return the error for an event that cannot be undone."""
        at = event.start if event.within_at < 0 else event.within_at
        return UndoError(f"cannot be undone: {reason}", file=self.file, offset=at, hint=hint)

    def take(self, event: Event) -> None:
        """Keep the inverse of an event's rows; raise UndoError for an event that changed anything else."""
        if isinstance(event, Rows):
            self._take_rows(event)
        elif isinstance(event, Query):
            self._take_query(event)
        elif isinstance(event, (Load, FileBlock)):
            raise self.refuse(event, "LOAD DATA in statement format")
        elif isinstance(event, Incident):
            raise self.refuse(event, "the server lost events here")
        elif isinstance(event, PartialRowData):
            raise self.refuse(event, "rows in fragments, which cannot be read yet")
        elif isinstance(event, XaPrepare) and not event.one_phase:
            raise self.refuse(event, "XA transactions are not supported: this one is only prepared here", _WITHOUT_XA)

    def _take_query(self, event: Query) -> None:
        """Refuse a statement, unless it is part of a transaction's frame or changes no data."""
        text = event.query.lstrip()
        role = role_of(text, 0, len(text))
        if role == roles.ROLLBACK_TO:
            raise self.refuse(event, "a transaction that was partly rolled back")
        if role == roles.ROLLBACK:
            raise self.refuse(event, "a transaction that was rolled back, but whose rows may have been kept")
        if role in _FRAME or text[:64].upper().startswith(_HARMLESS):
            return
        shown = repr(event.query[:60].decode("utf-8", "replace"))
        if role in _XA:
            raise self.refuse(event, f"XA transactions are not supported: {shown}", _WITHOUT_XA)
        if operation_of_statement(text) == "ddl":
            raise self.refuse(event, f"a DDL statement: {shown}", _WITHOUT_DDL)
        raise self.refuse(event, f"the log has only the statement, not the changed rows: {shown}")

    def _take_rows(self, event: Rows) -> None:
        """Keep the inverse of each row."""
        self.check(event)
        if event.transaction is not self.transaction or not self.in_group:
            self._leave_group()
            self.transaction = event.transaction
            self.in_group = True
            self.reversed.add(b"COMMIT;\n")
        self.row_flags |= event.row_flags
        self.sink.begin_event(b"; -- undoes " + self.comments.place(event) + b"\n")
        self.out.clear()
        try:
            event.walk(self.walker, self.sink)
        except DecodeError as error:
            raise self.refuse(event, f"rows that cannot be read: {error}") from error
        if self.sink.problem:
            raise self.refuse(event, f"rows that cannot be read: {self.sink.problem}")
        if self.sink.doubts:
            name = doubtful_columns(event, self.sink)[0]
            reason = f"a value of {name} would have to be restored, but it is unknown whether the column is UNSIGNED"
            raise self.refuse(event, reason, f"pass --schema FILE.sql, or --assume-unsigned {name}")
        if against := self.effects.reason_against(event, self.sink.changed):
            raise self.refuse(event, *against)
        text = bytes(self.out.content())
        start = 0
        for end in self.sink.ends:
            self.reversed.add(text[start:end])
            start = end

    def _leave_group(self) -> None:
        """End a transaction: in reverse order it begins here."""
        if self.in_group:
            self.reversed.add(b"BEGIN;\n")
        self.in_group = False

    def check(self, event: Rows) -> None:
        """Raise UndoError unless the images suffice to find the changed row and to restore it."""
        plan = event.plan
        if plan is None:
            raise self.refuse(event, "rows without a table map")
        name = f"{event.database}.{event.table}"
        texts = self.sink.table(plan)
        if not texts.named:
            raise self.refuse(event, f"the columns of {name} have no names in the log", "pass --schema FILE.sql")
        before, after = _columns(event.present, event.width), _columns(event.present_after, event.width)
        everything = set(range(event.width))
        known = set(texts.key) if texts.key else everything
        if event.operation == DELETE and before != everything:
            raise self.refuse(event, f"the deleted rows of {name} lack columns (binlog_row_image)")
        if event.operation == WRITE and not known <= after:
            raise self.refuse(event, f"the inserted rows of {name} lack the columns that identify them")
        if event.operation == UPDATE and not (after <= before and known <= before):
            raise self.refuse(event, f"the rows of {name} before their update lack columns (binlog_row_image)")
        if event.partial:
            raise self.refuse(event, f"partial JSON updates in {name}")


def _around(damage: Damage) -> str:
    """Return how to undo what is not damaged."""
    place = damage.start if damage.within is None else damage.within
    apart = (
        f"undo the transactions before and after it separately, with --stop-position {place}, and with "
        f"--start-position at a later transaction"
    )
    return f"pass --no-verify to use this event anyway, or {apart}" if damage.reason.startswith(MISMATCH) else apart


def _columns(bitmap: bytes, width: int) -> set[int]:
    """Return the indexes of the bits that are set."""
    return {at for at in range(width) if bitmap[at >> 3] >> (at & 7) & 1}

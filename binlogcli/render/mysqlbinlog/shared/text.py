"""The text that both families share: rows, and the order of a statement's parts.

A statement of rows is several events, and its text has another order than they: first the header lines of all, then all
events in base64, then all rows. The parts are held in `head`, `body` and `tail` until the statement's last event. Where
they would exceed `held_bytes` they are dropped and made again later, from a second reading of the events (`Replay`):
memory stays bounded, and only statements that large are decoded twice.
"""

from __future__ import annotations

from collections.abc import Callable

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError, EndOfEvent
from binlogcli.events.again.replay import Replay
from binlogcli.events.damage import rows_damage
from binlogcli.events.event import Event
from binlogcli.events.statements import Query
from binlogcli.events.stream import EventStream
from binlogcli.events.tables import Rows, TableMap, UnreadableRowsError
from binlogcli.log.gaps import Damage
from binlogcli.render.client import StatementReader
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.rows.row_text import RowText
from binlogcli.render.mysqlbinlog.shared.event_lines import HEADER_SIZE, EventLines
from binlogcli.render.mysqlbinlog.shared.load_files import LoadFiles
from binlogcli.render.mysqlbinlog.shared.remarks import ReplayRemarks
from binlogcli.render.mysqlbinlog.shared.session import SessionPrinter
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER, one_line
from binlogcli.rows.walk import RowWalker

_NEWLINE = 10
_HELD_BYTES = 1 << 22
_LARGE_PART = 1 << 16  # bytes from which a part is written by itself, not copied
HEAD, BODY, TAIL = 0, 1, 2


class EventText(EventLines):
    """The text of events, written to `out`; base of MysqlText and MariadbText, which add their dialect."""

    def __init__(self, out: TextBuffer, options: TextOptions, loads: LoadFiles, mariadb: bool) -> None:
        super().__init__(out, options, mariadb)
        self.loads = loads
        self.shows_positions = not options.short_form
        self.encoded = options.encoded
        self.verbose = options.verbose
        self.shows_metadata = options.print_table_metadata
        self.filtered = options.filtered
        self.remarks = ReplayRemarks(mariadb=mariadb)
        self.reader = StatementReader(DELIMITER.rstrip(), mariadb=mariadb)
        self.session = SessionPrinter(options, mariadb, self.remarks, self.reader)
        self.row_text = RowText(out, options, mariadb)
        self.walker = RowWalker()
        self.head = TextBuffer()
        self.body = TextBuffer()
        self.tail = TextBuffer()
        self.held_bytes = self.tail.limit = _HELD_BYTES
        self.tail.drain = self._let_go
        self.open_statement = False
        self.has_rows = False  # the open statement has rows
        self.long = False  # `body` and `tail` were dropped as too large: a second reading makes them
        self.headless = False  # `head` was dropped, too
        self.after_gap = False
        self.rows_counted = 0
        self.encoded_size = 0  # bytes of the open statement in base64
        self.replay: Replay = None  # type: ignore[assignment] # each log has its own
        self.flush: Callable[[], None] = out.clear
        self.problems: list[Damage] = []  # of rows that were written, not reported yet
        self.reported: set[int] = set()  # where the events of the open statement begin whose problems are known

    # one event ------------------------------------------------------------------------------------------------

    def put_event(self, event: Event) -> None:
        """Write an event; implemented by the dialect."""
        raise NotImplementedError

    # rows -----------------------------------------------------------------------------------------------------

    def put_row_values(self, out: TextBuffer, event: Rows) -> None:
        """Write the rows of an event as pseudo-SQL."""
        row_text = self.row_text
        row_text.out = out
        if event.extra:
            self.put_extra(out, event)
        failure = None
        row_text.problem = ""
        try:
            if not event.only_ends():
                plan = row_text.use(event.resolve(), event.operation)
                event.walk_by(plan, self.walker, row_text)
        except DecodeError as error:
            failure = error
            row_text.end_value()
            self.put_unread(out, event, error)
        if event.plan is None:
            out.put(b"### Row event for unknown table #%d" % event.table_id)
        if (failure is not None or row_text.problem) and event.start not in self.reported:
            self.reported.add(event.start)
            damage = rows_damage(event, failure, row_text)
            if damage is not None:
                self.problems.append(damage)

    def put_extra(self, out: TextBuffer, event: Rows) -> None:
        """Write the extra row info; the dialect's."""

    def put_unread(self, out: TextBuffer, event: Rows, error: DecodeError) -> None:
        """Write where the rows became unreadable."""
        if event.plan is None:
            return
        if isinstance(error, UnreadableRowsError):
            reason = one_line(str(error).encode("ascii", "backslashreplace"))
            out.put(b"### Rows that cannot be read: " + reason + b"\n")
            return
        if not self.mariadb and isinstance(error, EndOfEvent):
            sizes = b": field size is set to %d, but there are only %d bytes left of the event"
            sizes = sizes % (error.need, max(error.have, 0))
        else:
            sizes = b""
        out.put(b"***Corrupted replication event was detected" + sizes + b". Not printing the value***\n")

    def put_statement(self, out: TextBuffer, event: Query, text: bytes) -> None:
        """Write a statement and the delimiter; one that clients misread so that they send it as one."""
        if self.reader.plain(text) or not self.reader.troubles(text):
            out.put_long(text)
            out.put(b"\n/*!*/;\n")
        else:
            self.remarks.note_statement(event, self.reader.troubles(text))
            out.put(self.reader.lines())

    def put_query_header(self, out: TextBuffer, event: Query, name: bytes) -> None:
        """Write the header line of a statement; `name` holds its type and the first field's name."""
        self.put_header(out, event)
        out.put(name)
        out.put_uint(event.thread_id)
        out.put(b"\texec_time=")
        out.put_uint(event.exec_time)
        out.put(b"\terror_code=")
        out.put_uint(event.error_code)
        self.put_query_end(out, event)
        out.put_char(_NEWLINE)

    def put_query_end(self, out: TextBuffer, event: Query) -> None:
        """Write the last field of a statement's header line; the dialect's."""
        raise NotImplementedError

    # statements of many events --------------------------------------------------------------------------------

    def put_unended(self, event: Event) -> None:
        """End the open statement where `event` shows that its last rows were not chosen."""
        if isinstance(event, Rows) or (isinstance(event, TableMap) and not self.has_rows):
            return
        self.put_what_waits()
        self.close_statement()

    def put_what_waits(self) -> None:
        """Write the held parts of the open statement; the dialect's."""
        raise NotImplementedError

    def _let_go(self, _content: memoryview) -> None:
        """Take note that the rows of one event alone are too long to be held."""
        self.long = True

    def hold(self) -> None:
        """Drop the held parts where they exceed `held_bytes`; they are then written in a second reading."""
        if self.long or self.body.size + self.tail.size > self.held_bytes:
            self.long = True
            self.body.clear()
            self.tail.clear()
        if self.head.size > self.held_bytes:
            self.headless = True
            self.head.clear()

    def release(self, part: TextBuffer) -> None:
        """Write a held part; a large one is swapped into the empty buffer, not copied."""
        out = self.out
        if part.size < _LARGE_PART:
            out.move(part)
            return
        if out.size > 0:
            self.flush()
        out.swap(part)

    def close_statement(self) -> None:
        """Forget the open statement."""
        self.head.clear()
        self.body.clear()
        self.tail.clear()
        self.open_statement = self.has_rows = self.long = self.headless = self.after_gap = False
        self.rows_counted = self.encoded_size = 0
        self.reported.clear()
        self.replay.clear()

    def write_out(self) -> None:
        """Flush the buffer when it is full."""
        if self.out.full():
            self.flush()

    def put_again(self, section: int) -> None:
        """Write a part (HEAD, BODY or TAIL) of the open statement by reading its events a second time."""
        replay = self.replay
        replay.rewind()
        event = replay.advance()
        while event is not None:
            self.put_section(self.out, event, section)
            self.write_out()
            event = replay.advance()

    def put_section(self, out: TextBuffer, event: Event, section: int) -> None:
        """Write what an event adds to a part of its statement; the dialect's."""
        raise NotImplementedError

    def put_gap(self, damage: Damage) -> None:
        """Write damage as a comment; the open statement is printed as comments, which do not run."""
        if self.open_statement:
            self._put_broken_statement()
            self.close_statement()
        self.after_gap = True
        self.loads.forget()
        reason = one_line(damage.reason.encode("ascii", "backslashreplace"))
        self.out.put(b"# Damaged from %d to %d: %s\n" % (damage.start, damage.end, reason))

    def _put_broken_statement(self) -> None:
        """Write what is held of a statement without an end, as comments."""
        if self.headless:
            self.put_again(HEAD)
        else:
            self.release(self.head)
        if self.verbose > 0 and self.long:
            self.put_again(TAIL)
        else:
            self.release(self.tail)

    # a log ----------------------------------------------------------------------------------------------------

    def begin_log(self, stream: EventStream) -> None:
        """Prepare for a log's events."""
        self.replay = Replay(stream)
        self.remarks.begin_log()
        layout = stream.context.format
        self.has_columns = layout.binlog_version == 4 or (self.mariadb and layout.header_size == HEADER_SIZE)
        self.dumped_from = HEADER_SIZE if self.has_columns else 0
        self.reported.clear()

    def end_log(self) -> None:
        """End a log; a statement that is still open has lost its end."""
        if self.open_statement:
            self._put_broken_statement()
            self.close_statement()

    def prologue(self) -> bytes:
        """Return the lines before all logs; the dialect's."""
        raise NotImplementedError

    def epilogue(self) -> bytes:
        """Return the lines after all logs; the dialect's."""
        raise NotImplementedError

"""The text of a MySQL log as mysqlbinlog 9 prints it."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.statements import Query, Xid
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names import event_types
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, QUERY_EVENT, TABLE_MAP_EVENT, type_table
from binlogcli.render.mysqlbinlog.mysql import events
from binlogcli.render.mysqlbinlog.mysql.rows import MysqlRows
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.shared import control, frame
from binlogcli.render.mysqlbinlog.shared.load_files import LoadFiles
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER

_VARIABLES = type_table(event_types.VARIABLE_EVENTS)
_ROLLBACK = b"ROLLBACK /* added by mysqlbinlog */ " + DELIMITER
_COMMIT = b"COMMIT /* added by mysqlbinlog */" + DELIMITER  # ends a GTID without chosen events
_OUTSIDE = type_table(
    (event_types.STOP_EVENT, event_types.ROTATE_EVENT, *event_types.MYSQL_GTID_EVENTS)
)  # outside of transactions, or begin one


class MysqlText(MysqlRows):
    """Prints one MySQL log after another, as one session."""

    def __init__(self, out: TextBuffer, options: TextOptions, loads: LoadFiles) -> None:
        super().__init__(out, options, loads)
        self.pending: list[Event] = []
        self.in_transaction = False
        self.first_log = self.first_format = True
        self.variables = _VARIABLES
        self.outside = _OUTSIDE

    def put_event(self, event: Event) -> None:
        """Write an event."""
        code = event.type_code
        if self.filtered and self.open_statement:
            self.put_unended(event)
        if self.payload is not None and event.within_at < 0:
            self.end_payload()
        if code == FORMAT_DESCRIPTION_EVENT:
            self.meet_format(event)
        elif self.filtered and self.bare_gtid and self.outside[code]:
            self.out.put(_COMMIT)
            self.seen_gtid = self.bare_gtid = False
        if self.shows_positions:
            self.put_at(self.out, event)
        if isinstance(event, TableMap):
            self.put_table_map(event)
        elif isinstance(event, Rows):
            self.put_rows(event)
        elif isinstance(event, Xid):
            self.put_xid(event)
            self.in_transaction = self.seen_gtid = False
        elif isinstance(event, Query) and code == QUERY_EVENT:
            self._put_pending()
            self.put_query(event)
        elif self.variables[code]:
            self.pending.append(event)
        else:
            self.put_rare(event)
        if code != TABLE_MAP_EVENT:
            self.after_gap = self.after_gap and isinstance(event, Rows)

    def put_rare(self, event: Event) -> None:
        """Write an event of a rare type."""
        events.PRINTERS.get(event.type_code, events.put_unknown)(self, event)

    # statements -----------------------------------------------------------------------------------------------

    def _put_pending(self) -> None:
        """Write the variable events that came before a statement; they also wait through LOAD DATA events."""
        if self.pending:
            for event in self.pending:
                events.put_variable(self, event)
            self.pending.clear()

    def put_query(self, event: Query) -> None:
        """Write a statement with its session state."""
        out = self.out
        if not self.short_form:
            self.put_query_header(out, event, b"\tQuery\tthread_id=")
        self.session.put_before(out, event)
        self.put_statement(out, event, event.query)
        self.follow(event.query[:12])

    def follow(self, words: bytes) -> None:
        """Follow the transaction by the tool's rule, not log.boundaries': exact words, and no end at XA PREPARE."""
        self.bare_gtid = False
        if words == b"BEGIN" or words.startswith(b"XA START"):
            self.in_transaction = True
        elif words == b"COMMIT" or (words.startswith((b"ROLLBACK", b"XA ROLLBACK")) and words != b"ROLLBACK TO "):
            self.in_transaction = self.seen_gtid = False
        elif not self.in_transaction:
            self.seen_gtid = False

    def put_query_end(self, out: TextBuffer, event: Query) -> None:
        """Write the number of the transaction that a DDL statement is, where the event has it."""
        if event.status.ddl_xid is not None:
            out.put(b"\tXid = ")
            out.put_uint(event.status.ddl_xid)

    # a log ----------------------------------------------------------------------------------------------------

    def meet_format(self, event: Event) -> None:
        """Close at a new log's format description what was open in the log before it."""
        self.format_place = events.read_to(event, self.options.begins_at) if self.first_log else -1
        self.first_log = False
        if event.flags & control.RELAY_LOG or event.log_pos == 0:
            return
        if not self.first_format:
            self.out.put(self._end_of_binlog())
        self.first_format = False

    def _end_of_binlog(self) -> bytes:
        """Return the statements that close an open transaction and set GTID_NEXT to AUTOMATIC."""
        text = b""
        if self.in_transaction:
            text += _ROLLBACK
        elif self.seen_gtid and self.filtered:
            text += _COMMIT
        elif self.seen_gtid:
            text += b"BEGIN /*added by mysqlbinlog */ " + DELIMITER + _ROLLBACK
        self.in_transaction = self.seen_gtid = self.bare_gtid = False
        if not self.options.skip_gtids:
            text += b"SET @@SESSION.GTID_NEXT= 'AUTOMATIC' /* added by mysqlbinlog */ " + DELIMITER
        return text

    def end_payload(self) -> None:
        """Write that a compressed transaction's events are over."""
        if not self.short_form:
            self.out.put(b"# End of compressed events.\n")
        self.payload = None

    def end_log(self) -> None:
        """End a log."""
        super().end_log()
        if self.payload is not None:
            self.end_payload()

    def prologue(self) -> bytes:
        """Return the lines before all logs."""
        return frame.mysql_prologue(self.options)

    def epilogue(self) -> bytes:
        """Return the lines after all logs, after those that close an open transaction."""
        return self._end_of_binlog() + frame.mysql_epilogue(self.options)

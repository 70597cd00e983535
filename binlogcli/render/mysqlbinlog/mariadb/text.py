"""The text of a MariaDB log as mariadb-binlog 11.8 prints it."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.statements import Intvar, Query, StatementText, Xid
from binlogcli.events.stream import EventStream
from binlogcli.events.tables import Rows, TableMap
from binlogcli.events.transactions import xid_text
from binlogcli.names.event_types import ANNOTATE_ROWS_EVENT, EXECUTE_LOAD_QUERY_EVENT, QUERY_EVENT
from binlogcli.render.mysqlbinlog.mariadb import events
from binlogcli.render.mysqlbinlog.mariadb.rows import MariadbRows
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.shared import frame
from binlogcli.render.mysqlbinlog.shared.load_files import LoadFiles
from binlogcli.render.mysqlbinlog.shared.session import SessionPrinter
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER

_STANDALONE, _TRANSACTIONAL, _ALLOW_PARALLEL, _PREPARED_XA = 1, 4, 8, 64
_TWO_PHASE_ALTER = 2 | 4 | 8  # start, commit, rollback
_SKIP_REPLICATION = 0x8000


class MariadbText(MariadbRows):
    """Prints one MariaDB log after another; session state starts anew with each."""

    def __init__(self, out: TextBuffer, options: TextOptions, loads: LoadFiles) -> None:
        super().__init__(out, options, loads)
        self.skip_replication = False
        self.parallel = self.domain = self.gtid_server = -1

    def put_event(self, event: Event) -> None:
        """Write an event."""
        code = event.type_code
        out = self.out
        if self.filtered and self.open_statement:
            self.put_unended(event)
        if self.shows_positions:
            self.put_at(out, event)
        if isinstance(event, TableMap):
            self.put_table_map(event)
        elif isinstance(event, Rows):
            self.put_rows(event)
        elif code == ANNOTATE_ROWS_EVENT and isinstance(event, StatementText):
            self.annotation = event
        else:
            self.after_gap = False
            if (event.flags & _SKIP_REPLICATION != 0) != self.skip_replication:
                self._put_skip_replication(out)
            if isinstance(event, Xid):
                self.put_xid(event)
            elif isinstance(event, MariadbGtid):
                self.put_gtid(event)
            elif isinstance(event, Query) and code != EXECUTE_LOAD_QUERY_EVENT:
                self.put_query(event)
            elif isinstance(event, Intvar):
                self._put_intvar(event)
            else:
                self.put_rare(event)

    def _put_skip_replication(self, out: TextBuffer) -> None:
        """Write the new value of skip_replication."""
        self.skip_replication = not self.skip_replication
        out.put(b"/*!50521 SET skip_replication=%d*/" % self.skip_replication + DELIMITER)

    def put_rare(self, event: Event) -> None:
        """Write an event of a rare type."""
        events.PRINTERS.get(event.type_code, events.put_unknown)(self, event)

    def _put_intvar(self, event: Intvar) -> None:
        """Write LAST_INSERT_ID or INSERT_ID of the statement that follows."""
        out = self.out
        if not self.short_form:
            self.put_header(out, event)
            out.put(b"\tIntvar\n")
        out.put(b"SET LAST_INSERT_ID=" if event.kind == 1 else b"SET INSERT_ID=")
        out.put_uint(event.val)
        out.put(b"/*!*/;\n")

    # statements -----------------------------------------------------------------------------------------------

    def put_query(self, event: Query) -> None:
        """Write a statement with its session state."""
        out = self.out
        if self.rewrites:
            self.session.put_rewritten_use(out, event)
        if not self.short_form:
            plain = event.type_code == QUERY_EVENT
            self.put_query_header(out, event, b"\tQuery\tthread_id=" if plain else b"\tQuery_compressed\tthread_id=")
        self.session.put_before(out, event)
        extra = event.status.gtid_flags_extra
        if extra is not None and extra & _TWO_PHASE_ALTER:
            events.put_alter(self, event, extra)
        else:
            self.put_statement(out, event, event.query)

    def put_query_end(self, out: TextBuffer, event: Query) -> None:
        """Write the transaction's number, 0 where the event has none."""
        out.put(b"\txid=")
        out.put_uint(event.status.xid or 0)

    def put_gtid(self, event: MariadbGtid) -> None:
        """Write the GTID event that opens an event group, and the statement that opens its transaction."""
        out = self.out
        self.session.gtid_flags = event.flags2
        if not self.short_form:
            self.put_header(out, event)
            out.put(b"\tGTID ")
            out.put_uint(event.domain_id)
            out.put_char(45)
            out.put_uint(event.server_id)
            out.put_char(45)
            out.put_uint(event.seq_no)
            if event.flags2 & ~(_STANDALONE | _TRANSACTIONAL | _ALLOW_PARALLEL) or event.flags_extra:
                out.put(events.gtid_words(event))
            else:
                out.put(b" trans\n" if event.flags2 & _TRANSACTIONAL else b"\n")
            self._put_gtid_state(out, event)
        if event.flags2 & _PREPARED_XA and event.xid is not None:
            out.put(b"XA START " + xid_text(*event.xid).encode("ascii") + DELIMITER)
        elif event.flags2 & _STANDALONE == 0:
            out.put(b"START TRANSACTION\n" + DELIMITER)

    def _put_gtid_state(self, out: TextBuffer, event: MariadbGtid) -> None:
        """Write the session variables that give a replayed group its GTID."""
        parallel = event.flags2 & _ALLOW_PARALLEL
        if parallel != self.parallel:
            self.parallel = parallel
            out.put(b"/*M!100101 SET @@session.skip_parallel_replication=%d*/" % (parallel == 0) + DELIMITER)
        if event.domain_id != self.domain:
            self.domain = event.domain_id
            out.put(b"/*M!100001 SET @@session.gtid_domain_id=%d*/" % event.domain_id + DELIMITER)
        if event.server_id != self.gtid_server:
            self.gtid_server = event.server_id
            out.put(b"/*M!100001 SET @@session.server_id=%d*/" % event.server_id + DELIMITER)
        out.put(b"/*M!100001 SET @@session.gtid_seq_no=")
        out.put_uint(event.seq_no)
        out.put(b"*//*!*/;\n")

    # a log ----------------------------------------------------------------------------------------------------

    def begin_log(self, stream: EventStream) -> None:
        """Reset all state for a new log."""
        super().begin_log(stream)
        self.session = SessionPrinter(self.options, True, self.remarks, self.reader)
        self.annotation = None
        self.map_lines.clear()  # a remark on a name is due once per log
        self.skip_replication = False
        self.parallel = self.domain = self.gtid_server = -1
        self.out.put(b"DELIMITER /*!*/;\n")

    def end_log(self) -> None:
        """End a log and restore the delimiter."""
        super().end_log()
        self.out.put(b"DELIMITER ;\n")

    def prologue(self) -> bytes:
        """Return the lines before all logs."""
        return frame.mariadb_prologue(self.options)

    def epilogue(self) -> bytes:
        """Return the lines after all logs."""
        return frame.mariadb_epilogue(self.options)

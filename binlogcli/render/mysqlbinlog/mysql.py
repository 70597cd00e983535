"""The text of a MySQL log, in the words of mysqlbinlog 9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.statements import Query, Xid
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names.event_types import (
    DELETE_ROWS_EVENT_V1,
    FORMAT_DESCRIPTION_EVENT,
    MYSQL_GTID_EVENTS,
    PARTIAL_UPDATE_ROWS_EVENT,
    QUERY_EVENT,
    ROTATE_EVENT,
    STOP_EVENT,
    TABLE_MAP_EVENT,
    VARIABLE_EVENTS,
    type_table,
)
from binlogcli.render.mysqlbinlog import frame
from binlogcli.render.mysqlbinlog.events import control, mysql
from binlogcli.render.mysqlbinlog.events.control import DELIMITER
from binlogcli.render.mysqlbinlog.events.load import LoadFiles
from binlogcli.render.mysqlbinlog.events.rewritten import checksummed, renamed
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.text import BODY, TAIL, EventText

if TYPE_CHECKING:
    from binlogcli.events.mysql import TransactionPayload

BLOCK_START = b"\nBINLOG '\n"
VARIABLES = type_table(VARIABLE_EVENTS)
ROW_NAMES = (b"Write_rows", b"Update_rows", b"Delete_rows")
FLAG_NAMES = (
    b" STMT_END_F",
    b" NO_FOREIGN_KEY_CHECKS_F",
    b" RELAXED_UNIQUE_CHECKS_F",
    b" COMPLETE_ROWS_F",
    b" USE_SQL_FOREIGN_KEY_F",
)
HIDDEN_KEY = 4  # table map flag
ROLLBACK = b"ROLLBACK /* added by mysqlbinlog */ " + DELIMITER
COMMIT = b"COMMIT /* added by mysqlbinlog */" + DELIMITER  # a transaction has its GTID, and nothing that was chosen
OUTSIDE = type_table((STOP_EVENT, ROTATE_EVENT, *MYSQL_GTID_EVENTS))  # what stands in no transaction, or begins one


class MysqlText(EventText):
    """One log after another, in one session."""

    def __init__(self, out: TextBuffer, options: TextOptions, loads: LoadFiles) -> None:
        super().__init__(out, options, loads, False)
        self.verbose = 0 if options.short_form else options.verbose  # the short form has no rows, -v or not
        self.pending: list[Event] = []
        self.in_transaction = False
        self.seen_gtid = False
        self.bare_gtid = False  # nothing of its transaction was chosen so far
        self.first_log = self.first_format = True
        self.shows_hidden_key = False
        self.payload: TransactionPayload | None = None
        self.variables = VARIABLES
        self.outside = OUTSIDE
        self.format_place = -1
        self.shows_gtids = not options.skip_gtids

    def put_event(self, event: Event) -> None:
        """The text of an event."""
        code = event.type_code
        if self.filtered and self.open_statement:
            self.put_unended(event)
        if self.payload is not None and event.within_at < 0:
            self.end_payload()
        if code == FORMAT_DESCRIPTION_EVENT:
            self.meet_format(event)
        elif self.filtered and self.bare_gtid and self.outside[code]:
            self.out.put(COMMIT)
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
            self.put_pending()
            self.put_query(event)
        elif self.variables[code]:
            self.pending.append(event)
        else:
            self.put_rare(event)
        if code != TABLE_MAP_EVENT:
            self.after_gap = self.after_gap and isinstance(event, Rows)

    def put_rare(self, event: Event) -> None:
        """An event of which logs have few."""
        mysql.PRINTERS.get(event.type_code, mysql.put_unknown)(self, event)

    def place_of(self, event: Event) -> int:
        """The offset that the text names; in a payload, where the payload ends."""
        if event.within_at >= 0 and self.payload is not None:
            return int(self.payload.log_pos)
        if self.format_place >= 0 and event.type_code == FORMAT_DESCRIPTION_EVENT:
            return self.format_place
        return event.start

    def is_renamed(self, event: Event) -> bool:
        """Whether the tool makes an event anew for another database's name."""
        if isinstance(event, TableMap):
            return event.database in self.options.rewrite_db
        return isinstance(event, Query) and event.db in self.options.rewrite_db

    def derived_bytes(self, event: Event) -> bytes:
        """An event as the tool makes it: out of a payload, or for another database."""
        raw = event.data[event.at : event.body_end]
        if self.rewrites and self.is_renamed(event):
            name = event.database if isinstance(event, TableMap) else event.db  # type: ignore[attr-defined]
            raw = renamed(raw, event, self.options.database(name))  # type: ignore[arg-type]
        return checksummed(raw) if self.has_derived_checksum(event) else raw

    def has_derived_checksum(self, event: Event) -> bool:
        """Whether a checksum ends it; in a payload none does, but the tool adds it."""
        return self.payload.crc >= 0 if self.payload is not None else event.crc >= 0

    def put_encoded_map(self, out: TextBuffer, event: TableMap) -> None:
        """A table map in base64, with the database's name that it has here."""
        if self.rewrites and self.is_renamed(event):
            self.put_encoded_bytes(out, self.derived_bytes(event))
        else:
            self.put_encoded(out, event)

    # rows -----------------------------------------------------------------------------------------------------

    def put_table_map(self, event: TableMap) -> None:
        """From here on a number stands for a table."""
        out = self.out
        self.open_statement = True
        self.after_gap = False
        self.replay.note(event)
        if not self.short_form:
            hidden = event.map_flags & HIDDEN_KEY != 0
            self.put_header(out, event)
            name = control.encoded_text(f"`{self.options.database(event.database)}`.`{event.table}`")
            out.put(b"\tTable_map: " + name + b" mapped to number %d\n" % event.table_id)
            if self.shows_hidden_key:
                out.put(b"# has_generated_invisible_primary_key=%d\n" % hidden)
            if self.shows_metadata:
                from binlogcli.render.mysqlbinlog.rows.metadata import mysql_metadata  # noqa: PLC0415 - rarely wanted

                out.put(mysql_metadata(event.definition, hidden_key=hidden))
        if self.encoded:
            self.put_in_block(event)

    def put_in_block(self, event: Event) -> None:
        """An event in the BINLOG statement, which begins here where it has not begun."""
        if self.long:
            return
        if self.body.size == 0:
            self.body.put(BLOCK_START)
        self.put_section(self.body, event, BODY)

    def put_rows(self, event: Rows) -> None:
        """Rows of one table; with the last of the statement all that waited is written."""
        out = self.out
        if not self.short_form:
            self.put_rows_header(out, event)
        if self.after_gap:
            self.put_stray_rows(event)
        elif event.row_flags & 1 or event.ranges is not None:  # rows that were chosen stand alone
            self.put_last_rows(event)
        else:
            self.open_statement = self.has_rows = True
            self.replay.note(event)
            if self.encoded:
                self.put_in_block(event)
            if self.verbose > 0 and not self.long:
                self.put_row_values(self.tail, event)
            self.hold()

    def put_last_rows(self, event: Rows) -> None:
        """The rows that end a statement, and all that waited for them."""
        out = self.out
        if self.encoded:
            self.put_held_block()
            self.put_encoded(out, event)
            out.put(b"'/*!*/;\n")
        if self.verbose > 0:
            self.put_held_rows()
            self.put_row_values(out, event)
        self.close_statement()

    def put_held_block(self) -> None:
        """The BINLOG statement as far as it waited."""
        if self.long:
            self.out.put(BLOCK_START)
            self.put_again(BODY)
        else:
            if self.body.size == 0:
                self.out.put(BLOCK_START)
            self.release(self.body)

    def put_held_rows(self) -> None:
        """The rows that waited."""
        if self.long:
            self.put_again(TAIL)
        else:
            self.release(self.tail)

    def put_what_waits(self) -> None:
        """All of the open statement that waits for its end."""
        if self.encoded:
            self.put_held_block()
            self.out.put(b"'/*!*/;\n")
        if self.verbose > 0:
            self.put_held_rows()

    def put_stray_rows(self, event: Rows) -> None:
        """Rows whose statement lost its beginning: shown, and not given to be run."""
        if self.verbose > 0:
            self.put_row_values(self.out, event)
        if event.row_flags & 1:
            self.close_statement()

    def put_section(self, out: TextBuffer, event: Event, section: int) -> None:
        """What an event adds to a part of its statement."""
        if section == BODY:
            if isinstance(event, TableMap):
                self.put_encoded_map(out, event)
            else:
                self.put_encoded(out, event)
        elif isinstance(event, Rows):
            self.put_row_values(out, event)

    def put_rows_header(self, out: TextBuffer, event: Rows) -> None:
        """The header line of a rows event, with the names of its flags."""
        self.put_header(out, event)
        name = ROW_NAMES[event.operation]
        if event.type_code <= DELETE_ROWS_EVENT_V1:
            name += b"_v1"
        elif event.type_code == PARTIAL_UPDATE_ROWS_EVENT:
            name += b"_partial"
        out.put(b"\t" + name + b": table id %d" % event.table_id)
        flags = event.row_flags
        if flags:
            out.put(b" flags:" + b"".join(text for bit, text in enumerate(FLAG_NAMES) if flags >> bit & 1))
            if flags >> len(FLAG_NAMES):
                out.put(b" UNKNOWN_FLAG(0x%x)" % (flags >> len(FLAG_NAMES) << len(FLAG_NAMES)))
        out.put_char(10)

    def put_extra(self, out: TextBuffer, event: Rows) -> None:
        """The extra row info."""
        out.put(mysql.extra_text(event))

    # statements -----------------------------------------------------------------------------------------------

    def put_pending(self) -> None:
        """The variables that a statement uses, which came before it; those of LOAD DATA wait, too."""
        if self.pending:
            for event in self.pending:
                mysql.put_variable(self, event)
            self.pending.clear()

    def put_query(self, event: Query) -> None:
        """A statement with its session state."""
        out = self.out
        if not self.short_form:
            self.put_query_header(out, event, b"\tQuery\tthread_id=")
        self.session.put_before(out, event)
        out.put(event.query)
        out.put(b"\n/*!*/;\n")
        self.follow(event.query[:12])

    def follow(self, words: bytes) -> None:
        """What a statement means for the transaction that is open; to the tool XA PREPARE ends none."""
        self.bare_gtid = False
        if words == b"BEGIN" or words.startswith(b"XA START"):
            self.in_transaction = True
        elif words == b"COMMIT" or (words.startswith((b"ROLLBACK", b"XA ROLLBACK")) and words != b"ROLLBACK TO "):
            self.in_transaction = self.seen_gtid = False
        elif not self.in_transaction:
            self.seen_gtid = False

    def put_query_header(self, out: TextBuffer, event: Query, name: bytes) -> None:
        """The header line of a statement."""
        self.put_header(out, event)
        out.put(name)
        out.put_uint(event.thread_id)
        out.put(b"\texec_time=")
        out.put_uint(event.exec_time)
        out.put(b"\terror_code=")
        out.put_uint(event.error_code)
        if event.status.ddl_xid is not None:
            out.put(b"\tXid = ")
            out.put_uint(event.status.ddl_xid)
        out.put_char(10)

    # a log ----------------------------------------------------------------------------------------------------

    def meet_format(self, event: Event) -> None:
        """Another log begins: what was open in the one before is closed."""
        self.format_place = control.read_to(event, self.options.begins_at) if self.first_log else -1
        self.first_log = False
        if event.flags & control.RELAY_LOG or event.log_pos == 0:
            return
        if not self.first_format:
            self.out.put(self.end_of_binlog())
        self.first_format = False

    def end_of_binlog(self) -> bytes:
        """What closes an open transaction, and gives GTIDs back to the server."""
        text = b""
        if self.in_transaction:
            text += ROLLBACK
        elif self.seen_gtid and self.filtered:
            text += COMMIT
        elif self.seen_gtid:
            text += b"BEGIN /*added by mysqlbinlog */ " + DELIMITER + ROLLBACK
        self.in_transaction = self.seen_gtid = self.bare_gtid = False
        if not self.options.skip_gtids:
            text += b"SET @@SESSION.GTID_NEXT= 'AUTOMATIC' /* added by mysqlbinlog */ " + DELIMITER
        return text

    def end_payload(self) -> None:
        """The content of a compressed transaction is over."""
        if not self.short_form:
            self.out.put(b"# End of compressed events.\n")
        self.payload = None

    def end_log(self) -> None:
        """A log is over."""
        super().end_log()
        if self.payload is not None:
            self.end_payload()

    def prologue(self) -> bytes:
        """What stands before everything."""
        return frame.mysql_prologue(self.options)

    def epilogue(self) -> bytes:
        """What stands behind everything."""
        return self.end_of_binlog() + frame.mysql_epilogue(self.options)

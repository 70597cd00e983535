"""The text of a MariaDB log, in the words of mariadb-binlog 11.8."""

from __future__ import annotations

from binlogcli.events.event import Event
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.statements import Intvar, Query, StatementText, Xid
from binlogcli.events.stream import EventStream
from binlogcli.events.tables import Rows, TableMap
from binlogcli.render.mysqlbinlog import byte_loops, frame, gtids, mariadb_rare, statements
from binlogcli.render.mysqlbinlog.compressed import FIRST_COMPRESSED, LAST_COMPRESSED, unpacked_rows
from binlogcli.render.mysqlbinlog.control import DELIMITER
from binlogcli.render.mysqlbinlog.counting import RowCounter
from binlogcli.render.mysqlbinlog.load import LoadFiles
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.rows import table_name
from binlogcli.render.mysqlbinlog.session import Session
from binlogcli.render.mysqlbinlog.text import BODY, HEAD, TAIL, EventText
from binlogcli.rows.out import Out

QUERY, EXECUTE_LOAD_QUERY, ANNOTATE = 2, 18, 160
STANDALONE, TRANSACTIONAL, ALLOW_PARALLEL, PREPARED_XA = 1, 4, 8, 64
TWO_PHASE_ALTER = 2 | 4 | 8  # start, commit, rollback
SKIP_REPLICATION = 0x8000
HAS_TRIGGERS = 0x4000
ENCODED_LIMIT = 1 << 30  # the largest packet that a server can be made to take
BLOCK_FRAME = 4 + 11 + 5  # a packet's header, and what stands around the base64 of a statement, as the tool counts it
FRAGMENT = b"\nSET @binlog_fragment_%d ='\n"
ROW_NAMES = (b"Write", b"Update", b"Delete")


class MariadbText(EventText):
    """One log after another; the session begins anew with each."""

    def __init__(self, out: Out, options: TextOptions, loads: LoadFiles) -> None:
        super().__init__(out, options, loads, True)
        self.counter = RowCounter()
        self.annotation: StatementText | None = None
        self.until_split = 0
        self.encoded_limit = ENCODED_LIMIT
        self.last_start = 0
        self.skip_replication = False
        self.parallel = self.domain = self.gtid_server = -1
        self.map_lines: dict[object, bytes] = {}

    def put_event(self, event: Event) -> None:
        """The text of an event."""
        code = event.type_code
        out = self.out
        if self.shows_positions:
            self.put_at(out, event)
        if isinstance(event, TableMap):
            self.put_table_map(event)
        elif isinstance(event, Rows):
            self.put_rows(event)
        elif isinstance(event, StatementText):
            self.annotation = event
        else:
            self.after_gap = False
            if (event.flags & SKIP_REPLICATION != 0) != self.skip_replication:
                self.put_skip_replication(out)
            if isinstance(event, Xid):
                self.put_xid(event)
            elif isinstance(event, MariadbGtid):
                self.put_gtid(event)
            elif isinstance(event, Query) and code != EXECUTE_LOAD_QUERY:
                self.put_query(event)
            elif isinstance(event, Intvar):
                self.put_intvar(event)
            else:
                self.put_rare(event)

    def put_skip_replication(self, out: Out) -> None:
        """Whether replicas that ask for it leave the event out, which has changed."""
        self.skip_replication = not self.skip_replication
        out.put(b"/*!50521 SET skip_replication=%d*/" % self.skip_replication + DELIMITER)

    def put_rare(self, event: Event) -> None:
        """An event of which logs have few."""
        mariadb_rare.PRINTERS.get(event.type_code, mariadb_rare.put_unknown)(self, event)

    def put_intvar(self, event: Intvar) -> None:
        """LAST_INSERT_ID or INSERT_ID of the statement that follows."""
        out = self.out
        if not self.short_form:
            self.put_header(out, event)
            out.put(b"\tIntvar\n")
        out.put(b"SET LAST_INSERT_ID=" if event.kind == 1 else b"SET INSERT_ID=")
        out.put_uint(event.val)
        out.put(b"/*!*/;\n")

    def put_dump(self, out: Out, event: Event) -> None:
        """The event's bytes as comments: rows unpacked, annotations counted from the event that was read last."""
        code = event.type_code
        if isinstance(event, Rows) and FIRST_COMPRESSED <= code <= LAST_COMPRESSED:
            data = unpacked_rows(event)
            self.raw.load(data)
            self.put_hexdump(out, self.raw, 0, len(data), event.start)
        else:
            place = self.last_start if code == ANNOTATE else event.start
            self.put_hexdump(out, self.bytes_of(event), event.at, event.length, place)

    # rows -----------------------------------------------------------------------------------------------------

    def put_annotation(self, out: Out, event: StatementText) -> None:
        """The text of the statement whose rows follow."""
        if self.short_form:
            out.put(b"# Annotate_rows:\n")
        else:
            self.put_header(out, event)
            out.put(b"\tAnnotate_rows:\n")
        raw = self.bytes_of(event)
        start, end = event.body_start, event.body_end
        out.ensure(6 * (end - start) + 8)
        out.size = byte_loops.put_commented(out.chars, out.size, raw.view, start, end)

    def put_table_map(self, event: TableMap) -> None:
        """From here on a number stands for a table."""
        out = self.out
        if self.annotation is not None:
            self.last_start = event.start
            self.put_annotation(out, self.annotation)
            self.annotation = None
        self.after_gap = False
        if self.short_form:
            return
        self.open_statement = True
        self.replay.note(event)
        self.put_header(out, event)
        line = self.map_lines.get(event.plan)
        if line is None:
            line = self.map_line(event)
        out.put(line)
        out.put_uint(event.table_id)
        out.put(b" (has triggers)\n" if event.map_flags & HAS_TRIGGERS else b"\n")
        if self.shows_metadata:
            from binlogcli.render.mysqlbinlog.metadata import mariadb_metadata  # noqa: PLC0415 - rarely wanted

            out.put(mariadb_metadata(event.definition))
        if self.encoded:
            self.encoded_size += self.size_in_base64(event)
            if not self.long:
                self.put_encoded_map(self.body, event)

    def map_line(self, event: TableMap) -> bytes:
        """The line that names a table, made once per definition."""
        if len(self.map_lines) > 1000:
            self.map_lines.clear()
        name = table_name(self.options.database(event.database), event.table)
        line = b"\tTable_map: " + name + b" mapped to number "
        self.map_lines[event.plan] = line
        return line

    def put_rows(self, event: Rows) -> None:
        """Rows of one table; with the last of the statement all that waited is written."""
        if self.short_form:
            return
        if self.after_gap:
            self.put_stray_rows(event)
        elif event.row_flags & 1 or event.ranges is not None:  # rows that were chosen stand alone
            self.put_last_rows(event)
        else:
            self.open_statement = True
            self.replay.note(event)
            if self.encoded:
                self.encoded_size += self.size_in_base64(event)
            if not self.headless:
                self.put_rows_header(self.head, event)
            if self.verbose == 0:
                self.rows_counted += self.counter.count(event)
            if not self.long:
                if self.encoded:
                    self.put_encoded_rows(self.body, event)
                if self.verbose > 0:
                    self.put_values(self.tail, event)
            self.hold()

    def put_last_rows(self, event: Rows) -> None:
        """The rows that end a statement, and all that waited for them."""
        out = self.out
        if self.headless:
            self.put_again(HEAD)
        else:
            self.release(self.head)
        self.put_rows_header(out, event)
        if self.encoded:
            self.encoded_size += self.size_in_base64(event)
            if self.long and self.encoded_size + BLOCK_FRAME > self.encoded_limit:
                self.put_fragments(event)
            else:
                out.put(b"\nBINLOG '\n")
                if self.long:
                    self.put_again(BODY)
                else:
                    self.release(self.body)
                self.put_encoded_rows(out, event)
                out.put(b"'/*!*/;\n")
        if self.verbose == 0:
            self.rows_counted += self.counter.count(event)
        else:
            if self.long:
                self.rows_counted = 0
                self.put_again(TAIL)
            else:
                self.release(self.tail)
            self.put_values(out, event)
        out.put(b"# Number of rows: ")
        out.put_uint(self.rows_counted)
        out.put_char(10)
        self.close_statement()

    def put_fragments(self, event: Rows) -> None:
        """More than the server takes as one statement: two halves, which it puts together."""
        out = self.out
        self.until_split = self.encoded_size // 2 + 1
        out.put(FRAGMENT % 0)
        self.put_again(BODY)
        self.put_section(out, event, BODY)
        out.put(b"'/*!*/;\nBINLOG @binlog_fragment_0, @binlog_fragment_1/*!*/;\n")
        self.until_split = 0

    def split(self, out: Out, start: int) -> None:
        """What was written from `start` on counts towards the first half, which may end in it."""
        written = out.size - start
        if written < self.until_split:
            self.until_split -= written
            return
        cut = start + self.until_split
        rest = bytes(out.content()[cut:])
        out.size = cut
        out.put(b"\n'/*!*/;" + FRAGMENT % 1)
        out.put(rest)
        self.until_split = 0

    def size_in_base64(self, event: Event) -> int:
        """How much of a BINLOG statement an event takes."""
        length = event.length
        if isinstance(event, Rows) and event.type_code >= FIRST_COMPRESSED:
            length = len(unpacked_rows(event))
        characters = (length + 2) // 3 * 4
        return characters + (characters + 75) // 76

    def put_stray_rows(self, event: Rows) -> None:
        """Rows whose statement lost its beginning: shown, and not given to be run."""
        self.put_rows_header(self.out, event)
        if self.verbose > 0:
            self.put_values(self.out, event)
        if event.row_flags & 1:
            self.close_statement()

    def put_section(self, out: Out, event: Event, section: int) -> None:
        """What an event adds to a part of its statement."""
        start = out.size
        if isinstance(event, Rows):
            if section == HEAD:
                self.put_rows_header(out, event)
            elif section == BODY:
                self.put_encoded_rows(out, event)
            else:
                self.put_values(out, event)
        elif section == BODY and isinstance(event, TableMap):
            self.put_encoded_map(out, event)
        if section == BODY and self.until_split > 0:
            self.split(out, start)

    def put_encoded_rows(self, out: Out, event: Rows) -> None:
        """The event in base64, without compression."""
        if event.type_code < FIRST_COMPRESSED:
            self.put_encoded(out, event)
        else:
            self.put_encoded_bytes(out, unpacked_rows(event))

    def put_rows_header(self, out: Out, event: Rows) -> None:
        """The header line of a rows event."""
        self.put_header(out, event)
        out.put_char(9)
        out.put(ROW_NAMES[event.operation])
        out.put(b"_compressed_rows: table id " if event.type_code >= 166 else b"_rows: table id ")
        out.put_uint(event.table_id)
        out.put(b" flags: STMT_END_F\n" if event.row_flags & 1 else b"\n")

    def put_values(self, out: Out, event: Rows) -> None:
        """The rows, which are counted."""
        self.row_text.rows = 0
        self.put_row_values(out, event)
        self.rows_counted += self.row_text.rows

    def put_extra(self, out: Out, event: Rows) -> None:
        """The extra row info."""
        out.put(b"### Extra row data format: %d, len: %d :" % (event.extra[1], len(event.extra) - 2))
        if len(event.extra) > 2:
            out.put(b"X'" + event.extra[2:].hex().upper().encode("ascii") + b"'")
        out.put_char(10)

    # statements -----------------------------------------------------------------------------------------------

    def put_query(self, event: Query) -> None:
        """A statement with its session state."""
        out = self.out
        if self.rewrites:
            self.session.put_rewritten_use(out, event)
        if not self.short_form:
            plain = event.type_code == QUERY
            self.put_query_header(out, event, b"\tQuery\tthread_id=" if plain else b"\tQuery_compressed\tthread_id=")
        self.session.put_before(out, event)
        extra = event.status.gtid_flags_extra
        if extra is not None and extra & TWO_PHASE_ALTER:
            mariadb_rare.put_alter(self, event, extra)
        else:
            out.put(event.query)
            out.put(b"\n" + DELIMITER)

    def put_query_header(self, out: Out, event: Query, name: bytes) -> None:
        """The header line of a statement."""
        self.put_header(out, event)
        out.put(name)
        out.put_uint(event.thread_id)
        out.put(b"\texec_time=")
        out.put_uint(event.exec_time)
        out.put(b"\terror_code=")
        out.put_uint(event.error_code)
        out.put(b"\txid=")
        out.put_uint(event.status.xid or 0)
        out.put_char(10)

    def put_gtid(self, event: MariadbGtid) -> None:
        """The GTID that opens an event group."""
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
            if event.flags2 & ~(STANDALONE | TRANSACTIONAL | ALLOW_PARALLEL) or event.flags_extra:
                out.put(gtids.mariadb_words(event))
            else:
                out.put(b" trans\n" if event.flags2 & TRANSACTIONAL else b"\n")
            self.put_gtid_state(out, event)
        if event.flags2 & PREPARED_XA and event.xid is not None:
            out.put(b"XA START " + statements.xid_text(*event.xid) + DELIMITER)
        elif event.flags2 & STANDALONE == 0:
            out.put(b"START TRANSACTION\n" + DELIMITER)

    def put_gtid_state(self, out: Out, event: MariadbGtid) -> None:
        """The variables that make a replayed group get the same GTID."""
        parallel = event.flags2 & ALLOW_PARALLEL
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
        """A log begins: nothing is carried over from the one before."""
        super().begin_log(stream)
        self.session = Session(self.options, True)
        self.annotation = None
        self.skip_replication = False
        self.parallel = self.domain = self.gtid_server = -1
        self.out.put(b"DELIMITER /*!*/;\n")

    def end_log(self) -> None:
        """A log is over."""
        super().end_log()
        self.out.put(b"DELIMITER ;\n")

    def prologue(self) -> bytes:
        """What stands before everything."""
        return frame.mariadb_prologue(self.options)

    def epilogue(self) -> bytes:
        """What stands behind everything."""
        return frame.mariadb_epilogue(self.options)

"""Rows as mariadb-binlog 11.8 prints them: all headers of a statement, then its BINLOG statement, then its rows."""

from __future__ import annotations

from functools import partial

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.statements import StatementText
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names.event_types import (
    ANNOTATE_ROWS_EVENT,
    DELETE_ROWS_COMPRESSED_EVENT,
    WRITE_ROWS_COMPRESSED_EVENT_V1,
    WRITE_ROWS_EVENT_V1,
)
from binlogcli.render.identifiers import qualified_name
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.rows import byte_loops
from binlogcli.render.mysqlbinlog.rows.counting import RowCounter
from binlogcli.render.mysqlbinlog.shared.load_files import LoadFiles
from binlogcli.render.mysqlbinlog.shared.rewritten import unpacked_rows, unpacked_size
from binlogcli.render.mysqlbinlog.shared.text import BODY, HEAD, TAIL, EventText
from binlogcli.rows.plan_cache import COLUMNS_KEPT

_HAS_TRIGGERS = 0x4000
_ENCODED_LIMIT = 1 << 30  # the largest max_allowed_packet
_BLOCK_FRAME = 4 + 11 + 5  # the packet's header and the text around the base64, as the tool counts them
_FRAGMENT = b"\nSET @binlog_fragment_%d ='\n"
_ROW_NAMES = (b"Write", b"Update", b"Delete")


class MariadbRows(EventText):
    """The text of row events and of the annotations and table maps before them; base of MariadbText."""

    def __init__(self, out: TextBuffer, options: TextOptions, loads: LoadFiles) -> None:
        super().__init__(out, options, loads, True)
        self.counter = RowCounter()
        self.annotation: StatementText | None = None
        self.until_split = 0
        self.encoded_limit = _ENCODED_LIMIT
        self.last_start = 0
        self.map_lines: dict[object, bytes] = {}
        self.map_columns = 0  # of the tables in `map_lines`

    def put_dump(self, out: TextBuffer, event: Event) -> None:
        """Write the event's bytes as comments: rows decompressed, annotations at the offset of the table map."""
        code = event.type_code
        if isinstance(event, Rows) and WRITE_ROWS_COMPRESSED_EVENT_V1 <= code <= DELETE_ROWS_COMPRESSED_EVENT:
            data = unpacked_rows(event)
            self.raw.load(data)
            self.put_hexdump(out, self.raw, 0, len(data), event.start)
        else:
            place = self.last_start if code == ANNOTATE_ROWS_EVENT else event.start
            self.put_hexdump(out, self.bytes_of(event), event.at, event.length, place)

    def put_annotation(self, out: TextBuffer, event: StatementText) -> None:
        """Write the statement whose rows follow."""
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
        """Write a table map, after the annotation that came before it."""
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
            line = self._map_line(event)
        out.put(line)
        out.put_uint(event.table_id)
        out.put(b" (has triggers)\n" if event.map_flags & _HAS_TRIGGERS else b"\n")
        if self.shows_metadata:
            from binlogcli.render.mysqlbinlog.rows.metadata import mariadb_metadata  # rarely wanted

            out.put(mariadb_metadata(event.definition, partial(self.remarks.in_comment, event)))
        if self.encoded:
            self.encoded_size += self._size_in_base64(event)
            if not self.long:
                self.put_encoded_map(self.body, event)

    def _map_line(self, event: TableMap) -> bytes:
        """Return the line that names a table, kept per table plan."""
        if self.map_columns > COLUMNS_KEPT:
            self.map_lines.clear()
            self.map_columns = 0
        self.map_columns += event.plan.weight
        name = self.remarks.in_comment(event, qualified_name(self.options.database(event.database), event.table))
        line = b"\tTable_map: " + name + b" mapped to number "
        self.map_lines[event.plan] = line
        return line

    def put_rows(self, event: Rows) -> None:
        """Write or hold a rows event; the last one of a statement brings out all that is held."""
        if self.short_form:
            return
        if self.after_gap:
            self.put_stray_rows(event)
        elif event.row_flags & 1 or event.ranges is not None:  # chosen rows stand alone
            self.put_last_rows(event)
        else:
            self.open_statement = self.has_rows = True
            self.replay.note(event)
            if self.encoded:
                self.encoded_size += self._size_in_base64(event)
            if not self.headless:
                self.put_rows_header(self.head, event)
            if self.verbose == 0:
                self.rows_counted += self.counter.count(event)
            if not self.long:
                if self.encoded:
                    self._put_encoded_rows(self.body, event)
                if self.verbose > 0:
                    self._put_values(self.tail, event)
            self.hold()

    def put_last_rows(self, event: Rows) -> None:
        """Write the held parts of a statement and the rows event that ends it."""
        out = self.out
        if self.headless:
            self.put_again(HEAD)
        else:
            self.release(self.head)
        self.put_rows_header(out, event)
        if self.encoded:
            self.encoded_size += self._size_in_base64(event)
            if self.long and self.encoded_size + _BLOCK_FRAME > self.encoded_limit:
                self._put_fragments(event)
            else:
                out.put(b"\nBINLOG '\n")
                if self.long:
                    self.put_again(BODY)
                else:
                    self.release(self.body)
                self._put_encoded_rows(out, event)
                out.put(b"'/*!*/;\n")
        if self.verbose == 0:
            self.rows_counted += self.counter.count(event)
        else:
            if self.long:
                self.rows_counted = 0
                self.put_again(TAIL)
            else:
                self.release(self.tail)
            self._put_values(out, event)
        out.put(b"# Number of rows: ")
        out.put_uint(self.rows_counted)
        out.put_char(10)
        self.close_statement()

    def put_what_waits(self) -> None:
        """Write the held parts of the open statement, if it has rows."""
        out = self.out
        if not self.has_rows:
            return
        if self.headless:
            self.put_again(HEAD)
        else:
            self.release(self.head)
        if self.encoded and self.long and self.encoded_size + _BLOCK_FRAME > self.encoded_limit:
            self._put_fragments(None)
        elif self.encoded:
            out.put(b"\nBINLOG '\n")
            if self.long:
                self.put_again(BODY)
            else:
                self.release(self.body)
            out.put(b"'/*!*/;\n")
        if self.verbose > 0 and self.long:
            self.rows_counted = 0
            self.put_again(TAIL)
        elif self.verbose > 0:
            self.release(self.tail)
        out.put(b"# Number of rows: %d\n" % self.rows_counted)

    def _put_fragments(self, event: Rows | None) -> None:
        """Write a BINLOG statement larger than `encoded_limit` as two user variables and BINLOG of both."""
        out = self.out
        self.until_split = self.encoded_size // 2 + 1
        out.held = True  # `split` looks for the place in what an event added
        out.put(_FRAGMENT % 0)
        self.put_again(BODY)
        if event is not None:
            self.put_section(out, event, BODY)
        out.held = False
        out.put(b"'/*!*/;\nBINLOG @binlog_fragment_0, @binlog_fragment_1/*!*/;\n")
        self.until_split = 0

    def split(self, out: TextBuffer, start: int) -> None:
        """Count what was written from `start` on towards the first fragment, and break it where that ends."""
        written = out.size - start
        if written < self.until_split:
            self.until_split -= written
            return
        cut = start + self.until_split
        rest = bytes(out.content()[cut:])
        out.size = cut
        out.put(b"\n'/*!*/;" + _FRAGMENT % 1)
        out.put(rest)
        self.until_split = 0

    def _size_in_base64(self, event: Event) -> int:
        """Return the number of bytes that an event takes in a BINLOG statement."""
        length = event.length
        if isinstance(event, Rows) and event.type_code >= WRITE_ROWS_COMPRESSED_EVENT_V1:
            length = unpacked_size(event)
        characters = (length + 2) // 3 * 4
        return characters + (characters + 75) // 76

    def put_stray_rows(self, event: Rows) -> None:
        """Write rows as comments whose statement lost its beginning."""
        self.put_rows_header(self.out, event)
        if self.verbose > 0:
            self._put_values(self.out, event)
        if event.row_flags & 1:
            self.close_statement()

    def put_section(self, out: TextBuffer, event: Event, section: int) -> None:
        """Write what an event adds to a part of its statement."""
        start = out.size
        if isinstance(event, Rows):
            if section == HEAD:
                self.put_rows_header(out, event)
            elif section == BODY:
                self._put_encoded_rows(out, event)
            else:
                self._put_values(out, event)
        elif section == BODY and isinstance(event, TableMap):
            self.put_encoded_map(out, event)
        if section == BODY and self.until_split > 0:
            self.split(out, start)

    def _put_encoded_rows(self, out: TextBuffer, event: Rows) -> None:
        """Write a rows event in base64, decompressed."""
        if event.type_code < WRITE_ROWS_COMPRESSED_EVENT_V1:
            self.put_encoded(out, event)
        else:
            self.put_encoded_bytes(out, unpacked_rows(event))

    def put_extra(self, out: TextBuffer, event: Rows) -> None:
        """Write NDB's extra row info."""
        info = event.extra_info()
        if info.format is not None:
            out.put(b"### Extra row data format: %d, len: %d :" % (info.format, len(info.payload)))
            out.put(b"X'" + info.payload.hex().upper().encode("ascii") + b"'\n" if info.payload else b"\n")

    def put_rows_header(self, out: TextBuffer, event: Rows) -> None:
        """Write the header line of a rows event."""
        self.put_header(out, event)
        out.put_char(9)
        out.put(_ROW_NAMES[event.operation])
        if event.type_code >= WRITE_ROWS_COMPRESSED_EVENT_V1:
            out.put(b"_compressed_rows: table id ")
        else:
            out.put(b"_rows: table id " if event.type_code >= WRITE_ROWS_EVENT_V1 else b"_rows_old: table id ")
        out.put_uint(event.table_id)
        out.put(b" flags: STMT_END_F\n" if event.row_flags & 1 else b"\n")

    def _put_values(self, out: TextBuffer, event: Rows) -> None:
        """Write the rows as pseudo-SQL and count them."""
        self.row_text.rows = 0
        self.put_row_values(out, event)
        self.rows_counted += self.row_text.rows

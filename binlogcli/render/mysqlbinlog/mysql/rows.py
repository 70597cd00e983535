"""Rows as mysqlbinlog 9 prints them, and the state that the printers of a MySQL log's events share."""

from __future__ import annotations

from functools import partial

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names.event_types import (
    DELETE_ROWS_EVENT_V1,
    FORMAT_DESCRIPTION_EVENT,
    PARTIAL_UPDATE_ROWS_EVENT,
    WRITE_ROWS_EVENT_V1,
)
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.shared.load_files import LoadFiles
from binlogcli.render.mysqlbinlog.shared.rewritten import checksum_of, checksummed, renamed
from binlogcli.render.mysqlbinlog.shared.text import BODY, TAIL, EventText
from binlogcli.render.mysqlbinlog.sql_text import encoded_text

_BLOCK_START = b"\nBINLOG '\n"
_ROW_NAMES = (b"Write_rows", b"Update_rows", b"Delete_rows")
_FLAG_NAMES = (
    b" STMT_END_F",
    b" NO_FOREIGN_KEY_CHECKS_F",
    b" RELAXED_UNIQUE_CHECKS_F",
    b" COMPLETE_ROWS_F",
    b" USE_SQL_FOREIGN_KEY_F",
)
_HIDDEN_KEY = 4  # table map flag


class MysqlRows(EventText):
    """The text of row events and table maps, and the state that `mysql.events` changes; base of MysqlText."""

    def __init__(self, out: TextBuffer, options: TextOptions, loads: LoadFiles) -> None:
        super().__init__(out, options, loads, False)
        self.verbose = 0 if options.short_form else options.verbose  # the short form has no rows, even with -v
        self.shows_gtids = not options.skip_gtids
        self.seen_gtid = False  # the open transaction has a GTID
        self.bare_gtid = False  # no event of the GTID's transaction was chosen so far
        self.shows_hidden_key = False
        self.payload: TransactionPayload | None = None
        self.format_place = -1

    def place_of(self, event: Event) -> int:
        """Return the offset that the text names; of events in a payload, the payload's end."""
        if event.within_at >= 0 and self.payload is not None:
            return int(self.payload.log_pos)
        if self.format_place >= 0 and event.type_code == FORMAT_DESCRIPTION_EVENT:
            return self.format_place
        return event.start

    def is_renamed(self, event: Event) -> bool:
        """Whether the event's database has another name in the text."""
        if isinstance(event, TableMap):
            return event.database in self.options.rewrite_db
        return isinstance(event, Query) and event.db in self.options.rewrite_db

    def derived_bytes(self, event: Event) -> bytes:
        """Return the event as the tool makes it from a payload or for another database name."""
        raw = event.data[event.at : event.body_end]
        if self.rewrites and self.is_renamed(event):
            name = event.database if isinstance(event, TableMap) else event.db  # type: ignore[attr-defined]
            raw = renamed(raw, event, self.options.database(name))  # type: ignore[arg-type]
        return checksummed(raw) if self.has_derived_checksum(event) else raw

    def derived_checksum(self, event: Event) -> int:
        """Return the checksum at the end of `derived_bytes`."""
        if self.rewrites and self.is_renamed(event):
            return super().derived_checksum(event)
        return checksum_of(memoryview(event.data)[event.at : event.body_end])

    def has_derived_checksum(self, event: Event) -> bool:
        """Whether the made event gets a checksum: events in a payload do if the payload has one."""
        return self.payload.crc >= 0 if self.payload is not None else event.crc >= 0

    def put_encoded_map(self, out: TextBuffer, event: TableMap) -> None:
        """Write a table map in base64, with the rewritten name of its database."""
        if self.rewrites and self.is_renamed(event):
            self.put_encoded_bytes(out, self.derived_bytes(event))
        else:
            self.put_encoded(out, event)

    def put_table_map(self, event: TableMap) -> None:
        """Write a table map."""
        out = self.out
        self.open_statement = True
        self.after_gap = False
        self.replay.note(event)
        if not self.short_form:
            hidden = event.map_flags & _HIDDEN_KEY != 0
            self.put_header(out, event)
            name = encoded_text(f"`{self.options.database(event.database)}`.`{event.table}`")
            name = self.remarks.in_comment(event, name)
            out.put(b"\tTable_map: " + name + b" mapped to number %d\n" % event.table_id)
            if self.shows_hidden_key:
                out.put(b"# has_generated_invisible_primary_key=%d\n" % hidden)
            if self.shows_metadata:
                from binlogcli.render.mysqlbinlog.rows.metadata import mysql_metadata  # rarely wanted

                out.put(mysql_metadata(event.definition, partial(self.remarks.in_comment, event), hidden_key=hidden))
        if self.encoded:
            self.put_in_block(event)

    def put_in_block(self, event: Event) -> None:
        """Hold an event for the BINLOG statement, which it opens where none is open."""
        if self.long:
            return
        if self.body.size == 0:
            self.body.put(_BLOCK_START)
        self.put_section(self.body, event, BODY)

    def put_rows(self, event: Rows) -> None:
        """Write or hold a rows event; the last one of a statement brings out all that is held."""
        out = self.out
        if not self.short_form:
            self.put_rows_header(out, event)
        if self.after_gap:
            self.put_stray_rows(event)
        elif event.row_flags & 1 or event.ranges is not None:  # chosen rows stand alone
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
        """Write the held parts of a statement and the rows event that ends it."""
        out = self.out
        if self.encoded:
            self._put_held_block()
            self.put_encoded(out, event)
            out.put(b"'/*!*/;\n")
        if self.verbose > 0:
            self._put_held_rows()
            self.put_row_values(out, event)
        self.close_statement()

    def _put_held_block(self) -> None:
        """Write the BINLOG statement as far as it is held."""
        if self.long:
            self.out.put(_BLOCK_START)
            self.put_again(BODY)
        else:
            if self.body.size == 0:
                self.out.put(_BLOCK_START)
            self.release(self.body)

    def _put_held_rows(self) -> None:
        """Write the rows that are held."""
        if self.long:
            self.put_again(TAIL)
        else:
            self.release(self.tail)

    def put_what_waits(self) -> None:
        """Write the held parts of the open statement."""
        if self.encoded:
            self._put_held_block()
            self.out.put(b"'/*!*/;\n")
        if self.verbose > 0:
            self._put_held_rows()

    def put_stray_rows(self, event: Rows) -> None:
        """Write rows as comments whose statement lost its beginning."""
        if self.verbose > 0:
            self.put_row_values(self.out, event)
        if event.row_flags & 1:
            self.close_statement()

    def put_section(self, out: TextBuffer, event: Event, section: int) -> None:
        """Write what an event adds to a part of its statement."""
        if section == BODY:
            if isinstance(event, TableMap):
                self.put_encoded_map(out, event)
            else:
                self.put_encoded(out, event)
        elif isinstance(event, Rows):
            self.put_row_values(out, event)

    def put_rows_header(self, out: TextBuffer, event: Rows) -> None:
        """Write the header line of a rows event, with the names of its flags."""
        self.put_header(out, event)
        name = _ROW_NAMES[event.operation]
        if event.type_code < WRITE_ROWS_EVENT_V1:
            name += b"_old"
        elif event.type_code <= DELETE_ROWS_EVENT_V1:
            name += b"_v1"
        elif event.type_code == PARTIAL_UPDATE_ROWS_EVENT:
            name += b"_partial"
        out.put(b"\t" + name + b": table id %d" % event.table_id)
        flags = event.row_flags
        if flags:
            out.put(b" flags:" + b"".join(text for bit, text in enumerate(_FLAG_NAMES) if flags >> bit & 1))
            if flags >> len(_FLAG_NAMES):
                out.put(b" UNKNOWN_FLAG(0x%x)" % (flags >> len(_FLAG_NAMES) << len(_FLAG_NAMES)))
        out.put_char(10)

    def put_extra(self, out: TextBuffer, event: Rows) -> None:
        """Write the extra row info."""
        out.put(_extra_text(event))


def _extra_text(event: Rows) -> bytes:
    """Return the extra row info of an event as comment lines."""
    info = event.extra_info()
    text = b""
    if info.format is not None:
        text += b"### Extra row ndb info: data_format: %d, len: %d, " % (info.format, len(info.payload))
        text += b"data: 0x" + info.payload.hex().upper().encode("ascii") + b"\n"
    if info.partition_id is None:
        return text
    text += b"### Extra row info for partitioning: "
    if info.source_partition_id is None:
        return text + b"partition: %d\n" % info.partition_id
    return text + b"source_partition: %d target_partition: %d\n" % (info.source_partition_id, info.partition_id)

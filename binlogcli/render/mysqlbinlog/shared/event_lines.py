"""The lines of single events in the text of both families: place, header, hex dump, base64, COMMIT."""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.control import FormatDescription
from binlogcli.events.event import Event
from binlogcli.events.statements import Xid
from binlogcli.events.tables import TableMap
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.rows import byte_loops
from binlogcli.render.mysqlbinlog.shared.clock import TextClock
from binlogcli.render.mysqlbinlog.shared.rewritten import renamed_map

HEADER_SIZE = 19
_MARIADB_COLUMNS = b"\n# Position\n#           |Timestamp   |Type |Master ID   |Size        |Master Pos  |Flags\n"
_MYSQL_COLUMNS = b"\n# Position  Timestamp   Type   Source ID        Size      Source Pos    Flags \n"
_NEWLINE = 10
_ENCODED_WINDOW = 57 << 12  # bytes that are encoded at a time: whole lines


class EventLines:
    """Writes the lines of events; base of EventText."""

    def __init__(self, out: TextBuffer, options: TextOptions, mariadb: bool) -> None:
        self.out = out
        self.options = options
        self.mariadb = mariadb
        self.short_form = options.short_form
        self.hexdump = options.hexdump
        self.rewrites = bool(options.rewrite_db)
        self.raw = Cursor()
        self.clock = TextClock(options.zone)
        self.second = -1
        self.stamp = b""
        self.server = -1
        self.server_text = b""
        self.has_columns = True  # hex dumps begin with the header's fields in columns
        self.dumped_from = HEADER_SIZE  # byte of an event from which it is dumped in lines

    def put_at(self, out: TextBuffer, event: Event) -> None:
        """Write the line with the event's offset."""
        out.put(b"# at ")
        out.put_uint(self.place_of(event))
        out.put_char(_NEWLINE)

    def place_of(self, event: Event) -> int:
        """Return the offset that the text names for an event."""
        return event.start

    def put_header(self, out: TextBuffer, event: Event) -> None:
        """Write the line of the common header, without its end: the event's own first line continues it."""
        if event.timestamp != self.second:
            self.turn_to(event.timestamp)
        if event.server_id != self.server:
            self.server = event.server_id
            self.server_text = b" server id %d  end_log_pos " % self.server
        out.put(self.stamp)
        out.put(self.server_text)
        if event.within_at >= 0 or (self.rewrites and self.is_renamed(event)):
            self._put_derived_header(out, event)
        else:
            out.put_uint(event.log_pos)
            if event.crc >= 0 and (event.type_code != FORMAT_DESCRIPTION_EVENT or self._has_checksum(event)):
                out.put(b" CRC32 0x")
                out.put_hex32(event.crc)
            out.put_char(32)
            if self.hexdump:
                self.put_dump(out, event)

    def put_dump(self, out: TextBuffer, event: Event) -> None:
        """Write the event's bytes as comments."""
        self.put_hexdump(out, self.bytes_of(event), event.at, event.length, self.place_of(event))

    def _put_derived_header(self, out: TextBuffer, event: Event) -> None:
        """Write the end of the header line for an event from a payload or with another database name."""
        out.put_uint(self.place_of(event) if event.within_at >= 0 else event.log_pos)
        if self.has_derived_checksum(event):
            out.put(b" CRC32 0x")
            out.put_hex32(self.derived_checksum(event))
        out.put_char(32)
        if self.hexdump:
            data = self.derived_bytes(event)
            self.raw.load(data)
            self.put_hexdump(out, self.raw, 0, len(data), self.place_of(event))

    def is_renamed(self, event: Event) -> bool:
        """Whether the event is printed with another database name; the dialect's."""
        return False

    def derived_bytes(self, event: Event) -> bytes:
        """Return the bytes to print of an event that is not in the log as such; the dialect's."""
        return event.raw

    def derived_checksum(self, event: Event) -> int:
        """Return the checksum at the end of `derived_bytes`."""
        data = self.derived_bytes(event)
        return int.from_bytes(data[len(data) - 4 :], "little")

    def has_derived_checksum(self, event: Event) -> bool:
        """Whether the bytes of `derived_bytes` end with a checksum; the dialect's."""
        return event.crc >= 0

    def _has_checksum(self, event: Event) -> bool:
        """Whether the checksum is valid: a format description has room for one even where checksums are off."""
        return not isinstance(event, FormatDescription) or event.checksum_alg == 1

    def turn_to(self, second: int) -> None:
        """Set the second whose time stamp opens header lines."""
        self.second = second
        self.stamp = b"#" + self.clock.stamp(second)

    def bytes_of(self, event: Event) -> Cursor:
        """Return a cursor on the buffer that holds the event."""
        raw = self.raw
        if raw.data is not event.data:
            raw.load(event.data)
        return raw

    def put_hexdump(self, out: TextBuffer, raw: Cursor, at: int, length: int, place: int) -> None:
        """Write `length` bytes from `at` on as comments, header fields first; `place` is their offset in the log."""
        mysql = not self.mariadb
        if self.has_columns:
            out.put(_MYSQL_COLUMNS if mysql else _MARIADB_COLUMNS)
            out.ensure(120)
            out.size = byte_loops.put_header(out.chars, out.size, raw.view, at, place, mysql)
            if not mysql:
                out.put(b"#\n")
        else:
            out.put(b"\n")
        start = at + self.dumped_from
        end = at + length
        out.ensure(byte_loops.hexdump_size(end - start))
        out.size = byte_loops.put_hexdump(out.chars, out.size, raw.view, start, end, place + self.dumped_from, mysql)
        if mysql:
            out.put(b"# ")
        else:
            out.put(b"#\n# Event: " if start < end else b"# Event: ")

    def put_xid(self, event: Xid) -> None:
        """Write the end of a transaction."""
        out = self.out
        if not self.short_form:
            self.put_header(out, event)
            out.put(b"\tXid = ")
            out.put_uint(event.xid)
            out.put_char(_NEWLINE)
        out.put(b"COMMIT/*!*/;\n")

    # base64 --------------------------------------------------------------------------------------------------

    def put_encoded(self, out: TextBuffer, event: Event) -> None:
        """Write the whole event in base64."""
        if event.within_at >= 0:
            self.put_encoded_bytes(out, self.derived_bytes(event))
        else:
            self.put_base64(out, self.bytes_of(event), event.at, event.at + event.length)

    def put_encoded_map(self, out: TextBuffer, event: TableMap) -> None:
        """Write a table map in base64, with the rewritten name of its database."""
        if self.rewrites and event.database in self.options.rewrite_db:
            self.put_encoded_bytes(out, renamed_map(event.raw, event, self.options.database(event.database)))
        else:
            self.put_encoded(out, event)

    def put_encoded_bytes(self, out: TextBuffer, data: bytes) -> None:
        """Write bytes in base64 that are not in the log as such."""
        self.raw.load(data)
        self.put_base64(out, self.raw, 0, len(data))

    def put_base64(self, out: TextBuffer, raw: Cursor, start: int, end: int) -> None:
        """Write bytes start to end of a buffer in base64."""
        while start < end:
            stop = min(end, start + _ENCODED_WINDOW)
            out.ensure(byte_loops.base64_size(stop - start))
            out.size = byte_loops.put_base64(out.chars, out.size, raw.view, start, stop)
            out.breathe()
            start = stop

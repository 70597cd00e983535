"""--flashback: the inverse of all row changes, last statement first, by mariadb-binlog's own rules.

Comments are written at once and in order. What a client runs is kept, one piece per event or per statement's rows, and
written in reverse order after the last log. Statements and DDL have no inverse: only their header lines are written.
"""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import BinlogError
from binlogcli.events.event import Event
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.statements import Query, Xid
from binlogcli.events.stream import EventStream
from binlogcli.events.tables import Rows
from binlogcli.names import event_types
from binlogcli.render.mysqlbinlog.mariadb.text import MariadbText
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.rows.counting import RowCounter
from binlogcli.render.mysqlbinlog.shared.load_files import LoadFiles
from binlogcli.render.mysqlbinlog.shared.rewritten import unpacked_rows
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER
from binlogcli.render.reversed_text import ReversedText
from binlogcli.render.sql.side_effects import SideEffects

_UPDATE = 1
_STANDALONE = 1
_INVERSE = {
    event_types.WRITE_ROWS_EVENT_V1: event_types.DELETE_ROWS_EVENT_V1,
    event_types.DELETE_ROWS_EVENT_V1: event_types.WRITE_ROWS_EVENT_V1,
    event_types.WRITE_ROWS_EVENT: event_types.DELETE_ROWS_EVENT,
    event_types.DELETE_ROWS_EVENT: event_types.WRITE_ROWS_EVENT,
}
_STMT_END = 1
_WITHOUT_INVERSE = frozenset(
    {
        event_types.XA_PREPARE_LOG_EVENT,
        event_types.LOAD_EVENT,
        event_types.CREATE_FILE_EVENT,
        event_types.EXEC_LOAD_EVENT,
        event_types.NEW_LOAD_EVENT,
    }
)


class FlashbackText(MariadbText):
    """The text of --flashback; statements are kept in `pieces` until `epilogue`, the rest is written at once."""

    def __init__(self, out: TextBuffer, options: TextOptions, loads: LoadFiles) -> None:
        super().__init__(out, options, loads)
        self.shows_positions = False
        self.held_bytes = self.tail.limit = (
            1 << 62
        )  # never drop held parts: a second reading would give the events unchanged
        self.main = out
        self.scratch = TextBuffer()
        self.counter = RowCounter(complete=True)
        self.pieces = ReversedText()
        self.stop = b""
        self.effects = SideEffects(parents_only=True, without_triggers=True)
        self.rows_events: list[Rows] = []

    def begin_log(self, stream: EventStream) -> None:
        """Prepare for a log's events."""
        super().begin_log(stream)
        self.effects.catalog = stream.context.catalog

    def shortcomings(self) -> list[str]:
        """Return what the inverse leaves undone, as far as a schema tells, a line each."""
        lost = self.effects.lost_rows()
        return [f"--flashback: {lost}"] if lost else []

    def put_event(self, event: Event) -> None:
        """Write an event's comments and keep its SQL."""
        if self.filtered and self.rows_events and not isinstance(event, Rows):
            self._keep_statement()  # its last rows were not chosen
        if isinstance(event, Rows):
            self.effects.reason_against(event, range(event.width))
            self.rows_events.append(event)
            if event.row_flags & _STMT_END:
                self._keep_statement()
        elif isinstance(event, MariadbGtid):
            self.session.gtid_flags = event.flags2
            if not event.flags2 & _STANDALONE:
                self.pieces.add(b"COMMIT\n" + DELIMITER)
        elif isinstance(event, Xid):
            self.put_header(self.scratch, event)
            self.scratch.put(b"\tXid = %d\nSTART TRANSACTION" % event.xid + DELIMITER)
            self.keep()
        elif isinstance(event, Query):
            self._keep_query(event)
        elif event.type_code == event_types.STOP_EVENT:
            self.put_header(self.scratch, event)
            self.scratch.put(b"\tStop\n")
            self.stop = bytes(self.scratch.content())
            self.scratch.clear()
        elif event.type_code not in _WITHOUT_INVERSE:
            super().put_event(event)

    def keep(self) -> None:
        """Keep the scratch buffer as a piece."""
        self.pieces.add(bytes(self.scratch.content()))
        self.scratch.clear()

    def _keep_query(self, event: Query) -> None:
        """Keep a statement's header and session state; BEGIN and COMMIT in exchanged roles."""
        name = (
            b"\tQuery\tthread_id=" if event.type_code == event_types.QUERY_EVENT else b"\tQuery_compressed\tthread_id="
        )
        self.put_query_header(self.scratch, event, name)
        self.session.put_before(self.scratch, event)
        if event.query == b"BEGIN":  # the whole text, as mariadb-binlog compares it
            self.scratch.put(b"COMMIT\n" + DELIMITER)
        elif event.query == b"COMMIT":
            self.scratch.put(b"START TRANSACTION\n" + DELIMITER)
        self.keep()

    def _keep_statement(self) -> None:
        """Keep the inverse of the collected rows events, the last one first; write their number at once."""
        events = [self.inverse(event, last=number == 0) for number, event in enumerate(self.rows_events)]
        self.rows_events.clear()
        self.out = self.scratch
        for event in reversed(events):
            super().put_event(event)
        self.out = self.main
        text = bytes(self.scratch.content())
        self.scratch.clear()
        counted = text.rfind(b"# Number of rows: ")
        self.pieces.add(text[:counted])
        self.out.put(text[counted:])

    def release(self, part: TextBuffer) -> None:
        """Append a held part to the piece in work."""
        self.out.move(part)

    def inverse(self, event: Rows, *, last: bool) -> Event:
        """Return the rows event that undoes an event; `last` sets its STMT_END_F. BinlogError where none can."""
        if event.type_code < event_types.WRITE_ROWS_EVENT_V1:
            reason = "--flashback does not support rows of MySQL 5.1 before its general release"
            raise BinlogError(reason, offset=event.start, hint="use --undo")
        raw = event.raw if event.type_code < event_types.WRITE_ROWS_COMPRESSED_EVENT_V1 else unpacked_rows(event)
        start = event.packed_at - event.at
        end = start + event.rows_end - event.rows_start
        data = bytearray(raw)
        data[4] = _INVERSE.get(raw[4], raw[4])
        flags_at = event.body_start - event.at + (6 if start - (event.body_start - event.at) >= 8 else 4)
        flags = event.row_flags | _STMT_END if last else event.row_flags & ~_STMT_END
        data[flags_at : flags_at + 2] = flags.to_bytes(2, "little")
        data[start:end] = b"".join(reversed(self._inverse_rows(event)))
        return self.replay.decoded(bytes(data), event.start)

    def _inverse_rows(self, event: Rows) -> list[bytes]:
        """Return the rows of an event with before and after images exchanged."""
        rows, raw = [], event.row_data
        at = event.rows_start
        self.counter.watch(event)
        while at < event.rows_end:
            middle = at + self.length(event, at, event.present)
            end = middle
            if event.operation == _UPDATE:
                end += self.length(event, middle, event.present_after)
            rows.append(self._exchanged(event, raw[at:middle], raw[middle:end]))
            at = end
        return rows

    def length(self, event: Rows, at: int, present: bytes) -> int:
        """Return the size of a row image in bytes; BinlogError where it is unknown."""
        definition = None if event.plan is None else event.plan.definition
        size = 0 if definition is None else self.counter.image(definition, at, event.rows_end, present)
        if size <= 0:
            reason = "a row cannot be reversed: its length is unknown"
            raise BinlogError(
                reason,
                offset=event.start,
                hint="exclude it with --start-position, --stop-position, --database or --table",
            )
        return size

    def _exchanged(self, event: Rows, before: bytes, after: bytes) -> bytes:
        """Return a row with its images exchanged; of partial images, the columns that both hold."""
        full = all(event.present_after[at >> 3] >> (at & 7) & 1 for at in range(event.width))
        if full or not after:
            return after + before
        columns = [] if event.plan is None else event.plan.definition.columns
        widths = [self.counter.width_of(column) for column in columns]
        first = _fields_of(event.present, before, widths)
        second = _fields_of(event.present_after, after, widths)
        for number in first.keys() & second.keys():
            first[number], second[number] = second[number], first[number]
        return _image_of(first) + _image_of(second)

    def end_log(self) -> None:
        """Write nothing at the end of a log."""

    def epilogue(self) -> bytes:
        """Write all pieces in reverse order; return the last lines."""
        for block in self.pieces.backwards():
            self.out.put(block)
            if self.out.full():
                self.flush()
        return b"COMMIT\n" + DELIMITER + self.stop + b"DELIMITER ;\n" + super().epilogue()


def _fields_of(present: bytes, image: bytes, widths: list[int]) -> dict[int, bytes | None]:
    """Return the columns of an image by index, None for NULL; `widths` as RowCounter.width_of returns them."""
    numbers = [at for at in range(len(widths)) if present[at >> 3] >> (at & 7) & 1]
    at = (len(numbers) + 7) >> 3
    found: dict[int, bytes | None] = {}
    for bit, number in enumerate(numbers):
        if image[bit >> 3] >> (bit & 7) & 1:
            found[number] = None
        else:
            width = widths[number]
            size = width if width >= 0 else int.from_bytes(image[at : at - width], "little") - width
            found[number] = image[at : at + size]
            at += size
    return found


def _image_of(fields: dict[int, bytes | None]) -> bytes:
    """Return the row image that holds these columns."""
    nulls = bytearray((len(fields) + 7) >> 3)
    values = []
    for bit, number in enumerate(sorted(fields)):
        value = fields[number]
        if value is None:
            nulls[bit >> 3] |= 1 << (bit & 7)
        else:
            values.append(value)
    return bytes(nulls) + b"".join(values)

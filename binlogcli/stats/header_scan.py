"""Counts most events by their headers: for the sections `summary` and `events` of a whole log.

An event is not decoded where that could not fail: because its body is long enough, because the part that can fail was
read, or because an earlier event had the same bytes there. All others are decoded by the stream, and a failure there is
a Damage, so that both scans count alike. Reading 278 MB takes 0.26 s against 0.44 s for the scan that decodes, 57 MB of
statements 0.15 s against 0.42 s.
"""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import UNDECODABLE, DecodeError
from binlogcli.events.log import Log
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.statements import Query
from binlogcli.events.status import read_status_vars
from binlogcli.events.stream import EventStream
from binlogcli.events.tables import Rows, TableMap
from binlogcli.log.boundaries import ENDING_TYPES, OPENING_TYPES, OUTSIDE_TYPES, may_define, role_of
from binlogcli.log.framer import Framer
from binlogcli.log.roles import BEGIN, COMMIT, OPENS_GROUP, ROLLBACK_TO, SAVEPOINT
from binlogcli.names import event_types
from binlogcli.names.event_types import GTID_EVENT, QUERY_EVENT, ROTATE_EVENT, TABLE_MAP_EVENT, XID_EVENT, type_table
from binlogcli.rows.count import RowSkipper
from binlogcli.rows.images import RowImages
from binlogcli.stats.scan import Scan

_HRNOW = 128  # MariaDB's Q_HRNOW, microseconds: differs between statements, and is mostly the last variable
_HRNOW_SIZE = 4  # its code and three bytes
_LEAST = {
    event_types.INTVAR_EVENT: 9,
    event_types.RAND_EVENT: 16,
    XID_EVENT: 8,
    event_types.ANNOTATE_ROWS_EVENT: 0,
}  # bytes of a body that always decodes
_LEAST_SIZES = bytes(_LEAST.get(code, 255) for code in range(256))
_NEVER = 255  # in _LEAST_SIZES: decoding can fail whatever the body's size is
_PLAIN_ROWS = type_table(event_types.PLAIN_ROWS_EVENTS)
_STATUS_KEPT = 4096  # texts of status variables that are known to decode


class HeaderScan:
    """The loop over one log; it counts with the collectors of a `Scan`."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.overall = self.scan.overall
        self.by_type = self.scan.by_type
        self.body = Cursor()
        self.skipper = RowSkipper()
        self.images = RowImages.__new__(RowImages)  # filled for each event: an object an event takes 2 % of a run
        self.counting = scan.count_all
        self.least = _LEAST_SIZES
        self.plain_rows = _PLAIN_ROWS
        self.opening = OPENING_TYPES
        self.outside = OUTSIDE_TYPES
        self.ending = ENDING_TYPES
        self.map = TableMap.__new__(TableMap)
        self.rows = Rows.__new__(Rows)
        self.gtid = MariadbGtid.__new__(MariadbGtid)
        self.query = Query.__new__(Query)
        self.map.type_code = self.rows.type_code = self.gtid.type_code = self.query.type_code = 0  # no event yet
        self.status = b""
        self.known_status: set[bytes] = set()
        self.open = False  # whether a transaction is
        self.begun = False

    def run(self, log: Log) -> None:
        """Count the events up to the log's end."""
        stream = log.stream
        while True:
            framer = stream.framer
            if framer.advance():
                self.pass_by(stream, framer)
            elif framer.hungry() and framer.gap is None:
                stream.feed(framer)
            elif framer.gap is None and framer.done():
                if framer is stream.outer:
                    if not self.take_gap(log):
                        break
                else:
                    stream.close_payload()
            if stream.damage is not None or stream.framer.gap is not None:
                self.take_gap(log)

    def take_gap(self, log: Log) -> bool:
        """Count the gap that the log has ready; return False where it has none."""
        gap = log.take_gap()
        if gap is None:
            return False
        self.scan.miss(gap)
        return True

    def pass_by(self, stream: EventStream, framer: Framer) -> None:
        """Count the event at which the framer is: by its header, by a part of it, or decoded."""
        code = framer.type_code
        size = framer.body_end - framer.body_start
        if framer.headless:
            self.decode(stream, framer)
        elif self.least[code] != _NEVER and size >= self.least[code]:
            self.count(framer, code)
            self.place(code)
        elif self.plain_rows[code] or code in (TABLE_MAP_EVENT, GTID_EVENT, QUERY_EVENT):
            self.peek(stream, framer, code)
        else:
            self.decode(stream, framer)

    def count(self, framer: Framer, code: int) -> None:
        """Count the event by its header, without its rows."""
        outer = not framer.nested
        self.by_type.add(code, framer.length, outer)
        self.overall.add(framer.length, framer.timestamp, framer.server_id, outer)
        self.scan.last_code = code

    def decode(self, stream: EventStream, framer: Framer) -> None:
        """Decode and count the event."""
        code = framer.type_code
        length, timestamp, server_id = framer.length, framer.timestamp, framer.server_id
        outer = not framer.nested
        event = stream.decode(framer)
        if event is None:
            return
        self.by_type.add(code, length, outer)
        self.overall.add(length, timestamp, server_id, outer)
        self.scan.last_code = code
        self.place(code)
        if isinstance(event, Query):
            self.hear(role_of(event.query, 0, len(event.query)))
        elif isinstance(event, MariadbGtid):
            self.begun = not event.standalone
        elif isinstance(event, Rows):
            self.count_rows(event)
        elif code == ROTATE_EVENT:
            self.scan.note_rotate(event)
        else:
            self.overall.meet_format(event)

    def peek(self, stream: EventStream, framer: Framer, code: int) -> None:
        """Read the part of the event whose decoding can fail, into an object that is used again; then count it."""
        framer.point(self.body)
        try:
            if code == TABLE_MAP_EVENT:
                if self.map.type_code != code:
                    self.map.take(framer, -1)
                self.map.decode(self.body, stream.context)
            elif code == QUERY_EVENT:
                self.peek_query(stream, framer)
                if may_define(self.body.data, self.body.pos, self.body.end):
                    self.decode(stream, framer)  # rows may depend on it
                    return
            elif code == GTID_EVENT:
                self.gtid.decode(self.body, stream.context)
            else:
                if self.rows.type_code != code:
                    self.rows.take(framer, -1)
                self.rows.decode(self.body, stream.context)
        except UNDECODABLE:
            self.decode(stream, framer)
            return
        self.count(framer, code)
        self.place(code)
        if code == QUERY_EVENT:
            self.hear(role_of(self.body.data, self.body.pos, self.body.end))
        elif code == GTID_EVENT:
            self.begun = not self.gtid.standalone
        elif self.plain_rows[code]:
            self.count_peeked(stream, framer)

    def count_peeked(self, stream: EventStream, framer: Framer) -> None:
        """Count the rows of the event that was peeked at; the scan counts those that something is odd about."""
        event = self.rows
        plan = event.plan
        if self.counting and plan is not None and plan.width == event.width and not (plan.ambiguous or plan.reason):
            try:
                event.fill(self.images, plan)
                rows = self.skipper.count(self.images)
            except UNDECODABLE:
                rows = -1
            if rows >= 0:
                self.overall.rows += rows
                return
        event.take(framer, stream.within)
        self.count_rows(event)

    def peek_query(self, stream: EventStream, framer: Framer) -> None:
        """Read a statement up to its text. Raises `DecodeError`."""
        body = self.body
        query = self.query
        if query.type_code != QUERY_EVENT:
            query.take(framer, -1)
        query.post_header(body, stream.context)
        size = query.status_vars_len
        if size > body.end - body.pos:
            raise DecodeError("status_vars")
        if size > 0 and not self.is_sound(body.pos, size):
            self.learn(size)
        body.pos += size
        body.need("db", query.db_len + 1)

    def is_sound(self, at: int, size: int) -> bool:
        """Return whether the status variables equal those read last, apart from the microseconds at their end."""
        body = self.body
        known = len(self.status)
        if size != known and (size != known + _HRNOW_SIZE or body.view[at + known] != _HRNOW):
            return False
        return kernel.same(body.data, at, at + known, self.status)

    def learn(self, size: int) -> None:
        """Read status variables, unless their bytes were read before. Raises `DecodeError`."""
        body = self.body
        at = body.pos
        status = kernel.cut(body.data, at, at + size)
        ends = size >= _HRNOW_SIZE and body.view[at + size - _HRNOW_SIZE] == _HRNOW
        short = kernel.cut(body.data, at, at + size - _HRNOW_SIZE) if ends else status
        if status not in self.known_status and short not in self.known_status:
            read_status_vars(body, size)
            if ends and _reads(short):
                status = short
            if len(self.known_status) >= _STATUS_KEPT:
                self.known_status.clear()
            self.known_status.add(status)
        self.status = short if short in self.known_status else status
        body.pos = at

    def count_rows(self, event: Rows) -> None:
        """Count the rows of a decoded event."""
        facts = self.scan.facts
        facts.rows = 0
        self.scan.count_rows(event)
        self.overall.count(facts.rows, False)

    # transactions: by log.boundaries, as events.transactions, without making Transaction objects --------------------

    def place(self, code: int) -> None:
        """Open or end a transaction, where the type of the event does that."""
        if self.outside[code]:
            return
        if self.opening[code] or not self.open:
            self.open = True
            self.begun = False
            self.overall.count(0, True)
        if self.ending[code]:
            self.open = False

    def hear(self, role: int) -> None:
        """Follow what a statement's words do to the transaction."""
        if role >= COMMIT:
            self.open = False
        elif role >= BEGIN:
            self.begun = True
        elif not self.begun and role != SAVEPOINT and role != ROLLBACK_TO:
            self.begun = self.open = role == OPENS_GROUP


def _reads(status: bytes) -> bool:
    """Return whether status variables can be decoded."""
    try:
        read_status_vars(Cursor(status), len(status))
    except UNDECODABLE:
        return False
    return True

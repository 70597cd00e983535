"""Where a log may be cut: its headers walked from end to end, some gigabytes a second, without checksums.

Finds the places between transactions, inside a huge transaction those between statements, inside a huge statement
those between its row events; and where the last whole transaction ends. It follows `events.transactions` in what begins
and ends one, and decodes nothing else. What stands between the events is left to who decodes the log.
"""

from __future__ import annotations

from binlogcli.events.transactions import BEGINNINGS, ENDINGS, OUTSIDE_TYPES, TELLING
from binlogcli.log.framer import Framer
from binlogcli.names.event_types import (
    EXEC_LOAD_EVENT,
    EXECUTE_LOAD_QUERY_EVENT,
    FORMAT_DESCRIPTION_EVENT,
    FORMAT_EVENTS,
    GTID_EVENT,
    GTID_EVENTS,
    QUERY_COMPRESSED_EVENT,
    QUERY_EVENT,
    ROWS_EVENTS,
    START_ENCRYPTION_EVENT,
    TABLE_MAP_EVENT,
    TRANSACTION_PAYLOAD_EVENT,
    XA_PREPARE_LOG_EVENT,
    XID_EVENT,
    type_table,
)
from binlogcli.sources.source import Source

CHUNK = 1 << 16
NOWHERE = 1 << 62
STANDALONE = 1  # of MariaDB's GTID: one statement that needs no COMMIT
STATEMENT_END = 1  # of row events
GTIDS = type_table(GTID_EVENTS)
ROWS = type_table(ROWS_EVENTS)
ENDS = type_table(
    (EXEC_LOAD_EVENT, XID_EVENT, EXECUTE_LOAD_QUERY_EVENT, XA_PREPARE_LOG_EVENT, TRANSACTION_PAYLOAD_EVENT)
)
FORMATS = type_table((*FORMAT_EVENTS, START_ENCRYPTION_EVENT))


class CutPoint:
    """A place to begin at: what stands before it and is needed there, as [start, end) of events in the file.

    `closing` is the event that ends the transaction which is open there.
    """

    def __init__(self, start: int, formats: tuple[tuple[int, bytes], ...], ranges: tuple[tuple[int, int], ...]) -> None:
        self.start = start
        self.formats = formats
        self.ranges = ranges
        self.closing: tuple[int, int] | None = None


class CutFinder:
    """One log. `cuts` are the places found, the first of them where the events that are wanted begin."""

    def __init__(self, source: Source, max_event_size: int) -> None:
        self.source = source
        self.seekable = source.seekable
        self.framer = Framer(verify=False, max_event_size=max_event_size)
        self.framer.stream_size = -1 if source.size is None else source.size
        self.outside = OUTSIDE_TYPES
        self.telling = TELLING
        self.gtids = GTIDS
        self.rows = ROWS
        self.ends = ENDS
        self.format_types = FORMATS
        self.formats: tuple[tuple[int, bytes], ...] = ()
        self.format = self.framer.format
        self.post_headers = self.format.post_headers
        self.cuts: list[CutPoint] = []
        self.waiting: list[CutPoint] = []  # for the end of the transaction that they stand in
        self.split_size = NOWHERE
        self.next_cut = NOWHERE
        self.low = self.since = 0
        self.limit = self.until = NOWHERE
        self.late = self.within = False
        self.over = False  # an event at `until` or later was met
        self.stopped = False  # the end of what is wanted was met
        self.opened = False
        self.begun = False
        self.gtid_start = self.gtid_end = -1
        self.begin_start = self.begin_end = -1
        self.statement_start = self.maps_end = -1
        self.tangled = False
        self.whole = 0  # up to here all transactions are whole
        self.last = 0  # the end of the last event
        self.last_code = 0
        self.seen = 0  # up to here there are bytes
        self.torn = -1  # where the last stretch without events begins, if it goes on to the end
        self.damaged = 0
        self.first_time = 0
        self.in_use = False

    def choose(self, low: int, limit: int, since: int, until: int) -> None:
        """Which stretch is wanted: by position, and by time as `select.selection` has it."""
        self.low = low
        self.limit = limit
        self.since = since
        self.until = until
        self.late = since <= 0

    def resume(self, start: int, places: tuple[int, ...]) -> None:
        """Go on where an earlier walk over the same log ended, with the events that it found to be needed there.

        A stream is walked from its beginning all the same.
        """
        self.low = max(self.low, start)
        if not self.seekable or start <= 4:
            return
        for place in places:
            self.source.seek(place)
            self.framer.jump(place)
            while not self.framer.advance():
                if not self.fed():
                    return
            self.see()
        self.source.seek(start)
        self.framer.jump(start)
        self.whole = self.last = self.seen = start
        self.torn = -1

    def fed(self) -> bool:
        """Give the framer the bytes it waits for; False where it waits for none."""
        framer = self.framer
        if not framer.hungry():
            return False
        framer.feed(self.source.read(max(CHUNK, framer.missing())))
        return True

    def run(self, split_size: int) -> None:
        """Walk to the end, or to the end of what is wanted."""
        self.split_size = split_size
        framer = self.framer
        while True:
            if framer.advance():
                if not self.take():
                    return
            elif framer.hungry():
                framer.feed(self.source.read(max(CHUNK, framer.missing())))
            elif framer.gap is not None:
                self.pass_gap()
            elif framer.done():
                return

    def pass_gap(self) -> None:
        """A stretch without events."""
        gap = self.framer.take_gap()
        if gap is not None:
            self.torn = gap.start
            self.seen = gap.end
            self.damaged += 1

    def take(self) -> bool:
        """The next event; False where it stands behind what is wanted."""
        framer = self.framer
        start = framer.start
        if not self.within:
            if start < self.low or (not self.late and not self.late_enough()):
                self.see()
                return True
            self.within = True
            self.late = True
            self.cut(start)
            self.next_cut = start + self.split_size
        elif start >= self.next_cut:
            self.consider(start)
        if start >= self.limit or framer.timestamp >= self.until:
            self.over = framer.timestamp >= self.until
            self.limit = start
            self.stopped = True
            return False
        self.see()
        return True

    def late_enough(self) -> bool:
        """Whether the event is the first that is not too early."""
        return self.framer.timestamp >= self.since and self.framer.type_code != FORMAT_DESCRIPTION_EVENT

    def consider(self, start: int) -> None:
        """A piece is as long as it should be: end it here, if this is a place for that."""
        code = self.framer.type_code
        beyond = start - self.next_cut
        if not self.opened or self.gtids[code]:
            self.opened = False
            self.cut(start)
        elif self.seekable and self.begun and not self.ends[code] and code != QUERY_EVENT:
            if self.statement_start < 0:
                if beyond * 4 >= self.split_size:
                    self.cut(start)
            elif beyond * 2 >= self.split_size and self.rows[code] and not self.tangled:
                self.cut(start)

    def cut(self, start: int) -> None:
        """A piece begins here."""
        ranges = () if self.gtids[self.framer.type_code] else self.frame()
        cut = CutPoint(start, self.formats, ranges)
        self.cuts.append(cut)
        if ranges:
            self.waiting.append(cut)
        self.next_cut = start + self.split_size

    def frame(self) -> tuple[tuple[int, int], ...]:
        """Where the events stand that say which transaction and statement are open."""
        places: list[tuple[int, int]] = []
        if self.opened and self.gtid_start >= 0:
            places.append((self.gtid_start, self.gtid_end))
        if self.opened and self.begin_start >= 0:
            places.append((self.begin_start, self.begin_end))
        if self.opened and self.statement_start >= 0:
            places.append((self.statement_start, self.maps_end))
        return tuple(places)

    def see(self) -> None:
        """What the event says of the transaction and the statement it is in."""
        framer = self.framer
        code = framer.type_code
        if self.last == 0:
            self.first_time = framer.timestamp
        self.torn = -1
        self.last = self.seen = framer.end
        self.last_code = code
        if self.rows[code]:
            self.opened = True
            if self.ends_statement():
                self.statement_start = self.maps_end = -1
                self.tangled = False
        elif code == TABLE_MAP_EVENT:
            self.see_map()
        elif self.gtids[code]:
            self.see_gtid(code)
        elif self.ends[code]:
            self.close()
        elif code in (QUERY_EVENT, QUERY_COMPRESSED_EVENT):
            self.see_query(code)
        elif self.outside[code]:
            if self.format_types[code]:
                self.see_format(code)
            if not self.opened:
                self.whole = framer.end
        else:
            self.opened = True
            if self.statement_start < 0:
                self.statement_start = framer.start
                self.maps_end = framer.end

    def ends_statement(self) -> bool:
        """Whether a row event is the last one of its statement."""
        framer = self.framer
        if framer.format is not self.format:
            self.learn()
        wide = self.post_headers[framer.type_code] != 6
        at = framer.body_start + (6 if wide else 4)
        return at + 2 > framer.body_end or framer.cursor.view[at] & STATEMENT_END > 0

    def learn(self) -> None:
        """Another format holds from here on."""
        self.format = self.framer.format
        self.post_headers = self.format.post_headers

    def see_map(self) -> None:
        """A table's name: those of a statement stand before its rows, as a rule."""
        framer = self.framer
        self.opened = True
        if self.statement_start < 0:
            self.statement_start = framer.start
        elif self.maps_end != framer.start:
            self.tangled = True
        self.maps_end = framer.end

    def see_gtid(self, code: int) -> None:
        """A transaction begins, whatever became of the one before."""
        framer = self.framer
        self.whole = framer.start
        self.open_cuts_end()
        self.opened = True
        self.gtid_start = framer.start
        self.gtid_end = framer.end
        self.begin_start = self.begin_end = -1
        self.statement_start = self.maps_end = -1
        self.begun = False
        if code == GTID_EVENT and framer.body_start + 12 < framer.body_end:
            self.begun = framer.cursor.view[framer.body_start + 12] & STANDALONE == 0

    def see_format(self, code: int) -> None:
        """The format of what follows: what a piece of the log cannot do without."""
        framer = self.framer
        event = (framer.start, framer.cursor.data[framer.at : framer.at + framer.length])
        self.formats = (*self.formats, event) if code == START_ENCRYPTION_EVENT else (event,)
        self.in_use = self.in_use or framer.in_use

    def see_query(self, code: int) -> None:
        """A statement: it begins the transaction, ends it, is in it, or is all of it."""
        framer = self.framer
        query = self.query() if code == QUERY_EVENT else b""
        words = query[:16].upper() if query and self.telling[query[0]] else b""
        opened = self.opened
        self.opened = True
        self.statement_start = self.maps_end = -1
        if words.startswith(BEGINNINGS):
            if not opened:
                self.gtid_start = self.gtid_end = -1
            self.begun = True
            self.begin_start = framer.start
            self.begin_end = framer.end
        elif words.startswith(ENDINGS) and not words.startswith(b"ROLLBACK TO"):
            self.close()
        elif not self.begun and not words.startswith((b"SAVEPOINT", b"ROLLBACK TO")):
            self.begun = query.endswith(b"START TRANSACTION")
            if not self.begun:
                self.close()

    def query(self) -> bytes:
        """The text of the statement."""
        framer = self.framer
        start = framer.body_start
        end = framer.body_end
        if start + 13 > end:
            return b""
        if framer.format is not self.format:
            self.learn()
        post_header = self.post_headers[QUERY_EVENT] or 13
        names = framer.cursor.view[start + 8] + 1
        variables = framer.cursor.little(start + 11, 2) if post_header > 11 else 0
        return framer.cursor.data[start + post_header + variables + names : end]

    def close(self) -> None:
        """The event is the transaction's last one."""
        for cut in self.waiting:
            cut.closing = (self.framer.start, self.framer.end)
        self.open_cuts_end()
        self.opened = self.begun = self.tangled = False
        self.gtid_start = self.gtid_end = -1
        self.begin_start = self.begin_end = -1
        self.statement_start = self.maps_end = -1
        self.whole = self.framer.end

    def open_cuts_end(self) -> None:
        """No cut stands in an open transaction any more."""
        if self.waiting:
            self.waiting = []

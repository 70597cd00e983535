"""Where a log may be cut into splits: its headers are walked from end to end, some gigabytes a second, unverified.

The idea: a split must be decodable alone, so a cut carries the events that those after it depend on, as ranges of the
file (`CutPoint`). The cheaper the place, the less has to be carried, and the sooner it is taken after the wanted size:

* between transactions: at once; nothing is carried but the format description;
* between the statements of an open transaction: when a quarter of the size too late; its GTID and BEGIN are carried;
* between the row events of an open statement: when half of the size too late; its table maps are carried as well. Not
  in a statement whose table maps stand between its rows (`tangled`): they are not one range.

Cuts inside of a transaction need a source that can seek. They wait for the event that ends their transaction
(`closing`), from which the rows before the cut get their XID and commit time.

Invariants: the cuts depend on the bytes and the sizes alone, so that a plan can be repeated; `whole` is the position up
to which all transactions are whole, where the next run over a growing log begins. Bodies are not decoded, except for
the flags and statements that begin or end transactions. Damage between events is left to the decoder of the split.

On the way, the events that define tables are kept (`defining`), for the splits after them and for later logs, and the
ranges that transactions have taken back themselves (`savepoints`), which rows before ROLLBACK TO cannot know.
"""

from __future__ import annotations

from binlogcli.lake.plan.defining_events import DefiningEventKeeper
from binlogcli.lake.plan.table_maps import TableMapKeeper
from binlogcli.log.boundaries import OPENING_TYPES, OUTSIDE_TYPES, may_define, role_of
from binlogcli.log.framer import ENCRYPTED, Framer
from binlogcli.log.gaps import Damage
from binlogcli.log.roles import BEGIN, COMMIT, OPENS_GROUP, PLAIN, ROLLBACK_TO, SAVEPOINT
from binlogcli.log.savepoints import Savepoints
from binlogcli.names import event_types
from binlogcli.names.event_types import (
    FORMAT_DESCRIPTION_EVENT,
    GTID_EVENT,
    QUERY_COMPRESSED_EVENT,
    QUERY_EVENT,
    START_ENCRYPTION_EVENT,
    TABLE_MAP_EVENT,
    TRANSACTION_PAYLOAD_EVENT,
    type_table,
)
from binlogcli.sources.source import Source

_CHUNK = 1 << 16
NOWHERE = 1 << 62  # a position or time after all others
_STANDALONE = 1  # FL_STANDALONE of MariaDB's GTID: one statement that needs no COMMIT
_STATEMENT_END = 1  # STMT_END_F of row events
_ROWS = type_table(event_types.ROWS_EVENTS)
# A payload holds a whole transaction.
_ENDS = type_table((event_types.XID_EVENT, event_types.XA_PREPARE_LOG_EVENT, TRANSACTION_PAYLOAD_EVENT))
# The last event of LOAD DATA is a statement like others: a transaction by itself, unless one is open.
_STATEMENTS = type_table(
    (QUERY_EVENT, QUERY_COMPRESSED_EVENT, event_types.EXEC_LOAD_EVENT, event_types.EXECUTE_LOAD_QUERY_EVENT)
)
_GTID_SETS = frozenset((event_types.GTID_LIST_EVENT, event_types.PREVIOUS_GTIDS_LOG_EVENT))
_FORMATS = type_table((*event_types.FORMAT_EVENTS, START_ENCRYPTION_EVENT))


class CutPoint:
    """A position where a split may begin, and the events from before it that the split needs.

    `formats` are events as (position, bytes), `ranges` and `closing` [start, end) of events in the file. `closing` is
    the event that ends the transaction which is open there; None where none is, or its end was not found.
    """

    def __init__(self, start: int, formats: tuple[tuple[int, bytes], ...], ranges: tuple[tuple[int, int], ...]) -> None:
        self.start = start
        self.formats = formats
        self.ranges = ranges
        self.closing: tuple[int, int] | None = None


class CutFinder:
    """Walks over the headers of one log. `cuts` are the positions found, the first where the wanted events begin."""

    def __init__(self, source: Source, max_event_size: int, *, verify: bool = True) -> None:
        self.source = source
        self.maps: TableMapKeeper | None = None  # where they are wanted
        self.defining = DefiningEventKeeper(max_event_size, verify=verify)
        self.savepoints = Savepoints()
        self.seekable = source.seekable
        self.framer = Framer(verify=False, max_event_size=max_event_size)
        self.framer.stream_size = -1 if source.size is None else source.size
        self.outside = OUTSIDE_TYPES
        self.gtids = OPENING_TYPES
        self.rows = _ROWS
        self.ends = _ENDS
        self.statements = _STATEMENTS
        self.format_types = _FORMATS
        self.formats: tuple[tuple[int, bytes], ...] = ()
        self.format = self.framer.format
        self.post_headers = self.format.post_headers
        self.cuts: list[CutPoint] = []
        self.waiting: list[CutPoint] = []  # cuts whose transaction has not ended yet
        self.split_size = NOWHERE
        self.next_cut = NOWHERE
        self.low = self.since = 0
        self.limit = self.until = NOWHERE
        self.late = False  # an event at `since` or later was found
        self.within = False  # the wanted range has begun
        self.over = False  # an event at `until` or later was found
        self.stopped = False  # the end of the wanted range was found
        self.opened = False  # a transaction is open
        self.begun = False  # and a COMMIT will end it
        self.gtid_start = self.gtid_end = -1  # these events of the open transaction; -1: it has none
        self.gtid = b""
        self.begin_start = self.begin_end = -1
        self.statement_start = self.maps_end = -1  # the table maps of the open statement
        self.tangled = False  # its table maps are not one range
        self.whole = 0  # the position up to which all transactions are whole
        self.last = 0  # the end of the last event
        self.last_code = 0
        self.seen = 0  # the end of the last event or gap
        self.torn = -1  # the start of a gap that no event has followed
        self.damaged = 0
        self.sealed = -1  # the start of the encrypted rest of the log, whose key was not given

    def choose(self, low: int, limit: int, since: int, until: int) -> None:
        """Set the wanted range, positions [low, limit) and times [since, until), as `select.selection` applies them."""
        self.low = low
        self.limit = limit
        self.since = since
        self.until = until
        self.late = since <= 0

    def resume(self, start: int, places: tuple[int, ...]) -> None:
        """Continue at `start`, where an earlier run ended, with the events at `places` that are needed there.

        A source that cannot seek is walked from its beginning; the events before `start` are not taken.
        """
        self.low = max(self.low, start)
        if not self.seekable or start <= 4:
            return
        for place in places:
            self.source.seek(place)
            self.framer.jump(place)
            while not self.framer.advance():
                if not self._fed():
                    return
            self._see()
        self.source.seek(start)
        self.framer.go_on(start)
        self.whole = self.last = self.seen = start
        self.torn = -1

    def _fed(self) -> bool:
        """Feed the framer if it needs bytes; return whether it did."""
        framer = self.framer
        if not framer.hungry():
            return False
        framer.feed(self.source.read(max(_CHUNK, framer.missing())))
        return True

    def run(self, split_size: int) -> None:
        """Walk to the end of the log or of the wanted range; a cut is wanted every `split_size` bytes."""
        self.split_size = split_size
        framer = self.framer
        while True:
            if framer.advance():
                if not self._take():
                    return
            elif framer.hungry():
                framer.feed(self.source.read(max(_CHUNK, framer.missing())))
            elif framer.gap is not None:
                self._pass_gap()
            elif framer.done():
                return

    def _pass_gap(self) -> None:
        """Note a range of bytes without events."""
        gap = self.framer.take_gap()
        if gap is not None:
            self.torn = gap.start
            self.seen = gap.end
            self.damaged += 1
            if isinstance(gap, Damage):
                self.defining.lose(gap.start)
                if gap.reason == ENCRYPTED:
                    self.sealed = gap.start

    def _take(self) -> bool:
        """Take the next event; return False where it is after the wanted range."""
        framer = self.framer
        start = framer.start
        if not self.within:
            if start < self.low or (not self.late and not self._is_late_enough()):
                self._see()
                return True
            self.within = True
            self.late = True
            self._cut(start)
            self.next_cut = start + self.split_size
        elif start >= self.next_cut:
            self._consider(start)
        if start >= self.limit or framer.timestamp >= self.until:
            self.over = framer.timestamp >= self.until
            self.limit = start
            self.stopped = True
            return False
        self._see()
        return True

    def _is_late_enough(self) -> bool:
        """Whether the event is at `since` or later; a format description never is."""
        return self.framer.timestamp >= self.since and self.framer.type_code != FORMAT_DESCRIPTION_EVENT

    def _consider(self, start: int) -> None:
        """Cut at an event after the wanted size if its place is worth it (see above)."""
        code = self.framer.type_code
        beyond = start - self.next_cut
        if not self.opened or self.gtids[code]:
            self.opened = False
            self._cut(start)
        elif self.seekable and self.begun and not self.ends[code] and code != QUERY_EVENT:
            if self.statement_start < 0:
                if beyond * 4 >= self.split_size:
                    self._cut(start)
            elif beyond * 2 >= self.split_size and self.rows[code] and not self.tangled:
                self._cut(start)

    def _cut(self, start: int) -> None:
        """Begin a split here."""
        ranges = () if self.gtids[self.framer.type_code] else self.frame()
        cut = CutPoint(start, self.formats, ranges)
        self.cuts.append(cut)
        if ranges:
            self.waiting.append(cut)
        self.next_cut = start + self.split_size

    def frame(self) -> tuple[tuple[int, int], ...]:
        """Return [start, end) of the events that the open transaction and statement need: GTID, BEGIN, table maps."""
        places: list[tuple[int, int]] = []
        if self.opened and self.gtid_start >= 0:
            places.append((self.gtid_start, self.gtid_end))
        if self.opened and self.begin_start >= 0:
            places.append((self.begin_start, self.begin_end))
        if self.opened and self.statement_start >= 0:
            places.append((self.statement_start, self.maps_end))
        return tuple(places)

    def _see(self) -> None:
        """Follow the transaction and the statement that the event is in."""
        framer = self.framer
        code = framer.type_code
        self.torn = -1
        self.last = self.seen = framer.end
        self.last_code = code
        if self.rows[code]:
            self.opened = True
            if self._ends_statement():
                self.statement_start = self.maps_end = -1
                self.tangled = False
        elif code == TABLE_MAP_EVENT:
            self._see_map()
        elif self.gtids[code]:
            self._see_gtid(code)
        elif self.ends[code]:
            self._end_transaction()
        elif self.statements[code]:
            self._see_query(code)
        elif self.outside[code]:
            if self.format_types[code]:
                self._see_format(code)
            elif code in _GTID_SETS:
                self.defining.keep_empty_set(framer)
            if not self.opened:
                self.whole = framer.end
        else:
            self.opened = True
            if self.statement_start < 0:
                self.statement_start = framer.start
                self.maps_end = framer.end

    def _ends_statement(self) -> bool:
        """Whether a row event is the last of its statement (STMT_END_F)."""
        framer = self.framer
        if framer.format is not self.format:
            self._learn_format()
        wide = self.post_headers[framer.type_code] != 6
        at = framer.body_start + (6 if wide else 4)
        return at + 2 > framer.body_end or framer.cursor.view[at] & _STATEMENT_END > 0

    def _learn_format(self) -> None:
        """Take over the format that the framer has read."""
        self.format = self.framer.format
        self.post_headers = self.format.post_headers

    def _see_map(self) -> None:
        """Note a table map: those of a statement stand before its rows, as a rule."""
        framer = self.framer
        self.opened = True
        if self.statement_start < 0:
            self.statement_start = framer.start
        elif self.maps_end != framer.start:
            self.tangled = True
        self.maps_end = framer.end
        if self.maps is not None:
            self.maps.keep(framer, len(self.defining.events))

    def _see_gtid(self, code: int) -> None:
        """Begin a transaction; one that was open is taken as ended."""
        framer = self.framer
        self.whole = framer.start
        self._forget_waiting()
        self.savepoints.end()
        self.opened = True
        self.gtid_start = framer.start
        self.gtid_end = framer.end
        self.gtid = framer.cursor.data[framer.at : framer.at + framer.length]
        self.begin_start = self.begin_end = -1
        self.statement_start = self.maps_end = -1
        self.begun = False
        if code == GTID_EVENT and framer.body_start + 12 < framer.body_end:
            self.begun = framer.cursor.view[framer.body_start + 12] & _STANDALONE == 0

    def _see_format(self, code: int) -> None:
        """Keep the events that the decoder of a split needs to read any event: the format, and the encryption."""
        framer = self.framer
        event = (framer.start, framer.cursor.data[framer.at : framer.at + framer.length])
        if code == START_ENCRYPTION_EVENT:
            self.formats = (*self.formats, event)
        else:
            self.formats = (event,)
            self.defining.keep(framer)

    def _see_query(self, code: int) -> None:
        """Follow a statement: it begins the transaction, ends it, is in it, or is all of it."""
        framer = self.framer
        role = PLAIN
        if code == QUERY_EVENT:
            start = self._text_start()
            role = role_of(framer.cursor.data, start, framer.body_end)
            if may_define(framer.cursor.data, start, framer.body_end):
                self._keep_statement()
        elif code == QUERY_COMPRESSED_EVENT and self.defining.may_define(framer, self._text_start()):
            self._keep_statement()
        opened = self.opened
        self.opened = True
        self.statement_start = self.maps_end = -1
        if role >= COMMIT:
            self._end_transaction()
        elif role >= BEGIN:
            if not opened:
                self.gtid_start = self.gtid_end = -1
            self.begun = True
            self.begin_start = framer.start
            self.begin_end = framer.end
        elif SAVEPOINT <= role <= ROLLBACK_TO:
            self._see_savepoint(role)
        elif not self.begun:
            self.begun = role == OPENS_GROUP
            if not self.begun:
                self._end_transaction()

    def _see_savepoint(self, role: int) -> None:
        """Follow the savepoints of the transaction."""
        framer = self.framer
        opened = framer.start
        if self.begin_start >= 0:
            opened = self.begin_start
        if self.gtid_start >= 0:
            opened = self.gtid_start
        statement = framer.cursor.data[self._text_start() : framer.body_end]
        self.savepoints.see(role, statement, framer.start, opened)

    def _keep_statement(self) -> None:
        """Keep the statement at hand, which may define a table."""
        has_gtid = self.opened and self.gtid_start >= 0
        self.defining.keep_statement(self.framer, (self.gtid_start, self.gtid) if has_gtid else None)

    def _text_start(self) -> int:
        """Return where the statement's text begins in the cursor's data; beyond its end where a field is cut off."""
        framer = self.framer
        start = framer.body_start
        end = framer.body_end
        if start + 13 > end:
            return end
        if framer.format is not self.format:
            self._learn_format()
        post_header = self.post_headers[QUERY_EVENT] or 13
        names = framer.cursor.view[start + 8] + 1
        variables = framer.cursor.little(start + 11, 2) if post_header > 11 else 0
        return start + post_header + variables + names

    def _end_transaction(self) -> None:
        """End the transaction with the event at hand."""
        if self.maps is not None and self.framer.type_code == TRANSACTION_PAYLOAD_EVENT:
            self.maps.hidden = True
        for cut in self.waiting:
            cut.closing = (self.framer.start, self.framer.end)
        self._forget_waiting()
        self.savepoints.end()
        self.opened = self.begun = self.tangled = False
        self.gtid_start = self.gtid_end = -1
        self.begin_start = self.begin_end = -1
        self.statement_start = self.maps_end = -1
        self.whole = self.framer.end

    def _forget_waiting(self) -> None:
        """Forget the cuts that wait for the end of their transaction."""
        if self.waiting:
            self.waiting = []

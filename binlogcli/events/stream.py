"""A log as a stream of events and gaps.

The framer cuts bytes into raw events, which are decoded here one at a time. A payload event is given out like others;
its decompressed content follows it as events, read by a second framer (`framer`; `outer` is that of the log). A body
that cannot be decoded becomes a `Damage`; the stream continues after it. A chooser, if set, decides which events are
given out; gaps before the first of them are dropped, except one right before it, which may hold what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DEFECTS, UNDECODABLE, SourceError, undecodable
from binlogcli.events.damage import cut_statement, damage_in
from binlogcli.events.ddl import FOLLOWED, WALKED
from binlogcli.events.event import Event
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.registry import new_event
from binlogcli.events.statements import Query
from binlogcli.events.transactions import TransactionTracker
from binlogcli.log.boundaries import may_define
from binlogcli.log.compressed import WINDOW, zstd_windows
from binlogcli.log.context import LogContext
from binlogcli.log.framer import Framer
from binlogcli.log.gaps import Damage, Padding
from binlogcli.names.event_types import TABLE_MAP_EVENT
from binlogcli.names.verdicts import END, HOLD, JUMP, RELEASE, SHOW
from binlogcli.sources.source import PiecedSource, Source

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys
    from binlogcli.events.ddl import DdlFollower

CHUNK = 1 << 16  # below the size from which memory is mapped anew for each read: four times faster than 1 << 18
_NO_COMPRESSION = 255
_NO_END = (1 << 63) - 1
NO_LIMIT = _NO_END
_ALL = b"\1" * 256  # types of events
_LOST_STATEMENT = 1 << 16  # bytes of a damaged stretch in which a statement is looked for


class ReadOptions(NamedTuple):
    """How a log is read: checksums verified or not, the largest event in bytes, keys for an encrypted log."""

    verify: bool = True
    max_event_size: int = 1 << 30
    keys: Keys | None = None


class Chooser:
    """Decides which events are given out. This base class takes all of them, `select.selection.Selection` chooses.

    A chooser sees events that are whole and decoded, and never changes how the next ones are read. `begun` is False
    until the first event that was asked for, `limit` is the offset at which to stop. HOLD keeps an event in `held`
    until a later one is shown, or RELEASE gives out what is held without the event itself; at the end of the log it is
    given out only if `shows_held`. JUMP continues at offset `target`, END stops.
    """

    def __init__(self) -> None:
        self.begun = True
        self.limit = NO_LIMIT
        self.target = -1
        self.held: list[Event] = []
        self.shows_held = True

    def verdict(self, event: Event) -> int:
        """Return SKIP, SHOW, HOLD, JUMP, END or RELEASE for an event."""
        return SHOW


class EventStream:
    """The events of one log in its order, from a source."""

    def __init__(self, source: Source, options: ReadOptions | None = None, follower: DdlFollower | None = None) -> None:
        self.source = source
        self.options = options or ReadOptions()
        self.pieces = source if isinstance(source, PiecedSource) else None
        verify = self.options.verify and (self.pieces is None or not self.pieces.unverified)
        self.framer = Framer(verify=verify, max_event_size=self.options.max_event_size)
        self.framer.keep = _LOST_STATEMENT
        self.framer.stream_size = -1 if source.size is None else source.size
        self.context = LogContext(max_content=self.options.max_event_size)
        self.follower = follower
        self.followed = FOLLOWED
        if follower is not None:
            self.context.catalog = follower.catalog
        self.tracker = TransactionTracker()
        self.body = Cursor()
        self.outer = self.framer
        self.within = -1
        self.windows: Iterator[bytes] | None = None
        self.broken: Event | None = None
        self.damage: Damage | None = None
        self.chooser: Chooser | None = None
        self.waiting: list[Event] = []
        self.passed: Damage | None = None
        if self.pieces is not None:
            if self.pieces.log_format is not None:
                self.context.meet(self.pieces.log_format)
                self.framer.use(self.pieces.log_format)
                self.framer.headless = False
            self.framer.finish()  # reading begins with the first piece

    def __iter__(self) -> Iterator[Event | Damage | Padding]:
        """Yield events, and the gaps between them."""
        while True:
            event = self.advance()
            if event is not None:
                yield event
            gap = self.take_gap()
            if gap is not None:
                yield gap
            elif event is None:
                return

    def advance(self) -> Event | None:
        """Return the next event that the chooser takes; None at the end, or before a gap (see `take_gap`)."""
        if self.chooser is None:
            return self._step()
        return self._choose(self.chooser)

    def _choose(self, chooser: Chooser) -> Event | None:
        """Return the next event that a chooser shows; None as for `advance`."""
        while True:
            if self.waiting:
                return self.waiting.pop(0)
            event = self._step()
            if event is None:
                if chooser.held:
                    self._release_at_gap_or_end(chooser)
                elif not self._pass_gap(chooser):
                    return None
                continue
            begun = chooser.begun
            try:
                verdict = chooser.verdict(event)
            except DEFECTS as error:
                self.damage = damage_in(event, error)
                return None
            if verdict == SHOW and begun and not chooser.held:
                return event
            if verdict in (HOLD, SHOW):
                chooser.held.append(event)
            self._obey(chooser, verdict)
            if not begun and self._begin(chooser.begun):
                return None

    def _obey(self, chooser: Chooser, verdict: int) -> None:
        """Carry out the verdict on the last event."""
        if verdict in (SHOW, RELEASE):
            self._release(chooser)
        elif verdict == JUMP:
            self._jump(chooser.target)
        elif verdict == END:
            self.finish()

    def _release(self, chooser: Chooser) -> None:
        """Let the events that were held back be given out."""
        self.waiting = list(chooser.held)
        chooser.held.clear()

    def _release_at_gap_or_end(self, chooser: Chooser) -> None:
        """Give out what is held: what it waits for may be in the gap; at the end nothing follows any more."""
        if chooser.shows_held or self.damage is not None or self.framer.gap is not None:
            self._release(chooser)
        else:
            chooser.held.clear()

    def _begin(self, begun: bool) -> bool:
        """Bring back a gap right before the first chosen event, and return whether there is one."""
        gap = self.passed
        self.passed = None
        if begun and gap is not None:
            self.damage = gap
            return True
        return False

    def _pass_gap(self, chooser: Chooser) -> bool:
        """Drop a gap before the first or after the last chosen event; return False if there is no such gap."""
        gap = self.damage if self.damage is not None else self.framer.gap
        if gap is None:  # the end of the log: the gap before it may hold what was asked for
            self.damage, self.passed = self.passed, None
            return False
        if self.outer.headless:
            return False
        beyond = self.within < 0 and gap.start >= chooser.limit
        if chooser.begun and not beyond:
            return False
        self.take_gap()
        self.passed = gap if isinstance(gap, Damage) and not beyond else None
        if beyond:
            self.finish()
        return True

    def _jump(self, offset: int) -> None:
        """Continue at the event at an offset, which needs none before it but the format description."""
        self.close_payload()
        if self.follower is not None:
            while not self.walk_statements(offset):
                self.take_gap()
        self.source.seek(offset)
        self.outer.go_on(offset)
        self.context.forget_tables()
        self.tracker = TransactionTracker()

    def walk_statements(self, end: int = NO_LIMIT) -> bool:
        """Walk to the event at `end`, or to the end of the log: the catalog sees the statements that define tables.

        Bodies of other events are not looked at, nor are their checksums. Returns False before a gap.
        """
        framer = self.outer
        framer.trust(True)
        try:
            while True:
                if framer.advance():
                    if framer.start >= end:
                        return True
                    if WALKED[framer.type_code]:
                        self._walk_statement(framer)
                elif framer.gap is not None:
                    return False
                elif framer.done():
                    return True
                elif framer.hungry():
                    self.feed(framer)
        finally:
            framer.trust(False)

    def _walk_statement(self, framer: Framer) -> None:
        """Let the catalog see an event that may define tables, or that it is damaged."""
        if not self.options.verify or framer.is_sound():
            self.decode(framer)
            self.damage = None
        elif self.follower is not None:
            damage = Damage(framer.start, framer.end, "")
            self._lose(damage, self._event_in(framer.cursor.data[framer.at : framer.at + framer.length], damage))

    def next_of(self, types: bytes, end: int = NO_LIMIT) -> Event | None:
        """Return the next event of a type in `types`; None before the event at `end`, at the log's end, before a gap.

        Bodies of other events are not decoded. Without table maps in `types`, a compressed transaction is read up to
        its first one: a statement that defines tables is the first of its transaction.
        """
        while self.damage is None:
            framer = self.framer
            if framer.advance():
                if self.within < 0 and framer.start >= end:
                    return None
                if types[framer.type_code]:
                    event = self.decode(framer)
                    if event is not None:
                        return event
                elif self.within >= 0 and framer.type_code == TABLE_MAP_EVENT:
                    self.close_payload()
            elif framer.gap is not None:
                return None
            elif framer.done():
                if framer is not self.outer:
                    self.close_payload()
                elif not self._next_piece():
                    return None
            elif framer.hungry():
                self.feed(framer)
        return None

    def resume(self, head: Iterable[tuple[int, bytes]], offset: int) -> list[Event]:
        """Continue at the event at `offset`, as if all before it had been read.

        `head` are the bytes of the events that it depends on, with their offsets. They are decoded and returned.
        """
        framer = self.outer
        events = []
        for place, data in head:
            framer.jump(place)
            framer.ended = True
            framer.feed(data)
            while (event := self._step()) is not None:
                events.append(event)
        self.source.seek(offset)
        framer.go_on(offset)
        return events

    def ends_transaction(self, event: Event) -> bool:
        """Return whether the event that was given out last is the last one of its transaction.

        The end is known from the deciding event on, also while events before it are held.
        """
        transaction = event.transaction
        if transaction is None or not transaction.outcome:
            return False
        return not self.waiting or self.waiting[0].transaction is not transaction

    def finish(self) -> None:
        """End the stream here."""
        self.close_payload()
        self.pieces = None
        self.outer.finish()

    def _step(self) -> Event | None:
        """Return the next event, before any choice; None at the end, or before a gap."""
        return self.next_of(_ALL, _NO_END)

    def count(self) -> int:
        """Walk to the end, or to the next gap, without decoding bodies; return the number of events."""
        count = 0
        framer = self.outer
        while True:
            if framer.advance():
                count += 1
            elif framer.hungry():
                self.feed(framer)
            elif framer.gap is not None or framer.done():
                return count

    def take_gap(self) -> Damage | Padding | None:
        """Return the gap that `advance` stopped at, once; None if there is none."""
        if self.damage is not None:
            damage = self.damage
            self.damage = None
            self._doubt()
            return damage
        gap = self.framer.take_gap()
        if isinstance(gap, Damage):
            self._doubt()
        if gap is not None and self.within >= 0:
            gap = Damage(gap.start, gap.end, getattr(gap, "reason", "zero bytes"), within=self.within)
        if self.follower is not None and isinstance(gap, Damage):
            self._lose(gap, self.lost_event(gap))
        return gap

    def _doubt(self) -> None:
        """Tell the catalog that statements may be lost here."""
        if self.follower is not None:
            self.follower.catalog.doubt()

    def holds_nothing_but(self, gap: Damage | Padding) -> bool:
        """Return whether a gap that was taken is all that there is: no event was found in the whole log."""
        return isinstance(gap, Damage) and gap.start == 0 and self.outer.headless and self.outer.done()

    def lost_bytes(self, gap: Damage | Padding) -> bytes:
        """Return the first bytes of the gap that was taken last, at most as many as `keep_lost` set.

        To be called before the next `advance`.
        """
        return self.framer.lost_bytes(gap.start, gap.end)

    def lost_event(self, gap: Damage) -> Event | None:
        """Return the event that the gap is that was taken last, such as one with a wrong checksum, else None.

        Of events only statements are decoded. To be called before the next `advance`.
        """
        return None if gap.within is not None else self._event_in(self.lost_bytes(gap), gap)

    def take_broken(self, damage: Damage) -> Event | None:
        """Return the event, decoded in part, if the damage is one whose body could not be decoded; otherwise None."""
        event = self.broken
        self.broken = None
        if event is None or event.start != damage.start or event.end != damage.end:
            return None
        return event

    def keep_lost(self, count: int) -> None:
        """Set how many bytes of each gap are kept for `lost_bytes`."""
        self.framer.keep = max(count, _LOST_STATEMENT)

    def decode(self, framer: Framer) -> Event | None:
        """Return the event at which the framer is; None, with a `Damage`, if its body cannot be decoded."""
        body = self.body
        if framer.headless and self.within < 0 and framer.format is not self.context.format:
            self.context.meet(framer.format)  # the framer has inferred the format
        framer.point(body)
        event = new_event(framer.type_code)
        event.take(framer, self.within)
        try:
            event.decode(body, self.context)
            if body.pos < body.end:
                event.finish(body)
            self.tracker.see(event)
        except UNDECODABLE as error:
            self.damage = damage_in(event, error)
            self.broken = event
            if self.follower is not None and self.followed[event.type_code]:
                self._lose(self.damage, None if isinstance(event, Query) else event)
            return None
        if self.follower is not None and self.followed[event.type_code]:
            self._follow(event)
        if isinstance(event, TransactionPayload):
            self._open_payload(event)
        return event

    def _follow(self, event: Event) -> None:
        """Let the catalog see an event that may change definitions; plans of changed tables are made anew."""
        if isinstance(event, Query) and not may_define(event.query, 0, len(event.query)):
            return
        changed = self.follower.see(event, self.context)  # type: ignore[union-attr] # there is one
        if changed:
            self.context.plan_anew(changed)

    def _lose(self, damage: Damage, event: Event | None) -> None:
        """Let the catalog see that statements may be lost: what it knows of some tables may not hold any longer."""
        changed = self.follower.lose(damage, event, self.context)  # type: ignore[union-attr] # there is one
        if changed:
            self.context.plan_anew(changed)

    def _event_in(self, data: bytes, damage: Damage) -> Event | None:
        """Return the event that a damaged stretch of these bytes is; None where it is not one event.

        Of a statement that is cut off it has what is left, up to the last whole word.
        """
        framer = Framer(verify=False, max_event_size=self.options.max_event_size)
        framer.use(self.context.format)
        framer.headless = False
        framer.jump(damage.start)
        framer.ended = True
        cut = cut_statement(data, framer.header_size, framer.trailer)
        framer.feed(cut or data)
        if not framer.advance() or (framer.end != damage.end and not cut):
            return None
        event = new_event(framer.type_code)
        event.take(framer, -1)
        if isinstance(event, Query):
            body = Cursor()
            framer.point(body)
            try:
                event.decode(body, self.context)
            except UNDECODABLE:
                return None
        return event

    def _open_payload(self, event: TransactionPayload) -> None:
        """Continue with the content of a payload event: whole events without checksums."""
        limit = self.options.max_event_size
        if event.compression_type == _NO_COMPRESSION:
            payload = event.payload
            self.windows = iter([payload[at : at + WINDOW] for at in range(0, len(payload), WINDOW)])
        elif event.compression is None:
            reason = f"{event.type}: unknown compression {event.compression_type}"
            self.damage = Damage(0, 0, reason, within=event.start)  # the event itself is sound
            return
        else:
            self.windows = zstd_windows(event.payload, limit)
        self.within = event.start
        nested = Framer(verify=False, max_event_size=limit, nested=True)
        nested.keep = self.framer.keep
        self.framer = nested

    def close_payload(self) -> None:
        """Continue after a payload event."""
        self.framer = self.outer
        self.windows = None
        self.within = -1

    def _next_piece(self) -> bool:
        """Feed the next whole events of a log that comes in pieces; return False at its end."""
        piece = None if self.pieces is None else self.pieces.next_piece()
        if piece is None:
            return False
        framer = self.outer
        if piece.lost:
            self.damage = Damage(min(piece.lost_from, piece.start), piece.start, piece.lost)
            if self.follower is not None:
                self._lose(self.damage, None)
        framer.resume(piece.start)
        framer.feed(piece.data)
        return True

    def feed(self, framer: Framer) -> None:
        """Give a framer the bytes that it waits for."""
        if self.windows is None:
            self._feed_from_source(framer)
            return
        try:
            framer.feed(next(self.windows, b""))
        except UNDECODABLE as error:
            found = undecodable(error)
            self.damage = Damage(framer.base, framer.base, str(found), found.hint, self.within)
            self.close_payload()

    def _feed_from_source(self, framer: Framer) -> None:
        """Feed the next bytes of the log. A source that fails in the middle is a `Damage` at the end of the log."""
        chunk = b""
        try:
            chunk = self.source.read(max(CHUNK, framer.missing()))
        except SourceError as error:
            if framer.headless:
                raise
            place = error.offset or 0
            self.damage = Damage(place, place, error.reason, error.hint)
        framer.stream_size = -1 if self.source.size is None else self.source.size
        framer.feed(chunk)

"""A log as a stream of events and damage: the framer's raw events decoded, the content of payloads after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, SourceError
from binlogcli.events.event import Event
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.registry import new_event
from binlogcli.events.transactions import TransactionTracker
from binlogcli.log.compressed import WINDOW, zstd_windows
from binlogcli.log.context import LogContext
from binlogcli.log.framer import Framer
from binlogcli.log.gaps import Damage, Padding
from binlogcli.sources.source import PiecedSource, Source

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys

CHUNK = 1 << 16  # below the size from which memory is mapped anew for each read: four times faster than 1 << 18
NO_COMPRESSION = 255
SKIP, SHOW, HOLD, JUMP, END = range(5)
NO_LIMIT = (1 << 63) - 1


class ReadOptions(NamedTuple):
    """How a log is read; `keys` open it where it is encrypted."""

    verify: bool = True
    max_event_size: int = 1 << 30
    keys: Keys | None = None


class Chooser:
    """Takes every event. `begun` is false while the beginning of what was asked for is still to come, `limit` its end.

    HOLD keeps an event back until the fate of the one after it is known; JUMP goes on at offset `target`; END stops.
    """

    def __init__(self) -> None:
        self.begun = True
        self.limit = NO_LIMIT
        self.target = -1
        self.held: list[Event] = []

    def verdict(self, event: Event) -> int:
        """SKIP, SHOW, HOLD, JUMP or END."""
        return SHOW


class EventStream:
    """The events of one log, in order."""

    def __init__(self, source: Source, options: ReadOptions | None = None, schema: object = None) -> None:
        self.source = source
        self.options = options or ReadOptions()
        self.framer = Framer(verify=self.options.verify, max_event_size=self.options.max_event_size)
        self.framer.stream_size = -1 if source.size is None else source.size
        self.context = LogContext(max_content=self.options.max_event_size)
        self.context.schema = schema
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
        self.pieces = source if isinstance(source, PiecedSource) else None
        if self.pieces is not None:
            self.framer.finish()  # nothing to read before the first piece

    def __iter__(self) -> Iterator[Event | Damage | Padding]:
        """Events, and the stretches between them that hold none."""
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
        """The next event that the chooser takes; None at the end, or before a gap, which `take_gap` gives."""
        if self.chooser is None:
            return self.step()
        return self.choose(self.chooser)

    def choose(self, chooser: Chooser) -> Event | None:
        """Step from event to event until one is to be given out."""
        while True:
            if self.waiting:
                return self.waiting.pop(0)
            event = self.step()
            if event is None:
                if chooser.held:
                    self.release(chooser)
                elif not self.pass_gap(chooser):
                    return None
                continue
            begun = chooser.begun
            verdict = chooser.verdict(event)
            if verdict == SHOW and begun and not chooser.held:
                return event
            if verdict in (HOLD, SHOW):
                chooser.held.append(event)
            self.obey(chooser, verdict)
            if not begun and self.begin(chooser.begun):
                return None

    def obey(self, chooser: Chooser, verdict: int) -> None:
        """Do what the chooser says of the event that came last."""
        if verdict == SHOW:
            self.release(chooser)
        elif verdict == JUMP:
            self.jump(chooser.target)
        elif verdict == END:
            self.finish()

    def release(self, chooser: Chooser) -> None:
        """Give out what was held back."""
        self.waiting = list(chooser.held)
        chooser.held.clear()

    def begin(self, begun: bool) -> bool:
        """Whether what was asked for begins, and may begin in the stretch before it that could not be read."""
        gap = self.passed
        self.passed = None
        if begun and gap is not None:
            self.damage = gap
            return True
        return False

    def pass_gap(self, chooser: Chooser) -> bool:
        """Leave a stretch without events behind that was not asked for; False where there is none, or where it was."""
        gap = self.damage if self.damage is not None else self.framer.gap
        if gap is None:  # the end; what stands before it and could not be read may be what was asked for
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

    def jump(self, offset: int) -> None:
        """Go on at another place of the log, where an event begins that needs none before it but the format."""
        self.source.seek(offset)
        self.close_payload()
        self.outer.jump(offset)
        self.context.forget_tables()
        self.tracker = TransactionTracker()

    def resume(self, head: Iterable[tuple[int, bytes]], offset: int) -> list[Event]:
        """Go on at an event elsewhere in the log, as if all before it had been read.

        `head` are the events that it depends on, each with its place; they are returned, and not given out again.
        """
        framer = self.outer
        events = []
        for place, data in head:
            framer.jump(place)
            framer.ended = True
            framer.feed(data)
            while (event := self.step()) is not None:
                events.append(event)
        self.source.seek(offset)
        framer.jump(offset)
        return events

    def finish(self) -> None:
        """Read no further."""
        self.close_payload()
        self.pieces = None
        self.outer.finish()

    def step(self) -> Event | None:
        """The next event; None at the end, or before a gap."""
        while self.damage is None:
            framer = self.framer
            if framer.advance():
                event = self.decode(framer)
                if event is not None:
                    return event
            elif framer.gap is not None:
                return None
            elif framer.done():
                if framer is not self.outer:
                    self.close_payload()
                elif not self.next_piece():
                    return None
            elif framer.hungry():
                self.feed(framer)
        return None

    def count(self) -> int:
        """Walk to the end, or to the next gap, and decode nothing but the log's format: how many events there were."""
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
        """The stretch without events that came up last, once."""
        if self.damage is not None:
            damage = self.damage
            self.damage = None
            return damage
        gap = self.framer.take_gap()
        if gap is not None and self.within >= 0:
            return Damage(gap.start, gap.end, getattr(gap, "reason", "zero bytes"), within=self.within)
        return gap

    def lost_bytes(self, gap: Damage | Padding) -> bytes:
        """The first bytes of the gap that was taken last, before the next step; as many as `keep_lost` says."""
        return self.framer.lost_bytes(gap.start, gap.end)

    def take_broken(self, damage: Damage) -> Event | None:
        """The event that the damage is, where its frame was whole and its body was not."""
        event = self.broken
        self.broken = None
        if event is None or event.start != damage.start or event.end != damage.end:
            return None
        return event

    def keep_lost(self, count: int) -> None:
        """Keep so many bytes of each stretch without events."""
        self.framer.keep = count

    def decode(self, framer: Framer) -> Event | None:
        """The event that the framer stands at; None where its body does not hold what it should."""
        body = self.body
        if framer.headless and self.within < 0 and framer.format is not self.context.format:
            self.context.meet(framer.format)  # what was found out of a log without its format description
        framer.point(body)
        event = new_event(framer.type_code)
        event.take(framer, self.within)
        try:
            event.decode(body, self.context)
            if body.pos < body.end:
                event.finish(body)
        except DecodeError as error:
            within = None if self.within < 0 else self.within
            self.damage = Damage(event.start, event.end, f"{event.type}: {error}", within=within)
            self.broken = event
            return None
        self.tracker.see(event)
        if isinstance(event, TransactionPayload):
            self.open_payload(event)
        return event

    def open_payload(self, event: TransactionPayload) -> None:
        """The content of a payload event follows it: whole events without checksums."""
        limit = self.options.max_event_size
        if event.compression_type == NO_COMPRESSION:
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
        """The events of a payload are over: go on after it."""
        self.framer = self.outer
        self.windows = None
        self.within = -1

    def next_piece(self) -> bool:
        """Go on with the next whole events of a log that comes in pieces; False at its end."""
        piece = None if self.pieces is None else self.pieces.next_piece()
        if piece is None:
            return False
        framer = self.outer
        if piece.lost:
            self.damage = Damage(min(piece.lost_from, piece.start), piece.start, piece.lost)
        framer.resume(piece.start)
        framer.feed(piece.data)
        return True

    def feed(self, framer: Framer) -> None:
        """Give a framer the bytes it waits for."""
        if self.windows is None:
            self.feed_from_source(framer)
            return
        try:
            framer.feed(next(self.windows, b""))
        except DecodeError as error:
            self.damage = Damage(framer.base, framer.base, str(error), within=self.within)
            self.close_payload()

    def feed_from_source(self, framer: Framer) -> None:
        """The next bytes of the log. Where they break off, the log does: that is damage, and the log ends there."""
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

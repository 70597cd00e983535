"""Events of a log read a second time: for output that has its parts in a different order, and may be too long to keep.

An event is remembered by its offset if the source can seek, otherwise by a copy of its bytes in a temporary file. It is
decoded anew, with the tables that the log names at that time. Offsets of neighbours are joined, so long runs of events
take no memory.
"""

from __future__ import annotations

from typing import IO

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import UNDECODABLE
from binlogcli.events.event import Event
from binlogcli.events.registry import new_event
from binlogcli.events.stream import EventStream
from binlogcli.log.framer import Framer
from binlogcli.sources.files import FileSource

_CHUNK = 1 << 16
_IN_MEMORY = 1 << 22  # bytes of events that are kept before a file is made for them


class Replay:
    """The events noted since `clear`. To read them, `rewind`, then `advance` until it returns None."""

    def __init__(self, stream: EventStream) -> None:
        self.stream = stream
        self.spans: list[tuple[int, int, int]] = []  # first byte, end, offset in the log
        self.first = self.last = self.place = 0  # the span that still grows
        self.within = -1
        self.spool: IO[bytes] | None = None
        self.spooled = 0
        self.kept_away = not isinstance(
            stream.source, FileSource
        )  # an encrypted log is found again only event by event
        self.framer = stream.framer
        self.body = Cursor()
        self.number = 0
        self.read_to = self.end = self.resume_at = 0

    def note(self, event: Event) -> None:
        """Remember an event, to be read again after those before it."""
        start = event.start
        if self.kept_away or event.within_at >= 0:
            start = self._keep(event)
        if start != self.last or self.first == self.last:
            self._close_span()
            self.first = start
            self.place = event.start
        self.last = start + event.length

    def _keep(self, event: Event) -> int:
        """Copy an event to the temporary file, and return its offset there."""
        if self.spool is None:
            import tempfile  # only where the log cannot be read again

            self.spool = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - lives with the log
        self.within = event.within_at
        start = self.spooled
        self.spool.write(event.raw)
        self.spooled += event.length
        return start

    def _close_span(self) -> None:
        """End the span that still grows."""
        if self.last > self.first:
            self.spans.append((self.first, self.last, self.place))
            self.first = self.last

    def clear(self) -> None:
        """Forget all noted events."""
        self.first = self.last = 0
        self.within = -1
        if self.spans:
            self.spans.clear()
        if self.spooled > 0 and self.spool is not None:
            self.spool.seek(0)
            self.spool.truncate()
            self.spooled = 0

    def rewind(self) -> None:
        """Go to the first noted event. When all are read, the source is back where the stream had read to."""
        self._close_span()
        self.number = 0
        self.resume_at = self.stream.outer.base + self.stream.outer.cursor.size
        self.framer = self._new_framer(0)

    def _new_framer(self, place: int) -> Framer:
        """Return a framer for a span that begins at an offset of the log; for 0, one that expects no magic."""
        framer = Framer(verify=False, max_event_size=self.stream.options.max_event_size, nested=True)
        framer.use(self.stream.framer.format)
        framer.jump(place)
        if place == 0:
            framer.finish()
        return framer

    def advance(self) -> Event | None:
        """Return the next noted event; None after the last, and before one that cannot be read a second time."""
        while True:
            framer = self.framer
            if framer.advance():
                event = new_event(framer.type_code)
                event.take(framer, self.within)
                framer.point(self.body)
                try:
                    event.decode(self.body, self.stream.context)
                except UNDECODABLE:
                    continue  # reported as damage when it was read first
                return event
            if framer.gap is not None or framer.done():
                if not self._next_span():
                    return None
            elif framer.hungry():
                self.feed(framer)

    def decoded(self, data: bytes, place: int) -> Event:
        """Return the event that some bytes are, as if they stood at an offset of the log."""
        framer = self._new_framer(place)
        framer.feed(data)
        framer.advance()
        event = new_event(framer.type_code)
        event.take(framer, -1)
        framer.point(self.body)
        event.decode(self.body, self.stream.context)
        return event

    def _next_span(self) -> bool:
        """Go to the next span; after the last, return False and seek to where the stream had read to."""
        if self.number >= len(self.spans):
            if self.spooled == 0:
                self.stream.source.seek(self.resume_at)
            return False
        self.read_to, self.end, place = self.spans[self.number]
        self.number += 1
        if self.spooled > 0 and self.spool is not None:
            self.spool.seek(self.read_to)
        else:
            self.stream.source.seek(self.read_to)
        self.framer = self._new_framer(place)
        return True

    def feed(self, framer: Framer) -> None:
        """Give the framer the bytes that it waits for, up to the end of the span."""
        size = min(max(_CHUNK, framer.missing()), self.end - self.read_to)
        source = self.spool if self.spooled > 0 and self.spool is not None else self.stream.source
        chunk = source.read(size) if size > 0 else b""
        self.read_to += len(chunk)
        framer.feed(chunk)

"""Events of a log read again: for a text whose parts are not in the log's order, and that is too long to be kept.

What is noted is remembered by its place, where the source can be read there again, else as its bytes in a temporary
file. The events are decoded anew, with the tables that the log names in them.
"""

from __future__ import annotations

from typing import IO

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.events.event import Event
from binlogcli.events.registry import new_event
from binlogcli.events.stream import EventStream
from binlogcli.log.framer import Framer
from binlogcli.sources.files import FileSource

CHUNK = 1 << 16
IN_MEMORY = 1 << 22  # bytes of events that are kept before a file is made for them


class Replay:
    """The events that were noted since `clear`; `rewind`, then `advance` until it gives None."""

    def __init__(self, stream: EventStream) -> None:
        self.stream = stream
        self.spans: list[tuple[int, int, int]] = []  # from and to where, and the place in the log
        self.first = self.last = self.place = 0  # the stretch that is still growing
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
        """Remember an event."""
        start = event.start
        if self.kept_away or event.within_at >= 0:
            start = self.keep(event)
        if start != self.last or self.first == self.last:
            self.close_span()
            self.first = start
            self.place = event.start
        self.last = start + event.length

    def keep(self, event: Event) -> int:
        """Copy an event that cannot be read again where it stands; where it is now."""
        if self.spool is None:
            import tempfile  # noqa: PLC0415 - only where the log cannot be read again

            self.spool = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - lives with the log
        self.within = event.within_at
        start = self.spooled
        self.spool.write(event.raw)
        self.spooled += event.length
        return start

    def close_span(self) -> None:
        """The stretch that was growing is over."""
        if self.last > self.first:
            self.spans.append((self.first, self.last, self.place))
            self.first = self.last

    def clear(self) -> None:
        """Forget all."""
        self.first = self.last = 0
        self.within = -1
        if self.spans:
            self.spans.clear()
        if self.spooled > 0 and self.spool is not None:
            self.spool.seek(0)
            self.spool.truncate()
            self.spooled = 0

    def rewind(self) -> None:
        """Go to the first event."""
        self.close_span()
        self.number = 0
        self.resume_at = self.stream.outer.base + self.stream.outer.cursor.size
        self.framer = self.new_framer(0)

    def new_framer(self, place: int) -> Framer:
        """What reads a stretch that begins at that place of the log."""
        framer = Framer(verify=False, max_event_size=self.stream.options.max_event_size, nested=True)
        framer.use(self.stream.framer.format)
        framer.jump(place)
        if place == 0:
            framer.finish()
        return framer

    def advance(self) -> Event | None:
        """The next event; None after the last, and where one cannot be read a second time."""
        while True:
            framer = self.framer
            if framer.advance():
                event = new_event(framer.type_code)
                event.take(framer, self.within)
                framer.point(self.body)
                try:
                    event.decode(self.body, self.stream.context)
                except DecodeError:
                    continue  # the first reading told of it
                return event
            if framer.gap is not None or framer.done():
                if not self.next_span():
                    return None
            elif framer.hungry():
                self.feed(framer)

    def decoded(self, data: bytes, place: int) -> Event:
        """An event out of bytes that stand in no log."""
        framer = self.new_framer(place)
        framer.feed(data)
        framer.advance()
        event = new_event(framer.type_code)
        event.take(framer, -1)
        framer.point(self.body)
        event.decode(self.body, self.stream.context)
        return event

    def next_span(self) -> bool:
        """Turn to the next stretch; after the last, let the log itself be read on."""
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
        self.framer = self.new_framer(place)
        return True

    def feed(self, framer: Framer) -> None:
        """Give the framer the bytes it waits for, up to the stretch's end."""
        size = min(max(CHUNK, framer.missing()), self.end - self.read_to)
        source = self.spool if self.spooled > 0 and self.spool is not None else self.stream.source
        chunk = source.read(size) if size > 0 else b""
        self.read_to += len(chunk)
        framer.feed(chunk)

"""Finds its place again: after damage, in a log without its head, at zero padding.

An event proves itself by its checksum together with its position or with the event after it; where there are no
checksums, by positions that fit into one another. Nothing is taken for an event on its looks alone.
"""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.log.gaps import Damage, Padding
from binlogcli.log.walker import (
    BEGINNING,
    DONE,
    LOST,
    SEALED,
    WALKING,
    ZEROS,
    Walker,
)
from binlogcli.names.event_types import FORMAT_EVENTS
from binlogcli.names.magics import MAGIC

HEADLESS_SEARCH = 16 << 20  # how far into a file without magic an event is looked for
UNLIKELY_SIZE = 1 << 24  # an event this long, at a place that does not fit, is not worth waiting for
SMALL_SIZE = 1 << 16  # an event up to here is checksummed though neither its position nor what follows speaks for it
UNKNOWN_FLAGS = 0x3C00
EFFORT = 1 << 32  # bytes that candidates may take in all, and how many more for each byte of the log:
EFFORT_PER_BYTE = 256  # a log made to look like events at every place is searched in linear time
TIMESTAMP_SIZE = 4  # zero bytes that an event may begin with
DAY = 86400
FORMAT_SIZE = 1 << 10  # above the size of any format description
NO_HEAD = "the log does not begin with the magic bytes fe 62 69 6e"
NO_FORMAT = "no format description stands at the beginning of the log"
ENCRYPTED = "the log is encrypted from here on"


class Framer(Walker):
    """Raw events out of bytes. One framer reads one log, or the decompressed content of one event (`nested`)."""

    def recover(self) -> bool:
        """Leave a state in which no event is known to stand at `pos`; True when one does now."""
        if self.state == BEGINNING:
            return self.begin()
        if self.state == LOST:
            return self.search()
        if self.state == ZEROS:
            return self.pass_zeros()
        if self.state == SEALED:
            return self.pass_sealed()
        return False

    def begin(self) -> bool:
        """The first bytes: magic, and the type of the first event."""
        cursor = self.cursor
        if cursor.size < 9 and not self.ended:
            return self.starve(9)
        self.lost_at = 0
        self.state = LOST
        self.lost_reason = NO_HEAD
        if cursor.data[:4] != MAGIC:
            return False
        self.pos = 4
        if cursor.size < 9 or cursor.data[8] in FORMAT_EVENTS:
            self.state = WALKING
            return True
        self.lost_at = 4
        self.lost_reason = NO_FORMAT
        return False

    def resume(self, offset: int) -> None:
        """Go on elsewhere, with whole events alone, which are fed at once: what came before was read to its end."""
        if self.headless and self.trailer == 0:  # the first event must show whether there are checksums
            self.search_from(offset)
        else:
            self.jump(offset)
        self.ended = True

    def search_from(self, offset: int) -> None:
        """Go on elsewhere in the log, where no event is known to begin; what the first is preceded by is a gap."""
        self.jump(offset)
        self.state = LOST
        self.lost_at = offset
        self.lost_reason = NO_FORMAT
        self.lost_hint = ""
        self.next_try = -1

    def pass_zeros(self) -> bool:
        """Zero bytes to the end of the log are padding; before more events they are damage."""
        cursor = self.cursor
        data = cursor.data
        stripped = len(data[self.pos :].lstrip(b"\0"))
        if stripped == 0 and not self.ended:
            self.pos = max(self.pos, cursor.size - TIMESTAMP_SIZE)
            return self.starve(TIMESTAMP_SIZE + 1)
        if stripped == 0:
            self.pos = cursor.size
            self.state = DONE
            if self.base + self.pos > self.lost_at:
                self.gap = Padding(self.lost_at, self.base + self.pos)
            return False
        self.pos = max(self.pos, cursor.size - stripped - TIMESTAMP_SIZE)
        self.state = LOST
        self.lost_reason = "zero bytes where an event should begin"
        self.lost_hint = ""
        self.next_try = -1
        return False

    def pass_sealed(self) -> bool:
        """All that follows is encrypted and no key was given."""
        self.lost_at = min(self.lost_at, self.base + self.pos) if self.lost_hint == ENCRYPTED else self.base + self.pos
        self.lost_hint = ENCRYPTED
        self.pos = self.cursor.size
        if not self.ended:
            return self.starve(1)
        self.state = DONE
        if self.base + self.pos > self.lost_at:
            self.gap = Damage(self.lost_at, self.base + self.pos, ENCRYPTED, "pass --key-file")
        return False

    def search(self) -> bool:
        """Look for the next event that proves itself; the bytes before it are damage."""
        if self.nested:
            return self.give_up(0)
        if self.next_try >= 0 and not self.fits(self.pos, self.next_try - self.lost_at):
            self.next_try = -1  # nothing speaks for the length of the damaged event
        if self.next_try >= 0:
            verdict = self.prove(self.next_try - self.base)
            if verdict < 0:
                return False
            if verdict > 0:
                return self.found(self.next_try - self.base)
            self.next_try = -1
        while True:
            at = self.candidate()
            if at < 0:
                return self.run_out()
            self.pos = at
            verdict = self.prove(at)
            if verdict < 0:
                return False
            if verdict > 0:
                return self.found(at)
            self.pos = at + 1

    def found(self, at: int) -> bool:
        """An event stands at `at`: walk on from there."""
        self.pos = at
        self.state = WALKING
        if self.base + at == self.lost_at:
            return True
        self.gap = Damage(self.lost_at, self.base + at, self.lost_reason, self.lost_hint)
        return False

    def run_out(self) -> bool:
        """No candidate in the bytes at hand."""
        cursor = self.cursor
        if self.ended:
            return self.give_up(cursor.size)
        if self.headless and self.lost_at == 0 and self.base + self.pos > HEADLESS_SEARCH:
            return self.give_up(cursor.size)
        self.pos = max(self.pos, cursor.size - self.header_size + 1)
        return self.starve(self.header_size)

    def give_up(self, pos: int) -> bool:
        """No event follows any more."""
        self.pos = max(pos, self.pos)
        self.state = DONE
        end = self.base + (self.cursor.size if self.nested else self.pos)
        if end > self.lost_at:
            self.gap = Damage(self.lost_at, end, self.lost_reason, self.lost_hint)
        return False

    def candidate(self) -> int:
        """The next place from `pos` on whose bytes look like an event header, or -1."""
        at = self.pos
        if self.base + at == self.lost_at and self.lost_reason != NO_HEAD and self.lost_reason != NO_FORMAT:
            at += 1
        last = self.cursor.size - self.header_size
        while at <= last:
            if self.known[self.cursor.view[at + 4]] and self.plausible(at):
                return at
            at += 1
        self.pos = max(self.pos, at)
        return -1

    def plausible(self, at: int) -> bool:
        """Whether the bytes at `at` look like an event header."""
        cursor = self.cursor
        if at + self.header_size > cursor.size or not self.known[cursor.view[at + 4]]:
            return False
        length = cursor.little(at + 9, 4)
        if length < self.header_size or length > self.max_event_size:
            return False
        if 0 <= self.stream_size < self.base + at + length:
            return False
        return self.header_size < 19 or cursor.little(at + 17, 2) & UNKNOWN_FLAGS == 0

    def fits(self, at: int, length: int) -> bool:
        """Whether the event's own end position is where it ends."""
        if self.header_size < 19:
            return False
        log_pos = self.cursor.little(at + 13, 4)
        end = self.base + at + (0 if self.positions_are_starts else length)
        return log_pos != 0 and (log_pos == end & 0xFFFFFFFF or log_pos == (end + self.delta) & 0xFFFFFFFF)

    def prove(self, at: int) -> int:
        """1 when an event stands at `at`, 0 when none does, -1 when more bytes are needed to tell."""
        cursor = self.cursor
        if at + self.header_size > cursor.size:
            if not self.ended:
                self.starve(at - self.pos + self.header_size)
                return -1
            return 1 if at == cursor.size else 0
        if not self.plausible(at):
            return 0
        length = cursor.little(at + 9, 4)
        fits = self.fits(at, length)
        end = at + length
        if (not fits and length > UNLIKELY_SIZE) or not self.affordable(at, length):
            return 0
        if end + self.header_size > cursor.size and not self.ended and self.base + end != self.stream_size:
            self.starve(end - self.pos + self.header_size)
            return -1
        return 1 if end <= cursor.size and self.stands(at, end, fits) else 0

    def stands(self, at: int, end: int, fits: bool) -> bool:
        """Whether checksum, position and what follows make [at, end) an event."""
        follows = self.follows(at, end)
        if not fits and not follows and end - at > SMALL_SIZE:
            return False
        if (self.trailer > 0 or self.headless) and self.sound(at, end):
            return True
        return self.trailer == 0 and follows and (fits or self.chained(at, end))

    def affordable(self, at: int, length: int) -> bool:
        """Whether so many bytes may still be looked at for a candidate that may be none."""
        if self.effort + length > EFFORT + EFFORT_PER_BYTE * (self.base + at):
            return False
        self.effort += length
        return True

    def sound(self, at: int, end: int) -> bool:
        """Whether the last four bytes of [at, end) are the checksum of those before."""
        cursor = self.cursor
        if end - at < self.header_size + 4:
            return False
        stored = cursor.little(end - 4, 4)
        computed = kernel.crc32_range(cursor.view, at, end - 4)
        if computed != stored and cursor.view[at + 4] == 15 and end - at < FORMAT_SIZE:
            event = bytearray(cursor.data[at : end - 4])
            event[17] &= 0xFE
            computed = kernel.crc32_range(bytes(event), 0, len(event))
        if computed == stored and self.headless and self.trailer == 0:
            self.use(self.format._replace(checksum=1))
        return computed == stored

    def follows(self, at: int, end: int) -> bool:
        """Whether what stands after the event can be the next one, padding, or the end."""
        cursor = self.cursor
        if end + self.header_size > cursor.size or self.plausible(end):
            return True
        return cursor.view[end + 4] == 0 and cursor.little(end + 9, 4) == 0

    def chained(self, at: int, end: int) -> bool:
        """Whether the next event's position counts on from this one's."""
        cursor = self.cursor
        if self.header_size < 19:
            return end + self.header_size <= cursor.size
        if end + self.header_size > cursor.size:
            return False
        log_pos = cursor.little(at + 13, 4)
        if log_pos == 0:
            return self.akin(at, end)
        step = end - at if self.positions_are_starts else cursor.little(end + 9, 4)
        return cursor.little(end + 13, 4) == (log_pos + step) & 0xFFFFFFFF

    def akin(self, at: int, end: int) -> bool:
        """Whether two events without positions are of the server that wrote the last one, within a day."""
        cursor = self.cursor
        server_id = cursor.little(at + 5, 4)
        if server_id == 0 or server_id != cursor.little(end + 5, 4):
            return False
        if not self.headless and server_id != self.server_id:
            return False
        seconds = cursor.little(at, 4)
        seconds -= cursor.little(end, 4)
        return -DAY <= seconds <= DAY

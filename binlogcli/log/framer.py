"""Finds events again where none is known to begin: after damage, in a log without its head, at zero padding.

The idea: every place whose bytes look like a header (`candidate`) is tried (`prove`) until one proves to be an event:
* with checksums, by its own, together with its position or with a likely header after it; small events (_SMALL_SIZE) by
  their checksum alone;
* without checksums, by its position and what follows, or by the position of the event after it, which counts on from
  its own; without positions either, by the server's id and a time within a day.
Nothing is taken for an event on its looks alone. In a log without its head one right checksum shows that there are any.

What holds:
* The damaged event's own end is tried first, but only where its position agrees with its length: a length is damaged as
  easily as anything else.
* Time is linear in the log's size. Each candidate's bytes are taken from a budget that grows with the place in the log
  (`affordable`); without it, bytes made to look like headers everywhere took quadratic time.
* Zero bytes up to the end are padding; before another event they are damage. An event's time may be zero, so that the
  last four zero bytes may be its own.
* Compressed content (`nested`) is not searched: its first damage ends it.
"""

from __future__ import annotations

from binlogcli.log.format import FORMAT_HEAD, HEADER_SIZE
from binlogcli.log.format_walker import FormatWalker
from binlogcli.log.gaps import Damage, Padding
from binlogcli.log.walker import BEGINNING, DONE, LOST, SEALED, WALKING, ZEROS
from binlogcli.names.event_types import FORMAT_EVENTS
from binlogcli.names.magics import MAGIC

_BEGINNING_SIZE = 4 + HEADER_SIZE + FORMAT_HEAD  # the magic, and what tells a format description
_HEADLESS_SEARCH = 16 << 20  # how far into a file without magic an event is looked for
_UNLIKELY_SIZE = 1 << 24  # an event this long, at a place that does not fit, is not worth waiting for
_SMALL_SIZE = 1 << 16  # an event up to here is checksummed though neither its position nor what follows speaks for it
_UNKNOWN_FLAGS = 0x3C00  # header flags that no server sets
_EFFORT = 1 << 32  # bytes that candidates may take in all,
_EFFORT_PER_BYTE = 256  # and how many more for each byte of the log
_TIMESTAMP_SIZE = 4  # bytes of the time that an event begins with
_DAY = 86400  # seconds
_WITNESSES = 3  # events that may show that there are checksums, after one without in a log without its head
_NO_HEAD = "the log does not start with the magic bytes fe 62 69 6e"
_NO_FORMAT = "the log does not start with a format description event"
ENCRYPTED = "the log is encrypted from this position"


class Framer(FormatWalker):
    """Reads the events of one log, or of the decompressed content of one event (`nested`)."""

    def recover(self) -> bool:
        """Do what `state` asks for; return whether an event begins at `pos` now."""
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
        """Read the first bytes: the magic, and the type of the first event."""
        cursor = self.cursor
        if cursor.size < _BEGINNING_SIZE and not self.ended:
            return self.starve(_BEGINNING_SIZE)
        self.lost_at = 0
        self.state = LOST
        self.lost_reason = _NO_HEAD
        if cursor.data[:4] != MAGIC:
            return False
        self.pos = 4
        looks_right = self.assume_format(self.pos)
        if cursor.size < 9 or cursor.data[8] in FORMAT_EVENTS:
            self.state = WALKING
            return True
        self.lost_at = 4
        self.lost_reason = _NO_FORMAT
        if looks_right:
            self.spoil(f"the format description is broken: its type is {cursor.data[8]}", cursor.little(13, 4))
        return False

    def go_on(self, offset: int) -> None:
        """Continue at an event that begins at file offset `offset`, the bytes of which are fed next.

        It has to show whether the log has checksums where nothing before it did.
        """
        if self.headless and self.trailer == 0:
            self.search_from(offset)
        else:
            self.jump(offset)

    def resume(self, offset: int) -> None:
        """Continue at file offset `offset` with whole events, all of them fed next in one chunk."""
        self.go_on(offset)
        self.ended = True

    def search_from(self, offset: int) -> None:
        """Continue at file offset `offset`, where no event is known to begin; bytes before the first one are a gap."""
        self.jump(offset)
        self.state = LOST
        self.lost_at = offset
        self.lost_reason = _NO_FORMAT
        self.lost_hint = ""
        self.next_try = -1

    def pass_zeros(self) -> bool:
        """Pass zero bytes: padding up to the end of the log, damage before more events."""
        cursor = self.cursor
        data = cursor.data
        stripped = len(data[self.pos :].lstrip(b"\0"))
        if stripped == 0 and not self.ended:
            self.pos = max(self.pos, cursor.size - _TIMESTAMP_SIZE)
            return self.starve(_TIMESTAMP_SIZE + 1)
        if stripped == 0:
            self.pos = cursor.size
            self.state = DONE
            if self.base + self.pos > self.lost_at:
                self.gap = Padding(self.lost_at, self.base + self.pos)
            return False
        self.pos = max(self.pos, cursor.size - stripped - _TIMESTAMP_SIZE)
        self.state = LOST
        self.lost_reason = "zero bytes where an event should start"
        self.lost_hint = ""
        self.next_try = -1
        return False

    def pass_sealed(self) -> bool:
        """Pass the rest of the log, which is encrypted, as one damaged stretch."""
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
        """Look for the next event that proves itself; return whether it begins right where the last one ended."""
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
        """Walk on from the event at `at`; False where a gap before it is to be taken first."""
        self.pos = at
        self.state = WALKING
        if self.base + at == self.lost_at:
            return True
        self.gap = Damage(self.lost_at, self.base + at, self.lost_reason, self.lost_hint)
        return False

    def run_out(self) -> bool:
        """Wait for more bytes, as those at hand hold no candidate, or give up at the end."""
        cursor = self.cursor
        if self.ended:
            return self.give_up(cursor.size)
        if self.headless and self.lost_at == 0 and self.base + self.pos > _HEADLESS_SEARCH:
            return self.give_up(cursor.size)
        self.pos = max(self.pos, cursor.size - self.header_size + 1)
        return self.starve(self.header_size)

    def give_up(self, pos: int) -> bool:
        """End the log: what was passed since the last event is damage."""
        self.pos = max(pos, self.pos)
        self.state = DONE
        end = self.base + (self.cursor.size if self.nested else self.pos)
        if end > self.lost_at:
            self.gap = Damage(self.lost_at, end, self.lost_reason, self.lost_hint)
        return False

    def candidate(self) -> int:
        """Return the next place from `pos` on whose bytes look like an event header, or -1."""
        at = self.pos
        if self.base + at == self.lost_at and self.lost_reason != _NO_HEAD and self.lost_reason != _NO_FORMAT:
            at += 1
        last = self.cursor.size - self.header_size
        while at <= last:
            if self.known[self.cursor.view[at + 4]] and self.plausible(at):
                return at
            at += 1
        self.pos = max(self.pos, at)
        return -1

    def plausible(self, at: int) -> bool:
        """Return whether the bytes at `at` look like an event header: known type, possible length, no unknown flag."""
        cursor = self.cursor
        if at + self.header_size > cursor.size or not self.known[cursor.view[at + 4]]:
            return False
        length = cursor.little(at + 9, 4)
        if length < self.header_size or length > self.max_event_size:
            return False
        if 0 <= self.stream_size < self.base + at + length:
            return False
        return self.header_size < 19 or cursor.little(at + 17, 2) & _UNKNOWN_FLAGS == 0

    def fits(self, at: int, length: int) -> bool:
        """Return whether an event of `length` bytes at `at` ends where its `log_pos` says."""
        if self.header_size < 19:
            return False
        log_pos = self.cursor.little(at + 13, 4)
        end = self.base + at + (0 if self.positions_are_starts else length)
        return log_pos != 0 and (log_pos == end & 0xFFFFFFFF or log_pos == (end + self.delta) & 0xFFFFFFFF)

    def prove(self, at: int) -> int:
        """Return 1 if an event starts at `at`, 0 if none does, -1 if more bytes are needed to decide."""
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
        if (not fits and length > _UNLIKELY_SIZE) or not self.affordable(at, length):
            return 0
        if end + self.header_size > cursor.size and not self.ended and self.base + end != self.stream_size:
            self.starve(end - self.pos + self.header_size)
            return -1
        if end > cursor.size or not self.stands(at, end, fits):
            return 0
        return self.unsealed(end) if self.headless and self.trailer == 0 else 1

    def stands(self, at: int, end: int, fits: bool) -> bool:
        """Return whether checksum, position and what follows make [at, end) an event."""
        follows = self.follows(at, end)
        if not fits and not follows and end - at > _SMALL_SIZE:
            return False
        if (self.trailer > 0 or self.headless) and self.sound(at, end):
            return True
        return self.trailer == 0 and follows and (fits or self.chained(at, end))

    def unsealed(self, end: int) -> int:
        """Return 1 for an event without checksum that ends at `end` unless those after it have any: then 0.

        -1 when more bytes are needed to tell.
        """
        witness = self.witness(end, _WITNESSES)
        if witness > 0:
            self.use(self.format._replace(checksum=1))
        return -1 if witness < 0 else 1 - witness

    def affordable(self, at: int, length: int) -> bool:
        """Return whether the budget allows to look at `length` bytes of a candidate, and take them from it."""
        if self.effort + length > _EFFORT + _EFFORT_PER_BYTE * (self.base + at):
            return False
        self.effort += length
        return True

    def sound(self, at: int, end: int) -> bool:
        """Return whether the last four bytes of [at, end) are the checksum of those before."""
        sound = self.has_checksum(at, end)
        if sound and self.headless and self.trailer == 0:
            self.use(self.format._replace(checksum=1))
        return sound

    def follows(self, at: int, end: int) -> bool:
        """Return whether what is at `end` can be the next event, padding, or the end of the log."""
        cursor = self.cursor
        if end + self.header_size > cursor.size or self.plausible(end):
            return True
        return cursor.view[end + 4] == 0 and cursor.little(end + 9, 4) == 0

    def chained(self, at: int, end: int) -> bool:
        """Return whether the next event's position counts on from this one's."""
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
        """Return whether this event and the next, without positions, are of the last event's server and one day."""
        cursor = self.cursor
        server_id = cursor.little(at + 5, 4)
        if server_id == 0 or server_id != cursor.little(end + 5, 4):
            return False
        if not self.headless and server_id != self.server_id:
            return False
        seconds = cursor.little(at, 4)
        seconds -= cursor.little(end, 4)
        return -_DAY <= seconds <= _DAY

"""Checksums of the events that a server sends, which tell whether an event is what the server wrote.

A log's format description says whether its events end in checksums. It has a checksum of its own, also where the other
events have none. Where it is missing or that does not fit, the server that wrote the log knew none yet, or the bytes
were changed on the way: what follows decides. An event that ends in its checksum proves that the format description was
changed, and then nothing counts that came since the log, or the rest of it, was begun.
"""

from __future__ import annotations

from zlib import crc32

from binlogcli.binary import kernel
from binlogcli.errors import DecodeError
from binlogcli.sources.protocol.packets import LOG_START

CHECKSUM = 4  # bytes at the end of an event
CRC32 = 1  # BINLOG_CHECKSUM_ALG_CRC32
FLAGS_AT = 17  # in an event's header
IN_USE = 1  # LOG_EVENT_BINLOG_IN_USE_F, which the checksum of a format description leaves out
DOUBTS = 16  # events that may prove a format description to be changed if there is none whose checksum fits


class MismatchError(DecodeError):
    """The event that begins at `place` does not fit its checksum."""

    def __init__(self, place: int) -> None:
        super().__init__("an event does not match its checksum")
        self.place = place


class EventChecksums:
    """Verifies the events of one log after another; does nothing without `verify`."""

    def __init__(self, *, verify: bool) -> None:
        self.verify = verify
        self.place = self.left = 0  # where the event begins that comes in parts, and how many bytes are still to come
        self.crc = self.tail = 0  # of its bytes so far; the checksum that it ends in, as far as that has come
        self.weight = 1  # of the checksum's next byte
        self.begin(LOG_START)

    def begin(self, position: int) -> None:
        """Begin a log at `position`, before its format description."""
        self.begun = position
        self.checked = False
        self.doubts = DOUBTS if self.verify else 0

    def describe(self, view: memoryview, start: int, end: int) -> None:
        """Take the format description at [start, end), as it is in the log or as it is sent for a later start."""
        if not self.verify or end - start <= FLAGS_AT + CHECKSUM:
            return
        event = bytearray(view[start:end])
        event[FLAGS_AT] &= ~IN_USE & 0xFF
        size = end - start - CHECKSUM
        fits = crc32(event[:size]) == self.stored(view, end - CHECKSUM)
        self.checked = fits and event[size - 1] == CRC32
        self.doubts = 0 if fits else DOUBTS

    def check(self, view: memoryview, start: int, end: int, place: int) -> None:
        """Verify the whole event at [start, end), which begins at `place` in the log. Raises MismatchError."""
        if self.checked or self.doubts > 0:
            self.judge(kernel.crc32_range(view, start, end - CHECKSUM) == self.stored(view, end - CHECKSUM), place)

    def stored(self, view: memoryview, at: int) -> int:
        """Return the checksum stored at `at`."""
        value = 0
        for byte in range(at + CHECKSUM - 1, at - 1, -1):
            value = value * 256 + view[byte]
        return value

    def judge(self, fits: bool, place: int) -> None:
        """Raise MismatchError for an event that should fit its checksum, or that fits one it should not have."""
        if self.checked:
            if not fits:
                raise MismatchError(place)
        elif self.doubts > 0:
            if fits:
                raise MismatchError(self.begun)
            self.doubts -= 1

    def open(self, length: int, place: int) -> None:
        """Begin an event of `length` bytes that comes in parts."""
        self.place = place
        self.left = length
        self.crc = self.tail = 0
        self.weight = 1

    def part(self, view: memoryview, start: int, size: int) -> None:
        """Take the next `size` bytes of the event, at `start`."""
        if not self.checked and self.doubts == 0:
            return
        end = start + size
        middle = max(start + min(size, self.left - CHECKSUM), start)
        if middle > start:
            self.crc = crc32(view[start:middle], self.crc)
        for at in range(middle, end):
            self.tail += view[at] * self.weight
            self.weight *= 256
        self.left -= size

    def close(self) -> None:
        """Verify the event whose parts have all come. Raises MismatchError."""
        if self.checked or self.doubts > 0:
            self.judge(self.crc == self.tail, self.place)

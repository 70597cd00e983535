"""Reads the events that say how all after them are laid out, and judges whether they can be believed.

A damaged one must not decide how the rest of the log is read, least of all whether events end in checksums:
* A format description whose own checksum is right is believed in all that it says. It has one even in a log without.
* One that says that there are checksums, and whose own is wrong, is damage.
* One that says that there are none, or whose server knew none, is believed unless the bytes prove otherwise: it is
  damage where its own checksum is off by one flipped bit, or where the next event ends in the CRC32 of its bytes.
  That its checksum is another number proves nothing here: a server that sends a log changes the event, and computes
  the checksum anew only if the log has checksums.
* Of a damaged one the server's family is taken over, with the sizes that all servers write, and the framer finds out
  from the events whether they have checksums (`headless`).
"""

from __future__ import annotations

import zlib

from binlogcli.binary import kernel
from binlogcli.binary.checksums import flipped_bit
from binlogcli.errors import DecodeError
from binlogcli.log.format import (
    CHECKSUM_SIZE,
    HEADER_SIZE,
    LogFormat,
    assumed_format,
    read_format_description,
    read_start_v3,
    resembles_format_description,
)
from binlogcli.log.gaps import MISMATCH, Damage
from binlogcli.log.walker import Walker
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, START_EVENT_V3

_IN_USE_FLAG = 0x01  # LOG_EVENT_BINLOG_IN_USE_F
_START_V1_SIZE, _START_V3_SIZE = 69, 75  # bytes of START_EVENT_V3 with the headers of version 1 and 3
_MASK32 = 0xFFFFFFFF
_FORMAT_SIZE = 1 << 10  # above the size of any format description
_WITNESS_SIZE = 1 << 16  # an event up to here is waited for, to see whether it has a checksum
_CRC32 = 1


class FormatWalker(Walker):
    """The part of a walker that meets format descriptions. Framer, its subclass, has `recover` and `plausible`."""

    def meet_format(self) -> bool:
        """Read a FORMAT_DESCRIPTION or START_V3 event, and use its format; False where it is damaged."""
        old = self.type_code == START_EVENT_V3
        end = self.at + self.length
        self.doubted = -1
        proven = not old and self.has_checksum(self.at, end)
        self.body_start = self.at + (13 if old and self.length == _START_V1_SIZE else HEADER_SIZE)
        try:
            self.cursor.point(self.body_start, end)
            log_format = (
                self.read_old_format() if old else read_format_description(self.cursor, CHECKSUM_SIZE, proven=proven)
            )
        except DecodeError as error:
            return self.spoil(f"the format description is broken: {error}", self.length)
        if log_format.checksum not in (None, 0, _CRC32):
            return self.spoil(f"unknown checksum algorithm {log_format.checksum}", self.length)
        if not proven:
            if log_format.checksum != _CRC32:
                witness = self.contradicted(old)
                if witness < 0:
                    return False
                if witness > 0:
                    log_format = log_format._replace(checksum=_CRC32)
            if log_format.checksum == _CRC32 and (self.verify or old):
                return self.mismatch()
        self.body_end = end if log_format.checksum is None else end - CHECKSUM_SIZE
        self.crc = -1 if log_format.checksum is None else self.cursor.little(self.body_end, CHECKSUM_SIZE)
        self.use(log_format)
        self.headless = False
        self.in_use = self.flags & _IN_USE_FLAG > 0
        return True

    def read_old_format(self) -> LogFormat:
        """Read a START_V3 event, which has no checksum; DecodeError unless servers wrote its size."""
        if self.length not in (_START_V1_SIZE, _START_V3_SIZE):
            raise DecodeError(f"{self.length} bytes, which no server writes")
        log_format = read_start_v3(self.cursor)
        if (log_format.binlog_version == 1) != (self.length == _START_V1_SIZE):
            raise DecodeError(f"{self.length} bytes of binlog_version {log_format.binlog_version}")
        if self.length == _START_V1_SIZE:
            self.log_pos = self.flags = 0
        elif self.log_pos != 0 and not self.positions_are_starts:
            self.log_pos = (self.log_pos + self.length) & _MASK32
        return log_format

    # whether there are checksums --------------------------------------------------------------------------------

    def is_sound(self) -> bool:
        """Return whether the event's checksum is right, or the log has none."""
        return self.trailer == 0 or self.has_checksum(self.at, self.at + self.length)

    def has_checksum(self, at: int, end: int) -> bool:
        """Return whether the last four bytes of [at, end) are the checksum of those before."""
        cursor = self.cursor
        if end - at < self.header_size + CHECKSUM_SIZE:
            return False
        stored = cursor.little(end - CHECKSUM_SIZE, CHECKSUM_SIZE)
        if kernel.crc32_range(cursor.view, at, end - CHECKSUM_SIZE) == stored:
            return True
        if cursor.view[at + 4] != FORMAT_DESCRIPTION_EVENT:
            return False
        if not HEADER_SIZE + CHECKSUM_SIZE <= end - at <= _FORMAT_SIZE:  # other headers may have been shorter
            return False
        return zlib.crc32(self.without_in_use(at, end - CHECKSUM_SIZE)) == stored

    def without_in_use(self, at: int, end: int) -> bytes:
        """Return [at, end) of a format description as its checksum is computed: LOG_EVENT_BINLOG_IN_USE_F cleared."""
        event = bytearray(self.cursor.data[at:end])
        event[17] &= ~_IN_USE_FLAG & 0xFF
        return bytes(event)

    def contradicted(self, old: bool) -> int:
        """Return whether a format description is damaged though it says that there are no checksums, own included.

        1 if it has one that is a bit off, or the next event has one; 0 if not, or if that cannot be seen: then the next
        event is to show it when it comes (`doubted`). -1 when more bytes are needed, or where the event is none at all.
        """
        end = self.at + self.length
        if not old:
            if not self.headless and not resembles_format_description(self.cursor.data, self.body_start):
                self.spoil("no format description event starts here", self.length)
                return -1
            if not self.fits(self.at, self.length):
                reached = self.reach(end + self.header_size)
                if reached > 0 and not (self.follows(self.at, end) if self.log_pos == 0 else self.plausible(end)):
                    self.spoil("the format description is broken: no event follows it", self.length)
                    reached = -1
                if reached < 0:
                    return -1
            if self.verify and self.length <= _FORMAT_SIZE and flipped_bit(self.without_in_use(self.at, end)) >= 0:
                return 1
        self.doubted = self.start
        self.doubted_end = self.end
        return self.witness(end, 1)

    def reach(self, end: int) -> int:
        """Return 1 if the bytes up to `end` are at hand, 0 if the log is shorter, -1 after asking for them."""
        if end <= self.cursor.size:
            return 1
        if self.ended or 0 <= self.stream_size < self.base + end:
            return 0
        self.starve(end - self.pos)
        return -1

    def witness(self, at: int, count: int) -> int:
        """Return 1 if one of the next `count` events from `at` on has a checksum, 0 if none has, -1 to get more bytes.

        A format description has one in any log, and ends the search.
        """
        cursor = self.cursor
        while count > 0:
            end = at + self.header_size
            reached = self.reach(end)
            if reached > 0:
                if not self.plausible(at) or cursor.view[at + 4] == FORMAT_DESCRIPTION_EVENT:
                    return 0
                end = at + cursor.little(at + 9, 4)
                reached = self.reach(end) if end - at <= _WITNESS_SIZE else 0
            if reached <= 0:
                return reached
            if self.has_checksum(at, end):
                return 1
            at = end
            count -= 1
        return 0

    def settle(self) -> bool:
        """Return False if the event at hand has a checksum though the log seemed to have none: read it again.

        That is damage of the format description, if one said so.
        """
        start = self.doubted
        self.doubted = -1
        if not self.has_checksum(self.at, self.at + self.length):
            return True
        self.use(self.format._replace(checksum=_CRC32))
        if self.verify and start >= 0 and self.start == self.doubted_end:
            self.gap = Damage(start, self.doubted_end, "it says that events have no checksums, but those after it do")
        return False

    # damage -----------------------------------------------------------------------------------------------------

    def mismatch(self) -> bool:
        """Report an event whose checksum is wrong as damage."""
        at = self.at
        end = at + self.length
        stored = self.cursor.little(end - CHECKSUM_SIZE, CHECKSUM_SIZE)
        computed = (
            zlib.crc32(self.without_in_use(at, end - CHECKSUM_SIZE))
            if self.type_code == FORMAT_DESCRIPTION_EVENT
            else kernel.crc32_range(self.cursor.view, at, end - CHECKSUM_SIZE)
        )
        reason = f"{MISMATCH}: stored 0x{stored:08x}, computed 0x{computed:08x}"
        return self.spoil(reason, self.length, "use --no-verify to read it anyway")

    def assume_format(self, at: int) -> bool:
        """Read what follows with what is known of a damaged format description at `at`; False if there is none."""
        data = self.cursor.data
        if self.nested or not resembles_format_description(data, at + HEADER_SIZE):
            return False
        self.use(assumed_format(data, at + HEADER_SIZE))
        self.headless = True
        return True

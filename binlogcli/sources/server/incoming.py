"""The bytes after a dump request, taken apart: log bytes as a file has them, and what is between.

No input or output happens here: `space` is the buffer for the next bytes, `filled` counts the received ones, `advance`
returns what they are, and `take` returns log bytes. An event is passed on while it comes in, so that no buffer grows
with it. Lengths that contradict one another, an event at another place than its own position, and with `verify` one
that does not fit its checksum raise `DecodeError`; `boundary` is before such an event then.
"""

from __future__ import annotations

from zlib import crc32

from binlogcli.binary import kernel
from binlogcli.errors import DecodeError, counted
from binlogcli.names.event_types import (
    FORMAT_DESCRIPTION_EVENT,
    GTID_EVENT,
    GTID_LOG_EVENT,
    GTID_TAGGED_LOG_EVENT,
    HEARTBEAT_LOG_EVENT,
    HEARTBEAT_LOG_EVENT_V2,
    ROTATE_EVENT,
    START_ENCRYPTION_EVENT,
)
from binlogcli.sources.protocol.answers import has_semi_sync
from binlogcli.sources.protocol.packets import (
    ACK_WANTED,
    ARTIFICIAL_FLAG,
    EOF,
    ERR,
    EVENT_HEADER,
    LARGEST_CHUNK,
    LONGEST_EOF,
    PACKET_HEADER,
)
from binlogcli.sources.server.checksums import EventChecksums

# what `advance` found
MORE = 0  # all was used up: receive more
MARK = 1  # what is not in the log, as `mark` gives it: a rotation, a heartbeat, the head of a log that is gone on with
ACK = 2  # the log up to `boundary` is to be acknowledged
END = 3  # the server has sent all there is
REFUSED = 4  # `mark` is the server's error
BEGUN = 5  # an event whose end has not come yet
GROUP = 6  # `mark` is the event that begins a group: it comes next, and how much of it is known can still be said

BUFFER = 1 << 16  # as large as the log reader's windows
LARGEST_MARK = 1 << 15  # bytes of a packet that is not an event of the log
MASK32 = 0xFFFFFFFF
WITHHELD = (36, 40)  # sizes of START_ENCRYPTION: without and with a checksum
CRYPTO_SCHEME = b"\x01"
IGNORABLE = b"\x80\0"
NEVER = 1 << 62  # no offset


class Incoming:
    """Turns the packets of one dump into the bytes of one log after another."""

    def __init__(self, position: int, max_event_size: int, *, placed: bool = True, verify: bool = False) -> None:
        self.max_event_size = max_event_size
        self.sums = EventChecksums(verify=verify)
        self.placed = placed  # whether events stand where they say: not where the server leaves some out
        self.buffer = bytearray(BUFFER)
        self.view = memoryview(self.buffer)
        self.start = self.end = 0  # of what was received and not yet used
        self.out = memoryview(bytearray(BUFFER + WITHHELD[1]))
        self.ready = 0  # bytes in `out`
        self.marks = -1  # bytes between status and event; known from the first packet on
        self.chunk_left = self.event_left = 0  # of the event that is on its way
        self.goes_on = False  # in a further packet
        self.wants_ack = False
        self.told_group = False
        self.mark_start = self.mark_end = 0
        self.last_type = self.open_type = 0  # of the event that ends at `boundary`, and of the one on its way
        self.now = 0
        self.events = self.delay_sum = self.delay_max = 0
        self.begin(position, position)

    def begin(self, position: int, skip_to: int) -> None:
        """Begin a log at `position`; bytes before `skip_to` are known and not given out again."""
        self.offset = self.boundary = position
        self.skip_to = skip_to
        self.last_type = 0
        self.sums.begin(max(position, skip_to))  # what is known was proven before
        self.completed = False  # by what its server leaves out, once: `out` has room for no more

    def proven(self) -> int:
        """Return the position up to which events are known to be right: `boundary`, unless the log has no sound head.

        A log of a server that knows no checksums counts as right after its first events.
        """
        return self.sums.begun if self.sums.doubts > 0 else self.boundary

    def know(self, size: int) -> None:
        """Skip the next `size` bytes of the log."""
        self.skip_to = self.offset + size

    # bytes in and out -----------------------------------------------------------------------------------------

    def space(self) -> memoryview:
        """Return the free part of the buffer."""
        left = self.end - self.start
        if left > 0 and self.start > 0:
            self.buffer[:left] = self.buffer[self.start : self.end]
        self.start = 0
        self.end = left
        return memoryview(self.buffer)[left:]

    def filled(self, count: int, now: int) -> None:
        """Note that `count` bytes were received in the second `now`."""
        self.end += count
        self.now = now

    def take(self) -> bytes:
        """Return the log's bytes since the last call; they may end inside an event, beyond `boundary`."""
        data = bytes(self.out[: self.ready])
        self.ready = 0
        return data

    def mark(self) -> bytes:
        """Return the event or error that `advance` has found."""
        return bytes(self.view[self.mark_start : self.mark_end])

    # packets --------------------------------------------------------------------------------------------------

    def advance(self) -> int:
        """Continue to the next finding that is more than log bytes, and return its kind."""
        while True:
            if self.chunk_left > 0 or self.goes_on:
                if not self.pass_on():
                    return MORE
                if self.wants_ack:
                    self.wants_ack = False
                    return ACK
            found = self.open_packets()
            if found != BEGUN:
                return found

    def number(self, at: int, size: int) -> int:
        """Return the little-endian number of `size` bytes at `at`."""
        value = 0
        while size > 0:
            size -= 1
            value = value * 256 + self.view[at + size]
        return value

    def open_packets(self) -> int:
        """Pass on the whole packets with events, up to one that is not whole or needs more than that."""
        view = self.view
        while True:
            at = self.start
            have = self.end - at
            if have < PACKET_HEADER:
                return MORE
            size = self.number(at, 3)
            if size == 0:
                raise DecodeError("an empty packet is not an event")
            if have == PACKET_HEADER:
                return MORE
            if view[at + PACKET_HEADER] != 0 or self.marks < 0:
                return self.open_mark(at)
            event = at + PACKET_HEADER + 1 + self.marks
            if event + EVENT_HEADER > self.end or self.needs_more(event, at + PACKET_HEADER + size):
                return self.short_of(at)
            length = self.number(event + 9, 4)
            self.check_lengths(size, length)
            if self.is_mark(event):
                return self.open_mark(at)
            self.check_place(event, length)
            if not self.placed and not self.told_group and self.begins_group(event):
                return self.tell_group(event, length, have - PACKET_HEADER - size)
            self.told_group = False
            self.count(event)
            wants_ack = self.marks > 0 and view[event - 1] & ACK_WANTED > 0
            if have < PACKET_HEADER + size or size == LARGEST_CHUNK:
                self.wants_ack = wants_ack
                return self.begin_event(event, size, length)
            if view[event + 4] == FORMAT_DESCRIPTION_EVENT:
                self.sums.describe(view, event, event + length)
            else:
                self.sums.check(view, event, event + length, self.offset)
            self.put(event, length)
            self.boundary = self.offset
            self.last_type = view[event + 4]
            self.start = at + PACKET_HEADER + size
            if wants_ack:
                return ACK

    def begin_event(self, event: int, size: int, length: int) -> int:
        """Begin an event that is not whole yet, or continues in further packets."""
        self.start = event
        self.chunk_left = size - 1 - self.marks
        self.event_left = length
        self.goes_on = size == LARGEST_CHUNK
        self.open_type = self.view[event + 4]
        self.sums.open(length, self.offset)
        return BEGUN

    def short_of(self, at: int) -> int:
        """Return MORE where the opening of an event is not all there; raise for a packet too short to hold one."""
        size = self.number(at, 3)
        if size < 1 + self.marks + EVENT_HEADER:
            raise DecodeError(f"a packet of {counted(size, 'byte')} is too short for an event")
        return MORE

    def needs_more(self, event: int, end: int) -> bool:
        """Whether an event whose packet ends at `end` is needed as a whole, and is not: a format description."""
        if end <= self.end or not self.sums.verify or self.view[event + 4] != FORMAT_DESCRIPTION_EVENT:
            return False
        if end - event > LARGEST_MARK:
            raise DecodeError(f"a format description of {counted(end - event, 'byte')}")
        return True

    def check_lengths(self, size: int, length: int) -> None:
        """Raise unless the event's own length is that of its packet, or exceeds a full one."""
        inside = size - 1 - self.marks
        if length != inside and (size < LARGEST_CHUNK or length < inside):
            raise DecodeError(f"an event of {counted(length, 'byte')} in a packet that holds {inside}")
        if length < EVENT_HEADER:
            raise DecodeError(f"an event of {counted(length, 'byte')} is smaller than any event")
        if length > self.max_event_size:
            raise DecodeError(f"an event of {length} bytes exceeds the maximum of {self.max_event_size}")

    def is_mark(self, event: int) -> bool:
        """Whether an event is no part of the log: made by the server on the way."""
        code = self.view[event + 4]
        if code in (HEARTBEAT_LOG_EVENT, HEARTBEAT_LOG_EVENT_V2):
            return True
        if self.number(event, 4) == 0 and self.view[event + 17] & ARTIFICIAL_FLAG > 0:
            return True
        if code in (FORMAT_DESCRIPTION_EVENT, START_ENCRYPTION_EVENT):
            return self.offset > PACKET_HEADER and self.number(event + 13, 4) == 0
        return False

    def begins_group(self, event: int) -> bool:
        """Whether an event is a GTID."""
        code = self.view[event + 4]
        return code in (GTID_EVENT, GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT)

    def tell_group(self, event: int, length: int, after: int) -> int:
        """Return GROUP with the GTID event as the mark; MORE while the event is not whole (`after` below zero)."""
        if after < 0:
            if length > LARGEST_MARK:
                raise DecodeError(f"a GTID of {counted(length, 'byte')}")
            return MORE
        self.told_group = True
        self.mark_start = event
        self.mark_end = event + length
        return GROUP

    def check_place(self, event: int, length: int) -> None:
        """Raise unless the event ends at the position it names; fill in an event that the server has left out."""
        log_pos = self.number(event + 13, 4)
        if not self.placed or log_pos == 0:
            return
        missing = (log_pos - self.offset - length) & MASK32
        if missing in WITHHELD and self.last_type == FORMAT_DESCRIPTION_EVENT and not self.completed:
            self.completed = True
            self.put_withheld(event, missing)
        elif missing != 0:
            raise DecodeError(f"the server sent an event that ends at {log_pos} instead of {self.offset + length}")

    def put_withheld(self, event: int, size: int) -> None:
        """Put out the START_ENCRYPTION event that MariaDB 10.1 leaves out before `event`, `size` bytes long.

        Newer servers send it with a flag to ignore it. It is made so here, with zeros for its key and nonce, so that
        all later positions hold.
        """
        head = bytes(self.view[event : event + 9])
        end = (self.offset + size).to_bytes(4, "little")
        data = head[:4] + bytes([START_ENCRYPTION_EVENT]) + head[5:] + size.to_bytes(4, "little") + end + IGNORABLE
        data += CRYPTO_SCHEME.ljust(WITHHELD[0] - EVENT_HEADER, b"\0")
        if size > len(data):
            data += crc32(data).to_bytes(4, "little")
        known = max(self.skip_to - self.offset, 0)
        self.offset += size
        data = data[known:]
        kernel.copy_range(self.out, self.ready, data, 0, len(data))
        self.ready += len(data)

    def count(self, event: int) -> None:
        """Count an event, and the time from its writing to its arrival."""
        timestamp = self.number(event, 4)
        self.events += 1
        if timestamp > 0:
            delay = max(self.now - timestamp, 0)
            self.delay_sum += delay
            self.delay_max = max(self.delay_max, delay)

    def put(self, at: int, size: int) -> None:
        """Put out bytes of the log, without those that are known."""
        known = self.skip_to - self.offset
        self.offset += size
        if known > 0:
            if known >= size:
                return
            at += known
            size -= known
        kernel.copy_range(self.out, self.ready, self.view, at, at + size)
        self.ready += size

    def pass_on(self) -> bool:
        """Put out what has come of the event on its way; return whether it is whole."""
        while True:
            if self.chunk_left > 0:
                size = min(self.chunk_left, self.end - self.start)
                if size == 0:
                    return False
                self.sums.part(self.view, self.start, size)
                self.put(self.start, size)
                self.start += size
                self.chunk_left -= size
                self.event_left -= size
            elif not self.goes_on:
                if self.event_left > 0:
                    raise DecodeError(f"a packet ends {counted(self.event_left, 'byte')} before its event")
                self.sums.close()
                self.boundary = self.offset
                self.last_type = self.open_type
                return True
            else:
                if self.end - self.start < PACKET_HEADER:
                    return False
                self.chunk_left = self.number(self.start, 3)
                self.start += PACKET_HEADER
                self.goes_on = self.chunk_left == LARGEST_CHUNK
                if self.chunk_left > self.event_left:
                    raise DecodeError("a packet extends past the end of its event")

    def open_mark(self, at: int) -> int:
        """Take a whole packet that is not an event of the log, and return its kind."""
        size = self.number(at, 3)
        if size > LARGEST_MARK:
            raise DecodeError(f"a packet of {counted(size, 'byte')} that is not an event")
        start = at + PACKET_HEADER
        end = start + size
        if end > self.end:
            return MORE
        status = self.view[start]
        self.start = end
        self.mark_start = start
        self.mark_end = end
        if status == ERR:
            return REFUSED
        if status == EOF and size <= LONGEST_EOF:
            return END
        if status != 0:
            raise DecodeError(f"a packet that starts with 0x{status:02x} is not an event")
        return self.open_event_mark(size)

    def open_event_mark(self, size: int) -> int:
        """Take an artificial event; the first packet, which names the log, shows whether semi-sync bytes are sent."""
        first = self.marks < 0
        if first:
            self.marks = 2 if has_semi_sync(self.mark()) else 0
        self.mark_start += 1 + self.marks
        if self.mark_start + EVENT_HEADER > self.mark_end:
            raise DecodeError(f"a packet of {counted(size, 'byte')} is too short for an event")
        self.check_lengths(size, self.number(self.mark_start + 9, 4))
        if first and not self.is_mark(self.mark_start):
            raise DecodeError("the server did not send the name of the log first")
        code = self.view[self.mark_start + 4]
        if code == FORMAT_DESCRIPTION_EVENT:
            self.sums.describe(self.view, self.mark_start, self.mark_end)
        elif code == ROTATE_EVENT and self.sums.checked:  # it names the log that follows
            self.sums.check(self.view, self.mark_start, self.mark_end, self.offset)
        return MARK

"""MySQL packets out of one direction of a connection, and how their frame is found again after a hole.

A packet says how long it is, so that one that is lost loses all after it. Where bytes are missing, or where the capture
begins, the next packet is known by what it holds: small packets with rising sequence numbers that fill a segment
exactly, or an event whose own length fits that of its packet. The second also runs as a check while events are
expected: bytes that are neither an event nor an end lead to a new search.

Invariants: every byte that was fed is part of a packet, or counted as `unread`; bytes that were not captured are
counted as `missing`; both are reported once, before the next packet. The frame that brought a packet's first byte is
known.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from binlogcli.errors import DecodeError
from binlogcli.names.event_types import KNOWN_TYPES
from binlogcli.sources.capture.flow import OrderedBytes
from binlogcli.sources.protocol.packets import (
    EOF,
    ERR,
    EVENT_HEADER,
    LARGEST_CHUNK,
    LONGEST_EOF,
    OK,
    PACKET_HEADER,
    SEMI_SYNC,
    Packet,
    PacketReader,
)

_OPENING = (
    PACKET_HEADER + 3 + EVENT_HEADER
)  # of a packet with an event: header, status, semi-sync bytes, the event's header
UNKNOWN_FLAGS = 0x3C00
_KNOWN_CODES = re.escape(bytes(code for code in range(256) if KNOWN_TYPES[code]))
# header, status 0, perhaps semi-sync bytes, timestamp, a known type, server, length below 1 GiB
_EVENT_START = re.compile(b"(?s)(?=.{4}\\0(?:\\xef[\\0\\1].{4}|.{4})[" + _KNOWN_CODES + b"].{7}[\\0-\\x3f])")
SMALL = 1 << 12  # of a segment whose packets are looked for by their lengths alone, and of an error's message
_SQLSTATE_MARK = ord("#")


class SeenPacket(NamedTuple):
    """A packet, and the frame that brought its first byte."""

    packet: Packet
    number: int
    time: int


class LostBytes(NamedTuple):
    """Bytes between two packets: `missing` were not captured, `unread` were captured and could not be read."""

    missing: int
    unread: int
    number: int  # of the frame after them


class PacketStream:
    """Packets of one direction; the bytes begin with a packet if `synced`, else one is searched for.

    With `strict` nothing but an event counts as a packet: it is not known whether the connection is MySQL's at all.
    """

    def __init__(self, limit: int, *, synced: bool, strict: bool = False) -> None:
        self.limit = limit
        self.strict = strict
        self.events = False  # whether what comes are events, whose lengths must fit those of their packets
        self.reader: PacketReader | None = PacketReader(limit) if synced else None
        self.marks: deque[tuple[int, int, int]] = deque()  # position, frame, time of what was fed
        self.tail = b""
        self.end = 0  # position after all that was fed
        self.missing = self.unread = 0

    def feed(self, run: OrderedBytes) -> Iterator[SeenPacket | LostBytes]:
        """Yield the packets that are whole now, and what was lost between them."""
        if run.missing:
            self.lose(run.missing)
        if self.reader is None and not self.missing and not self.unread and not self.tail:
            self.end = run.position
        self.marks.append((run.position, run.number, run.time))
        self.end = run.position + len(run.data)
        if self.reader is not None:
            self.reader.feed(run.data)
        elif self.search(run.data):
            if self.missing or self.unread:
                yield LostBytes(self.missing, self.unread, run.number)
            self.missing = self.unread = 0
        yield from self.packets()

    def packets(self) -> Iterator[SeenPacket | LostBytes]:
        """Yield the whole packets at hand."""
        while self.reader is not None:
            if self.events and _goes_astray(self.reader.ahead(_OPENING)):
                if not self._search_on(self.reader):
                    return
                yield LostBytes(self.missing, self.unread, self._mark_of(self.reader.offset)[0])
                self.missing = self.unread = 0
            try:
                packet = self.reader.next()
            except DecodeError:  # larger than anything that may be sent: no packet at all
                self.lose(0)
                return
            if packet is None:
                return
            number, time = self._mark_of(packet.start)
            yield SeenPacket(packet, number, time)

    def expect(self, limit: int) -> None:
        """Set the largest size of packets from now on."""
        self.limit = limit
        if self.reader is not None:
            self.reader.limit = limit

    def _mark_of(self, position: int) -> tuple[int, int]:
        """Return number and time of the frame that brought the byte at a position; forget the frames before it."""
        marks = self.marks
        while len(marks) > 1 and marks[1][0] <= position:
            marks.popleft()
        return (marks[0][1], marks[0][2]) if marks else (0, 0)

    def lose(self, missing: int) -> None:
        """Give up the bytes at hand after `missing` bytes that were not captured."""
        if self.reader is not None:
            self.unread += self.reader.waiting
        self.missing += missing
        self.unread += len(self.tail)
        self.reader = None
        self.tail = b""
        self.marks.clear()

    def _search_on(self, reader: PacketReader) -> bool:
        """Pass over the packet at hand, which cannot be one, and search; return whether the next was found."""
        self.reader = None
        self.unread += 1
        return self.search(reader.ahead()[1:])

    def search(self, data: bytes) -> bool:
        """Search for a packet in the bytes kept so far and `data`; return whether one was found."""
        tail = self.tail + data
        at = 0 if not self.tail and not self.strict and fills(data) else find_event(tail)
        if at < 0:
            keep = min(len(tail), _OPENING - 1)
            self.unread += len(tail) - keep
            self.tail = tail[len(tail) - keep :]
            self._mark_of(self.end - keep)
            return False
        self.unread += at
        self.reader = PacketReader(self.limit)
        self.reader.offset = self.end - len(tail) + at
        self.reader.feed(tail[at:])
        self.tail = b""
        return True


def fills(data: bytes) -> bool:
    """Whether small packets fill the bytes exactly, each with a sequence number after the one before."""
    at, sequence = 0, -1
    if not data or len(data) > SMALL:
        return False
    while at + PACKET_HEADER < len(data):
        length = int.from_bytes(data[at : at + 3], "little")
        if length == 0 or (sequence >= 0 and data[at + 3] != sequence + 1 & 0xFF):
            return False
        sequence = data[at + 3]
        at += PACKET_HEADER + length
    return at == len(data)


def _goes_astray(head: bytes) -> bool:
    """Whether what comes is neither an event nor the end of all: its frame, or that of the one before, is damaged."""
    if len(head) < _OPENING:
        return False
    length = int.from_bytes(head[:3], "little")
    if head[PACKET_HEADER] == EOF:
        return length > LONGEST_EOF
    if head[PACKET_HEADER] == ERR:
        return length > SMALL or head[PACKET_HEADER + 3] != _SQLSTATE_MARK
    return head[PACKET_HEADER] != OK or not any(fits(head, extra) for extra in (1, 3))


def fits(head: bytes, extra: int) -> bool:
    """Whether the length of an event fits that of its packet, in which `extra` bytes stand before it."""
    length = int.from_bytes(head[:3], "little")
    size = int.from_bytes(head[PACKET_HEADER + extra + 9 : PACKET_HEADER + extra + 13], "little")
    return size + extra == length if length < LARGEST_CHUNK else size + extra >= LARGEST_CHUNK


def find_event(data: bytes) -> int:
    """Return where a packet with an event begins, by its lengths and flags; -1 for nowhere."""
    for found in _EVENT_START.finditer(data):
        if _begins_event(data, found.start()):
            return found.start()
    return -1


def _begins_event(data: bytes, at: int) -> bool:
    """Whether lengths and flags are those of a packet with an event."""
    head = data[at : at + _OPENING]
    for extra in (3, 1) if head[PACKET_HEADER + 1] == SEMI_SYNC else (1,):
        start = PACKET_HEADER + extra
        if start + EVENT_HEADER > len(head) or not KNOWN_TYPES[head[start + 4]]:
            continue
        size = int.from_bytes(head[start + 9 : start + 13], "little")
        flags = int.from_bytes(head[start + 17 : start + 19], "little")
        if fits(head, extra) and size >= EVENT_HEADER and not flags & UNKNOWN_FLAGS:
            return True
    return False

"""One direction of a TCP connection, put in order: retransmissions dropped, holes named once they are known to stay.

Positions count the bytes of the direction from the first one that was seen, beyond 32 bits. What arrives early waits
until the hole before it is filled, or until the other side has acknowledged what was never captured; memory for it is
bounded.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

HELD_LIMIT = 8 << 20  # bytes that wait for a hole to be filled: more than a receive window holds
SMALL_LIMIT = 1 << 16  # the limit while it is not known what the connection is
_HELD_SEGMENTS = 1 << 14
_PATIENCE = 64  # segments of the connection after which bytes that were acknowledged come no more
_WRAP = 1 << 32


class OrderedBytes(NamedTuple):
    """Bytes in order; `missing` counts the bytes before them that were not captured."""

    position: int
    missing: int
    data: bytes
    number: int  # of the frame that brought them
    time: int


class Flow:
    """Puts the segments of one direction in order."""

    def __init__(self) -> None:
        self.base: int | None = None  # sequence number at position 0
        self.next = 0  # position of the next byte to give
        self.waiting: list[tuple[int, int, bytes, int]] = []
        self.held = 0
        self.limit = SMALL_LIMIT
        self.acknowledged = 0
        self.patience = _PATIENCE
        self.ready: list[OrderedBytes] = []

    def begin(self, seq: int) -> None:
        """Set the sequence number of the first byte."""
        self.base = seq
        self.next = self.acknowledged = 0

    def position(self, seq: int) -> int:
        """Return the position of a sequence number, taken near to the next byte as it wraps around at 32 bits."""
        if self.base is None:
            self.begin(seq)
        distance = (seq - (self.base or 0) - self.next) % _WRAP
        return self.next + (distance if distance < _WRAP // 2 else distance - _WRAP)

    def add(self, seq: int, data: bytes, number: int, time: int) -> None:
        """Take the bytes of a segment."""
        position = self.position(seq)
        if position + len(data) <= self.next:
            return
        if position > self.next:
            heapq.heappush(self.waiting, (position, number, data, time))
            self.held += len(data)
            if self.held > self.limit or len(self.waiting) > _HELD_SEGMENTS:
                self._pass_hole()
            return
        self.give(position, 0, data, number, time)
        self.catch_up()

    def give(self, position: int, missing: int, data: bytes, number: int, time: int) -> None:
        """Hand out the bytes that were not handed out before."""
        fresh = data[self.next - position :] if position < self.next else data
        if fresh:
            self.ready.append(OrderedBytes(self.next, missing, fresh, number, time))
            self.next += len(fresh)
            self.patience = _PATIENCE

    def catch_up(self) -> None:
        """Hand out the waiting segments that the last one has made contiguous."""
        while self.waiting and self.waiting[0][0] <= self.next:
            position, number, data, time = heapq.heappop(self.waiting)
            self.held -= len(data)
            self.give(position, 0, data, number, time)

    def acknowledge(self, ack: int) -> None:
        """Note that the other side has all bytes before `ack`; give up a hole before it after some patience."""
        if self.base is None:
            return
        self.acknowledged = max(self.acknowledged, self.position(ack))
        if self.waiting and self.acknowledged >= self.waiting[0][0]:
            self.patience -= 1
            if self.patience <= 0:
                self._pass_hole()

    def _pass_hole(self) -> None:
        """Give up the bytes that are missing before those that wait."""
        position, number, data, time = heapq.heappop(self.waiting)
        self.held -= len(data)
        missing = position - self.next
        self.next = position
        self.give(position, missing, data, number, time)
        self.catch_up()

    def finish(self) -> None:
        """Release the segments that were held back, at the end of the capture."""
        while self.waiting:
            self._pass_hole()

    def lost_at_end(self) -> int:
        """Return how many acknowledged bytes stand after the last one captured; the FIN itself counts as one."""
        return max(self.acknowledged - self.next - 1, 0)

    def take(self) -> list[OrderedBytes]:
        """Return the bytes that have come into order since the last call."""
        ready, self.ready = self.ready, []
        return ready

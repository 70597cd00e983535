"""The part of a file that is at hand, and what proves an event in it: its checksum, or the header that follows it."""

from __future__ import annotations

import zlib

from binlogcli.binary import kernel
from binlogcli.carve import shapes
from binlogcli.log.format import CHECKSUM_SIZE, HEADER_SIZE
from binlogcli.names.event_types import (
    APPEND_BLOCK_EVENT,
    BEGIN_LOAD_QUERY_EVENT,
    FORMAT_DESCRIPTION_EVENT,
    KNOWN_TYPES,
    PARTIAL_ROW_DATA_EVENT,
    type_table,
)
from binlogcli.names.magics import MAGIC
from binlogcli.sources.image import Image

WINDOW = 1 << 20
AHEAD = 1 << 15  # bytes of the window, after the last place that is tried in it, for the fields that `shapes` reads
LARGEST = 1 << 30  # bytes of an event
SMALL = 1 << 16
UNKNOWN_FLAGS = 0x3C00  # header flags that no server sets
_IN_USE, _ARTIFICIAL = 0x01, 0x20  # LOG_EVENT_BINLOG_IN_USE_F, LOG_EVENT_ARTIFICIAL_F
_MAGIC_SIZE = 4
_MASK32 = 0xFFFFFFFF
_EFFORT = 1 << 28  # bytes that candidates may take in all before they are weighed against what was scanned
_SMALL_EFFORT, _LONG_EFFORT = 16, 2  # how many times the bytes that were scanned small and long ones may take
# types whose fields say little
_VAGUE = type_table((APPEND_BLOCK_EVENT, BEGIN_LOAD_QUERY_EVENT, PARTIAL_ROW_DATA_EVENT))
# How the header of an event counts on from the one before: not; there is no position to tell; by the positions of ends,
# as all servers since 5.0 write them; by those of starts
NO_LINK, NEUTRAL, LINKED, LINKED_BY_STARTS = 0, 1, 2, 3


def number_at(data: bytes | bytearray, at: int) -> int:
    """Return the little-endian number of four bytes."""
    return int.from_bytes(data[at : at + 4], "little")


def link_of(header: bytes, following: bytes, relayed: bool) -> int:
    """Return how an event's header counts on from that of the event before it; `relayed`: in a relay log.

    There, as in what a server makes for a replica, positions may be missing, and change with a format description.
    """
    if len(following) < HEADER_SIZE or not KNOWN_TYPES[following[4]] or following[18] & UNKNOWN_FLAGS >> 8:
        return NO_LINK
    length, position = number_at(header, 9), number_at(header, 13)
    next_length, next_position = number_at(following, 9), number_at(following, 13)
    if next_length < HEADER_SIZE or next_length > LARGEST:
        return NO_LINK
    unplaced = position == 0 or next_position == 0
    relayed = relayed or (header[17] | following[17]) & _ARTIFICIAL > 0
    if relayed and (unplaced or header[4] == FORMAT_DESCRIPTION_EVENT):
        return NEUTRAL
    if unplaced:
        return NO_LINK
    if next_position == (position + next_length) & _MASK32:
        return LINKED
    return LINKED_BY_STARTS if next_position == position + length and position < LARGEST else NO_LINK


class Window:
    """The bytes from `base` on; `at` is the place at hand in them. `Scanner` looks for events in it."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.file_size = image.size
        self.buffer = bytearray(WINDOW)
        self.view = self.buffer
        self.base = self.size = self.at = 0
        self.scanned = 0
        self.wasted_on_small = self.wasted_on_vague = self.wasted = 0  # bytes of candidates that were no events
        self.passed_over = 0  # candidates that were too much to look at
        self.sound_at = -1  # where an event is whose checksum was found right

    def load(self, offset: int) -> None:
        """Move the window to `offset`."""
        self.base = offset
        self.size = self.image.read_into(self.buffer, offset)
        self.scanned += self.size
        self.at = 0

    def need(self, count: int) -> bool:
        """Move the window if that brings `count` bytes from the place at hand into it; return whether they are."""
        if self.at + count <= self.size:
            return True
        if self.at == 0 or count > WINDOW or self.base + self.at + count > self.file_size:
            return False
        self.load(self.base + self.at)
        return count <= self.size

    def pass_over(self, length: int) -> None:
        """Go on behind an event."""
        if self.at + length <= self.size:
            self.at += length
        else:
            self.load(self.base + self.at + length)

    def header_at(self, offset: int) -> bytes:
        """Return the bytes of a header at an offset of the file, fewer at its end."""
        at = offset - self.base
        if at >= 0 and at + HEADER_SIZE <= self.size:
            return bytes(self.buffer[at : at + HEADER_SIZE])
        return self.image.read(offset, HEADER_SIZE)

    def shape_at(self, offset: int) -> int:
        """Return the shape of what is at an offset of the file."""
        at = offset - self.base
        left = self.file_size - offset
        if at >= 0 and at + HEADER_SIZE <= self.size:
            length = kernel.little(self.view, at + 9, 4)
            whole = at + min(length, AHEAD) <= self.size or self.base + self.size >= self.file_size
        else:
            whole = False
        if whole:
            return shapes.shape_of(self.view, at, self.size, left)
        data = self.image.read(offset, AHEAD)
        return shapes.shape_of(data, 0, len(data), left)

    def has_magic(self, offset: int) -> bool:
        """Whether a log begins right before an offset."""
        if offset < _MAGIC_SIZE:
            return False
        at = offset - self.base - _MAGIC_SIZE
        before = self.buffer[at : at + _MAGIC_SIZE] if at >= 0 else self.image.read(offset - _MAGIC_SIZE, _MAGIC_SIZE)
        return before == MAGIC

    def is_sound(self, length: int) -> bool:
        """Whether the event at hand ends in its checksum."""
        if length < HEADER_SIZE + CHECKSUM_SIZE:
            return False
        offset = self.base + self.at
        if offset == self.sound_at:
            return True
        if not self.affordable(length):
            return False
        if self.need(length):
            end = self.at + length - CHECKSUM_SIZE
            sound = kernel.crc32_range(self.view, self.at, end) == kernel.little(self.view, end, CHECKSUM_SIZE)
            if not sound and self.view[self.at + 4] == FORMAT_DESCRIPTION_EVENT and length < SMALL:
                sound = self.is_sound_in_use(length)
        else:
            sound = self.image.crc32(offset, length - CHECKSUM_SIZE) == number_at(
                self.image.read(offset + length - CHECKSUM_SIZE, CHECKSUM_SIZE), 0
            )
        if sound:
            self.sound_at = offset
        elif length <= SMALL:
            self.wasted_on_small += length
        elif _VAGUE[self.view[self.at + 4]]:
            self.wasted_on_vague += length
        else:
            self.wasted += length
        return sound

    def is_sound_in_use(self, length: int) -> bool:
        """Whether a format description has the checksum of one without LOG_EVENT_BINLOG_IN_USE_F."""
        event = bytearray(self.buffer[self.at : self.at + length])
        event[17] &= ~_IN_USE & 0xFF
        return zlib.crc32(event[:-CHECKSUM_SIZE]) == number_at(event, length - CHECKSUM_SIZE)

    def affordable(self, length: int) -> bool:
        """Whether a candidate may be looked at: it is short for what others took in vain, or another counts on."""
        offset = self.base + self.at
        spent, limit = self.wasted, _EFFORT
        if length <= SMALL:
            spent = self.wasted_on_small
            limit += self.scanned * _SMALL_EFFORT
        elif _VAGUE[self.view[self.at + 4]]:
            spent = self.wasted_on_vague
            limit += self.scanned
        else:
            limit += self.scanned * _LONG_EFFORT
        if spent <= limit:
            return True
        if length > SMALL and link_of(self.header_at(offset), self.header_at(offset + length), False) >= LINKED:
            return True
        self.passed_over += 1
        return False

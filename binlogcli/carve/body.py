"""The body of what may be an event: the bytes that can be looked at, and how well its size fits a type.

A shape is a set of bits: PLAIN if the event may be one without checksum, SUMMED if it may be one with.
"""

from __future__ import annotations

import re
from typing import NamedTuple

PLAIN, SUMMED, BOTH = 1, 2, 3
# sizes above which more has to speak for an event
SHORT, LONG, BLOCK, TEXT, LARGEST = 1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 30
CONTROL = re.compile(rb"[\0-\x1f]")
_ASCII = frozenset((*range(0x20, 0x7F), *range(9, 14)))


class Body(NamedTuple):
    """The bytes of a body that can be looked at, and the size of all of it, with a checksum if there is one."""

    data: bytes
    size: int

    def number(self, at: int, size: int) -> int:
        """Return the little-endian number of `size` bytes at `at`."""
        return int.from_bytes(self.data[at : at + size], "little")

    def packed(self, at: int) -> tuple[int, int]:
        """Return where the length or count at `at` ends, and its value; 0 where it is not there."""
        if at + 4 > len(self.data) or self.data[at] in (251, 254, 255):
            return 0, 0
        size = {252: 2, 253: 3}.get(self.data[at], 0)
        return at + 1 + size, self.number(at + 1, size) if size else self.data[at]

    def exactly(self, size: int) -> int:
        """Return the shape of a type whose bodies have this size."""
        return PLAIN if self.size == size else SUMMED if self.size == size + 4 else 0

    def at_least(self, size: int) -> int:
        """Return the shape of a type whose bodies have this size or more."""
        return BOTH if self.size >= size + 4 else PLAIN if self.size >= size else 0

    def between(self, least: int, most: int) -> int:
        """Return the shape of a type whose bodies have these sizes."""
        return 0 if self.size > most + 4 else self.at_least(least)

    def has_text(self, at: int, count: int) -> bool:
        """Whether the first `count` bytes from `at` on are ASCII text, as far as there are so many."""
        return _ASCII.issuperset(self.data[at : max(min(at + count, self.size - 4), at)])

    def has_name(self, at: int, size: int) -> bool:
        """Whether a name of `size` bytes without control characters, and a zero byte, are at `at`."""
        if at + size >= len(self.data) or self.data[at + size] != 0:
            return False
        return CONTROL.search(self.data, at, at + size) is None

    def has_statement(self, at: int) -> bool:
        """Whether a statement may begin at `at`, which says little: the more the longer it would be."""
        return self.size <= TEXT and self.has_text(at, 6 if self.size <= LONG else 14)

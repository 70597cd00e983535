"""Looks for byte strings in part after part of the same buffers, whose bytes are passed once for each of them.

The events of a log are in buffers of some 64 KB. Where the next place of a needle in such a buffer is known, all
events before it are ruled out by a comparison of two numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from binlogcli.binary import kernel

_NOWHERE = (1 << 63) - 1


class Needle:
    """A byte string, and its next place in the buffer that is searched."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.size = len(text)
        self.at = -1


class ByteSearch:
    """Looks for any of the needles. With `fold` they are in small letters, and match both cases of ASCII letters."""

    def __init__(self, needles: Sequence[bytes], *, fold: bool = False) -> None:
        self.needles = [Needle(text) for text in needles]
        self.fold = fold
        self.data = b""
        self.view = self.data
        self.start = 0

    def found(self, data: bytes, start: int, end: int) -> bool:
        """Return whether a needle is in data[start:end]; parts of a buffer are passed in their order."""
        if data is not self.data or start < self.start:
            self.data = data
            self.view = data
            for needle in self.needles:
                needle.at = -1
        self.start = start
        for needle in self.needles:
            if needle.at < start:
                needle.at = kernel.find(self.view, start, len(self.data), needle.text, self.fold)
                if needle.at < 0:
                    needle.at = _NOWHERE
            if needle.at <= end - needle.size:
                return True
        return False

    def found_in(self, data: bytes | bytearray, start: int, end: int) -> bool:
        """Return whether a needle is in data[start:end], of a buffer that is searched once."""
        for needle in self.needles:  # noqa: SIM110 - compiled, it is a loop without objects
            if kernel.find(data, start, end, needle.text, self.fold) >= 0:
                return True
        return False

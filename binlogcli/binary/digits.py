"""A decimal number as text, between the reader that makes it and the sink or buffer that takes it."""

from __future__ import annotations


class Digits:
    """A decimal number as ASCII text, in a buffer that is used again."""

    def __init__(self) -> None:
        self.buffer = bytearray(128)
        self.chars = self.buffer
        self.size = 0

    def text(self) -> str:
        """The number as a string."""
        return self.buffer[: self.size].decode("ascii")

"""A decimal number as text, on its way from the reader that makes it to a sink or buffer."""

from __future__ import annotations


class Digits:
    """A decimal number as ASCII text in a buffer that is reused."""

    def __init__(self) -> None:
        self.buffer = bytearray(128)
        self.chars = self.buffer
        self.size = 0

    def text(self) -> str:
        """Return the number as a string."""
        return self.buffer[: self.size].decode("ascii")

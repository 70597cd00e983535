"""What could steer a terminal, made visible: control characters, and those that turn the direction of text."""

from __future__ import annotations

from typing import BinaryIO

_BIDI = {code: f"\\u{code:04x}" for code in [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]}
CONTROLS = {at: f"\\x{at:02x}" for at in [*range(32), *range(0x7F, 0xA0)] if at not in (9, 10)} | _BIDI
_IN_JSON = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)} | _BIDI


def visible(line: bytes) -> str:
    """A line whose control characters, and bytes that are no text, are shown and not sent."""
    return line.decode("utf-8", "backslashreplace").translate(CONTROLS)


class JsonTerminal:
    """The way of JSON to a terminal: still the same JSON, with escapes for what JSON itself lets through."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.rest = b""

    def write(self, piece: bytes | memoryview) -> int:
        """Show the lines that are whole."""
        lines, newline, self.rest = (self.rest + bytes(piece)).rpartition(b"\n")
        self.file.write((lines + newline).decode("utf-8").translate(_IN_JSON).encode())
        return len(piece)

    def flush(self) -> None:
        """Show it now."""
        self.file.flush()

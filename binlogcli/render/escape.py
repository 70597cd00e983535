"""Text made safe for terminals: control characters and those that change the direction of text are escaped."""

from __future__ import annotations

from typing import BinaryIO

_BIDI = {code: f"\\u{code:04x}" for code in [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]}
CONTROLS = {at: f"\\x{at:02x}" for at in [*range(32), *range(0x7F, 0xA0)] if at not in (9, 10)} | _BIDI
_IN_JSON = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)} | _BIDI


def visible(line: bytes) -> str:
    """Return a line as text, with escapes for control characters and for bytes that are not UTF-8."""
    return line.decode("utf-8", "backslashreplace").translate(CONTROLS)


class JsonTerminal:
    """A file that passes JSON lines to a terminal with escapes for the control characters that JSON allows raw."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.rest = b""

    def write(self, piece: bytes | memoryview) -> int:
        """Write the complete lines of what has come so far; return the size of the piece."""
        lines, newline, self.rest = (self.rest + bytes(piece)).rpartition(b"\n")
        self.file.write((lines + newline).decode("utf-8").translate(_IN_JSON).encode())
        return len(piece)

    def flush(self) -> None:
        """Flush the file."""
        self.file.flush()

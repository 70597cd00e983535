"""JSON on a terminal: control characters as escapes; keys, strings, numbers and literals in colours."""

from __future__ import annotations

import re
from typing import BinaryIO

from binlogcli.render.escape import visible_json
from binlogcli.render.palette import AZURE, GREEN, GREY, MAGENTA, RESET, TEAL

_TOKEN = re.compile(
    r'(?P<key>"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:))|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*")'
    r"|(?P<number>-?\d[\d.eE+-]*)|(?P<truth>true|false)|(?P<null>null)"
)
_COLORS = {"key": AZURE, "string": GREEN, "number": TEAL, "truth": MAGENTA, "null": GREY}


class JsonTerminal:
    """A file that passes JSON to a terminal: with escapes for the control characters that JSON allows raw."""

    def __init__(self, file: BinaryIO, *, painted: bool) -> None:
        self.file = file
        self.painted = painted
        self.begun: list[bytes] = []  # the pieces of a line that is not complete

    def write(self, piece: bytes | memoryview) -> int:
        """Write the complete lines of what has come so far; return the size of the piece."""
        lines, newline, rest = bytes(piece).rpartition(b"\n")
        if newline:
            text = visible_json(b"".join((*self.begun, lines, newline)).decode("utf-8"))
            self.file.write((painted_json(text) if self.painted else text).encode())
            self.begun.clear()
        self.begun.append(rest)
        return len(piece)

    def flush(self) -> None:
        """Flush the file."""
        self.file.flush()


def painted_json(text: str) -> str:
    """Return JSON in colours."""
    return _TOKEN.sub(_painted, text)


def _painted(token: re.Match[str]) -> str:
    """Return a token in its colour."""
    return f"{_COLORS[token.lastgroup or 'null']}{token.group()}{RESET}"

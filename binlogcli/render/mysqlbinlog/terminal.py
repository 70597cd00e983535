"""The text on a terminal: comments, names, keywords and values in colours, control characters made visible."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import BinaryIO

from binlogcli.render import palette
from binlogcli.render.escape import visible_line

_STYLES = {
    "place": palette.bold(palette.TEAL),
    "comment": palette.GREY,
    "row": palette.GREEN,
    "name": palette.bold(palette.OLIVE),
    "value": palette.MAGENTA,
    "keyword": palette.bold(palette.AZURE),
    "damage": palette.bold(palette.RED),
}
_KEYWORDS = (
    "ALTER|BEGIN|BINLOG|COMMIT|CREATE|DELETE|DELIMITER|DROP|FROM|INSERT|INTO|LOAD DATA|REPLACE|ROLLBACK|SELECT|SET|"
    "START TRANSACTION|TRUNCATE|UPDATE|USE|VALUES|WHERE|XA END|XA PREPARE|XA START"
)
_PATTERNS = (  # the first pattern that matches a line's beginning decides its style
    (re.compile(r"# Damaged from .*"), "damage"),
    (re.compile(r"# at \d+"), "place"),
    (re.compile(r"###   @\d+=(?P<value>.*?)(?P<comment> /\* .*)?$"), "row"),
    (re.compile(r"### (?P<keyword>INSERT INTO|UPDATE|DELETE FROM) (?P<name>.*)"), "row"),
    (re.compile(r"###.*"), "row"),
    (re.compile(r"(#|/\*!).*"), "comment"),
)
_STATEMENT = re.compile(
    rf"(?P<value>'(?:[^'\\]|\\.)*')|(?P<name>`[^`]*`)|\b(?P<keyword>{_KEYWORDS})\b|(?P<comment>-- .*)", re.IGNORECASE
)
_MAX_LINE = 1 << 16  # characters; longer lines are shown without styles


class TerminalText:
    """A file that takes the text in pieces of any size and writes it to a terminal line by line."""

    def __init__(self, file: BinaryIO, *, colour: bool) -> None:
        self.file = file
        self.rest = b""
        self.coloured = colour

    def write(self, piece: bytes | memoryview) -> int:
        """Write the complete lines of what has come so far; return the size of the piece."""
        lines = (self.rest + bytes(piece)).split(b"\n")
        self.rest = lines.pop()
        self.file.write("".join(self.shown(line) + "\n" for line in lines).encode("utf-8", "replace"))
        return len(piece)

    def flush(self) -> None:
        """Write the last line, though it has no end yet, and flush the file."""
        if self.rest:
            self.file.write(self.shown(self.rest).encode("utf-8", "replace"))
            self.rest = b""
        self.file.flush()

    def shown(self, line: bytes) -> str:
        """Return a line with control characters escaped and, where colours are on, styled."""
        text = visible_line(line)
        if not self.coloured or len(text) > _MAX_LINE:
            return text
        return painted(text)


def painted(line: str) -> str:
    """Return a line in colours: the first pattern that matches its beginning decides, else words of SQL."""
    for pattern, kind in _PATTERNS:
        match = pattern.match(line)
        if match:
            parts = [(*match.span(name), name) for name in match.groupdict() if match.group(name) is not None]
            return _in_colours(line[: match.end()], sorted(parts), kind) + line[match.end() :]
    return _in_colours(line, [(*match.span(), match.lastgroup) for match in _STATEMENT.finditer(line)], None)


def _in_colours(line: str, parts: Iterable[tuple[int, int, str | None]], kind: str | None) -> str:
    """Return a line whose parts have their own styles; the rest has that of `kind`."""
    out, at = "", 0
    for start, end, name in parts:
        out += _styled(line[at:start], kind) + _styled(line[start:end], name)
        at = end
    return out + _styled(line[at:], kind)


def _styled(text: str, kind: str | None) -> str:
    """Return text in a style."""
    return f"{_STYLES[kind]}{text}{palette.RESET}" if text and kind else text

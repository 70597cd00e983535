"""Literals of long values, made where they are written: as text they take up to six times the bytes of the value."""

from __future__ import annotations

from collections.abc import Iterator

from binlogcli.binary.long_text import LONG, LongText, long_text
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.render.sql.quoting import escaped, is_showable


class LongLiteral:
    """The literal of a value between the texts `before` and `after`: escaped text, or the hex of text or bytes."""

    def __init__(self, value: LongText | memoryview, before: bytes, after: bytes = b"'") -> None:
        self.value = value
        self.before = before
        self.after = after

    def write(self, out: TextBuffer) -> None:
        """Write the literal in windows."""
        out.put(self.before)
        for window in self.windows():
            out.put(window)
            out.breathe()
        out.put(self.after)

    def windows(self) -> Iterator[bytes]:
        """Yield what is between the quotes in pieces."""
        if isinstance(self.value, memoryview):
            for at in range(0, len(self.value), LONG):
                yield self.value[at : at + LONG].hex().upper().encode("ascii")
            return
        in_hex = self.before.endswith(b"X'")
        for piece in self.value.pieces():
            yield piece.encode("utf-8").hex().upper().encode("ascii") if in_hex else escaped(piece)

    def same(self, other: LongLiteral) -> bool:
        """Whether a column has equal values in both."""
        return self.before == other.before and self.after == other.after and _raw(self.value) == _raw(other.value)


def _raw(value: LongText | memoryview) -> memoryview:
    """Return the bytes of a value."""
    return value if isinstance(value, memoryview) else value.raw


def long_string(raw: memoryview, charset: str | None) -> LongLiteral:
    """Return what `string_literal` makes of a column's characters, or `put_string` of ASCII."""
    text = long_text(raw, charset)
    if text is None:
        return LongLiteral(raw, b"X'")
    showable, ascii_only = True, True
    for piece in text.pieces():
        showable = showable and is_showable(piece)
        ascii_only = ascii_only and piece.isascii()
    if charset is None and not showable:
        return LongLiteral(raw, b"X'")
    if not showable:
        return LongLiteral(text, b"_utf8mb4 X'")
    return LongLiteral(text, b"'" if ascii_only or charset is not None else b"_binary '")

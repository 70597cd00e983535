"""Strings as SQL of one line that means the same in every sql_mode of the output and is harmless on a terminal."""

from __future__ import annotations

import re

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.names.charsets import decode as decode_text

_WINDOW = 1 << 16  # bytes of a long value that are written at a time
_QUOTE = 0x27
_BACKSLASH = 0x5C
_SHORT_ESCAPES = {0: 0x30, 9: 0x74, 10: 0x6E, 13: 0x72, 26: 0x5A, _QUOTE: _QUOTE, _BACKSLASH: _BACKSLASH}
_NO_ESCAPE = 255  # marks a byte without an escape in SQL
_ESCAPES = (
    bytes(_SHORT_ESCAPES.get(byte, _NO_ESCAPE if byte < 0x20 or byte == 0x7F else 0) for byte in range(0x80))
    + bytes([_NO_ESCAPE]) * 0x80
)
_ESCAPED = {byte: "\\" + chr(short) for byte, short in _SHORT_ESCAPES.items()}
# Control characters without an escape, and those that turn or break lines on a screen
_UNSHOWABLE = re.compile(
    "[\x01-\x08\x0b\x0c\x0e-\x19\x1b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def text_literal(text: str) -> bytes | None:
    """Return a quoted string; None where a character can be neither escaped nor shown."""
    return b"'" + escaped(text) + b"'" if is_showable(text) else None


def is_showable(text: str) -> bool:
    """Whether each character can be escaped or shown."""
    return _UNSHOWABLE.search(text) is None


def escaped(text: str) -> bytes:
    """Return text that can be shown as it stands between quotes."""
    return text.translate(_ESCAPED).encode("utf-8")


def hex_literal(raw: bytes) -> bytes:
    """Return bytes as X'...'."""
    return b"X'" + raw.hex().upper().encode("ascii") + b"'"


def string_literal(raw: bytes, charset: str | None) -> bytes:
    """Return a column's characters as a string, or in hex where they are invalid or cannot be shown.

    Where the character set is unknown, `_binary` passes the bytes to the column without a conversion.
    """
    text = decode_text(raw, charset or "utf8mb4")
    if text is None:
        return hex_literal(raw)
    literal = text_literal(text)
    if charset is None:
        return b"_binary " + literal if literal is not None else hex_literal(raw)
    return literal if literal is not None else b"_utf8mb4 " + hex_literal(text.encode("utf-8"))


def put_string(out: TextBuffer, data: Cursor, start: int, end: int) -> bool:
    """Write ASCII as a quoted string; write nothing and return False where other bytes are among it."""
    out.ensure(2 * (end - start) + 2)
    at = out.size
    out.chars[at] = _QUOTE
    at += 1
    while start < end:
        byte = data.view[start]
        start += 1
        escape = _ESCAPES[byte]
        if escape == 0:
            out.chars[at] = byte
            at += 1
        elif escape == _NO_ESCAPE:
            return False
        else:
            out.chars[at] = _BACKSLASH
            out.chars[at + 1] = escape
            at += 2
    out.chars[at] = _QUOTE
    out.size = at + 1
    return True


def put_part(out: TextBuffer, other: TextBuffer, start: int, end: int) -> None:
    """Copy part of another buffer."""
    while end - start > _WINDOW:
        out.ensure(_WINDOW)
        out.size = kernel.copy_range(out.chars, out.size, other.chars, start, start + _WINDOW)
        out.breathe()
        start += _WINDOW
    out.ensure(end - start)
    out.size = kernel.copy_range(out.chars, out.size, other.chars, start, end)


def same_part(one: TextBuffer, start: int, end: int, other: TextBuffer, at: int) -> bool:
    """Whether one[start:end] equals as many bytes of the other buffer from `at` on."""
    while start < end:
        if one.chars[start] != other.chars[at]:
            return False
        start += 1
        at += 1
    return True

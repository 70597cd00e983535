"""Pieces of the tools' SQL: the delimiter of statements, names as bytes, strings in quotes."""

from __future__ import annotations

DELIMITER = b"/*!*/;\n"
_ESCAPES = {10: b"\\n", 13: b"\\r", 92: b"\\\\", 8: b"\\b", 9: b"\\t", 39: b"\\'", 0: b"\\0"}


def encoded_text(text: str) -> bytes:
    """Return a name as the bytes that it has in the log."""
    return text.encode("utf-8", "surrogateescape")


def one_line(text: bytes) -> bytes:
    """Return text without the line breaks that would end a comment."""
    return text.replace(b"\n", b"\\n")


def quoted_string(raw: bytes) -> bytes:
    """Return bytes as an SQL string with the escapes that the tools use for file names, names and labels."""
    return b"'" + b"".join(_ESCAPES.get(byte, bytes([byte])) for byte in raw) + b"'"

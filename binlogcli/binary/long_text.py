"""Text of many bytes, written in windows: a `str` of it would take up to four times as much memory as they do."""

from __future__ import annotations

from collections.abc import Iterator

from binlogcli.names.charsets import decode_windows

LONG = 1 << 16  # bytes from which it is worth it


class LongText:
    """Bytes that are text in a server's character set, decoded where they are needed; `length` counts characters."""

    def __init__(self, raw: memoryview, charset: str, length: int) -> None:
        self.raw = raw
        self.charset = charset
        self.length = length

    def pieces(self) -> Iterator[str]:
        """Yield the text in pieces."""
        return decode_windows(self.raw, self.charset, LONG)

    def head(self, count: int) -> str:
        """Return the first characters, at most those of a piece."""
        return next(self.pieces(), "")[:count]


def long_text(raw: memoryview, charset: str | None) -> LongText | None:
    """Return text in a server's character set (None: utf8mb4); None where its bytes are no text there."""
    charset = charset or "utf8mb4"
    try:
        return LongText(raw, charset, sum(map(len, decode_windows(raw, charset, LONG))))
    except UnicodeError:
        return None

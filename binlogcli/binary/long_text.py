"""Text of many bytes, written in windows: a `str` of it would take up to four times as much memory as they do."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from binlogcli.names.charsets import decode, is_ascii_superset, is_utf8

LONG = 1 << 16  # bytes from which it is worth it
_LONGEST_CHARACTER = 4  # bytes in UTF-8


class LongText:
    """Valid UTF-8, which is not decoded; `length` counts its characters."""

    def __init__(self, raw: memoryview, length: int) -> None:
        self.raw = raw
        self.length = length

    def windows(self) -> Iterator[bytes]:
        """Yield the bytes in pieces, which may end within a character."""
        for at in range(0, len(self.raw), LONG):
            yield bytes(self.raw[at : at + LONG])

    def head(self, count: int) -> str:
        """Return the first characters."""
        return bytes(self.raw[: count * _LONGEST_CHARACTER]).decode("utf-8", "ignore")[:count]


def long_text(raw: memoryview, charset: str | None) -> LongText | None:
    """Return text in a server's character set (None: utf8mb4); None where its bytes are no UTF-8, or no text there."""
    charset = charset or "utf8mb4"
    unicode = is_utf8(charset)
    if not unicode and not is_ascii_superset(charset):
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    length = 0
    try:
        for at in range(0, len(raw), LONG):
            text = decoder.decode(raw[at : at + LONG], final=at + LONG >= len(raw))
            if not text.isascii() and (not unicode or decode(text.encode(), charset) is None):
                return None
            length += len(text)
    except UnicodeDecodeError:
        return None
    return LongText(raw, length)

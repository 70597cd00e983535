"""Text in character sets of one byte a character as UTF-8, by a table; invalid text with replacement characters."""

from __future__ import annotations

from functools import lru_cache

from binlogcli.names.charsets import codec_of
from binlogcli.names.charsets import decode as decode_text

_MANY_BYTES = frozenset(
    "big5 cp932 eucjpms euckr gb18030 gb2312 gbk sjis ucs2 ujis utf16 utf16le utf32 utf8 utf8mb3 utf8mb4 ascii".split()
)


def replaced(raw: bytes, charset: str | None) -> str:
    """Return bytes as text, with U+FFFD for each byte that is not valid."""
    codec = codec_of(charset or "utf8mb4")
    if codec is None:
        return raw.decode("utf-8", "replace")
    parts = []
    for byte in raw:
        text = decode_text(bytes([byte]), charset or "utf8mb4")
        parts.append("\ufffd" if text is None else text)
    return "".join(parts)


@lru_cache(maxsize=128)
def utf8_table(charset: str) -> bytes | None:
    """Return for each byte a length and its character in UTF-8 (4 bytes); None for multi-byte character sets."""
    if charset in _MANY_BYTES or codec_of(charset) is None:
        return None
    table = bytearray()
    for byte in range(256):
        text = decode_text(bytes([byte]), charset)
        character = b"" if text is None else text.encode("utf-8")
        if len(character) > 3:
            return None
        table += bytes([len(character)]) + character.ljust(3, b"\0")
    return bytes(table)

"""The patterns of `--grep`: what they match in, and the bytes without which nothing can match.

A pattern of plain letters is looked for in the raw bytes of an event first, which is a hundred times faster than to
decode its values. That is only done where each value that has these letters has them as these bytes: not for numbers
and dates, not for labels, and not in character sets like ucs2.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from binlogcli.errors import BinlogError
from binlogcli.rows.column import Column
from binlogcli.rows.readers.numbers import EnumColumn, SetColumn
from binlogcli.rows.readers.strings import CompressedColumn, JsonColumn

_PLAIN = re.compile(r"[A-Za-z0-9_@#. -]+")
# letters that no number, date, time, hexadecimal digit or address has; infinity and NaN are values, too
_LETTER = re.compile(r"[GHJKLMOPQRSUVWYZghjklmopqrsuvwyz_@#]")
_WORDS = (b"true", b"false", b"null")  # of JSON, which are stored as numbers
_WIDE = frozenset({"ucs2", "utf16", "utf16le", "utf32"})
_LONGEST = 4096  # characters of a pattern
_ESCAPED = "a backslash before . * + ? ( ) [ ] { } | ^ $ takes them as they are"


class GrepError(BinlogError):
    """A pattern that cannot be used."""


class Grep(NamedTuple):
    """Patterns of which one has to match; `needle` is in all bytes in which the only one may match, if it is known."""

    patterns: tuple[re.Pattern[str], ...]
    needle: bytes | None

    def matches(self, text: str) -> bool:
        """Return whether a pattern matches somewhere in a text."""
        return any(pattern.search(text) is not None for pattern in self.patterns)

    def may_match(self, data: bytes) -> bool:
        """Return whether a pattern may match in a text that is stored as these bytes."""
        return self.needle is None or self.needle in data

    def needs_needle(self, column: Column, *, mariadb: bool) -> bool:
        """Return whether nothing of a column can match in rows without the needle."""
        if self.needle is None or isinstance(column, CompressedColumn):
            return False
        if isinstance(column, JsonColumn):
            return not any(self.needle in word for word in _WORDS)
        if isinstance(column, EnumColumn | SetColumn):
            labels = column.info.label_texts(mariadb=mariadb) or []
            return not any(self.needle.decode() in label for label in labels) and "," not in self.needle.decode()
        return column.info.charset(mariadb=mariadb) not in _WIDE


def read_patterns(texts: tuple[str, ...], *, ignore_case: bool) -> Grep:
    """Return the patterns that texts are. Raises `GrepError`."""
    patterns = []
    for text in texts:
        if not text or len(text) > _LONGEST:
            raise GrepError(f"a pattern must have from 1 to {_LONGEST} characters", hint="pipe the output into grep -f")
        try:
            patterns.append(re.compile(text, re.IGNORECASE if ignore_case else 0))
        except (re.error, OverflowError, RecursionError) as error:
            raise GrepError(f"{text!r} is no regular expression: {error}", hint=_ESCAPED) from None
    only = texts[0] if len(texts) == 1 and not ignore_case else ""
    literal = only.replace("\\.", ".").replace("\\-", "-") if re.fullmatch(r"(?:[\w@# -]|\\[.-])+", only) else ""
    is_needle = bool(_PLAIN.fullmatch(literal) and _LETTER.search(literal))
    return Grep(tuple(patterns), literal.encode() if is_needle else None)

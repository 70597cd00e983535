"""The patterns of `--grep`, and the characters without which none of them can match.

Of most patterns some characters must be in a text that matches. They are looked for first, in the raw bytes of an
event and in what its other values are written as; the patterns themselves are tried on the few texts that have them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from binlogcli.errors import BinlogError
from binlogcli.select.values.literals import branches, is_steady

# letters that no number, date, time, hexadecimal digit or address has; infinity and NaN are values, too
_LETTER = re.compile(r"[GHJKLMOPQRSUVWYZghjklmopqrsuvwyz_@#]")
_UNFIT = re.compile(r"[\0-\x1f\x7f\\\ud800-\udfff]+")  # ends lines, is stored in several ways, or cannot be stored
_SHORT = 3  # characters from which on a needle with letters is better than a longer one of digits
_HEX = re.compile(r"[0-9a-f]+")
# what Python takes for the other case of an ASCII letter
_OTHER_CASES = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
_LONGEST = 4096  # characters of a pattern
_ESCAPED = "put a backslash before . * + ? ( ) [ ] { } | ^ $ to match them literally"


class GrepError(BinlogError):
    """A pattern that cannot be used."""


class Grep(NamedTuple):
    """Patterns of which one has to match.

    `needles` are strings one of which is in each text that matches, in lower case if case is ignored;
    None where such are not known. All texts with a needle match if `plain`. `lines` match in lines with a text that
    the patterns match in; None where that is not certain.
    """

    patterns: tuple[re.Pattern[str], ...]
    lines: tuple[re.Pattern[str], ...] | None
    needles: tuple[str, ...] | None
    plain: bool
    ignore_case: bool

    def matches(self, text: str) -> bool:
        """Return whether a pattern matches somewhere in a text."""
        return any(pattern.search(text) is not None for pattern in self.patterns)

    def place_in_lines(self, text: str) -> int:
        """Return where the first pattern that does so matches in lines; -1 where none does."""
        for pattern in self.lines or ():
            found = pattern.search(text)
            if found is not None:
                return found.start()
        return -1

    @property
    def in_ascii(self) -> bool:
        """Whether a text of ASCII matches only if it has a needle, and its bytes then have it, too."""
        return self.needles is not None and all(map(str.isascii, self.needles))

    @property
    def in_letters(self) -> bool:
        """Whether no number, date or address matches."""
        return self.needles is not None and all(map(_LETTER.search, self.needles))

    @property
    def may_be_hex(self) -> bool:
        """Whether hexadecimal digits may match."""
        return self.needles is None or any(_HEX.fullmatch(needle) for needle in self.needles)

    def text_needles(self) -> list[bytes]:
        """Return the bytes one of which is in each text that matches, written in UTF-8."""
        needles = self.needles or ()
        return [*(needle.encode() for needle in needles), *(other.encode() for other in self.other_cases())]

    def raw_needles(self) -> list[bytes]:
        """Return the bytes one of which is in each text that matches, in UTF-8 or shown byte by byte."""
        found = self.text_needles()
        for needle in self.needles or ():
            if not needle.isascii() and max(needle) <= "\xff":
                found.append(needle.encode("latin-1"))
        return found

    def other_cases(self) -> str:
        """Return the characters beyond ASCII that letters of the needles match."""
        if not self.ignore_case:
            return ""
        letters = {letter for needle in self.needles or () for letter in needle}
        return "".join(others for letter, others in _OTHER_CASES.items() if letter in letters)


def read_patterns(texts: tuple[str, ...], *, ignore_case: bool) -> Grep:
    """Return the patterns that texts are. Raises `GrepError`."""
    patterns = []
    for text in texts:
        if not text or len(text) > _LONGEST:
            raise GrepError(
                f"the pattern is empty or longer than {_LONGEST} characters",
                hint="for more, pipe the output into grep -f FILE",
            )
        try:
            patterns.append(re.compile(text, re.IGNORECASE if ignore_case else 0))
        except (re.error, OverflowError, RecursionError) as error:
            raise GrepError(f"{text!r} is not a regular expression: {error}", hint=_ESCAPED) from None
    lines = None
    if all(map(is_steady, texts)):
        lines = tuple(re.compile(pattern.pattern, pattern.flags | re.MULTILINE) for pattern in patterns)
    needles, plain = _needles(texts, ignore_case=ignore_case)
    return Grep(tuple(patterns), lines, needles, plain, ignore_case)


def _needles(texts: tuple[str, ...], *, ignore_case: bool) -> tuple[tuple[str, ...] | None, bool]:
    """Return a string for each alternative of the patterns, and whether these are all of them; None where one lacks it.

    Characters beyond ASCII have several other cases, and end a string if case is ignored.
    """
    found: list[str] = []
    plain = not ignore_case
    for text in texts:
        alternatives = branches(text)
        if alternatives is None:
            return None, False
        for alternative in alternatives:
            runs = [part for run in alternative.runs for part in _UNFIT.split(run) if part]
            if ignore_case:
                runs = [part.lower() for run in runs for part in re.findall(r"[ -~]+", run)]
            if not runs:
                return None, False
            best = max(runs, key=_worth)
            plain = plain and alternative.whole and best == alternative.runs[0]
            found.append(best)
    return tuple(dict.fromkeys(found)), plain


def _worth(run: str) -> tuple[bool, int]:
    """Return a measure of how rare a run of characters is."""
    return len(run) >= _SHORT and (_LETTER.search(run) is not None or not run.isascii()), len(run)

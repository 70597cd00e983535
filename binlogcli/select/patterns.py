"""Matches databases, tables and event types with patterns that hold shell wildcards (`*`, `?`, `[...]`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import translate

from binlogcli.errors import BinlogError
from binlogcli.names.event_types import EVENT_TYPES, event_type_name

_CODES = {name: code for code, name in EVENT_TYPES.items()}
_WILDCARD = re.compile(r"[*?\[]")
_NEAR = 0.5  # of difflib: how alike two names are


class PatternError(BinlogError):
    """A pattern that can match nothing."""


class Patterns:
    """The patterns of one option; `unmatched` are those that have matched nothing yet."""

    def __init__(self, option: str, texts: tuple[str, ...], *, qualified: bool = False) -> None:
        self.option = option
        self.texts = texts
        self.unmatched = set(texts)
        self.compiled = [(text, re.compile(translate(text))) for text in texts]
        self.databases = [part for text in texts for part in _database_parts(text)] if qualified else self.compiled

    def match(self, name: str) -> bool:
        """Return whether a name (`DB`, or `DB.TABLE`) matches a pattern."""
        found = False
        for text, pattern in self.compiled:
            if pattern.match(name):
                self.unmatched.discard(text)
                found = True
        return found

    def match_database(self, database: str) -> bool:
        """Return whether tables of this database can match."""
        return any(pattern.match(database) for _, pattern in self.databases)


def _database_parts(text: str) -> list[tuple[str, re.Pattern[str]]]:
    """Return a pattern for each part of `DB.NAME` that can be the database: names may hold dots themselves."""
    places = [at for at, char in enumerate(text) if char == "."]
    return [(text, re.compile(translate(text[:at]))) for at in places if at > 0]


def table_pattern(text: str) -> str:
    """Return the pattern for `DB.NAME`; a name alone is that table in any database. Raises `PatternError`."""
    if not text.strip("."):
        raise PatternError(f"{text!r} is not a table name", hint="write DB.NAME, with wildcards such as 'shop.*'")
    return text if "." in text else f"*.{text}"


class TypeChoice:
    """The types that `--event` chooses: by a whole name as in the JSON, a pattern, or the beginning of names.

    `types` has 1 for each type code that is chosen, else 0. Raises `PatternError` if a text matches no type.
    """

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.codes = {text: _codes_of(text) for text in texts}
        chosen = bytearray(256)
        for code in (code for codes in self.codes.values() for code in codes):
            chosen[code] = 1
        self.types = bytes(chosen)

    def unmatched(self, seen: Sequence[int]) -> list[str]:
        """Return a line for each text none of whose types is among those that were seen."""
        there = sorted({event_type_name(code) for code in range(256) if seen[code]})
        lines = []
        for text, codes in self.codes.items():
            if not any(seen[code] for code in codes):
                near = get_close_matches(text.upper(), there, 3, _NEAR) or there[:5]
                lines.append(
                    f"--event {text}: no such events found" + (f"; the logs contain {', '.join(near)}" if near else "")
                )
        return lines


def _codes_of(text: str) -> list[int]:
    """Return the codes of the types that a text chooses, in any case."""
    upper = text.upper()
    if upper in _CODES:
        return [_CODES[upper]]
    pattern = re.compile(translate(upper if _WILDCARD.search(upper) else f"{upper}*"))
    codes = [code for code in range(256) if text and _names_match(pattern, event_type_name(code))]
    if not codes:
        raise PatternError(
            f"there is no event type called {text!r}", hint="write a type as shown by --format json" + _near(text)
        )
    return codes


def _names_match(pattern: re.Pattern[str], name: str) -> bool:
    return bool(pattern.match(name) or pattern.match(name.removesuffix("_EVENT")))


def _near(text: str) -> str:
    word = text.upper().strip("*?_").removesuffix("S")
    near = [name for name in _CODES if word and word in name] or get_close_matches(text.upper(), _CODES, 4, _NEAR)
    return f", such as {', '.join(near[:4])}" if near else ""

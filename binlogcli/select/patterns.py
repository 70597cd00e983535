"""Matches databases, tables and event types with patterns that hold shell wildcards (`*`, `?`, `[...]`)."""

from __future__ import annotations

import re
from fnmatch import translate

from binlogcli.errors import BinlogError
from binlogcli.names.event_types import EVENT_TYPES, event_type_name


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
        raise PatternError(f"{text!r} names no table", hint="write DB.NAME, with wildcards such as 'shop.*'")
    return text if "." in text else f"*.{text}"


def chosen_types(patterns: tuple[str, ...]) -> bytes:
    """Return for each type code 1 where its name matches a pattern, in any case, `_EVENT` at its end or not, else 0.

    Raises `PatternError` where a pattern matches no type.
    """
    chosen = bytearray(256)
    for text in patterns:
        pattern = re.compile(translate(text.upper()))
        codes = [code for code in range(256) if _names_match(pattern, event_type_name(code))]
        if not codes:
            raise PatternError(f"no event type is called {text!r}", hint="write a name as in the JSON" + _near(text))
        for code in codes:
            chosen[code] = 1
    return bytes(chosen)


def _names_match(pattern: re.Pattern[str], name: str) -> bool:
    return bool(pattern.match(name) or pattern.match(name.removesuffix("_EVENT")))


def _near(text: str) -> str:
    word = text.upper().strip("*?_").removesuffix("S")
    near = [name for name in EVENT_TYPES.values() if word and word in name]
    return f", such as {', '.join(near[:4])}" if near else ""

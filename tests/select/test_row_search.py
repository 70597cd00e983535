"""What the fast search of `--grep` finds is what the patterns match when each value is tested by itself."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.tables import Rows
from binlogcli.names.charsets import MULTI_BYTE, PLAIN, SINGLE_BYTE, UTF8_NAMES, decode
from binlogcli.select.choice import Choice
from binlogcli.select.selection import Selection
from binlogcli.select.values.grep import Grep, GrepError, read_patterns
from binlogcli.select.values.reach import keeps_ascii
from support import corpus
from support.golden import GOLDEN, golden_logs

LARGEST = 60_000  # bytes of a log that is searched many times
ROWS = 20  # of an event, whose values are drawn from
PATTERNS = 6
IN_CORPUS = 40
LENGTHS = (1, 2, 3, 4, 6, 10)
LOGS = [path for path in golden_logs() if "enc" not in path.parts[-2] and path.stat().st_size < LARGEST]
OTHERS = [path for path in corpus.logs() if path.stat().st_size < LARGEST and "enc" not in path.parts[-2]]


def events_of(path: Path) -> Iterator[Event]:
    with Log(str(path)) as log:
        for event in log.stream:
            if isinstance(event, Event):
                yield event


def texts_of(value: object) -> Iterator[str]:
    """How a value may be shown, with its parts."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from texts_of(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_of(part)
    elif isinstance(value, bytes):
        yield value.hex()
        yield value.decode("latin-1")
    elif value is not None:
        yield str(value)


def values_in(path: Path) -> list[str]:
    found = set()
    for event in events_of(path):
        if isinstance(event, Rows):
            for row in event.rows[:ROWS]:
                found |= {text for image in (row.before, row.after) for text in texts_of(image)}
    return sorted(found - {""})


def pattern_of(chance: random.Random, values: list[str]) -> str:
    """A pattern that is likely to match a part of a value."""
    value = chance.choice(values)
    at = chance.randrange(len(value))
    part = value[at : at + chance.choice(LENGTHS)]
    plain = re.escape(part.swapcase() if chance.random() < 0.1 else part)
    forms = [plain] * 6 + ["^" + plain, plain + "$", rf"\b{plain}", plain + r"+\d*", plain + "(?!1)", f"({plain})"]
    forms += ["(?i)" + plain, plain + "|" + re.escape(chance.choice(values)[:4]), re.escape(part[0]) + "."]
    return chance.choice(forms)


def chosen(path: Path, grep: Grep, *, slowly: bool) -> tuple[list[object], list[str]]:
    """Return the ranges of the rows that match, event by event, and the columns of unknown sign that decide."""
    selection = Selection(Choice(grep=grep))
    rows = selection.rows
    assert rows is not None
    if slowly:
        rows.search = None
    found: list[object] = []
    for event in events_of(path):
        if isinstance(event, Rows):
            event.ranges = None
            found.append((event.start, event.ranges) if rows.choose(event) else None)
    return found, sorted(rows.unsure)


def check(path: Path, count: int) -> None:
    """Compare both ways for patterns that are drawn from the values of a log."""
    chance = random.Random(path.name)
    values = values_in(path)
    for _ in range(count if values else 0):
        text = pattern_of(chance, values)
        try:
            grep = read_patterns((text,), ignore_case=chance.random() < 0.3)
        except GrepError:
            continue  # such as a pattern with a flag behind its beginning
        assert chosen(path, grep, slowly=False) == chosen(path, grep, slowly=True), text


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.relative_to(GOLDEN).as_posix())
def test_the_search_finds_what_each_value_tells(path: Path) -> None:
    check(path, PATTERNS)


@pytest.mark.skipif(not OTHERS, reason="no corpus beside the project")
def test_the_search_finds_what_each_value_tells_in_other_logs() -> None:
    for path in random.Random(1).sample(OTHERS, IN_CORPUS):
        check(path, PATTERNS // 2)


@pytest.mark.parametrize("charset", sorted({*PLAIN, *SINGLE_BYTE, *MULTI_BYTE}))
def test_ascii_in_text_is_ascii_in_its_bytes(charset: str) -> None:
    if not keeps_ascii(charset) or charset in UTF8_NAMES:
        return
    for first in range(128, 256):
        for second in range(256):
            text = decode(bytes([first, second]), charset)
            if text is not None:
                told = chr(second) if second < 128 else ""
                assert all(char in told + "\\" for char in text if char.isascii()), (charset, first, second)


def test_several_patterns_are_found_as_each_of_them() -> None:
    path = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    for texts in (("paid", "147"), ("new", "zzzz"), ("1", "[a-z]{9}"), ("Alice", "2026-")):
        for ignore_case in (False, True):
            grep = read_patterns(texts, ignore_case=ignore_case)
            assert chosen(path, grep, slowly=False) == chosen(path, grep, slowly=True)

"""Statements of a log that wait until somebody asks for a table that they name.

Most statements of most logs define tables of which nothing is asked for from then on, or not before the next statement
changes them: reading a CREATE TABLE of thirty columns takes a millisecond, to see which tables it names some
microseconds. Each table's own order is kept: whoever asks for a table gets all statements that may have made it what it
is, with those of the tables that it was renamed or copied from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from heapq import heappop, heappush

from binlogcli.schema.logged_statement import LoggedStatement
from binlogcli.schema.sql.tokens import WORD_CHARACTER

_BYTES = 1 << 10  # of the text of a statement, on average
_SHORT = 4096  # characters of a statement in which each name is taken to be that of a table
_BEFORE_NAMES = ("like", "rename", "references", "select", "union", "merge")
_NAME = rf"(?:`((?:[^`]|``)+)`|({WORD_CHARACTER}+))"


@cache
def _one_table() -> re.Pattern[str]:
    """Return the pattern of a statement about one table, which it names with its database or without."""
    create = r"create\s+(?:or\s+replace\s+)?table\s+(?:if\s+not\s+exists\s+)?"
    alter = r"alter\s+(?:online\s+|ignore\s+)?table\s+(?:if\s+exists\s+)?"
    return re.compile(rf"\s*(?:{create}|{alter}){_NAME}(?:\s*\.\s*{_NAME})?(?=[\s(])", re.IGNORECASE)


@cache
def _several_tables() -> re.Pattern[str]:
    """Return the pattern of a statement in which names of several tables stand anywhere."""
    return re.compile(r"\s*(?:create|alter|drop|rename)\s+tables?\s", re.IGNORECASE)


@cache
def _any_name() -> re.Pattern[str]:
    return re.compile(_NAME)


@cache
def _another() -> re.Pattern[str]:
    """Return the pattern of what may name another table, for a text in lower case."""
    return re.compile(rf"\b(?:{'|'.join(_BEFORE_NAMES)})\b|/\*")


class PendingStatements:
    """The statements that wait, in the order of the log: `most` of them, with texts of that many KiB."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[int, tuple[tuple[str, ...], LoggedStatement]] = {}  # by their number in the log
        self._naming: dict[str, list[int]] = {}  # by table in lower case, those which name it
        self._next = 0
        self._bytes = 0

    def add(self, statement: LoggedStatement) -> tuple[str, ...]:
        """Let a statement wait and return the tables that it may name, in lower case; nothing where it cannot wait."""
        text = statement.text
        if len(self._waiting) >= self._most or self._bytes + len(text) > self._most * _BYTES:
            return ()
        if isinstance(text, bytes) or statement.session.failed or statement.session.dialect.ansi_quotes:
            return ()
        names = _names_in(text)
        if names:
            self._waiting[self._next] = names, statement
            self._bytes += len(text)
            for name in names:
                self._naming.setdefault(name, []).append(self._next)
            self._next += 1
        return names

    def copy(self) -> PendingStatements:
        """Return a copy of the statements, for another consumer."""
        made = PendingStatements(self._most)
        made._waiting = dict(self._waiting)
        made._naming = {name: list(numbers) for name, numbers in self._naming.items()}
        made._next = self._next
        made._bytes = self._bytes
        return made

    def take(self, table: str) -> list[LoggedStatement]:
        """Return the statements that a table's definition may depend on, which wait no longer."""
        taken = []
        wanted: set[str] = set()
        due: list[int] = []  # a heap, the last of the log first
        self._want(table.lower(), self._next, wanted, due)
        while due:
            number = -heappop(due)
            if number not in self._waiting:
                continue  # it names two of the tables
            names, statement = self._waiting.pop(number)
            self._bytes -= len(statement.text)
            taken.append(statement)
            for name in names:
                if name not in wanted:
                    self._want(name, number, wanted, due)
        return taken[::-1]

    def _want(self, name: str, last: int, wanted: set[str], due: list[int]) -> None:
        """Note that a table matters, and let the statements that name it up to number `last` be due."""
        wanted.add(name)
        numbers = self._naming.pop(name, [])
        end = bisect_right(numbers, last)
        if end < len(numbers):
            self._naming[name] = numbers[end:]
        for number in numbers[:end]:
            heappush(due, -number)

    def take_all(self) -> list[LoggedStatement]:
        """Return all statements; none waits any longer."""
        taken = [statement for _, statement in self._waiting.values()]
        self._waiting.clear()
        self._naming.clear()
        self._bytes = 0
        return taken


def _names_another(lower: str) -> bool:
    """Return whether a statement in lower case may name another table.

    Looking for the words first takes 9 us of a CREATE TABLE of 2 KB, where the pattern alone takes 25.
    """
    return ("/*" in lower or any(map(lower.__contains__, _BEFORE_NAMES))) and _another().search(lower) is not None


def _names_in(text: str) -> tuple[str, ...]:
    """Return the tables that a statement may name, and perhaps more; nothing if they cannot be identified."""
    lower = text.lower()
    if not _names_another(lower) and (found := _one_table().match(text)):
        database_quoted, database, quoted, plain = found.groups()
        name = (quoted or plain) or (database_quoted or database)
        return (name.replace("``", "`").lower(),)
    if len(text) <= _SHORT and "temporary" not in lower and _several_tables().match(text):
        return tuple({(quoted or plain).replace("``", "`").lower() for quoted, plain in _any_name().findall(text)})
    return ()

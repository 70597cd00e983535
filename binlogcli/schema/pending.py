"""Statements of a log that wait until somebody asks for a table that they name.

Most statements of most logs define tables of which nothing is asked for from there on, or not before the next statement
changes them: reading a CREATE TABLE of thirty columns takes a millisecond, to see which tables it names some
microseconds. Each table's own order is kept: whoever asks for a table gets all statements that may have made it what it
is, with those of the tables that it was renamed or copied from.
"""

from __future__ import annotations

import re
from functools import cache

from binlogcli.schema.logged_statement import LoggedStatement

_BYTES = 1 << 10  # of the text of a statement, on average
_SHORT = 4096  # characters of a statement in which each name is taken to be that of a table
_NAME = r"(?:`((?:[^`]|``)+)`|([0-9A-Za-z_$\x80-\U0010ffff]+))"


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
def _may_name_another() -> re.Pattern[str]:
    return re.compile(r"\b(?:like|rename|references|select|union|merge)\b|/\*", re.IGNORECASE)


class PendingStatements:
    """The statements that wait, in the order of the log: `most` of them, with texts of that many KiB."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: list[tuple[frozenset[str], LoggedStatement]] = []
        self._named: dict[str, int] = {}  # tables in lower case, by how many statements name them
        self._bytes = 0

    def add(self, statement: LoggedStatement) -> frozenset[str]:
        """Let a statement wait and return the tables that it may name, in lower case; nothing where it cannot wait."""
        text = statement.text
        if len(self._waiting) >= self._most or self._bytes + len(text) > self._most * _BYTES:
            return frozenset()
        if isinstance(text, bytes) or statement.session.failed or statement.session.dialect.ansi_quotes:
            return frozenset()
        names = _names_in(text)
        if names:
            self._waiting.append((names, statement))
            self._bytes += len(text)
            for name in names:
                self._named[name] = self._named.get(name, 0) + 1
        return names

    def copy(self) -> PendingStatements:
        """Return the same statements, to be taken by somebody else."""
        made = PendingStatements(self._most)
        made._waiting = list(self._waiting)
        made._named = dict(self._named)
        made._bytes = self._bytes
        return made

    def take(self, table: str) -> list[LoggedStatement]:
        """Return the statements that a table's definition may depend on, which wait no longer."""
        wanted = {table.lower()}
        if wanted.isdisjoint(self._named):
            return []
        taken, left = [], []
        for names, statement in reversed(self._waiting):
            if wanted.isdisjoint(names):
                left.append((names, statement))
            else:
                wanted |= names
                taken.append(statement)
                self._forget(names, statement)
        self._waiting = left[::-1]
        return taken[::-1]

    def take_all(self) -> list[LoggedStatement]:
        """Return all statements; none waits any longer."""
        taken = [statement for _, statement in self._waiting]
        self._waiting.clear()
        self._named.clear()
        self._bytes = 0
        return taken

    def _forget(self, names: frozenset[str], statement: LoggedStatement) -> None:
        self._bytes -= len(statement.text)
        for name in names:
            self._named[name] -= 1
            if not self._named[name]:
                del self._named[name]


def _names_in(text: str) -> frozenset[str]:
    """Return the tables that a statement may name, and perhaps more; nothing where that cannot be told."""
    if _may_name_another().search(text) is None and (found := _one_table().match(text)):
        database_quoted, database, quoted, plain = found.groups()
        name = (quoted or plain) or (database_quoted or database)
        return frozenset((name.replace("``", "`").lower(),))
    if len(text) <= _SHORT and "temporary" not in text.lower() and _several_tables().match(text):
        return frozenset((quoted or plain).replace("``", "`").lower() for quoted, plain in _any_name().findall(text))
    return frozenset()

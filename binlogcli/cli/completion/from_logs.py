"""Candidates that are taken from the logs on the line: databases, tables, GTIDs; and the event types.

Tab must answer at once: at most `_BYTES` of the logs are read, for `_SECONDS`. What cannot be read gives no candidate.
Names are those of whoever wrote the log: one that a shell could take for more than a word is left out.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from binlogcli.errors import BinlogError
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.mysql import MysqlGtid
from binlogcli.events.statements import Query
from binlogcli.events.stream import ReadOptions
from binlogcli.events.tables import TableMap
from binlogcli.names.event_types import (
    EVENT_TYPES,
    GTID_EVENT,
    GTID_LOG_EVENT,
    GTID_TAGGED_LOG_EVENT,
    QUERY_EVENT,
    TABLE_MAP_EVENT,
)
from binlogcli.sources.opening import expand, is_server, open_source
from binlogcli.sources.source import Source, Stream

if TYPE_CHECKING:
    import click

_SECONDS = 0.03
_BYTES = 8 << 20  # of each log
_SHOWN = 100  # GTIDs; of more, the beginnings are shown
_SAFE = re.compile(r"\w[\w.-]*")  # one word to every shell, without quotes; Unicode's letters are


class _Beginning(Stream):
    """The first bytes of a source, as many as can be read before a time."""

    def __init__(self, source: Source, end: float) -> None:
        super().__init__(source.name)
        self.source = source
        self.left = _BYTES
        self.end = end

    def _pull(self, size: int) -> bytes:
        data = self.source.read(min(size, self.left)) if time.monotonic() < self.end else b""
        self.left -= len(data)
        return data

    def close(self) -> None:
        """Close the source."""
        self.source.close()


def databases(ctx: click.Context, _param: click.Parameter, word: str) -> list[str]:
    """Return the databases of the logs on the line that begin with a word."""
    found = {database for database, _ in _databases_and_tables(ctx)}
    return sorted(name for name in found if name.startswith(word) and _SAFE.fullmatch(name))


def tables(ctx: click.Context, _param: click.Parameter, word: str) -> list[str]:
    """Return the tables of the logs on the line that begin with a word: as DB.NAME, or else by their name alone."""
    pairs = {(database, name) for database, name in _databases_and_tables(ctx) if name}
    safe = [pair for pair in pairs if all(map(_SAFE.fullmatch, pair))]
    qualified = [text for pair in safe if (text := ".".join(pair)).startswith(word)]
    return sorted(qualified or {name for _, name in safe if name.startswith(word)})


def gtids(ctx: click.Context, _param: click.Parameter, word: str) -> list[str]:
    """Return the GTIDs of the logs on the line that begin with the last part of a set.

    Of many, only their beginnings are returned; once one of these is typed, the next Tab continues from there.
    """
    head, comma, last = word.rpartition(",")
    events = _events(ctx, {GTID_EVENT, GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT})
    found = {str(event.gtid) for event in events if isinstance(event, MysqlGtid | MariadbGtid) and event.gtid}
    found = {text for text in found if text.startswith(last)}
    longest = max(map(len, found), default=0)
    shown = found
    while len(shown) > _SHOWN:
        longest -= 1
        shown = {text[:longest] for text in found}
    return [head + comma + text for text in sorted(shown)]


def event_types(_ctx: click.Context, _param: click.Parameter, word: str) -> list[str]:
    """Return the names of event types that begin with a word, in its case."""
    names = (name.lower() if word.islower() else name for name in EVENT_TYPES.values())
    return sorted(name for name in names if name.startswith(word))


def _databases_and_tables(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the databases of the logs on the line, each with a table, or with "" for a statement in it."""
    for event in _events(ctx, {TABLE_MAP_EVENT, QUERY_EVENT}):
        if isinstance(event, TableMap):
            yield event.plan.definition.database, event.plan.definition.table
        elif isinstance(event, Query):
            yield event.db, ""


def _events(ctx: click.Context, types: Collection[int]) -> Iterator[Event]:
    """Yield the events of some types at the beginning of the logs on the line, until the time is up."""
    end = time.monotonic() + _SECONDS
    wanted = bytes(code in types for code in range(256))
    options = ReadOptions(verify=False, max_event_size=_BYTES)
    for path in _logs(ctx):
        with contextlib.suppress(BinlogError), Log(path, options, source=_Beginning(open_source(path), end)) as log:
            while time.monotonic() < end:
                event = log.stream.next_of(wanted)
                if event is not None:
                    yield event
                elif log.take_gap() is None:
                    break


def _logs(ctx: click.Context) -> Iterator[str]:
    """Yield the log files among the words of the line, and those that an index file lists; no pipes, no servers."""
    for word in ctx.obj:
        with contextlib.suppress(BinlogError, OSError, ValueError):
            path = os.path.expanduser(word)
            if not is_server(path) and stat.S_ISREG(os.stat(path).st_mode):
                yield from (log for log in expand([path]) if stat.S_ISREG(os.stat(log).st_mode))

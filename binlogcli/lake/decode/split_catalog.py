"""The catalog that holds where a split begins, and the follower that keeps it up to date within the split.

A process replays a history once, as far as its splits lie, and hands out copies: what table maps show to a catalog
depends on the maps that it has seen, and must not make a repeated task give other batches than the first.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from binlogcli.events.ddl import DdlFollower
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.lake.history import LOST, REPAIRED
from binlogcli.lake.store.state import plain_name
from binlogcli.log.gaps import Damage
from binlogcli.schema.catalog import Catalog
from binlogcli.select.baseline import BaselineScan
from binlogcli.sources.source import Stream

if TYPE_CHECKING:
    from binlogcli.lake.history import DefiningEvents, LogHistory
    from binlogcli.lake.model import LakeOptions, Split

_MOST_WAITING = 1 << 16  # statements, which are in memory in any case


def follower_of(split: Split, options: LakeOptions, history: LogHistory | None) -> DdlFollower | None:
    """Return the follower whose catalog holds where a split begins; None where nothing tells of definitions.

    Without a history, nothing is known from before the split.
    """
    if history is not None and history.has_statements(split.file):
        found = _replay_of(history.identity, options.schemas, options.unsigned).follower_at(split, history)
    elif history is None or options.schemas or options.unsigned:
        found = DdlFollower(read_catalog(options.schemas, options.unsigned).afresh(), plain_name(split.file))
    else:
        return None
    found.catalog.file = found.file = split.file
    found.catalog.keep_statements()
    return found


@lru_cache(maxsize=4)
def read_catalog(files: tuple[str, ...], unsigned: tuple[str, ...]) -> Catalog:
    """Return what schema files, read once in each process, and options say of tables."""
    return Catalog.read(files, unsigned)


@lru_cache(maxsize=1)
def _replay_of(identity: str, files: tuple[str, ...], unsigned: tuple[str, ...]) -> HistoryReplay:  # noqa: ARG001
    """Return the one replay of a history, which its identity stands for, in this process."""
    return HistoryReplay(read_catalog(files, unsigned))


class HistoryReplay:
    """Replays a history from log to log; from its beginning for a split before the last one."""

    def __init__(self, baseline: Catalog) -> None:
        self.baseline = baseline
        self._begin(-1)

    def _begin(self, series: int, history: LogHistory | None = None) -> None:
        self.catalog = self.baseline.afresh()
        if history is not None and history.schemas:
            scan = _scan_of(history.series[series], *history.schemas[series])
            self.catalog.walk_back(scan.statements, scan.restarts)
        self.catalog.most_waiting = _MOST_WAITING
        self.catalog.keep_statements()
        self.series = series
        self.index = 0  # of the log that is reached
        self.done = 0  # events of it that are replayed
        self.stream: EventStream | None = None  # of the log, and its follower, from the first event on
        self.follower: DdlFollower | None = None

    def follower_at(self, split: Split, history: LogHistory) -> DdlFollower:
        """Return a follower for the events of a split, with a catalog of its own."""
        series, index = history.places[split.file]
        logs = history.series[series]
        count = 0 if split.at_start else logs[index].before(split.start)
        if self.series != series or (self.index, self.done) > (index, count):
            self._begin(series, history)
        while self.index < index:
            self._replay(logs[self.index], len(logs[self.index].events))
            self.index += 1
            self.done = 0
            self.stream = self.follower = None
        if split.at_start:
            return DdlFollower(self.catalog.copy(), logs[index].name)
        follower = copy.copy(self._replay(logs[index], count))
        follower.catalog = self.catalog.copy()
        return follower

    def _replay(self, log: DefiningEvents, count: int) -> DdlFollower:
        """Replay the first `count` events of the log that is reached, as far as they are not yet."""
        if self.stream is None or self.follower is None:
            self.follower = DdlFollower(self.catalog, log.name)
            self.stream = EventStream(NoBytes(log.name), ReadOptions(verify=False), self.follower)
        for event in log.events[self.done : count]:
            if event[1] == LOST:
                self.follower.lose(Damage(event[0], event[0], ""), None, self.stream.context)
            if event[1] in (LOST, REPAIRED):
                continue
            self.stream.resume((event,), 0)
            self.stream.take_gap()  # an event that cannot be decoded tells nothing
        self.done = count
        return self.follower


def _scan_of(logs: Sequence[DefiningEvents], index: int, count: int) -> BaselineScan:
    """Return what logs tell up to that with an index, and of that the first `count` events."""
    scan = BaselineScan(None)
    for number, log in enumerate(logs[: index + 1]):
        follower = DdlFollower(Catalog(), log.name)
        stream = EventStream(NoBytes(log.name), ReadOptions(verify=False))
        for one in log.events if number < index else log.events[:count]:
            for event in () if one[1] in (LOST, REPAIRED) else stream.resume((one,), 0):
                scan.take(event, stream.context, follower)
            stream.take_gap()
    return scan


class NoBytes(Stream):
    """A source for events that are handed over one by one."""

    size: int | None = 0

    def seek(self, offset: int) -> None:
        """Do nothing: there are no bytes anywhere."""

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _pull(self, size: int) -> bytes:
        return b""

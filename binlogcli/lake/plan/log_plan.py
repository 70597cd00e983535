"""The plan of one log: what of it is new, and in which splits it is read.

Tasks and plans can be pickled, so that a Spark task can plan a log. Of a log that may still grow only whole
transactions are taken; of one that will not, everything.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from binlogcli.crypto.opening import open_keys
from binlogcli.errors import BinlogError, KeyNeededError
from binlogcli.lake.decode.log_source import open_log
from binlogcli.lake.history import NO_HISTORY, DefiningEvents, History, LogHistory, LogKey, PlacedEvent, SchemaPlace
from binlogcli.lake.log_stamp import LogStamp, stamp_of
from binlogcli.lake.model import LakeOptions, Split
from binlogcli.lake.plan.cut_points import NOWHERE, CutFinder, CutPoint
from binlogcli.lake.plan.table_maps import TableMapKeeper
from binlogcli.lake.sequence import base_of
from binlogcli.lake.store.state import HEAD, TakenLog, checksum, first_event, head_of, plain_name
from binlogcli.lake.store.table_choice import TablePatterns
from binlogcli.log.framer import ENCRYPTED
from binlogcli.log.savepoints import Undone
from binlogcli.names.event_types import ROTATE_EVENT, STOP_EVENT
from binlogcli.sources.log_names import PACKED_ENDINGS
from binlogcli.sources.opening import no_event_error, open_source
from binlogcli.sources.source import Source

_HEADER = 19  # bytes of an event's header


@dataclass(frozen=True, slots=True)
class LogTask:
    """A log to plan: its positions [low, limit) and times [since, until), `taken` what earlier runs have read.

    `stamp` is of the file that `taken` was found for.
    """

    path: str
    options: LakeOptions
    split_size: int
    taken: TakenLog | None = None
    low: int = 0
    limit: int = NOWHERE
    since: int = 0
    until: int = NOWHERE
    final: bool = False  # whether the log grows no more
    stamp: LogStamp | None = None
    maps_of: tuple[str, str] | None = None  # the table, as database and name, whose maps are wanted
    again: bool = False  # everything that was taken is read again

    @property
    def about(self) -> str:
        """What it plans, in words."""
        return self.path


@dataclass(frozen=True, slots=True)
class LogPlan:
    """What is new in a log, as splits over [start, end), and the `waiting` bytes of an open transaction after it.

    `error` is why the log cannot be read.
    """

    path: str
    splits: tuple[Split, ...] = ()
    taken: TakenLog | None = None
    start: int = 0
    end: int = 0
    waiting: int = 0
    late: bool = False  # whether an event at `since` or later was found
    over: bool = False  # whether an event at `until` or later was found
    defining: DefiningEvents | None = field(default=None, repr=False)  # up to where `taken` ends
    maps: tuple[PlacedEvent, ...] | None = field(default=None, repr=False)  # of a table; None: not all were found
    error: BinlogError | None = None
    tables: TablePatterns = ()  # of what is read again: whose rows are wanted

    @property
    def key(self) -> LogKey | None:
        """What identifies the log in a history; None where it cannot be read."""
        return None if self.taken is None else (self.taken.name, self.taken.head_sha256)

    @property
    def size(self) -> int:
        """Bytes of all splits."""
        return sum((split.end or self.end) - split.start for split in self.splits)


def defined_by(plans: Iterable[LogPlan], before: History = NO_HISTORY) -> History:
    """Return a history with what these logs tell of definitions, as far as they are read."""
    return before.with_events(
        (plan.key, plan.defining) for plan in plans if plan.key is not None and plan.defining is not None
    )


def known_to(plans: Iterable[LogPlan], history: History, schemas: SchemaPlace | None = None) -> LogHistory:
    """Return what of a history those need to know who read these logs; `schemas` as for `History.of`."""
    return history.of(((plan.path, plan.key) for plan in plans if plan.key is not None), schemas)


def read_head(path: str) -> bytes:
    """Return the first bytes of a log, by which it is identified."""
    with open_source(path) as source:
        return head_of(source.head(HEAD))


def plan_log(task: LogTask) -> LogPlan:
    """Plan one log. What makes it unusable is returned as the plan's `error`."""
    try:
        return _planned(task)
    except BinlogError as error:
        return LogPlan(task.path, error=error)


def _planned(task: LogTask) -> LogPlan:
    """Plan one log. Raises BinlogError; also KeyNeededError, and LogChangedError if it changes meanwhile."""
    stamp = task.stamp or stamp_of(task.path)
    size = stamp.size
    head = read_head(task.path)
    with open_keys(task.options.keys) as keys, open_log(task.path, keys) as source:
        base = base_of(plain_name(task.path), *first_event(source.head(HEAD)))  # of the plain bytes
        finder = CutFinder(source, task.options.max_event_size, verify=task.options.verify)
        if task.maps_of is not None:
            finder.maps = TableMapKeeper(*task.maps_of)
        finder.choose(task.low, task.limit, task.since, task.until)
        if task.taken is not None:
            finder.resume(task.taken.end, task.taken.places)
        finder.run(_even_size(size - (task.low if task.taken is None else task.taken.end), task.split_size))
        if finder.sealed >= 0:
            raise KeyNeededError(ENCRYPTED, file=task.path, offset=finder.sealed, hint="pass --key-file")
        if finder.last == 0 and finder.damaged and not finder.stopped:
            raise no_event_error(task.path)
        reach = _reached(finder, source, final=task.final)
        splits = list(_make_splits(task, finder, source, reach.end))
    now = stamp_of(task.path)  # has all that was planned, which may have come after `size` was read
    stamp.check(task.path, task.path)
    start = splits[0].start if splits else reach.end
    taken = TakenLog(
        plain_name(task.path),
        os.path.realpath(task.path),
        *first_event(head),
        head_size := task.taken.head_size if task.taken is not None else min(len(head), max(reach.next, 1)),
        checksum(head, head_size),
        reach.next,
        size,
        packed=task.path.endswith(PACKED_ENDINGS),
        stopped=finder.stopped,
        places=reach.places,
        file=task.path,
        server=task.options.server,
    )
    waiting = 0 if finder.stopped else max(reach.size - reach.end, 0)
    undone = finder.savepoints.undone
    splits = [replace(one, stamp=now, seq_base=base, undone=tuple(_undone_in(undone, one))) for one in splits]
    events = tuple(one for one in finder.defining.events if one[0] < reach.next)
    defining = DefiningEvents(taken.name, os.path.dirname(taken.path), events)
    maps = None if finder.maps is None or finder.maps.hidden else tuple(finder.maps.events)
    places = (start, reach.end, waiting)
    found = LogPlan(task.path, tuple(splits), taken, *places, late=finder.late, over=finder.over, defining=defining)
    return replace(found, maps=maps)


def _even_size(size: int, split_size: int) -> int:
    """Return a size near `split_size` that divides `size` evenly, so that no small rest is left."""
    pieces = max((size + split_size // 2) // split_size, 1)
    return max(-(-size // pieces), 1) if pieces > 1 else split_size + split_size // 2


@dataclass(frozen=True, slots=True)
class _PlanReach:
    """How far a log is taken: to `end`; the next run begins at `next` with the events at `places`; `size` was seen."""

    end: int
    next: int
    size: int
    places: tuple[int, ...]


def _reached(finder: CutFinder, source: Source, *, final: bool) -> _PlanReach:
    """Decide how far the log is taken."""
    formats = tuple(place for place, _ in finder.formats)
    within = formats + tuple(start for start, _ in finder.frame())
    if finder.stopped:
        return _PlanReach(finder.limit, finder.limit, finder.limit, within)
    size = finder.seen
    torn = finder.torn >= 0 and _is_torn(source, finder.torn, size)
    if (
        finder.last_code in (ROTATE_EVENT, STOP_EVENT)
        or final
        or not source.seekable
        or (finder.torn >= 0 and not torn)
    ):
        return _PlanReach(size, finder.last if torn else size, size, within)
    return _PlanReach(finder.whole, finder.whole, size, formats)


def _is_torn(source: Source, at: int, size: int) -> bool:
    """Whether the bytes at the end may be the beginning of an event that is being written, or zeros."""
    if not source.seekable:
        return False
    source.seek(at)
    head = source.read(_HEADER)
    length = int.from_bytes(head[9:13], "little")
    return len(head) < _HEADER or length > size - at or not any(head)


def _make_splits(task: LogTask, finder: CutFinder, source: Source, end: int) -> Iterator[Split]:
    """Yield the splits up to `end`, each with the events that it needs from before it."""
    path = os.path.abspath(task.path)  # executors have a working directory of their own
    cuts: Sequence[CutPoint] = [cut for cut in finder.cuts if cut.start < end]
    begin = _beginning(task)
    if not cuts and finder.torn >= 0 and 0 <= begin < end:  # nothing but damage
        yield Split(path, begin, end, finder.formats if begin else (), name=task.path)
    for at, cut in enumerate(cuts):
        start = begin if at == 0 and begin >= 0 else cut.start
        following = cuts[at + 1] if at + 1 < len(cuts) else None
        closing = following.closing if following is not None else None
        yield Split(
            path,
            start,
            end if following is None else following.start,
            (*cut.formats, *_events_in(source, cut.ranges)) if start else (),
            tuple(_events_in(source, (closing,))) if closing is not None else (),
            name=task.path,
        )


def _undone_in(ranges: Sequence[Undone], split: Split) -> Iterator[Undone]:
    """Yield the ranges that have a part in the split, in their order."""
    at = bisect_right(ranges, split.start, key=_end_of)
    while at < len(ranges) and (split.end is None or ranges[at].start < split.end):
        yield ranges[at]
        at += 1


def _end_of(undone: Undone) -> int:
    return undone.end


def _beginning(task: LogTask) -> int:
    """Return where the first split begins, be it event or damage; -1 for the first event of the user's range."""
    if task.since > 0:
        return -1
    if task.taken is None:
        return 0 if task.low <= 4 else -1
    return task.taken.end if task.low <= task.taken.end else -1


def _events_in(source: Source, ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, bytes]]:
    """Yield the events in these ranges, as (position, bytes)."""
    for start, end in ranges:
        source.seek(start)
        data = b""
        while len(data) < end - start and (more := source.read(end - start - len(data))):
            data += more
        at = 0
        while at + _HEADER <= len(data):
            length = max(int.from_bytes(data[at + 9 : at + 13], "little"), _HEADER)
            yield start + at, data[at : at + length]
            at += length

"""What is to be done with one log: which of it is new, and in which pieces it is read.

Runs wherever there is a processor: all that goes in and comes out can be pickled. Only whole transactions are taken of
a log that may still grow; of one that will not, everything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from binlogcli.errors import BinlogError
from binlogcli.lake.decode.log_source import log_keys, open_log
from binlogcli.lake.model import SEQ_STEP, LakeOptions, Split
from binlogcli.lake.plan.cut_points import NOWHERE, CutFinder, CutPoint
from binlogcli.lake.store.state import HEAD, TakenLog, checksum, first_event, head_of, plain_name
from binlogcli.names.event_types import ROTATE_EVENT, STOP_EVENT
from binlogcli.sources.log_names import PACKED_ENDINGS
from binlogcli.sources.opening import no_event_error, open_source
from binlogcli.sources.source import Source

HEADER = 19


@dataclass(frozen=True, slots=True)
class LogTask:
    """A log to plan."""

    path: str
    options: LakeOptions
    split_size: int
    taken: TakenLog | None = None
    low: int = 0
    limit: int = NOWHERE
    since: int = 0
    until: int = NOWHERE
    final: bool = False  # it grows no more


@dataclass(frozen=True, slots=True)
class LogPlan:
    """What is new in it. `start` and `end` are those of what is taken now; `waiting` bytes come after it."""

    path: str
    splits: tuple[Split, ...] = ()
    taken: TakenLog | None = None
    start: int = 0
    end: int = 0
    waiting: int = 0
    late: bool = False  # the time to begin at has come
    over: bool = False  # the time to end at has come
    error: BinlogError | None = None

    @property
    def size(self) -> int:
        """Bytes to read."""
        return sum((split.end or self.end) - split.start for split in self.splits)


def read_head(path: str) -> bytes:
    """What tells a log from others."""
    with open_source(path) as source:
        return head_of(source.head(HEAD))


def plan_log(task: LogTask) -> LogPlan:
    """Plan one log; what makes it unusable is part of the answer."""
    try:
        return walked(task)
    except BinlogError as error:
        return LogPlan(task.path, error=error)


def walked(task: LogTask) -> LogPlan:
    """The same."""
    head = read_head(task.path)
    size = os.stat(task.path).st_size  # noqa: PTH116 - a name as it was given
    with log_keys(task.options.keys) as keys, open_log(task.path, keys) as source:
        walk = CutFinder(source, task.options.max_event_size)
        walk.choose(task.low, task.limit, task.since, task.until)
        if task.taken is not None:
            walk.resume(task.taken.end, task.taken.places)
        walk.run(even(size - (task.low if task.taken is None else task.taken.end), task.split_size))
        if walk.last == 0 and walk.damaged and not walk.stopped:
            raise no_event_error(task.path)
        reach = reached(walk, source, final=task.final)
        splits = tuple(make_splits(task, walk, source, reach.end))
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
        stopped=walk.stopped,
        places=reach.places,
    )
    waiting = 0 if walk.stopped else max(reach.size - reach.end, 0)
    return LogPlan(task.path, splits, taken, start, reach.end, waiting, late=walk.late, over=walk.over)


def even(size: int, split_size: int) -> int:
    """So large that the pieces of a log are all about the size that is wanted, and none a small rest."""
    pieces = max((size + split_size // 2) // split_size, 1)
    return max(-(-size // pieces), 1) if pieces > 1 else split_size + split_size // 2


@dataclass(frozen=True, slots=True)
class PlanReach:
    """How far a walk leads: `end` of what is taken, `next` run's beginning with what that needs, `size` seen."""

    end: int
    next: int
    size: int
    places: tuple[int, ...]


def reached(walk: CutFinder, source: Source, *, final: bool) -> PlanReach:
    """Where to end."""
    formats = tuple(place for place, _ in walk.formats)
    within = formats + tuple(start for start, _ in walk.frame())
    if walk.stopped:
        return PlanReach(walk.limit, walk.limit, walk.limit, within)
    size = walk.seen
    torn = walk.torn >= 0 and is_torn(source, walk.torn, size)
    if walk.last_code in (ROTATE_EVENT, STOP_EVENT) or final or not source.seekable or (walk.torn >= 0 and not torn):
        return PlanReach(size, walk.last if torn else size, size, within)
    return PlanReach(walk.whole, walk.whole, size, formats)


def is_torn(source: Source, at: int, size: int) -> bool:
    """Whether what stands at the end may be the beginning of an event, or room for one."""
    if not source.seekable:
        return False
    source.seek(at)
    head = source.read(HEADER)
    length = int.from_bytes(head[9:13], "little")
    return len(head) < HEADER or length > size - at or not any(head)


def make_splits(task: LogTask, walk: CutFinder, source: Source, end: int) -> Iterator[Split]:
    """The pieces, one after another up to `end`, each with what it needs from before it."""
    path = os.path.abspath(task.path)  # noqa: PTH100 - executors have a working directory of their own
    cuts: Sequence[CutPoint] = [cut for cut in walk.cuts if cut.start < end]
    begin = beginning(task)
    if not cuts and walk.torn >= 0 and 0 <= begin < end:  # nothing but damage
        yield Split(path, begin, end, walk.formats if begin else (), name=task.path)
    for at, cut in enumerate(cuts):
        start = begin if at == 0 and begin >= 0 else cut.start
        following = cuts[at + 1] if at + 1 < len(cuts) else None
        closing = following.closing if following is not None else None
        yield Split(
            path,
            start,
            end if following is None else following.start,
            (*cut.formats, *events_in(source, cut.ranges)) if start else (),
            tuple(events_in(source, (closing,))) if closing is not None else (),
            name=task.path,
        )


def beginning(task: LogTask) -> int:
    """Where the first piece begins, event or damage; -1 where the user's range tells, at its first event."""
    if task.since > 0:
        return -1
    if task.taken is None:
        return 0 if task.low <= 4 else -1
    return task.taken.end if task.low <= task.taken.end else -1


def events_in(source: Source, ranges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, bytes]]:
    """The events that stand there, with their places."""
    for start, end in ranges:
        source.seek(start)
        data = b""
        while len(data) < end - start and (more := source.read(end - start - len(data))):
            data += more
        at = 0
        while at + HEADER <= len(data):
            length = max(int.from_bytes(data[at + 9 : at + 13], "little"), HEADER)
            yield start + at, data[at : at + length]
            at += length


def numbered(splits: Sequence[Split], base: int) -> tuple[list[Split], int]:
    """Splits whose `_seq` follow one another, and where the next one's begin."""
    found = []
    for split in splits:
        found.append(replace(split, seq_base=base))
        base += split.size * SEQ_STEP
    return found, base

"""Many logs read for their figures, by one process or by several, with the same outcome in the same order."""

from __future__ import annotations

import mmap
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from binlogcli.cli.environment import STDOUT
from binlogcli.cli.inputs import size_of
from binlogcli.cli.progress import Watched, bar, shows, stored, while_read
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.sources import Source, open_source
from binlogcli.sources.files import is_pipe
from binlogcli.stats.scan import Scan
from binlogcli.stats.wanted import Wanted

if TYPE_CHECKING:
    from binlogcli.schema.catalog import Schema
    from binlogcli.select.selection import Selection

WORTHWHILE = 64 << 20  # bytes in all from which more than one process pays
PLACE = 8  # bytes of a number that says how far a log has been read
Found = dict[str, Any] | BinlogError


@dataclass(frozen=True, slots=True)
class Task:
    """Which logs are read, and for what."""

    paths: list[str]
    options: ReadOptions
    schema: Schema | None
    wanted: Wanted
    selection: Selection | None
    output: str = STDOUT  # where the figures go


def cores(size: int) -> int:
    """How many processes are to read so many bytes."""
    return len(os.sched_getaffinity(0)) if size >= WORTHWHILE and hasattr(os, "sched_getaffinity") else 1


def read_all(task: Task, processes: int) -> Iterator[Found]:
    """What is found in each log, in order. A choice of events goes from log to log: one process makes it."""
    count = min(processes, len(task.paths))
    if count < 2 or task.selection is not None or any(map(is_pipe, task.paths)):
        for at in range(len(task.paths)):
            yield read_watched(task, at)
            if task.selection is not None and task.selection.over:
                return
        return
    yield from read_side_by_side(task, count)


def read_watched(task: Task, at: int) -> Found:
    """The same as `read_one`, with a bar while it takes."""
    try:
        with while_read(open_source(task.paths[at]), task.output) as source:
            return read_one(task, at, source)
    except BinlogError as error:
        return error


def read_one(task: Task, at: int, source: Source) -> Found:
    """What is found in one log; the error where it cannot be read."""
    try:
        with Log(task.paths[at], task.options, task.schema, source) as log:
            if task.selection is not None:
                task.selection.begin_log(log, first=at == 0, last=at == len(task.paths) - 1)
            return Scan(task.wanted).run(log)
    except BinlogError as error:
        return error


def read_side_by_side(task: Task, count: int) -> Iterator[Found]:
    """The same by several processes, none of which is far ahead of the one whose turn it is."""
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - only for many logs
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    # forked processes inherit the task: keys are never sent through a pipe
    places = memoryview(mmap.mmap(-1, PLACE * len(task.paths))).cast("Q")  # which all of them see
    pool = ProcessPoolExecutor(count, mp_context=get_context("fork"), initializer=begin_work, initargs=(task, places))
    at = 0
    try:
        waiting = deque(pool.submit(work, ahead) for ahead in range(min(count + 1, len(task.paths))))
        with while_all_are_read(task, places):
            for at in range(len(task.paths)):
                yield waiting.popleft().result()
                if at + count + 1 < len(task.paths):
                    waiting.append(pool.submit(work, at + count + 1))
    except BrokenProcessPool:
        reason = "a process that read it was ended from outside"
        raise BinlogError(reason, file=task.paths[at], hint="--jobs 1 needs one only") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def while_all_are_read(task: Task, places: Sequence[int]) -> Iterator[None]:
    """A bar for all logs, of which a packed one counts no more than its file."""
    if not shows() or not stored(task.output):
        yield
        return
    sizes = [size_of(path) for path in task.paths]
    with bar(lambda: sum(sizes) or None, lambda: sum(map(min, places, sizes))):
        yield


_WORK: list[tuple[Task, memoryview]] = []  # of a forked process: what it works on, and where it says how far it is


def begin_work(task: Task, places: memoryview) -> None:
    """A forked process begins: an interrupt is for the one that waits for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _WORK.append((task, places))


def work(at: int) -> Found:
    """One log, in a forked process."""
    task, places = _WORK[0]
    try:
        return read_one(task, at, Watched(open_source(task.paths[at]), places, at))
    except BinlogError as error:
        return error

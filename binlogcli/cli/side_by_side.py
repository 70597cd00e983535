"""Logs read for their statistics by several processes where that pays, with the outcome that one process has."""

from __future__ import annotations

import mmap
import os
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from binlogcli.cli.environment import Environment
from binlogcli.cli.progress import WatchedSource, bar, leaves_room, shows
from binlogcli.cli.scans import Found, Scanned, ScanTask, scan_in_turn, scan_one
from binlogcli.errors import BinlogError
from binlogcli.sources.files import size_of
from binlogcli.sources.opening import open_source

_Outcome = tuple[Found, Any]  # what was found in a log, and what a manifest says of it
_WORTHWHILE = 64 << 20  # bytes in all from which more than one process pays
_PLACE = 8  # bytes of a number that says how far a log has been read


def cores(size: int) -> int:
    """Return how many processes are to read `size` bytes."""
    return len(os.sched_getaffinity(0)) if size >= _WORTHWHILE and hasattr(os, "sched_getaffinity") else 1


def scan_logs(environment: Environment, task: ScanTask, processes: int) -> Iterator[Scanned]:
    """Yield the outcome of each log, in order."""
    count = min(processes, len(task.paths))
    if count < 2 or task.in_turn:
        yield from scan_in_turn(environment, task)
        return
    for path, (found, evidence) in zip(task.paths, _scan_side_by_side(environment, task, count), strict=True):
        if environment.record is not None and evidence is not None:
            environment.record.adopt(path, evidence)
        yield Scanned(path, found)


def _scan_side_by_side(environment: Environment, task: ScanTask, count: int) -> Iterator[_Outcome]:
    """Yield the outcome of each log, in order, from `count` processes that stay close to the log whose turn it is."""
    from concurrent.futures import ProcessPoolExecutor  # only for many logs
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # forked processes inherit the task: keys are never sent through a pipe
    places = memoryview(mmap.mmap(-1, _PLACE * len(task.paths))).cast("Q")  # which all of them see
    begin = partial(_begin_work, environment, task)
    pool = ProcessPoolExecutor(count, mp_context=get_context("fork"), initializer=begin, initargs=(places,))
    at = 0
    try:
        waiting = deque(pool.submit(_work, ahead) for ahead in range(min(count + 1, len(task.paths))))
        with _while_all_are_read(task, places):
            for at in range(len(task.paths)):
                yield waiting.popleft().result()
                if at + count + 1 < len(task.paths):
                    waiting.append(pool.submit(_work, at + count + 1))
    except BrokenProcessPool:
        reason = "the process that read it was killed"
        raise BinlogError(reason, file=task.paths[at], hint="use --jobs 1 to read in a single process") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _while_all_are_read(task: ScanTask, places: Sequence[int]) -> Iterator[None]:
    """Show a bar for all logs together; a compressed one counts with the size of its file."""
    if not shows() or not leaves_room(task.output, at_end=True):
        yield
        return
    sizes = [size_of(path) for path in task.paths]
    with bar(lambda: sum(sizes) or None, lambda: sum(map(min, places, sizes))):
        yield


# of a forked process: its run and task, and where it writes how far it is
_WORK: list[tuple[Environment, ScanTask, memoryview]] = []


def _begin_work(environment: Environment, task: ScanTask, places: memoryview) -> None:
    """Set up a forked process; an interrupt is left to the process that waits for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _WORK.append((environment, task, places))


def _work(at: int) -> _Outcome:
    """Scan one log, in a forked process."""
    environment, task, places = _WORK[0]
    path = task.paths[at]
    try:
        found = scan_one(environment, task, path, WatchedSource(open_source(path), places, at))
    except BinlogError as error:
        return error, None
    return found, None if environment.record is None else environment.record.of_log(path)

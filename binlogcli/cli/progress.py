"""The progress bar of longer work: on stderr, where that is a terminal, and gone without a trace at the end."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator, MutableSequence
from contextlib import contextmanager
from functools import partial
from typing import Self

from binlogcli.cli.environment import STDOUT
from binlogcli.sources.source import Source

_DELAY = 0.5  # seconds that pass before there is a bar
_INTERVAL = 0.2
_NARROW = 72  # columns, below which there is no room for figures


class WatchedSource:
    """A source that writes how far it has been read to its place in a list."""

    def __init__(self, source: Source, places: MutableSequence[int] | memoryview[int], at: int = 0) -> None:
        self.name = source.name
        self.size = source.size
        self.seekable = source.seekable
        self.remark = source.remark
        self._source = source
        self._places = places
        self._at = at

    def read(self, size: int) -> bytes:
        """Return the next bytes, and count them."""
        data = self._source.read(size)
        self._places[self._at] += len(data)
        self.size = self._source.size  # a server may be writing the log
        return data

    def head(self, size: int) -> bytes:
        """Return the first bytes."""
        return self._source.head(size)

    def seek(self, offset: int) -> None:
        """Continue at `offset`, and count from there."""
        self._source.seek(offset)
        self._places[self._at] = offset

    def close(self) -> None:
        """Close the source below."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


@contextmanager
def while_read(source: Source, output: str, *, at_end: bool = False) -> Iterator[Source]:
    """Give the source, with a bar while it is read if `leaves_room`."""
    if not shows() or not leaves_room(output, at_end=at_end):
        yield source
        return
    places = [0]
    watched = WatchedSource(source, places)
    with bar(lambda: watched.size, lambda: places[0]):
        yield watched


def leaves_room(output: str, *, at_end: bool) -> bool:
    """Whether the output is a file, or nowhere, or comes to the terminal `at_end` alone.

    Other output on the terminal can be watched itself, and output through a pipe may come there again, as with a pager.
    """
    try:
        if output == STDOUT:
            return (
                sys.stdout is not None
                and not stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
                and (at_end or not sys.stdout.isatty())
            )
        return stat.S_ISREG(os.stat(output).st_mode)
    except (OSError, ValueError):
        return True  # a new file


def shows() -> bool:
    """Whether there is a terminal that can draw a bar."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def bar(total: Callable[[], int | None], done: Callable[[], int]) -> Iterator[None]:
    """Show a bar until the work is done."""
    with drawn(partial(_draw_bar, total, done)):
        yield


@contextmanager
def waiting(words: str) -> Iterator[None]:
    """Show words while work of unknown length continues."""
    if not shows():
        yield
        return
    with drawn(partial(_draw_words, words)):
        yield


@contextmanager
def drawn(draw: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run `draw` in a thread until the work has ended."""
    ended = threading.Event()
    watcher = threading.Thread(target=draw, args=(ended,), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _draw_bar(total: Callable[[], int | None], done: Callable[[], int], ended: threading.Event) -> None:
    """Draw a bar, after a delay, until `ended`."""
    if ended.wait(_DELAY):
        return
    from rich.console import Console  # only on a terminal, and not for what is soon done
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = [BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn()]
    if console.width < _NARROW:
        columns = [BarColumn(console.width // 3), TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total())
        while not ended.wait(_INTERVAL):
            progress.update(task, completed=done(), total=total())


def _draw_words(words: str, ended: threading.Event) -> None:
    """Draw words and a spinner, after a delay, until `ended`."""
    if ended.wait(_DELAY):
        return
    from rich.console import Console

    with Console(stderr=True).status(words):
        ended.wait()

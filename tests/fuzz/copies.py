"""The loop that fuzz workers share: make damaged copies of a file, and read each in every way there is."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from binlogcli.errors import BinlogError
from binlogcli.events.stream import ReadOptions

MAX_EVENT_SIZE = 8 << 20
MEMORY = 1 << 30  # of address space, all libraries included
HANG_SECONDS = 60
Way = Callable[[str, ReadOptions], None]


def work(mutants: Callable[[Path], Callable[[int], bytes]], ways: Sequence[Way], seconds: int = HANG_SECONDS) -> None:
    """Do what the arguments FIRST COUNT FILE... tell: make and read these copies of each file.

    A file that is refused with one clear line is fine too.
    """
    faulthandler.enable()
    if "LD_PRELOAD" not in os.environ:  # a sanitizer reserves more than any machine has
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    first, count, *files = sys.argv[1:]
    for file in files:
        _read_copies(file, mutants(Path(file)), range(int(first), int(first) + int(count)), ways, seconds)


def _read_copies(
    file: str, mutant: Callable[[int], bytes], numbers: Iterable[int], ways: Sequence[Way], seconds: int
) -> None:
    """Make and read copies of a file."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.damaged"
        for number in numbers:
            sys.stdout.write(f"{number} of {file}\n")
            sys.stdout.flush()
            if number % 4 == 0:  # each command keeps what is alive out of the collector's sight, garbage too
                gc.unfreeze()
                gc.collect()
            path.write_bytes(mutant(number))
            options = ReadOptions(verify=number % 3 > 0, max_event_size=MAX_EVENT_SIZE)
            for way in ways:
                faulthandler.dump_traceback_later(seconds, exit=True)
                with contextlib.suppress(BinlogError):
                    way(str(path), options)
                faulthandler.cancel_dump_traceback_later()

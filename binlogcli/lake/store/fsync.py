"""What is written is on the disk when these return. Many files at once are asked for by one call, where there is one:
each call by itself makes the file system finish all that it has begun.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

MANY = 32  # files, from which on it is less work to have their whole file system synced


def sync(path: str | Path) -> None:
    """A file's bytes, or the names in a directory, of which not all file systems can do it."""
    directory = os.path.isdir(path)  # noqa: PTH112
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError) if directory else contextlib.nullcontext():
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_all(paths: Collection[str | Path]) -> None:
    """All of these, which are in one file system."""
    if len(paths) < MANY or not sync_file_system(next(iter(paths))):
        for path in paths:
            sync(path)


def sync_file_system(path: str | Path) -> bool:
    """The whole file system of a file; False where the system does not know how."""
    function = _syncfs()
    if function is None:
        return False
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return bool(function(descriptor) == 0)
    finally:
        os.close(descriptor)


@cache
def _syncfs() -> Any:
    """Linux has this for it, and Python no name of its own."""
    import ctypes  # noqa: PLC0415 - only here

    return getattr(ctypes.CDLL(None), "syncfs", None)

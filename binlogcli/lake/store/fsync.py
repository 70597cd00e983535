"""Make files survive a power failure: one by one, or by one call for the whole file system.

Each fsync makes the file system finish all that it has begun, so that many of them take longer than one syncfs.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

_MANY = 32  # files, from which on syncing their whole file system is less work


def sync(path: str | Path) -> None:
    """Sync a file's bytes, or a directory's entries (which not all file systems can: no error then)."""
    directory = os.path.isdir(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError) if directory else contextlib.nullcontext():
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_all(paths: Collection[str | Path]) -> None:
    """Sync files and directories of one file system."""
    if len(paths) < _MANY or not _sync_file_system(next(iter(paths))):
        for path in paths:
            sync(path)


def _sync_file_system(path: str | Path) -> bool:
    """Sync the whole file system that holds a file; return False where the system has no call for it."""
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
    """Return Linux's syncfs, which Python has no name for; None elsewhere."""
    import ctypes

    return getattr(ctypes.CDLL(None), "syncfs", None)


def make_directories(paths: set[str]) -> set[str]:
    """Make directories; return all that have to be synced: they and the parents of those that are new."""
    changed = set(paths)
    for path in sorted(paths):
        _make_directory(path, changed)
    return changed


def _make_directory(path: str, changed: set[str]) -> None:
    """Make a directory and its missing parents; add to `changed` each directory that got an entry."""
    above = path.rpartition("/")[0]
    try:
        os.mkdir(path)
    except FileExistsError:
        return
    except FileNotFoundError:
        if not above:
            raise
        _make_directory(above, changed)
        _make_directory(path, changed)
    changed.add(above or ".")

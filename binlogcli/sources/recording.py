"""SHA-256, size and identity of what a run reads, taken from the bytes as they are read.

Each byte of a file is hashed once, in the order of the file. Bytes that are read at the place that the hash has
reached are hashed; bytes before it were hashed already. A piece that is read farther on is held back. If the next piece
does not follow it, it was a look at a single place, such as the ROTATE event at the end of a log, and it is dropped. If
it does, the log is read from there on: the bytes before it, which the command skips, are read and hashed first. What
is left of the file is read at the end. Of a pipe, and of a log from a server, the bytes that were received are hashed.

Size, times and inode of a file are compared before its first byte is read and after its last; differences are recorded.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any, Protocol, runtime_checkable

from binlogcli.sources.files import ON_OPEN, FileSource, PipeSource
from binlogcli.sources.source import Source

_PIECE = 1 << 20  # bytes read at once where only the hash needs them
_MOST_OPEN = 16  # files for which a descriptor is held
_LOOKED_AT = 1 << 17  # bytes of a file up to which it was only looked at
_COMPARED = ("size", "mtime_ns", "ctime_ns", "device", "inode")


def identity_of(status: os.stat_result) -> dict[str, int]:
    """Return size, times in nanoseconds, device and inode of a file."""
    return {
        "size": status.st_size,
        "mtime_ns": status.st_mtime_ns,
        "ctime_ns": status.st_ctime_ns,
        "atime_ns": status.st_atime_ns,
        "device": status.st_dev,
        "inode": status.st_ino,
    }


class _Input:
    """One input: `path` is its name in messages, `hashed` how many of its bytes are in the digest."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.hashed = 0
        self.digest = hashlib.sha256()

    def update(self, data: bytes | memoryview) -> None:
        """Hash the next bytes."""
        self.digest.update(data)
        self.hashed += len(data)

    def finish(self) -> None:
        """Hash what is left."""

    def release(self) -> None:
        """Close what is open, and hash no more."""

    def entry(self) -> dict[str, Any]:
        """Return what is known of the input."""
        return {"path": self.path, "sha256": self.digest.hexdigest()}


class RecordedFile(_Input):
    """A regular file; it may be opened and read several times."""

    def __init__(self, path: str, status: os.stat_result) -> None:
        super().__init__(path)
        self.before = identity_of(status)
        self.changes: list[str] = []
        self.complete = False
        self._held: tuple[int, bytes] | None = None
        self._descriptor = -1

    def opened(self, source: FileSource) -> None:
        """Listen to an opened source of the file."""
        now = source.status()
        if (now.st_dev, now.st_ino) != (self.before["device"], self.before["inode"]):
            self._note("replaced by another file")
            return
        if self.complete:
            self._compare(now)
            return
        if self._descriptor < 0:
            self._descriptor = source.descriptor()
        source.on_read = self.read

    def read(self, at: int, data: bytes) -> None:
        """Hash the part of a piece that was not hashed before."""
        if not data or at + len(data) <= self.hashed or self.complete:
            return
        if at <= self.hashed:
            self.update(data if at == self.hashed else memoryview(data)[self.hashed - at :])
            return
        held, self._held = self._held, (at, data)
        if held is not None and held[0] + len(held[1]) == at:
            with contextlib.suppress(OSError):  # `finish` names the reason
                self._hash_up_to(held[0])
            self._held = None
            if self.hashed == held[0]:  # the file has not shrunk
                self.update(held[1])
                self.update(data)

    def finish(self) -> None:
        """Hash the rest of the file, and compare the file with what it was."""
        if self.complete:
            return
        try:
            self._hash_up_to(-1)
            self._compare(os.fstat(self._opened()))
            self.complete = True
        except OSError as error:
            self._note(f"cannot be read any more: {(error.strerror or str(error)).lower()}")
        finally:
            self.release()

    def release(self) -> None:
        """Close the descriptor."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def entry(self) -> dict[str, Any]:
        """Return what is known of the file, with `hashed_bytes` if only its first bytes were hashed."""
        found = {"path": self.path, "kind": "file", **self.before, "sha256": self.digest.hexdigest()}
        if not self.complete or self.hashed != self.before["size"]:
            found["hashed_bytes"] = self.hashed
        if self.changes:
            found["changed_while_read"] = self.changes
        return found

    def _hash_up_to(self, end: int) -> None:
        """Read and hash the bytes that the command does not read, up to an offset or to the end of the file (-1)."""
        descriptor = self._opened()
        while end < 0 or self.hashed < end:
            data = os.pread(descriptor, _PIECE if end < 0 else min(_PIECE, end - self.hashed), self.hashed)
            if not data:
                return
            self.update(data)

    def _opened(self) -> int:
        """Return a descriptor of the file; raise OSError where it is gone, or another file has its name."""
        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            status = os.fstat(self._descriptor)
            if (status.st_dev, status.st_ino) != (self.before["device"], self.before["inode"]):
                self.release()
                raise OSError(errno.ESTALE, "replaced by another file")
        return self._descriptor

    def _compare(self, status: os.stat_result) -> None:
        now = identity_of(status)
        for name in _COMPARED:
            if now[name] != self.before[name]:
                self._note(f"{name} {self.before[name]} -> {now[name]}")

    def _note(self, change: str) -> None:
        if change not in self.changes:
            self.changes.append(change)


class RecordedPipe(_Input):
    """A pipe, a device or stdin: what came of it. `over` is set when it ended."""

    def __init__(self, path: str, source: PipeSource) -> None:
        super().__init__(path)
        self.over = False
        status = source.status()
        self.identity = identity_of(status) if stat.S_ISREG(status.st_mode) else {}
        source.on_read = self.read

    def read(self, at: int, data: bytes) -> None:
        """Hash a piece."""
        self.over = not data
        self.update(data)

    def entry(self) -> dict[str, Any]:
        """Return what is known of the pipe; `ended` is True if it was read to its end."""
        found: dict[str, Any] = {"path": self.path, "kind": "pipe", "sha256": self.digest.hexdigest()}
        if self.identity:  # stdin of a file
            found |= {"stdin_of": self.identity}
        return found | {"size": self.hashed, "ended": self.over}


@runtime_checkable
class SentLog(Protocol):
    """The source of a log that a server sends. `identity` is what is known of the server."""

    identity: dict[str, str]
    on_read: Callable[[bytes], None] | None


class RecordedLog(_Input):
    """A log that a server sends: what came of it. `server` is what is known of the server."""

    def __init__(self, name: str, server: dict[str, Any]) -> None:
        super().__init__(name)
        self.server = server

    def entry(self) -> dict[str, Any]:
        """Return what is known of the log."""
        return {
            "path": self.path,
            "kind": "server",
            "server": self.server,
            "size": self.hashed,
            "sha256": self.digest.hexdigest(),
        }


class InputRecorder:
    """The inputs of a run, in the order in which they were opened."""

    def __init__(self) -> None:
        self._inputs: dict[str, _Input] = {}
        self._open: dict[str, RecordedFile] = {}  # those that may hold a descriptor, the oldest first
        self._taken: dict[str, dict[str, Any]] = {}  # what other processes found

    def opened(self, source: Source) -> None:
        """Record what is read of a source."""
        path = source.name
        known = self._inputs.get(path)
        if isinstance(source, FileSource):
            if known is None:
                known = self._inputs[path] = RecordedFile(path, source.status())
            if isinstance(known, RecordedFile):
                known.opened(source)
                self._limit_open_files(known)
        elif isinstance(source, PipeSource) and known is None:
            self._inputs[path] = RecordedPipe(path, source)
        elif isinstance(source, SentLog):
            if known is None:
                known = self._inputs[path] = RecordedLog(path, source.identity)
            source.on_read = known.update

    def adopt(self, entry: dict[str, Any]) -> None:
        """Take over what another process found of a file."""
        self._taken[entry["path"]] = entry

    def entry(self, path: str) -> dict[str, Any] | None:
        """Return what is known of one input, read to its end now; None for one that was never opened."""
        found = self._inputs.get(path)
        if found is None:
            return None
        found.finish()
        return found.entry()

    def finish(self) -> None:
        """Read what is left of the files, and hash it."""
        for path, found in self._inputs.items():
            if path not in self._taken:
                found.finish()

    def entries(self) -> list[dict[str, Any]]:
        """Return what is known of each input."""
        return [self._taken.get(path) or found.entry() for path, found in self._inputs.items()]

    def _limit_open_files(self, newest: RecordedFile) -> None:
        """Close the file that has been open for longest, if there are too many; finish it if it was read."""
        self._open[newest.path] = newest
        if len(self._open) > _MOST_OPEN:
            oldest = self._open.pop(next(iter(self._open)))
            if oldest.hashed > _LOOKED_AT:
                oldest.finish()
            oldest.release()


@contextlib.contextmanager
def recorded(recorder: InputRecorder) -> Iterator[None]:
    """Have everything recorded that is opened inside."""
    token = ON_OPEN.set(recorder.opened)
    try:
        yield
    finally:
        ON_OPEN.reset(token)

"""Files, pipes, devices and stdin, read raw and never written.

A regular file can be sought in; everything else is a stream. Reads go straight to the descriptor, so that
they cost no more than the system call.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Self

from binlogcli.errors import SourceError
from binlogcli.sources.log_names import PACKED_ENDINGS
from binlogcli.sources.source import Source, Stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

STDIN = "-"

# called with each source that `open_raw` returns and each log of a server; set by `recording.recorded`
ON_OPEN: ContextVar[Callable[[Source], None] | None] = ContextVar("on_open", default=None)

CHECK_NAME = "check the name"
_REASONS = {
    errno.ENOENT: ("no such file", CHECK_NAME),
    errno.ENOTDIR: ("no such file: a part of its path is not a directory", "check the path"),
    errno.EACCES: ("permission denied", "run as a user who may read it, such as the server's own"),
    errno.EPERM: ("permission denied", "run as a user who may read it, such as the server's own"),
    errno.EISDIR: ("is a directory", "pass the log files in it, or its .index file"),
    errno.ELOOP: ("its symbolic links form a loop", "pass the file itself"),
    errno.ENAMETOOLONG: ("the name is too long for this system", "check the name"),
    errno.ENXIO: ("is a socket or a device that cannot be read", "pass a file, or pipe the bytes in"),
    errno.EIO: ("reading from the disk or device failed", "copy the readable parts (ddrescue) and pass the copy"),
    errno.ESTALE: ("the network file system lost the file", "mount it again, or copy the file first"),
    errno.EMFILE: ("too many open files", "raise the limit (ulimit -n)"),
}


class FileSource:
    """A plain regular file."""

    seekable = True
    remark = ""

    def __init__(self, name: str, fd: int, size: int) -> None:
        self.name = name
        self.size: int | None = size
        self.on_read: Callable[[int, bytes], None] | None = None  # called with each piece read, and its offset
        self._fd = fd
        self._at = 0
        if hasattr(os, "posix_fadvise"):
            with contextlib.suppress(OSError):  # advice only: some file systems take none
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_SEQUENTIAL)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, of one system call; b"" at the end."""
        try:
            data = os.read(self._fd, size)
            self.size = os.fstat(self._fd).st_size  # a server may be writing the log
        except OSError as error:
            raise source_error(error, self.name, self._position()) from error
        if self.on_read is not None:
            self.on_read(self._at, data)
        self._at += len(data)
        return data

    def head(self, size: int) -> bytes:
        """Return the first `size` bytes without moving the place of reading."""
        data = b""
        try:
            while len(data) < size and (more := os.pread(self._fd, size - len(data), len(data))):
                data += more
        except OSError as error:
            if not data:
                raise source_error(error, self.name, 0) from error
        if self.on_read is not None:
            self.on_read(0, data)
        return data

    def status(self) -> os.stat_result:
        """Return what the system knows of the open file, which may have lost its name."""
        return os.fstat(self._fd)

    def descriptor(self) -> int:
        """Return a descriptor of the open file for the caller, who closes it; it has the offset in common."""
        return os.dup(self._fd)

    def seek(self, offset: int) -> None:
        """Continue at `offset`."""
        try:
            self._at = os.lseek(self._fd, offset, os.SEEK_SET)
        except (OSError, OverflowError) as error:
            raise SourceError(
                f"cannot continue at {offset}: {error}", file=self.name, hint="check the position"
            ) from error

    def close(self) -> None:
        """Close the file."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _position(self) -> int | None:
        with contextlib.suppress(OSError):
            return os.lseek(self._fd, 0, os.SEEK_CUR)
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()  # as Python's file objects do: `for event in binlogcli.open(path)` closes nothing itself


class PipeSource(Stream):
    """A descriptor that only goes forward: a pipe, a FIFO, a device, stdin."""

    def __init__(self, name: str, fd: int, *, owned: bool = True) -> None:
        super().__init__(name)
        self.on_read: Callable[[int, bytes], None] | None = None  # called with each piece read, and its offset
        self._fd = fd
        self._owned = owned
        self._position = 0

    def status(self) -> os.stat_result:
        """Return what the system knows of the descriptor: stdin may be a regular file."""
        return os.fstat(self._fd)

    def close(self) -> None:
        """Close the descriptor, unless it is stdin's."""
        fd, self._fd = self._fd, -1
        if self._owned and fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        self.close()

    def _pull(self, size: int) -> bytes:
        while True:
            try:
                data = os.read(self._fd, size)
            except BlockingIOError:
                import select  # a process that shares the pipe has made it non-blocking: wait as a plain pipe would

                poll = select.poll()
                poll.register(self._fd, select.POLLIN)
                poll.poll()
            except OSError as error:
                raise source_error(error, self.name, self._position) from error
            else:
                if self.on_read is not None:
                    self.on_read(self._position, data)
                self._position += len(data)
                return data


class _ObjectSource(Stream):
    """A binary file object that has no descriptor, such as a stdin that a calling program put in place."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        super().__init__(name)
        self._file = file

    def close(self) -> None:
        """Do nothing: the object is the caller's."""

    def _pull(self, size: int) -> bytes:
        return self._file.read(size)


def is_pipe(path: str) -> bool:
    """Whether the input can be read only once: stdin, pipes, sockets, terminals."""
    if path == STDIN:
        return True
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
    return kind not in {stat.S_IFREG, stat.S_IFDIR}


def size_of(path: str) -> int:
    """Return the size of a regular file in bytes; 0 for everything else."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def open_raw(path: str) -> Source:
    """Open the bytes of `path` (`-`: stdin) as they are stored."""
    source = _open_stdin() if path == STDIN else _open_file(path)
    on_open = ON_OPEN.get()
    if on_open is not None:
        on_open(source)
    return source


def _open_file(path: str) -> Source:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError as error:
        raise source_error(error, path, None) from error
    except ValueError as error:  # a NUL in the name, or letters the system's encoding lacks
        raise SourceError("not a valid file name", file=path, hint="check the name") from error
    try:
        return _by_kind(path, fd)
    except SourceError:
        os.close(fd)
        raise


def _by_kind(path: str, fd: int) -> Source:
    try:
        status = os.fstat(fd)
    except OSError as error:
        raise source_error(error, path, None) from error
    if stat.S_ISDIR(status.st_mode):
        raise source_error(IsADirectoryError(errno.EISDIR, ""), path, None)
    if stat.S_ISREG(status.st_mode):
        return FileSource(path, fd, status.st_size)
    return PipeSource(path, fd)


def _open_stdin() -> Source:
    if sys.stdin is None:  # the program was started with stdin closed
        raise SourceError("stdin is closed", file=STDIN, hint="pipe a log into the command, or pass a log file")
    try:
        fd = sys.stdin.fileno()
    except (OSError, ValueError):
        return _ObjectSource(STDIN, sys.stdin.buffer)
    return PipeSource(STDIN, fd, owned=False)


def source_error(error: OSError, path: str, offset: int | None) -> SourceError:
    """Return what a failed call of the system means for a source, with a hint at what to do."""
    reason, hint = _REASONS.get(error.errno or 0, (os.strerror(error.errno or errno.EIO).lower(), ""))
    if error.errno == errno.ENOENT:
        near = [path + ending for ending in PACKED_ENDINGS if os.access(path + ending, os.F_OK)]
        if near:
            hint = f"the compressed file {near[0]} exists and can be read directly"
    return SourceError(reason, file=path, offset=offset, hint=hint)

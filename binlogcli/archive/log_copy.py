"""The copy of one log: bytes are appended, and count when they are on the disk.

The first event's IN_USE flag is set while the server may still write to the log, and cleared when the server would have
cleared it; the sender never shows it.
"""

from __future__ import annotations

import os
from typing import NoReturn

from binlogcli.archive.walk import FLAGS_AT, IN_USE, walk
from binlogcli.errors import OutputError
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT
from binlogcli.names.magics import MAGIC
from binlogcli.sources.protocol.packets import EVENT_HEADER, LOG_START

HEAD = 256  # bytes that tell a log from others of its name


class LogCopy:
    """A file that grows: `end` is the end of its last whole event, `safe` how much of it is on the disk."""

    def __init__(self, name: str, fd: int) -> None:
        self.name = name
        self._fd = fd
        self._size = 0
        self._marked: bool | None = None  # whether IN_USE is set in the file; None while unknown
        self.end = self.safe = 0
        self.last_type = 0

    def begin(self) -> None:
        """Write the magic of a new log."""
        self.write(MAGIC)
        self.end = LOG_START

    def recover(self, safe: int, last_type: int) -> bool:
        """Cut the file to its last whole event after a break; return whether it has all bytes that were `safe`."""
        try:
            self._size = os.fstat(self._fd).st_size
            whole = self._size >= safe
            walked = walk(self._fd, safe if whole else LOG_START, last_type if whole else 0)
            os.lseek(self._fd, 0, os.SEEK_END)
        except OSError as error:
            self._fail(error)
        self.end, self.last_type = walked
        self.cut()
        if self.end < LOG_START:
            self.begin()
        self._make_safe(in_use=True)
        return whole

    def write(self, data: bytes) -> None:
        """Append data to the file; it counts as archived only after `sync`."""
        view = memoryview(data)
        try:
            while view:
                written = os.write(self._fd, view)
                self._size += written
                view = view[written:]
        except OSError as error:
            self._fail(error)

    def cut(self, end: int | None = None) -> None:
        """Truncate to the end of the last whole event, or to `end`."""
        if end is not None:
            self.end = end
        if self._size != self.end:
            try:
                os.ftruncate(self._fd, self.end)
                os.lseek(self._fd, self.end, os.SEEK_SET)
            except OSError as error:
                self._fail(error)
            self._size = self.end
            self.safe = min(self.safe, self.end)
            if self.end < LOG_START + EVENT_HEADER:
                self._marked = None

    def sync(self) -> bool:
        """Sync the file; return whether there was anything new."""
        if self.safe == self.end:
            return False
        self._make_safe(in_use=True)
        return True

    def finish(self, *, closed: bool) -> None:
        """Sync the whole log; without `closed` it keeps the IN_USE flag, as the file of a server that was killed."""
        self._make_safe(in_use=not closed)

    def head(self) -> bytes:
        """Return the first bytes after the magic."""
        return os.pread(self._fd, HEAD, LOG_START)

    def read(self, start: int, size: int) -> bytes:
        """Return up to `size` bytes from `start` on."""
        return os.pread(self._fd, size, start)

    def close(self) -> None:
        """Close the file."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _make_safe(self, *, in_use: bool) -> None:
        self._mark(in_use=in_use)
        try:
            os.fsync(self._fd)
        except OSError as error:
            self._fail(error)
        self.safe = self.end

    def _mark(self, *, in_use: bool) -> None:
        """Set or clear the IN_USE flag, once the first event is there."""
        if self.end < LOG_START + EVENT_HEADER or self._marked == in_use:
            return
        try:
            header = os.pread(self._fd, EVENT_HEADER, LOG_START)
            if header[4] == FORMAT_DESCRIPTION_EVENT:
                flags = header[FLAGS_AT] | IN_USE if in_use else header[FLAGS_AT] & ~IN_USE
                if flags != header[FLAGS_AT]:  # a file that nothing is new in keeps its time
                    os.pwrite(self._fd, bytes([flags]), LOG_START + FLAGS_AT)
        except OSError as error:
            self._fail(error)
        self._marked = in_use

    def _fail(self, error: OSError) -> NoReturn:
        reason = (error.strerror or str(error)).lower()
        hint = "check the disk's space and health"
        raise OutputError(f"cannot be written: {reason}", file=self.name, hint=hint, passing=True) from error

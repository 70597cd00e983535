"""A file that is read at any place: a disk image, a memory dump, a block device.

Holes of sparse files can be passed without reading them. Blocks that a failing disk does not give are read as zero
bytes, and counted.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib

from binlogcli.errors import SourceError
from binlogcli.sources.files import STDIN, source_error

_BLOCK = 4096  # bytes that are read at once where a disk fails
_PART = 1 << 20
_FAILED = (errno.EIO, errno.ENODATA)


class Image:
    """A regular file or block device. Failures are raised as `SourceError`, also for what cannot be sought in."""

    def __init__(self, path: str) -> None:
        self.name = path
        self.unreadable = 0  # bytes that the disk did not give
        self._fd = -1
        if path == STDIN:
            raise _stream_error("stdin")
        try:
            self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK)
            mode = os.fstat(self._fd).st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, "")
            if not stat.S_ISREG(mode) and not stat.S_ISBLK(mode):
                raise _stream_error(path)
            self.size = os.lseek(self._fd, 0, os.SEEK_END)
        except OSError as error:
            self.close()
            raise source_error(error, path, None) from error
        except SourceError:
            self.close()
            raise
        except ValueError as error:  # a NUL in the name
            raise SourceError("not a valid file name", file=path, hint="check the name") from error

    def read(self, offset: int, size: int) -> bytes:
        """Return up to `size` bytes from `offset` on; fewer only at the end."""
        data = bytearray(size)
        return bytes(data[: self.read_into(data, offset)])

    def read_into(self, buffer: bytearray | memoryview, offset: int) -> int:
        """Fill a buffer with the bytes from `offset` on; return how many there are, fewer only at the end."""
        view, at = memoryview(buffer), 0
        while at < len(view):
            try:
                count = os.preadv(self._fd, [view[at:]], offset + at)
            except OSError as error:
                if error.errno not in _FAILED:
                    raise source_error(error, self.name, offset + at) from error
                count = self._read_block(view[at : at + _BLOCK], offset + at)
            if count == 0:
                break
            at += count
        return at

    def _read_block(self, view: memoryview, offset: int) -> int:
        """Read a few bytes where reading many failed; those that cannot be read are zero."""
        size = min(len(view), self.size - offset)
        try:
            return os.preadv(self._fd, [view[:size]], offset)
        except OSError:
            view[:size] = bytes(size)
            self.unreadable += size
            return size

    def crc32(self, offset: int, size: int) -> int:
        """Return the CRC-32 of `size` bytes, of which a part at a time is in memory."""
        crc, end = 0, offset + size
        buffer = bytearray(min(_PART, size))
        while offset < end:
            view = memoryview(buffer)[: end - offset]
            count = self.read_into(view, offset)
            if count == 0:
                return -1
            crc = zlib.crc32(view[:count], crc)
            offset += count
        return crc

    def next_data(self, offset: int) -> int:
        """Return the place of the first byte from `offset` on that is not in a hole; the size where there is none."""
        if not hasattr(os, "SEEK_DATA"):
            return offset
        try:
            return os.lseek(self._fd, offset, os.SEEK_DATA)
        except OSError as error:
            return self.size if error.errno == errno.ENXIO else offset  # file systems may know of no holes

    def close(self) -> None:
        """Close the file."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        self.close()


def _stream_error(name: str) -> SourceError:
    reason = "--carve reads at any offset, but a pipe can be read only once, from its beginning"
    return SourceError(reason, file=name, hint="save it to a file, and pass that")

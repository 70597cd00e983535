"""SHA-256 and size of what a run writes, taken while it is written."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import os
import stat
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

Data = bytes | bytearray | memoryview


class WrittenOutput:
    """One output: a file, or stdout as "-"."""

    def __init__(self, path: str, offset: int = 0) -> None:
        self.path = path
        self.offset = offset  # where in the file it begins
        self.size = 0
        self.whole = False  # whether it was written to its end
        self._digest = hashlib.sha256()

    def wrote(self, data: Data) -> None:
        """Hash what was written."""
        self._digest.update(data)
        self.size += len(data)

    def entry(self) -> dict[str, Any]:
        """Return what the manifest says of the output."""
        found: dict[str, Any] = {"path": self.path}
        if self.offset:
            found["offset"] = self.offset
        found |= {"size": self.size, "sha256": self._digest.hexdigest()}
        return found if self.whole else found | {"incomplete": True}


class _HashingFile(io.BufferedIOBase):
    """A binary file that passes everything on."""

    def __init__(self, file: BinaryIO, output: WrittenOutput) -> None:
        self._file = file
        self._output = output

    def write(self, data: Any) -> int:
        """Write data, and hash what was written of it."""
        view = memoryview(data).cast("B")
        count = self._file.write(view)
        self._output.wrote(view[:count])
        return count

    def flush(self) -> None:
        """Write out what is buffered."""
        self._file.flush()

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the file."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._file.isatty()


def _stdout_of(stream: TextIO) -> WrittenOutput:
    """Return the record of stdout: of the file that it is redirected to, where the system names it."""
    try:
        descriptor = stream.fileno()
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        status, named = os.fstat(descriptor), os.stat(path)
        if stat.S_ISREG(status.st_mode) and os.path.samestat(status, named):
            appends = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND
            return WrittenOutput(path, status.st_size if appends else os.lseek(descriptor, 0, os.SEEK_CUR))
    except (OSError, ValueError):
        pass
    return WrittenOutput("-")


@contextlib.contextmanager
def hashed_stdout() -> Iterator[WrittenOutput | None]:
    """Hash what is written to `sys.stdout` inside; give None where stdout is closed."""
    original = sys.stdout
    if original is None:
        yield None
        return
    original.flush()
    output = _stdout_of(original)
    hashing = _HashingFile(original.buffer, output)
    sys.stdout = io.TextIOWrapper(
        hashing, original.encoding, original.errors, line_buffering=bool(original.line_buffering)
    )
    try:
        yield output
        sys.stdout.flush()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.detach()
        sys.stdout = original

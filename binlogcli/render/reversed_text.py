"""Text that is written last piece first, kept in a temporary file so that memory does not grow with it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import BinaryIO

from binlogcli.errors import BinlogError

BLOCK = 1 << 20  # bytes kept in memory; each block goes to the file with its pieces already in reverse order


class ReversedText:
    """Takes pieces of text and gives them back in reverse order; made by what undoes the changes of a log."""

    def __init__(self) -> None:
        self._file: BinaryIO | None = None
        self._blocks: list[tuple[int, int]] = []  # start and size of each block in the file
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        """Add a piece; BinlogError where the temporary file cannot be written."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size >= BLOCK:
            self._write_block()

    def _write_block(self) -> None:
        """Move the pieces in memory to the end of the file."""
        block = b"".join(reversed(self._pieces))
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as this object
            start = self._file.tell()
            self._file.write(block)
        except OSError as error:
            reason = f"no temporary file can be written: {(error.strerror or str(error)).lower()}"
            raise BinlogError(reason, hint="set TMPDIR to a larger disk") from error
        self._blocks.append((start, len(block)))
        self._pieces.clear()
        self._size = 0

    def backwards(self) -> Iterator[bytes]:
        """Yield all text, the last piece first, in blocks; the temporary file is then gone."""
        yield b"".join(reversed(self._pieces))
        if self._file is None:
            return
        for start, size in reversed(self._blocks):
            self._file.seek(start)
            yield self._file.read(size)
        self._file.close()

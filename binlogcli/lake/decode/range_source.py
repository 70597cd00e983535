"""A part of a log as a source of its own: nothing after its end is ever read."""

from __future__ import annotations

from typing import Self

from binlogcli.sources.source import Source

CHUNK = 1 << 20


class RangeSource:
    """The bytes of a source up to `end`, at their places."""

    def __init__(self, source: Source, end: int) -> None:
        self.source = source
        self.name = source.name
        self.seekable = source.seekable
        self.size: int | None = end
        self.end = end
        self.at = 0

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; b"" at the end."""
        data = self.source.read(min(size, self.end - self.at)) if self.at < self.end else b""
        self.at += len(data)
        return data

    def head(self, size: int) -> bytes:
        """The first bytes."""
        return self.source.head(min(size, self.end))

    def seek(self, offset: int) -> None:
        """Go on at `offset`; where a source cannot, what lies between is read."""
        if self.seekable:
            self.source.seek(offset)
            self.at = offset
        while self.at < offset and self.read(min(CHUNK, offset - self.at)):
            pass

    def close(self) -> None:
        """Let go of the source."""
        self.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

"""The plain bytes of a log, decrypted where the options have its keys, whole or up to a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from binlogcli.crypto.opening import open_plain_log
from binlogcli.sources.opening import open_source
from binlogcli.sources.source import Source

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys

_CHUNK = 1 << 20


def open_log(path: str, keys: Keys | None, end: int | None = None) -> Source:
    """Open a log for reading up to the position `end`. Raises SourceError if the file is not a binary log."""
    source = open_plain_log(open_source(path), keys)
    return source if end is None else RangeSource(source, end)


class RangeSource:
    """The bytes of a source up to `end`, at their positions; nothing after `end` is ever read."""

    def __init__(self, source: Source, end: int) -> None:
        self.source = source
        self.name = source.name
        self.seekable = source.seekable
        self.remark = source.remark
        self.size: int | None = end
        self.end = end
        self.at = 0
        self.short = False  # whether the source has ended before `end`

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; b"" at the end."""
        data = b""
        if self.at < self.end:
            data = self.source.read(min(size, self.end - self.at))
            self.short = self.short or (not data and size > 0)
        self.at += len(data)
        return data

    def head(self, size: int) -> bytes:
        """Return the first bytes without moving the position."""
        return self.source.head(min(size, self.end))

    def seek(self, offset: int) -> None:
        """Continue at `offset`; a source that cannot seek is read up to there."""
        if self.seekable:
            self.source.seek(offset)
            self.at = offset
        while self.at < offset and self.read(min(_CHUNK, offset - self.at)):
            pass

    def close(self) -> None:
        """Close the source."""
        self.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

"""The interface of all sources, and the base of those that only go forward.

A source gives the bytes of one log, decompressed; their meaning is never checked here. Failures are raised as
`SourceError`, never as `OSError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from binlogcli.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from binlogcli.sources.protocol.messages import Message, SentEvent
    from binlogcli.sources.wire_figures import WireFigures


class Source(Protocol):
    """Bytes of one log, read once from front to back."""

    name: str  # the path as it was given; "-" for stdin
    size: int | None  # bytes in the stream where that is known without reading it
    seekable: bool  # true of plain regular files alone
    remark: str  # in which way the bytes are not those of the file; "" where they are

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, or fewer if only these are available; b"" only at the end."""

    def head(self, size: int) -> bytes:
        """Return the first `size` bytes, fewer when the stream is shorter; to be called before `read`."""

    def seek(self, offset: int) -> None:
        """Continue at `offset`; only where `seekable`."""

    def close(self) -> None:
        """Release what the source holds open; closing twice does no harm."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


class Stream:
    """Base of sources that cannot go back: `head` reads ahead, and `read` hands those bytes out first."""

    size: int | None = None
    seekable = False
    remark = ""  # in which way the bytes are not those of the file

    def __init__(self, name: str) -> None:
        self.name = name
        self._ahead = b""
        self._last = self._last_but_one = b""  # pieces that were read

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes; b"" at the end."""
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
        else:
            data = self._pull(size)
        if data:
            self._last_but_one, self._last = self._last, data
        return data

    def tail(self, size: int) -> bytes:
        """Return up to `size` of the last bytes that were read."""
        return (self._last_but_one[-size:] + self._last)[-size:]

    def head(self, size: int) -> bytes:
        """Return the first `size` bytes, which `read` will give again."""
        while len(self._ahead) < size:
            try:
                more = self._pull(size - len(self._ahead))
            except SourceError:
                if self._ahead:  # these bytes are good; the next read meets the error again
                    break
                raise
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def seek(self, offset: int) -> None:
        """Raise `SourceError`: these bytes come only once."""
        raise SourceError("cannot seek in a stream", file=self.name, offset=offset, hint="pass a plain file")

    def close(self) -> None:
        """Release what the source holds open."""
        raise NotImplementedError

    def _pull(self, size: int) -> bytes:
        """Return up to `size` of the next bytes; b"" at the end."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class LogPiece(NamedTuple):
    """Whole events that stand one after another in a log; empty where nothing follows missing events."""

    start: int  # where in the log
    data: bytes
    lost: str = ""  # why the events between `lost_from` and `start` are not here, where they should be
    lost_from: int = 0


class Listener(Protocol):
    """Receives the packets that a log was sent in."""

    def message(self, message: Message) -> None:
        """Take a packet that holds no event of the log."""

    def sent(self, event: SentEvent) -> None:
        """Take a packet whose event comes next."""


class WireSource(Stream):
    """Base of the logs that a server sends, or that a capture holds."""

    figures: WireFigures  # how the events were delivered; all logs of one connection or capture share them
    wire_name: str  # what the figures are of: the server, the capture, or the one log

    def call_before_waiting(self, call: Callable[[], None]) -> None:
        """Have `call` called whenever the next bytes may take long to come."""
        raise NotImplementedError


class PiecedSource(Stream):
    """Base of sources that know where events begin and end, and where they are in the log.

    All bytes are given by `next_piece`; `read` gives none. The listener gets each packet before the event in it is
    given.
    """

    listener: Listener | None = None
    log_format: Any = None  # a log.format.LogFormat: of events before the first format description, where it is known
    unverified = False  # whether events with wrong checksums are read, too
    carved = False  # whether the events were found in a file that is no log: `offset_of` tells where

    def offset_of(self, position: int) -> int:
        """Return the offset in that file of the event at a position of the log; -1 where it has none."""
        return -1

    def next_piece(self) -> LogPiece | None:
        """Return the next events; None at the end of the log."""
        raise NotImplementedError

    def _pull(self, size: int) -> bytes:
        return b""

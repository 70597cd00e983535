"""What every source of bytes can do, and the base of those that only go forward.

A source yields the bytes of one log, decompressed; it knows nothing of events and never checks what the bytes
mean. All that goes wrong below it arrives as `SourceError`, never as `OSError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

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
        """Up to `size` bytes, fewer where no more are at hand; b"" at the end and only there."""

    def head(self, size: int) -> bytes:
        """The first `size` bytes (fewer when the stream is shorter); to be called before anything is read."""

    def seek(self, offset: int) -> None:
        """Continue at `offset`; only where `seekable`."""

    def close(self) -> None:
        """Give back what the source holds open; closing twice does no harm."""

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

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; b"" at the end."""
        if self._ahead:
            data, self._ahead = self._ahead[:size], self._ahead[size:]
            return data
        return self._pull(size)

    def head(self, size: int) -> bytes:
        """The first `size` bytes, which `read` will give again."""
        while len(self._ahead) < size:
            try:
                more = self._pull(size - len(self._ahead))
            except SourceError:
                if self._ahead:  # what came first is good; the next read meets the same error again
                    break
                raise
            if not more:
                break
            self._ahead += more
        return self._ahead[:size]

    def seek(self, offset: int) -> None:
        """Refuse: these bytes come only once."""
        raise SourceError("cannot seek in a stream", file=self.name, offset=offset, hint="pass a plain file")

    def close(self) -> None:
        """Give back what the source holds open."""
        raise NotImplementedError

    def _pull(self, size: int) -> bytes:
        """The next bytes from below."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class LogPiece(NamedTuple):
    """Whole events that stand one after another in a log; empty where nothing follows what was lost."""

    start: int  # where in the log
    data: bytes
    lost: str = ""  # why the events between `lost_from` and `start` are not here, where they should be
    lost_from: int = 0


class Listener(Protocol):
    """Who wants to know how events were sent, and what else was said."""

    def message(self, message: Message) -> None:
        """A packet that holds no event of the log."""

    def sent(self, event: SentEvent) -> None:
        """A packet whose event comes next."""


class WireSource(Stream):
    """Base of the logs that a server sends, or that a capture holds."""

    figures: WireFigures  # how the events were delivered; all logs of one connection or capture share them
    wire_name: str  # what the figures are of: the server, the capture, or the one log

    def call_before_waiting(self, call: Callable[[], None]) -> None:
        """Have `call` called whenever the next bytes may take long to come."""
        raise NotImplementedError


class PiecedSource(WireSource):
    """Base of sources that know where events begin and end, and where in the log they stand: what was sent of a log.

    There are no bytes to be read of them as of a file; `next_piece` gives all. Who listens is told of each packet:
    before the event that it brings is given, or instead where it brings none.
    """

    listener: Listener | None = None

    def next_piece(self) -> LogPiece | None:
        """The next events; None at the end of the log."""
        raise NotImplementedError

    def _pull(self, size: int) -> bytes:
        return b""

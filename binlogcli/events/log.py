"""A log by its name: opened, known for what it is, and read as events. This is what `binlogcli.open` gives."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

from binlogcli.crypto import open_decrypted
from binlogcli.errors import SourceError
from binlogcli.events.event import Event
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.log.gaps import Damage, Padding
from binlogcli.names.magics import ENCRYPTED_MAGIC, MAGIC
from binlogcli.sources import open_source
from binlogcli.sources.source import PiecedSource, Source

SNIFFED = 1 << 16


class Log:
    """One binary log. Iterating gives events, and `Damage` or `Padding` for stretches that hold none."""

    def __init__(
        self, path: str, options: ReadOptions | None = None, schema: object = None, source: Source | None = None
    ) -> None:
        self.path = path
        self.source = open_source(path) if source is None else source
        try:
            if not isinstance(self.source, PiecedSource):  # what was sent over a wire is plain, and a log
                if options is not None and options.keys is not None:
                    self.source = open_decrypted(self.source, options.keys)
                refuse_what_is_no_log(self.source)
            self.stream = EventStream(self.source, options, schema)
        except BaseException:
            self.source.close()
            raise

    def advance(self) -> Event | None:
        """The next event; None before a gap (`take_gap`) and at the end."""
        return self.stream.advance()

    def take_gap(self) -> Damage | Padding | None:
        """The stretch without events that came up last, once; None at the end."""
        gap = self.stream.take_gap()
        framer = self.stream.outer
        if isinstance(gap, Damage) and gap.start == 0 and framer.headless and framer.done():
            raise without_events(self.path)
        return gap

    def __iter__(self) -> Iterator[Event | Damage | Padding]:
        while True:
            event = self.advance()
            if event is not None:
                yield event
                continue
            gap = self.take_gap()
            if gap is None:
                return
            yield gap

    def close(self) -> None:
        """Let go of the source."""
        self.source.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def without_events(path: str) -> SourceError:
    """The error of a file that is of no kind that is known, nor a log."""
    hint = "check the name; what another program has packed or encrypted must be unpacked first"
    return SourceError("no binary log: no event was found in it", file=path, hint=hint)


def refuse_what_is_no_log(source: Source) -> None:
    """Name a file that is something else, rather than search it for events."""
    head = source.head(SNIFFED)
    if head.startswith(MAGIC):
        return
    if head.startswith(ENCRYPTED_MAGIC):
        raise SourceError("the log is encrypted by MySQL", file=source.name, offset=0, hint="pass --keyring")
    from binlogcli.sources.sniff import describe  # noqa: PLC0415 - only for what is no log

    what = describe(head, source.name)
    if what is not None:
        raise SourceError(f"{what.kind}, not a binary log", file=source.name, hint=what.hint)

"""A log opened by its path and read as events, as `binlogcli.open` returns it."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from binlogcli.crypto.opening import open_plain_log
from binlogcli.events.ddl import DdlFollower
from binlogcli.events.event import Event
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.events.tables import Rows
from binlogcli.log.gaps import Damage, Padding
from binlogcli.sources.opening import no_event_error, open_source
from binlogcli.sources.pasted import decoded
from binlogcli.sources.source import PiecedSource, Source, WireSource

if TYPE_CHECKING:
    from binlogcli.schema.catalog import Catalog


class Log:
    """One binary log. Iterating gives its events, and `Damage` or `Padding` for gaps between them.

    With a catalog, its tables have what the log does not tell, such as the names of columns. Rows are read when
    `Rows.rows` is asked for; where some cannot be read, a `Damage` follows the event.
    """

    def __init__(
        self,
        path: str,
        options: ReadOptions | None = None,
        catalog: Catalog | None = None,
        source: Source | None = None,
    ) -> None:
        self.path = path
        self.source = open_source(path) if source is None else source
        if not isinstance(self.source, WireSource):
            self.source = decoded(self.source)
        if not isinstance(self.source, PiecedSource):  # what a server sent is a plain log
            self.source = open_plain_log(self.source, None if options is None else options.keys)
        try:
            self.stream = EventStream(self.source, options, DdlFollower(catalog, path) if catalog is not None else None)
        except BaseException:
            self.source.close()
            raise

    def follow(self, follower: DdlFollower | None) -> None:
        """Complete tables from the catalog of a follower; to be called before the first event."""
        self.stream.follower = follower
        self.stream.context.catalog = None if follower is None else follower.catalog

    def advance(self) -> Event | None:
        """Return the next event; None before a gap (see `take_gap`) and at the end."""
        return self.stream.advance()

    def take_gap(self) -> Damage | Padding | None:
        """Return the gap that `advance` stopped at, once; None at the end. `SourceError` if the file has no event."""
        gap = self.stream.take_gap()
        if gap is not None and self.stream.holds_nothing_but(gap):
            raise no_event_error(self.path)
        return gap

    def __iter__(self) -> Iterator[Event | Damage | Padding]:
        while True:
            event = self.advance()
            if event is not None:
                yield event
                if isinstance(event, Rows) and event.damage is not None:
                    yield event.damage
                continue
            gap = self.take_gap()
            if gap is None:
                return
            yield gap

    def close(self) -> None:
        """Close the source."""
        self.source.close()

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

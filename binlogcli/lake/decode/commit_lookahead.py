"""Looks up the end of a transaction before its rows are handed out: XID and commit time are known only there.

It walks over headers from the position that was decoded to, with a source of its own, and decodes nothing on the way;
of checksums it looks at the one of the event that seems to be the end.
In a source that cannot seek, the walk continues where the last one ended, so that it passes over the log once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.events.event import Event
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.registry import new_event
from binlogcli.events.statements import Query, XaPrepare, Xid
from binlogcli.log.boundaries import ENDING_TYPES, OPENING_TYPES, role_of
from binlogcli.log.compressed import WINDOW, zstd_windows
from binlogcli.log.context import LogContext
from binlogcli.log.format import LogFormat
from binlogcli.log.framer import Framer
from binlogcli.log.roles import COMMIT, ROLLBACK, ROLLBACK_TO, SAVEPOINT
from binlogcli.log.savepoints import Savepoints, Undone
from binlogcli.names.event_types import QUERY_EVENTS
from binlogcli.sources.source import Source

_CHUNK = 1 << 16
NO_COMPRESSION = 255


class TransactionEnd(NamedTuple):
    """What the last event of a transaction tells."""

    xid: int | None
    time: int  # in seconds
    outcome: str  # COMMIT or ROLLBACK
    prepared: tuple[int, bytes, bytes] | None = None


class CommitLookahead:
    """Searches one split. `open_source` opens the log a second time; `tail` is the split's."""

    def __init__(
        self,
        open_source: Callable[[], Source],
        tail: tuple[tuple[int, bytes], ...],
        max_event_size: int,
        *,
        verify: bool = True,
    ) -> None:
        self.open_source = open_source
        self.tail = tail
        self.max_event_size = max_event_size
        self.verify = verify
        self.source: Source | None = None
        self.framer = Framer(verify=False, max_event_size=max_event_size)
        self.body = Cursor()
        self.found: TransactionEnd | None = None

    def find(
        self, place: int, log_format: LogFormat, context: LogContext, payload: TransactionPayload | None
    ) -> TransactionEnd | None:
        """Return what the event tells that ends the transaction which is open at `place`.

        `payload` is the payload event that the transaction is in, if it is in one. Returns None where no end is found.
        """
        self.found = None
        if payload is not None:
            self._search_payload(payload, context)
            return self.found
        if self.source is None:
            self.source = self.open_source()
        framer = self.framer
        if self.source.seekable:
            framer.use(log_format)
            framer.headless = False
            framer.jump(place)
            self.source.seek(place)
        if self._search(framer, place, context):
            return self.found
        for start, event in self.tail:
            framer.jump(start)
            framer.ended = True
            framer.feed(event)
            if self._search(framer, start, context):
                break
        return self.found

    def _search(self, framer: Framer, place: int, context: LogContext) -> bool:
        """Walk from `place` to the end of the transaction; return whether it, or the next one's GTID, was found."""
        while True:
            if framer.advance():
                if framer.start >= place and self._ends(framer, context):
                    return True
            elif framer.gap is not None:
                framer.take_gap()
            elif framer.done():
                return False
            elif framer.hungry() and self.source is not None:
                framer.feed(self.source.read(max(_CHUNK, framer.missing())))

    def _search_payload(self, event: TransactionPayload, context: LogContext) -> None:
        """Search the decompressed events of a payload."""
        framer = Framer(verify=False, max_event_size=self.max_event_size, nested=True)
        windows = self._content_of(event)
        while self._is_at_event(framer, windows):
            if self._ends(framer, context):
                return

    def undone_in(self, event: TransactionPayload, context: LogContext) -> list[Undone]:
        """Return the ranges of a payload's content that ROLLBACK TO SAVEPOINT has taken back."""
        found = Savepoints()
        framer = Framer(verify=False, max_event_size=self.max_event_size, nested=True)
        windows = self._content_of(event)
        while self._is_at_event(framer, windows):
            if framer.type_code in QUERY_EVENTS:
                statement = new_event(framer.type_code)
                statement.take(framer, -1)
                framer.point(self.body)
                try:
                    statement.decode(self.body, context)
                except DecodeError:
                    continue
                query: bytes = statement.query  # type: ignore[attr-defined] # the registry's class for these types
                role = role_of(query, 0, len(query))
                if SAVEPOINT <= role <= ROLLBACK_TO:
                    found.see(role, query, framer.start, 0)
        return found.undone

    def _content_of(self, event: TransactionPayload) -> Iterator[bytes]:
        """Return the decompressed content of a payload, window by window."""
        payload = event.payload
        if event.compression_type == NO_COMPRESSION:
            return iter([payload[at : at + WINDOW] for at in range(0, len(payload), WINDOW)])
        return zstd_windows(payload, self.max_event_size)

    def _is_at_event(self, framer: Framer, windows: Iterator[bytes]) -> bool:
        """Walk to the next event of a payload's content; return False at its end, and at damage."""
        while True:
            if framer.advance():
                return True
            if framer.gap is not None or framer.done():
                return False
            if framer.hungry():
                try:
                    framer.feed(next(windows, b""))
                except DecodeError:
                    return False

    def _ends(self, framer: Framer, context: LogContext) -> bool:
        """Whether the event at hand ends the transaction, or begins the next; set `found` if it ends it."""
        code = framer.type_code
        if OPENING_TYPES[code]:
            return True  # the next transaction
        if not ENDING_TYPES[code] and code not in QUERY_EVENTS:
            return False
        if self.verify and framer.trailer > 0 and not framer.has_checksum(framer.at, framer.at + framer.length):
            return False  # reported as damage where it is
        event = new_event(code)
        event.take(framer, -1)
        framer.point(self.body)
        try:
            event.decode(self.body, context)
        except DecodeError:
            return False
        if isinstance(event, Query) and role_of(event.query, 0, len(event.query)) < COMMIT:
            return False
        self.found = _end_of(event)
        return True

    def close(self) -> None:
        """Close the source."""
        if self.source is not None:
            self.source.close()


def _end_of(event: Event) -> TransactionEnd:
    """Return what the event that ends a transaction tells."""
    if isinstance(event, Xid):
        return TransactionEnd(event.xid, event.timestamp, "COMMIT")
    if isinstance(event, XaPrepare):
        prepared = None if event.one_phase else (event.format_id, event.gtrid, event.bqual)
        return TransactionEnd(None, event.timestamp, "COMMIT", prepared)
    taken_back = isinstance(event, Query) and role_of(event.query, 0, len(event.query)) >= ROLLBACK
    return TransactionEnd(None, event.timestamp, "ROLLBACK" if taken_back else "COMMIT")

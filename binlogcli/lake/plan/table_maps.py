"""The table maps of one table, kept while a log's headers are walked over: they tell which columns the table has."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.lake.history import PlacedEvent
from binlogcli.log.framer import Framer

_POST_HEADER, _EARLY_POST_HEADER = 8, 6  # bytes before the names: id and flags; the id had four bytes once


class TableMapKeeper:
    """Keeps each different map of a table, and again after a statement, which may have changed its meaning.

    Most maps of a log are like the last one that was kept, or of other tables: these are recognized at once.
    """

    def __init__(self, database: str, table: str) -> None:
        names = (name.encode("utf-8", "surrogateescape") for name in (database, table))
        self.names = b"".join([bytes([len(name)]) + name + b"\0" for name in names])
        self.events: list[PlacedEvent] = []
        self.hidden = False  # whether there may be more of them in compressed transactions
        self.seen: set[bytes] = set()
        self.last = b""  # the bytes of the last one
        self.statements = 0

    def keep(self, framer: Framer, statements: int) -> None:
        """Keep the map at hand; `statements` are as many as the log has had before."""
        cursor = framer.cursor
        start = framer.body_start + _EARLY_POST_HEADER
        if start >= framer.body_end or (
            statements == self.statements and kernel.same(cursor.data, start, framer.body_end, self.last)
        ):
            return
        if not self.is_named(framer, _POST_HEADER) and not self.is_named(framer, _EARLY_POST_HEADER):
            return
        if statements != self.statements:
            self.statements = statements
            self.seen.clear()
            self.last = b""
        body = cursor.data[start : framer.body_end]
        if body not in self.seen and framer.is_sound():
            self.seen.add(body)
            self.events.append((framer.start, cursor.data[framer.at : framer.at + framer.length]))
        if body in self.seen:
            self.last = body

    def is_named(self, framer: Framer, size: int) -> bool:
        """Whether the map has the table's names after a post-header of this size."""
        start = framer.body_start + size
        end = start + len(self.names)
        return end <= framer.body_end and kernel.same(framer.cursor.data, start, end, self.names)

"""The table maps of one table, kept while a log's headers are walked over: they tell which columns the table has."""

from __future__ import annotations

from binlogcli.lake.history import PlacedEvent
from binlogcli.log.framer import Framer

_POST_HEADERS = (8, 6)  # bytes before the names: id and flags; the id had four bytes once


class TableMapKeeper:
    """Keeps each different map of a table, and again behind a statement, which may have changed its meaning."""

    def __init__(self, database: str, table: str) -> None:
        names = (name.encode("utf-8", "surrogateescape") for name in (database, table))
        self.names = b"".join(bytes([len(name)]) + name + b"\0" for name in names)
        self.events: list[PlacedEvent] = []
        self.hidden = False  # whether there may be more of them in compressed transactions
        self._seen: set[bytes] = set()
        self._statements = 0

    def keep(self, framer: Framer, statements: int) -> None:
        """Keep the map at hand; `statements` are as many as the log has had before."""
        data = framer.cursor.data
        start = framer.body_start
        if not any(data.startswith(self.names, start + size) for size in _POST_HEADERS):
            return
        if statements != self._statements:
            self._statements = statements
            self._seen.clear()
        body = data[start + _POST_HEADERS[1] : framer.body_end]
        if body not in self._seen and framer.is_sound():
            self._seen.add(body)
            self.events.append((framer.start, data[framer.at : framer.at + framer.length]))

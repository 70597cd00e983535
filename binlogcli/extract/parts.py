"""The events of a transaction that are written: all of them as they are, or those of some of its tables.

Of a part, the frame is kept, and of each statement what belongs to its tables: the rows, their table maps and the text;
the last rows of each statement get STMT_END_F where those that had it are left out. A payload is replaced by its
events unless all of it is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from binlogcli.extract.unit import (
    BLOCK,
    FRAME,
    LAST_ROWS,
    PAYLOAD,
    ROWS,
    STATEMENT,
    TABLE_MAP,
    TEXT,
    VARIABLE,
    Entry,
    Unit,
)

_STMT_END_F = 1
_ROWS = (ROWS, LAST_ROWS)
_HELD = (TEXT, VARIABLE, TABLE_MAP)


def whole(unit: Unit) -> Iterator[Entry]:
    """Yield all events as they are: payloads, not the events in them."""
    return (entry for entry in unit.entries() if not entry.inner)


def part_of(unit: Unit, takes: Callable[[int], bool]) -> Iterator[Entry]:
    """Yield the frame of a transaction, and the events of the tables whose numbers are taken."""
    statement = _Statement(takes)
    for entry in unit.entries():
        if entry.role == BLOCK:
            if takes(unit.files.get(entry.detail, entry.table)):
                yield entry
        elif entry.role in _HELD:
            statement.hold(entry)
        elif entry.role != PAYLOAD:
            yield from statement.release(entry)
    yield from statement.end()


class _Statement:
    """What was read of the statement at hand and may still be left out."""

    def __init__(self, takes: Callable[[int], bool]) -> None:
        self.takes = takes
        self.text: Entry | None = None
        self.maps: list[Entry] = []
        self.variables: list[Entry] = []
        self.last: Entry | None = None  # rows that are to be written; they may turn out to be the last

    def hold(self, entry: Entry) -> None:
        """Take what is written only with the event that it belongs to."""
        if entry.role == TEXT:
            self.text = entry
        elif entry.role == VARIABLE:
            self.variables.append(entry)
        elif self.takes(entry.table):
            self.maps.append(entry)

    def release(self, entry: Entry) -> Iterator[Entry]:
        """Take any other event; yield what is then known to be written."""
        if entry.role in _ROWS:
            yield from self.rows(entry)
            return
        variables = list(self.variables)
        yield from self.end()
        if entry.role == FRAME:
            yield entry
        elif entry.role == STATEMENT and self.takes(entry.table):
            yield from variables
            yield entry

    def rows(self, entry: Entry) -> Iterator[Entry]:
        """Take rows; yield what is then known to be written."""
        if self.takes(entry.table):
            if self.last is not None:
                yield self.last
            if self.text is not None:
                yield self.text
                self.text = None
            yield from self.maps
            self.maps.clear()
            self.last = entry
        if entry.role == LAST_ROWS:
            yield from self.end()

    def end(self) -> Iterator[Entry]:
        """Yield the last rows, with STMT_END_F; forget what belonged to rows that are left out."""
        if self.last is not None:
            yield _ended(self.last)
        self.last = self.text = None
        self.maps.clear()
        self.variables.clear()


def _ended(rows: Entry) -> Entry:
    """Return rows with STMT_END_F."""
    if rows.role == LAST_ROWS or rows.detail == 0:
        return rows
    data = bytearray(rows.data)
    data[rows.detail] |= _STMT_END_F
    return rows._replace(role=LAST_ROWS, data=bytes(data))

"""What the collectors are told: of an event, of the transaction it is part of, of a stretch that could not be read.

`Facts` and `Work` are filled again for each event and each transaction; a collector keeps numbers and texts of them,
never the objects. What a collector knows of a log leaves it as plain data (`export`), so that logs may be read by
processes of their own, and is joined in the order of the logs by the section's `Total`.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from binlogcli.events.event import Event, Transaction
from binlogcli.rows.plan import TablePlan

if TYPE_CHECKING:
    from binlogcli.log.gaps import Damage, Padding

TABLES_NAMED = 12  # tables of one transaction or statement that are remembered by name
NO_ROWS = -1  # operation of an event that holds none
WRITE, UPDATE, DELETE = 0, 1, 2


class Work:
    """A transaction, as far as it was read. Its bytes are those in the log: of a payload, not of what is in it."""

    def __init__(self) -> None:
        self.number = 0
        self.forget()

    def forget(self) -> None:
        """A new one begins."""
        self.number += 1
        self.transaction: Transaction | None = None
        self.start = self.end = 0
        self.server_id = 0
        self.first_time = self.last_time = self.end_time = 0
        self.bytes = self.rows = self.events = 0
        self.commit_micro = 0
        self.exec_time = 0
        self.prepared: Any = None
        self.statement: Event | None = None
        self.tables: list[TablePlan] = []
        self.more_tables = False


class Facts:
    """An event. `start` and `end` are places in the file: of an event out of a payload, those of the payload."""

    def __init__(self) -> None:
        self.event: Event = None  # type: ignore[assignment] # filled before anybody looks
        self.code = 0
        self.length = 0
        self.start = self.end = 0
        self.timestamp = 0
        self.server_id = 0
        self.outer = True
        self.opens = False
        self.work: Work | None = None
        self.plan: TablePlan | None = None
        self.operation = NO_ROWS
        self.rows = 0
        self.unread = ""  # why the rows could not be counted
        self.spoken: Any = None  # the statement that these rows, or this text, belong to


class Collector:
    """Counts for one section of the report. Every method may be left as it is."""

    def see(self, facts: Facts) -> None:
        """Another event."""

    def close(self, work: Work) -> None:
        """A transaction is over, or breaks off."""

    def miss(self, gap: Damage | Padding) -> None:
        """A stretch without events."""

    def finish(self, seen: int) -> None:
        """The log was read to there."""

    def export(self) -> Any:
        """What was counted, as plain data."""


def counters(count: int) -> array[int]:
    """So many numbers, all zero."""
    return array("q", bytes(8 * count))


def power(value: int) -> int:
    """The power of two that holds a number: bits it takes."""
    count = 0
    while value > 0:
        value >>= 1
        count += 1
    return count

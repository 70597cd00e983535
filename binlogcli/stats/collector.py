"""What the scan of a log hands to the collectors: an event, a transaction, a gap; and their base class.

The scan fills one `EventFacts` and one `TransactionFacts` again and again; a collector keeps numbers and texts of them,
never the objects. What it counted leaves it as plain data (`export`), so that logs can be read by several processes;
the section's total joins it in the order of the logs.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from binlogcli.events.event import Event
from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.rows.plan import TablePlan

if TYPE_CHECKING:
    from binlogcli.log.gaps import Damage, Padding

NO_ROWS = -1  # operation of an event that holds none
WRITE, UPDATE, DELETE = 0, 1, 2  # as in Rows.operation


class EventFacts:
    """The event at hand. `start` and `end` are file offsets: for an event in a payload event those of the payload."""

    def __init__(self) -> None:
        self.event: Event = None  # type: ignore[assignment] # set by the scan before a collector runs
        self.code = 0
        self.length = 0
        self.start = self.end = 0
        self.timestamp = 0
        self.server_id = 0
        self.outer = True  # whether it is in the log itself, not in a payload event
        self.opens = False  # whether it opens a transaction
        self.work: TransactionFacts | None = None
        self.plan: TablePlan | None = None
        self.operation = NO_ROWS
        self.rows = 0
        self.unread = ""  # why the rows could not be counted
        self.statement: Any = None  # StatementTally of this text, or of the text that these rows belong to


class SectionCollector:
    """Counts for one section of the report in one log. A method that is not overridden does nothing."""

    def see(self, facts: EventFacts) -> None:
        """Count one event."""

    def close(self, work: TransactionFacts) -> None:
        """Count one transaction, at its end or where it breaks off."""

    def miss(self, gap: Damage | Padding) -> None:
        """Count a stretch without events."""

    def finish(self, seen: int) -> None:
        """Take note that the log was read up to the file offset `seen`, its end."""

    def export(self) -> Any:
        """Return the counts as plain data, for the section's total."""


def counters(count: int) -> array[int]:
    """Return an array of `count` zeros."""
    return array("q", bytes(8 * count))


def power(value: int) -> int:
    """Return the number of bits of a value; 0 for 0."""
    count = 0
    while value > 0:
        value >>= 1
        count += 1
    return count

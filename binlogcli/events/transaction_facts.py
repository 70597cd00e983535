"""What is counted of a transaction while its events are read: for reports, and for a line of its own."""

from __future__ import annotations

from typing import Any

from binlogcli.events.event import Event, Transaction
from binlogcli.rows.plan import TablePlan

TABLES_NAMED = 12  # tables of one transaction or statement that are remembered by name
_MICRO = 1_000_000
TABLES_COUNTED = 4096  # of one transaction: those beyond are counted as one


class TransactionFacts:
    """What was read so far of the transaction at hand.

    Times are seconds since the epoch, 0 before the first. `bytes` are those in the log: of a payload event, not of the
    events in it. `rows` are those of row events, whatever they do; `statements` those that are logged in their place.
    """

    def __init__(self) -> None:
        self.number = 0
        self.forget()

    def forget(self) -> None:
        """Begin the next transaction."""
        self.number += 1
        self.transaction: Transaction | None = None
        self.start = self.end = 0
        self.server_id = 0
        self.first_time = self.last_time = self.end_time = 0
        self.bytes = self.rows = self.events = 0
        self.updated = self.deleted = 0  # of the rows
        self.unread = False  # whether rows could not be counted
        self.commit_micro = 0  # MySQL: original commit time in microseconds since the epoch
        self.here_micro = 0  # MySQL: commit time on the server that wrote the log
        self.exec_time = 0
        self.prepared: Any = None  # XA: (whether it prepares, not ends, and the identifier's three parts)
        self.statement: Event | None = None  # the first
        self.statements = 0
        self.tables: list[TablePlan] = []
        self.more_tables = False
        self.other_tables: set[int] | None = None

    def name_table(self, plan: TablePlan) -> None:
        """Note a table that the transaction touches: its name, or that there are more."""
        for known in self.tables:
            if known is plan or known.key == plan.key:
                return
        if len(self.tables) < TABLES_NAMED:
            self.tables.append(plan)
            return
        self.more_tables = True
        if self.other_tables is None:
            self.other_tables = set()
        if len(self.other_tables) < TABLES_COUNTED:
            self.other_tables.add(hash(plan.key))

    def seconds(self) -> int:
        """Return the seconds from the first event, which has the time of its statement, to the last or the commit."""
        spent = self.last_time - self.first_time
        committed = self.commit_micro // _MICRO
        return committed - self.first_time if committed > self.last_time and self.first_time > 0 else spent

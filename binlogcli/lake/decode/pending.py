"""The batches that are being filled, and the rules by which they are handed out.

A batch is handed out when it is full, when all batches together hold too much (the largest goes), or at the end of the
split. All that decides this is bytes and counts, never time: a task that Spark runs again makes the same batches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from binlogcli.lake.decode.batches import ABSENT_NAMES, EventRows, TableRows, TableUse
from binlogcli.lake.decode.columns.transaction_columns import TransactionColumns
from binlogcli.lake.decode.current_transaction import CurrentTransaction
from binlogcli.lake.decode.xa_ends import XaEnds
from binlogcli.lake.table_marks import TableMark
from binlogcli.log.gaps import Damage
from binlogcli.rows.plan import TablePlan

if TYPE_CHECKING:
    from binlogcli.lake.decode.table_maker import TableMaker
    from binlogcli.lake.model import LakeOptions

ONE_EVENT = 4  # times the size of a batch that the rows of one event may fill before the batch is handed out
EVENTS = 1 << 17  # in one batch
EVENT_BATCHES = 4  # times the size of a table's batch that a batch of events has: it becomes a row group by itself
TRANSACTION_BYTES = 1 << 24  # of transactions that pending rows refer to


class PendingBatches:
    """The batches of a split that are being filled: one of each table that has rows, one of events.

    `ready` is the queue of what is to be handed out; the collector adds the damage it meets. `latest` is the table that
    the last rows went to. `maker` makes the empty columns of a table.
    """

    def __init__(self, maker: TableMaker, current: CurrentTransaction, options: LakeOptions) -> None:
        self.maker = maker
        self.current = current
        self.batch_bytes = options.batch_bytes
        self.held_bytes = options.held_bytes
        self.tables: dict[TablePlan, TableRows] = {}
        self.invalid: dict[TablePlan, set[int]] = {}  # a table's text columns that have become binary
        self.transactions = TransactionColumns()
        self.uses: dict[TablePlan, TableUse] = {}  # of tables among the events
        self.events = EventRows(self.transactions, self.uses, 0)
        self.held = 0  # bytes of the rows of all tables
        self.latest: TableRows | None = None
        self.ready: list[TableRows | EventRows | XaEnds | TableMark | str | Damage] = []

    def rows_of(self, plan: TablePlan) -> TableRows:
        """Return the batch of a table, a new one where it has none; it becomes `latest`."""
        if self.latest is not None and self.latest.plan is plan:
            return self.latest
        found = self.tables.get(plan)
        if found is None:
            invalid = self.invalid.get(plan)
            found = self.maker.columns_of(plan, set() if invalid is None else invalid)
            found.sink.limit = ONE_EVENT * self.batch_bytes
            self.tables[plan] = found
            self.held += found.cost()
        self.latest = found
        return found

    def expect_updates(self, rows: TableRows) -> None:
        """Add the columns of `_before` at the first update of a batch."""
        self.held -= rows.cost()
        self.maker.expect_updates(rows)
        self.held += rows.cost()

    def hand_out(self, plan: TablePlan) -> None:
        """Move the batch of a table to `ready`."""
        self.ready.append(self._taken(plan))

    def hand_out_full(self, rows: TableRows | None) -> None:
        """Hand out the batch that rows went to, or the largest one, if it is time; and the events."""
        if rows is not None and (rows.sink.used > self.batch_bytes or rows.absent_names > ABSENT_NAMES):
            self.hand_out(rows.plan)
        elif self.held > self.held_bytes:
            largest = None
            for other in self.tables.values():
                if largest is None or other.sink.used > largest.sink.used:
                    largest = other
            if largest is not None:
                self.hand_out(largest.plan)
        self.hand_out_full_events()

    def hand_out_full_events(self) -> None:
        """Hand out the events if they are as many as they may be, or everything if the transactions are."""
        if self.events.count >= EVENTS or self.events.used > EVENT_BATCHES * self.batch_bytes:
            self.ready.append(self._taken_events())
        if self.transactions.used() > TRANSACTION_BYTES:
            self._begin_transactions()

    def take_last(self) -> TableRows | EventRows | None:
        """Return one of the batches that are left at the end of the split; None after the last."""
        for plan in self.tables:
            rows = self._taken(plan)
            rows.last = True
            return rows
        if self.events.count > 0:
            return self._taken_events()
        return None

    def _taken(self, plan: TablePlan) -> TableRows:
        """Remove the batch of a table and return it. If the open transaction is in it, its end is looked up first."""
        rows: TableRows = self.tables.pop(plan)
        if self.latest is rows:
            self.latest = None
        self.held -= rows.sink.used + rows.cost()
        if rows.last_transaction == self.transactions.count - 1:
            self.current.look_ahead(self.transactions)
            self.transactions.close()
        rows.transactions = self.transactions
        invalid = rows.sink.turned()
        if invalid:
            self.invalid[plan] = invalid
        return rows

    def _taken_events(self) -> EventRows:
        """Return the batch of events and begin a new one."""
        events = self.events
        self.events = EventRows(self.transactions, self.uses, events.number + 1)
        self.events.expect_like(events)
        return events

    def _begin_transactions(self) -> None:
        """Hand out everything that refers to the transactions so far, and begin a new list of them."""
        for plan in list(self.tables):
            self.hand_out(plan)
        self.transactions = TransactionColumns()
        events = self._taken_events()
        if events.count > 0:
            self.ready.append(events)

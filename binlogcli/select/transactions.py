"""Finds the transactions of a log that are chosen by what only their ends tell: `--xid`, `--min-rows` and the like.

The log is read once for that and the chosen stretches are kept as offsets; the events are read again to be shown.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import NamedTuple

from binlogcli.errors import UNDECODABLE, counted
from binlogcli.events.event import Event, Transaction
from binlogcli.events.log import Log
from binlogcli.events.stream import Chooser
from binlogcli.events.tables import Rows
from binlogcli.names.verdicts import RELEASE, SHOW
from binlogcli.rows.count import RowSkipper
from binlogcli.rows.images import RowImages


class TransactionChoice(NamedTuple):
    """The options that choose whole transactions; a transaction is chosen that meets each of those that were given."""

    xids: tuple[int, ...] = ()
    thread_ids: tuple[int, ...] = ()
    min_rows: int = 0
    min_size: int = 0  # bytes in the log
    at: int | None = None  # an offset in the first log that the transaction covers


class Stretches:
    """Parts of a log, as offsets of their beginnings and ends; neighbours are one."""

    def __init__(self) -> None:
        self._starts = array("q")
        self._ends = array("q")

    def __bool__(self) -> bool:
        return bool(self._starts)

    def add(self, start: int, end: int) -> None:
        """Add a part that is after all others."""
        last = len(self._ends) - 1
        if last >= 0 and self._ends[last] == start:
            self._ends[last] = end
        else:
            self._starts.append(start)
            self._ends.append(end)

    def takes(self, offset: int) -> bool:
        """Return whether an offset is in one of the parts."""
        at = bisect_right(self._starts, offset) - 1
        return at >= 0 and offset < self._ends[at]

    @property
    def start(self) -> int:
        """The offset of the first part."""
        return self._starts[0]

    @property
    def end(self) -> int:
        """The end of the last part."""
        return self._ends[len(self._ends) - 1]  # compiled, there are no indexes from the end


class TransactionScan:
    """Reads logs in their order, and tells which stretches of each are chosen."""

    def __init__(self, choice: TransactionChoice, chooser: Chooser | None = None) -> None:
        self.choice = choice
        self.chooser = chooser  # of events of which a transaction must have one
        self.touched = False
        self.xids_seen: set[int] = set()
        self.threads_seen: set[int] = set()
        self.without_thread = 0
        self.found = 0
        self.skipper = RowSkipper()
        self.images = RowImages.__new__(RowImages)  # filled for each event
        self.stretches: dict[str, Stretches] = {}
        self.chosen = Stretches()
        self.is_first = True
        self.begin(None)

    def begin(self, event: Event | None) -> None:
        """Begin the transaction that the event opens; None between transactions."""
        self.transaction: Transaction | None = None if event is None else event.transaction
        self.start = 0 if event is None else (event.start if event.within_at < 0 else event.within_at)
        self.end = self.start
        self.rows = 0
        self.size = 0
        self.touched = False

    def chosen_in(self, path: str) -> Stretches:
        """Return the chosen stretches of a log that was read."""
        return self.stretches.get(path, Stretches())

    def read(self, log: Log) -> None:
        """Find the selected ranges of the next log. Gaps are skipped: they are reported when events are shown."""
        self.chosen = self.stretches.setdefault(log.path, Stretches())
        self.begin(None)
        while True:
            event = log.advance()
            if event is not None:
                self.see(event)
            elif log.take_gap() is None:
                break
        self.close()
        self.is_first = False

    def see(self, event: Event) -> None:
        """Take the next event."""
        if event.transaction is not self.transaction:
            self.close()
            self.begin(event)
        if event.within_at < 0:
            self.end = event.end
            self.size += event.length
        if self.chooser is not None:
            self.choose(self.chooser, event)
        if self.choice.min_rows and isinstance(event, Rows) and not event.only_ends():
            try:
                event.fill(self.images, event.resolve())
                self.rows += self.skipper.count(self.images)
            except UNDECODABLE:
                return  # reported when the event is shown

    def choose(self, chooser: Chooser, event: Event) -> None:
        """Note whether the chooser takes the event, or with it one that it has held."""
        if chooser.verdict(event) in (SHOW, RELEASE):
            self.touched = True
            chooser.held.clear()

    def close(self) -> None:
        """Add the transaction that has ended to the stretches, if it is chosen."""
        if self.transaction is not None and self.takes(self.transaction):
            self.found += 1
            self.chosen.add(self.start, self.end)

    def takes(self, transaction: Transaction) -> bool:
        """Return whether the transaction that has ended is chosen."""
        choice = self.choice
        if (
            self.rows < choice.min_rows
            or self.size < choice.min_size
            or (self.chooser is not None and not self.touched)
        ):
            return False
        if choice.at is not None and not (self.is_first and self.start <= choice.at < self.end):
            return False
        if choice.xids:
            if transaction.xid not in choice.xids:
                return False
            self.xids_seen.add(transaction.xid)
        return not choice.thread_ids or self.takes_thread(transaction.thread_id)

    def takes_thread(self, thread_id: int | None) -> bool:
        """Return whether a connection's transactions are chosen; count those whose connection the log does not tell."""
        if thread_id is None:
            self.without_thread += 1
        elif thread_id in self.choice.thread_ids:
            self.threads_seen.add(thread_id)
            return True
        return False

    def remarks(self) -> list[str]:
        """Return a line for each option that no transaction met, and one on transactions of unknown connections."""
        choice = self.choice
        lines = [f"--xid {number}: no such transaction" for number in choice.xids if number not in self.xids_seen]
        if self.without_thread:
            many = counted(self.without_thread, "transaction")
            lines.append(f"--thread-id: the log does not record the connection of {many}; they are left out")
        elif choice.thread_ids:
            unseen = [number for number in choice.thread_ids if number not in self.threads_seen]
            lines += [f"--thread-id {number}: no transaction of this connection" for number in unseen]
        if self.found == 0 and choice.at is not None:
            lines.append(f"--transaction-at {choice.at}: no transaction there")
        elif self.found == 0 and not lines and (choice.min_rows or choice.min_size):
            lines.append("no transaction is that large")
        return lines

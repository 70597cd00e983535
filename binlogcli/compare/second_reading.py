"""The logs of one side read again: only the transactions that differ, in between only statements that define tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from binlogcli.compare.logged_transaction import LoggedTransaction
from binlogcli.compare.transactions import opens
from binlogcli.events.event import Event, Transaction
from binlogcli.events.log import Log
from binlogcli.events.stream import Chooser
from binlogcli.log.context import LogContext
from binlogcli.log.gaps import Damage
from binlogcli.names.verdicts import JUMP, SHOW, SKIP


class _FromPlace(Chooser):
    """Takes the events from an offset on, and jumps to it if the source allows that."""

    def __init__(self) -> None:
        super().__init__()
        self.start = 0
        self.jumps = False

    def verdict(self, event: Event) -> int:
        """Return JUMP or SKIP before the offset, else SHOW."""
        if _place(event) >= self.start:
            return SHOW
        self.target = self.start
        return JUMP if self.jumps else SKIP


def _place(event: Event) -> int:
    return event.start if event.within_at < 0 else event.within_at


class SecondReading:
    """Reads transactions of a side again; fastest in their order. `open_logs` opens the side's logs anew."""

    def __init__(self, open_logs: Callable[[], Iterator[Log]]) -> None:
        self._open_logs = open_logs
        self._logs: Iterator[Log] = iter(())
        self._log: Log | None = None
        self._number = -1
        self._passed = 0  # the end of the last event that was read of the log
        self._chooser = _FromPlace()
        self._ahead: Event | None = None  # the first event of the next transaction

    def events(self, work: LoggedTransaction) -> Iterator[tuple[Event | Damage, LogContext]]:
        """Yield the events of a transaction, and damage in it, each with the context of its log."""
        if not self._find(work):
            return
        transaction: Transaction | None = None
        continued = False  # whether the transaction goes on in a later log
        while self._log is not None:
            event, gap = self._next_event()
            if gap is not None and transaction is not None:
                yield gap, self._log.stream.context
            elif event is not None and event.transaction is not None:
                if event.transaction is not transaction:
                    if transaction is not None or (continued and opens(event)):
                        self._ahead = event
                        return
                    transaction = event.transaction
                self._passed = _place(event) + 1
                yield event, self._log.stream.context
                if self._log.stream.ends_transaction(event):
                    return
            elif event is None and gap is None:  # the log ends within the transaction, or before it
                if transaction is None or not self._next_log(0):
                    return
                transaction, continued = None, True

    def _find(self, work: LoggedTransaction) -> bool:
        """Go to the log of a transaction, and have it read from there; return False if the log cannot be opened."""
        if self._number > work.log or (self._number == work.log and self._passed > work.start):
            self._number = -1
        while self._number < work.log:
            if not self._next_log(work.start):
                return False
        self._chooser.start = work.start
        return True

    def close(self) -> None:
        """Close the log that is open."""
        close = getattr(self._logs, "close", None)
        if close is not None:
            close()

    def _next_log(self, start: int) -> bool:
        """Continue with the next log, or with the first one; return False at the end."""
        if self._number < 0:
            self.close()
            self._logs = self._open_logs()
        if self._log is not None and self._number >= 0 and self._log.stream.follower is not None:
            while not self._log.stream.walk_statements():  # for the definitions that hold in the next log
                if self._log.take_gap() is None:
                    break
        self._log = next(self._logs, None)
        self._number += 1
        self._passed = 0
        self._ahead = None
        if self._log is None:
            return False
        self._chooser = _FromPlace()
        self._chooser.start = start
        self._chooser.jumps = self._log.source.seekable
        self._log.stream.chooser = self._chooser
        return True

    def _next_event(self) -> tuple[Event | None, Damage | None]:
        """Return the next event, or the damage before it; neither at the end of the log."""
        if self._ahead is not None:
            event, self._ahead = self._ahead, None
            if _place(event) >= self._chooser.start:
                return event, None
        while self._log is not None:
            found = self._log.advance()
            if found is not None:
                return found, None
            gap = self._log.take_gap()
            if gap is None:
                break
            if isinstance(gap, Damage):
                return None, gap
        return None, None

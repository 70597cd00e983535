"""The parts of transactions that were taken back by ROLLBACK TO SAVEPOINT: of the log by its plan, of payloads here."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from binlogcli.events.event import Event
from binlogcli.events.mysql import TransactionPayload
from binlogcli.lake.decode.columns.transaction_columns import OUTCOMES
from binlogcli.lake.decode.commit_lookahead import CommitLookahead
from binlogcli.log.context import LogContext
from binlogcli.log.savepoints import Undone

COMMITTED, ROLLED_BACK, UNKNOWN = map(OUTCOMES.index, ("committed", "rolled_back", "unknown"))
_APART = (5, 5, 0)  # since this version, tables without transactions are logged in transactions of their own


class UndoneParts:
    """The parts of a split, and of the payload at hand, that were taken back."""

    def __init__(self, ranges: Sequence[Undone]) -> None:
        self.ranges = ranges
        self.payload: TransactionPayload | None = None  # whose ranges these are:
        self.nested: Sequence[Undone] = ()

    def __bool__(self) -> bool:
        return bool(self.ranges or self.nested)

    def look_into(self, payload: TransactionPayload, context: LogContext, lookahead: CommitLookahead) -> None:
        """Find the parts of a payload."""
        if payload is not self.payload:
            self.payload = payload
            self.nested = lookahead.undone_in(payload, context)

    def outcome_of(self, event: Event, context: LogContext) -> int:
        """Return what became of the changes of an event: COMMITTED where its transaction decides."""
        ranges = self.ranges if event.within_at < 0 else self.nested
        at = bisect_right(ranges, event.start, key=_start_of) - 1
        if at < 0 or event.start >= ranges[at].end:
            return COMMITTED
        version = context.format.version
        return ROLLED_BACK if ranges[at].certain and not (0, 0, 0) < version < _APART else UNKNOWN


def _start_of(undone: Undone) -> int:
    return undone.start

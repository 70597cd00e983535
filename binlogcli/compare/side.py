"""One of the two histories: its logs read in their order, and what it says of GTIDs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from binlogcli.compare.logged_transaction import UNFINISHED, LoggedTransaction
from binlogcli.compare.transactions import TransactionReader
from binlogcli.errors import BinlogError
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.mariadb import GtidList
from binlogcli.events.mysql import PreviousGtids
from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.text import GtidSet, Source, is_mariadb
from binlogcli.log.gaps import Damage
from binlogcli.select.by_name import NameChoice

_RANGES = 1 << 16  # of a source's numbers; beyond that the sets are approximate


class Side:
    """A history that is read once, from its first log to its last. `paths` are the logs that could be opened."""

    def __init__(
        self,
        logs: Iterator[Log],
        names: NameChoice | None,
        tell: Callable[[str, Damage], object],
        fail: Callable[[BinlogError, str], object],
    ) -> None:
        self.paths: list[str] = []
        self.gtids: GtidSet = {}  # of its transactions
        self._logs = logs
        self._fail = fail
        self._log: Log | None = None
        self._reader = TransactionReader(names, tell)
        self._before: GtidSet | None = None
        self._held: LoggedTransaction | None = None  # read, but not given out yet
        self._source: Source | None = None  # of the last transaction, and its numbers
        self._numbers = Intervals()

    @property
    def damages(self) -> int:
        """The damaged stretches so far."""
        return self._reader.gaps

    def next(self) -> LoggedTransaction | None:
        """Return the next transaction, None after the last; one that is begun again is given out once.

        A relay log has a transaction twice, first without its end, if the connection broke.
        """
        work, self._held = self._held, None
        if work is None:
            work = self._read()
        while work is not None and work.outcome == UNFINISHED and work.source is not None:
            after = self._read()
            if after is None or after.source != work.source or after.number != work.number:
                self._held = after
                break
            after.place = work.place
            work = after
        if work is not None and work.source is not None:
            if work.source != self._source:
                self._source = work.source
                self._numbers = self.gtids.setdefault(work.source, Intervals(_RANGES))
            self._numbers.add(work.number)
        return work

    def _read(self) -> LoggedTransaction | None:
        """Return the next transaction as it is in the logs."""
        while True:
            if self._log is None:
                self._log = next(self._logs, None)
                if self._log is None:
                    return self._reader.finish()
                self.paths.append(self._log.path)
                self._reader.begin_log(self._log)
            work = self._next_of(self._log)
            if work is not None:
                return work
            self._log = None

    def _next_of(self, log: Log) -> LoggedTransaction | None:
        """Return the next transaction of a log; None at its end, or where it cannot be read any further."""
        try:
            return self._reader.advance()
        except BinlogError as error:
            self._fail(error, log.path)
            return None

    def before_first_log(self) -> GtidSet:
        """Return the GTIDs that the first log says were logged before it."""
        if self._before is None:
            self._before = _set_of(self._reader.before)
        return self._before

    def was_before(self, work: LoggedTransaction) -> bool:
        """Whether the first log says that a transaction was logged before it."""
        if work.source is None or not self._reader.before:
            return False
        numbers = self.before_first_log().get(work.source)
        return numbers is not None and numbers.contains(work.number)

    def knows(self, source: Source) -> bool:
        """Whether the side has ever seen a transaction of a source: of a MariaDB domain and server, or a MySQL UUID."""
        if is_mariadb(source):
            return source in self.gtids or source in self.before_first_log()
        known = {one[0] for one in (*self.gtids, *self.before_first_log())}
        return source[0] in known

    def last_of(self, source: Source) -> int:
        """Return the largest number that the side has: of a source, in MariaDB of its domain; -1 without one."""
        sets = (self.gtids, self.before_first_log())
        return max(
            (
                numbers.ends[-1]
                for known in sets
                for one, numbers in known.items()
                if numbers.ends and (one == source or (is_mariadb(source) and one[0] == source[0]))
            ),
            default=-1,
        )


def _gtid(work: LoggedTransaction) -> tuple[object, int]:
    return work.source, work.number


def _set_of(events: list[Event]) -> GtidSet:
    """Return the GTIDs that events name as those before their log."""
    found: GtidSet = {}
    for event in events:
        if isinstance(event, PreviousGtids):
            for source, pairs in event.gtid_set.entries:
                numbers = found.setdefault(source, Intervals())
                for first, last in pairs:
                    if first <= last:
                        numbers.add_all(first, last)
        elif isinstance(event, GtidList):  # the last number of each domain and server: those up to it were before
            for domain, server, number in event.list:
                found.setdefault((domain, server), Intervals()).add_all(0, number)
    return found

"""The transactions of rows and events in columns of their own: once, however many rows share one."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Transaction
from binlogcli.events.transactions import xa_text
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer

DASH = 45  # b"-"
COMMITTED, ROLLED_BACK, PREPARED, UNKNOWN = range(4)  # what became of changes
OUTCOMES = ("committed", "rolled_back", "xa_prepared", "unknown")


class TrackedTransaction:
    """A transaction with what is known of its beginning and end; made by `CurrentTransaction`."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self.commit = -1  # microseconds since 1970
        self.begun = -1  # microseconds of its first statement, where the log has them
        self.over = False  # the end was met or looked up
        self.undone = COMMITTED  # what became of the changes at hand: ROLLED_BACK, UNKNOWN after ROLLBACK TO SAVEPOINT
        self.xid: int | None = None  # where the end was looked up, as the next two
        self.outcome = ""
        self.prepared: tuple[int, bytes, bytes] | None = None


class TransactionColumns:
    """Transactions in their order. A GTID is added at once; what its end tells by `close` or the next transaction.

    A transaction of which a part was taken back has an entry for each of its parts.
    """

    def __init__(self) -> None:
        self.count = 0
        self.closed = 0
        self.last: TrackedTransaction = None  # type: ignore[assignment] # outside of any transaction
        self.undone = COMMITTED  # of the last entry
        self.out = TextBuffer()
        self.gtids = ColumnBuffer(0)
        self.xids = ColumnBuffer(8)
        self.commits = ColumnBuffer(8)
        self.outcomes = ColumnBuffer(4)
        self.xas = ColumnBuffer(0)  # of what is prepared

    def number(self, tracked: TrackedTransaction) -> int:
        """Return the number of a transaction, or of the part of it at hand; one that is not the last is added."""
        if tracked is not self.last or self.count == 0 or (tracked is not None and tracked.undone != self.undone):
            self.close()
            self.last = tracked
            self.undone = COMMITTED if tracked is None else tracked.undone
            self.count += 1
            if tracked is None:
                self.gtids.put_null()
            else:
                self.put_gtid(tracked.transaction)
        return self.count - 1

    def used(self) -> int:
        """Return the bytes that they take."""
        return self.gtids.size + 24 * self.count

    def close(self) -> None:
        """Add the end of the last transaction, as far as it is known."""
        if self.closed == self.count:
            return
        tracked = self.last
        if tracked is not None:
            xid = tracked.transaction.xid if tracked.xid is None else tracked.xid
            if xid is not None:
                self.xids.pad(self.closed)
                self.xids.put(xid)
            if tracked.commit >= 0:
                self.commits.pad(self.closed)
                self.commits.put(tracked.commit)
            self._close_outcome(tracked)
        self.closed = self.count

    def _close_outcome(self, tracked: TrackedTransaction) -> None:
        """Add what became of the last transaction; NULL where the log does not have its end."""
        outcome = tracked.outcome or tracked.transaction.outcome
        prepared = tracked.prepared or tracked.transaction.prepared
        code = self.undone
        if code != COMMITTED:
            pass
        elif not outcome:
            return
        elif prepared is not None:
            code = PREPARED
            self.xas.pad(self.closed)
            self.xas.append(xa_text(*prepared).encode())
        elif outcome != "COMMIT":
            code = ROLLED_BACK
        self.outcomes.pad(self.closed)
        self.outcomes.put(code)

    def put_gtid(self, transaction: Transaction) -> None:
        """Add the GTID as the server writes it."""
        out = self.out
        out.clear()
        if transaction.mariadb_gtid:
            out.put_uint(transaction.domain_id)
            out.put_char(DASH)
            out.put_uint(transaction.server_id)
            out.put_char(DASH)
            out.put_uint(transaction.seq_no)
            self.gtids.append_out(out)
        elif transaction.sid is None:
            self.gtids.put_null()
        else:
            self.gtids.append((transaction.gtid or "").encode("utf-8", "replace"))

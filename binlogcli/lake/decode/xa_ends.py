"""XA COMMIT and XA ROLLBACK, which may be logs later than the transaction that they end: a data set of their own.

The rows of a transaction are `xa_prepared` and have its `_xa`. What became of it is the row of the data set with that
`_xa` and the next higher `_seq`: an identifier may be used again once its transaction is over.
"""

from __future__ import annotations

from binlogcli.events.statements import Query
from binlogcli.events.transactions import ended_xa

XA_COLUMNS = (
    ("_xa", "string"),
    ("_outcome", "label"),
    ("_ts", "timestamp[us,UTC]"),
    ("_gtid", "string"),
    ("_server_id", "int64"),
    ("_file", "label"),
    ("_pos", "int64"),
    ("_seq", "decimal(38,0)"),
)
_FULL = 1 << 16  # rows of a batch


class XaEnds:
    """The ends of XA transactions that a split has, until they are handed out; also what is handed out."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, int, str | None, int, int, int]] = []  # without `_file`; `_seq` within the log

    @property
    def is_full(self) -> bool:
        """Whether it is to be handed out."""
        return len(self.rows) >= _FULL

    def see(self, event: Query, time: int, place: int, sequence: int) -> None:
        """Take a statement that may be the end of an XA transaction; `time` in microseconds."""
        found = ended_xa(event.query)
        if found is None or event.error_code:
            return
        outcome = "committed" if found[1] else "rolled_back"
        gtid = None if event.transaction is None else event.transaction.gtid
        self.rows.append((found[0], outcome, time, gtid, event.server_id, place, sequence))

"""XA COMMIT and XA ROLLBACK, which may be logs later than the transaction that they end: a data set of their own.

The rows of a transaction are `xa_prepared` and have its `_xa`. What became of it is the row of the data set with that
`_xa` and the next higher `_seq`: an identifier may be used again once its transaction is over.
"""

from __future__ import annotations

import re

from binlogcli.events.statements import Query
from binlogcli.events.transactions import xid_text

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
_ENDING = re.compile(
    rb"\s*xa\s+(commit|rollback)\s+(?:x'((?:[0-9a-f]{2})*)'|0x((?:[0-9a-f]{2})+))\s*,\s*(?:x'((?:[0-9a-f]{2})*)'|0x((?:[0-9a-f]{2})+))"
    rb"\s*,\s*([0-9]+)\s*\Z",
    re.IGNORECASE,
)


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
        found = _ENDING.match(event.query)
        if found is None or event.error_code:
            return
        outcome = "committed" if found[1].lower() == b"commit" else "rolled_back"
        gtrid = bytes.fromhex((found[2] or found[3] or b"").decode())
        bqual = bytes.fromhex((found[4] or found[5] or b"").decode())
        gtid = None if event.transaction is None else event.transaction.gtid
        self.rows.append((xa_text(int(found[6]), gtrid, bqual), outcome, time, gtid, event.server_id, place, sequence))


def xa_text(format_id: int, gtrid: bytes, bqual: bytes) -> str:
    """Return an identifier as text that is equal for what XA PREPARE (signed) and XA COMMIT (unsigned) have of it."""
    return xid_text(format_id & 0xFFFFFFFF, gtrid, bqual)

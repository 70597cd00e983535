"""The transaction that each event is part of, and the statement that row events belong to.

A transaction opens with a GTID, or with the first event after the end of the one before it. It ends with XID, XA
PREPARE, or a statement: COMMIT, ROLLBACK and their XA forms, or any statement outside of BEGIN. The event that ends it
is still part of it. `log.boundaries` has the types and words that decide this.
"""

from __future__ import annotations

import re

from binlogcli.events.event import Event, Transaction
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.mysql import MysqlGtid
from binlogcli.events.statements import Query, StatementText, XaPrepare, Xid
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import OPENING_TYPES, OUTSIDE_TYPES, role_of
from binlogcli.log.roles import BEGIN, COMMIT, OPENS_GROUP, ROLLBACK, ROLLBACK_TO, SAVEPOINT
from binlogcli.names.event_types import ANONYMOUS_GTID_LOG_EVENT, TABLE_MAP_EVENT

_XA_END = re.compile(
    rb"\s*xa\s+(commit|rollback)\s+(?:x'((?:[0-9a-f]{2})*)'|0x((?:[0-9a-f]{2})+))\s*,\s*(?:x'((?:[0-9a-f]{2})*)'|0x((?:[0-9a-f]{2})+))"
    rb"\s*,\s*([0-9]+)\s*\Z",
    re.IGNORECASE,
)


class TransactionTracker:
    """Sets the transaction of each event of a stream, and the statement of row events."""

    def __init__(self) -> None:
        self.current: Transaction = None  # type: ignore[assignment] # only between transactions
        self.begun = False
        self.ending = False
        self.statement: StatementText | None = None
        self.outside = OUTSIDE_TYPES
        self.opening = OPENING_TYPES

    def see(self, event: Event) -> None:
        """Take the next event in the order of the log, and set its transaction, if it is part of one."""
        if self.ending:
            self.current = None  # type: ignore[assignment] # until the next event
            self.statement = None
            self.ending = False
        code = event.type_code
        if self.outside[code]:
            return
        if self.current is None and not self.opening[code]:
            self._open()
        if code == TABLE_MAP_EVENT:
            event.transaction = self.current
        elif isinstance(event, Rows):
            event.transaction = self.current
            self._see_rows(event)
        else:
            self._see_other(event)

    def _see_other(self, event: Event) -> None:
        """Take an event other than ROWS and TABLE_MAP."""
        if isinstance(event, Query):
            self._see_query(event)
        elif isinstance(event, Xid):
            self._see_xid(event)
        elif isinstance(event, MariadbGtid):
            self._see_mariadb_gtid(event)
        elif isinstance(event, StatementText):
            self.statement = event
        elif isinstance(event, MysqlGtid):
            self._see_mysql_gtid(event)
        elif isinstance(event, XaPrepare):
            if not event.one_phase:
                self.current.prepared = (event.format_id, event.gtrid, event.bqual)
            self._end("COMMIT")
        event.transaction = self.current

    def _see_xid(self, event: Xid) -> None:
        """Take the commit, and its number."""
        self.current.xid = event.xid
        self._end("COMMIT")

    def _see_mariadb_gtid(self, event: MariadbGtid) -> None:
        """Open the group of a GTID: a transaction, or a single statement."""
        self._open()
        current = self.current
        current.mariadb_gtid = True
        current.domain_id = event.domain_id
        current.server_id = event.server_id
        current.seq_no = event.seq_no
        current.xa = event.xid
        current.standalone = event.standalone
        self.begun = not current.standalone
        if event.thread_id != 0:
            current.thread_id = event.thread_id

    def _see_mysql_gtid(self, event: MysqlGtid) -> None:
        """Open the transaction of a GTID, or of the anonymous GTID event in its place."""
        self._open()
        if event.type_code != ANONYMOUS_GTID_LOG_EVENT:
            current = self.current
            current.sid = event.sid
            current.tag = event.tag
            current.gno = event.gno

    def _see_rows(self, event: Rows) -> None:
        """Set the statement of rows to the last text, until its last rows."""
        event.statement = self.statement
        if event.ends_statement:
            self.statement = None

    def _open(self) -> None:
        """Open a transaction, even if the one before it has no end."""
        self.current = Transaction()
        self.begun = False
        self.statement = None

    def _end(self, outcome: str) -> None:
        """Make the current event the last one of its transaction, with COMMIT or ROLLBACK as the outcome."""
        self.current.outcome = outcome
        self.ending = True

    def _see_query(self, event: Query) -> None:
        """Take a statement: it begins a transaction, ends it, is part of it, or is all of it."""
        current = self.current
        if current.thread_id is None:
            current.thread_id = event.thread_id
        if event.status.ddl_xid is not None:
            current.xid = event.status.ddl_xid
        elif event.status.xid is not None:
            current.xid = event.status.xid
        self._see_words(event.query)

    def _see_words(self, query: bytes) -> None:
        """Begin or end the transaction by the statement's words; one outside of BEGIN and COMMIT is all of it."""
        role = role_of(query, 0, len(query))
        if role >= COMMIT:
            self._end("ROLLBACK" if role >= ROLLBACK else "COMMIT")
        elif role >= BEGIN:
            self.begun = True
        elif not self.begun and role != SAVEPOINT and role != ROLLBACK_TO:
            self.begun = role == OPENS_GROUP
            if not self.begun:
                self._end("COMMIT")


def xid_text(format_id: int, gtrid: bytes, bqual: bytes) -> str:
    """Return X'gtrid',X'bqual',format_id with lower-case hex digits, as XA RECOVER and the servers' tools print it."""
    return f"X'{gtrid.hex()}',X'{bqual.hex()}',{format_id}"


def xa_text(format_id: int, gtrid: bytes, bqual: bytes) -> str:
    """Return an identifier as text that is equal for what XA PREPARE (signed) and XA COMMIT (unsigned) have of it."""
    return xid_text(format_id & 0xFFFFFFFF, gtrid, bqual)


def ended_xa(statement: bytes) -> tuple[str, bool] | None:
    """Return which XA transaction a statement ends, as `xa_text`, and whether it commits; None for other statements."""
    found = _XA_END.match(statement)
    if found is None:
        return None
    gtrid = bytes.fromhex((found[2] or found[3] or b"").decode())
    bqual = bytes.fromhex((found[4] or found[5] or b"").decode())
    return xa_text(int(found[6]), gtrid, bqual), found[1].lower() == b"commit"

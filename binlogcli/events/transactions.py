"""Which transaction an event is part of: begun by a GTID or BEGIN, ended by XID, COMMIT, XA PREPARE or a statement."""

from __future__ import annotations

from binlogcli.events.event import Event
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.mysql import MysqlGtid
from binlogcli.events.statements import Query, StatementText, XaPrepare, Xid
from binlogcli.events.tables import Rows

OUTSIDE = frozenset({1, 3, 4, 15, 26, 27, 35, 41, 161, 163, 164})  # types that belong to no transaction
FL_STANDALONE = 1
OPENING_TYPES = (33, 34, 42, 162)
OUTSIDE_TYPES = bytes(code in OUTSIDE for code in range(256))
ENDINGS = (b"COMMIT", b"ROLLBACK", b"XA COMMIT", b"XA ROLLBACK")
ROLLBACKS = (b"ROLLBACK", b"XA ROLLBACK")
BEGINNINGS = (b"BEGIN", b"START TRANSACTION", b"XA START", b"XA BEGIN")


class Transaction:
    """What is known of a transaction at one of its events; `xid` comes with its end."""

    def __init__(self, opener: MariadbGtid | MysqlGtid | None) -> None:
        self.opener = opener
        self.xid: int | None = None
        self.thread_id: int | None = None
        self.changed = True  # since its text was made last
        self.outcome = ""  # COMMIT or ROLLBACK from its last event on

    @property
    def gtid(self) -> str | None:
        """The GTID as the server writes it, where there is one."""
        return None if self.opener is None else self.opener.gtid


class TransactionTracker:
    """Gives each event the transaction it is part of, and row events their statement's text."""

    def __init__(self) -> None:
        self.current: Transaction = None  # type: ignore[assignment] # only between transactions
        self.begun = False
        self.ending = False
        self.statement: StatementText | None = None
        self.outside = OUTSIDE_TYPES

    def see(self, event: Event) -> None:
        """The next event in the order of the log."""
        if self.ending:
            self.current = None  # type: ignore[assignment] # until the next event
            self.statement = None
            self.ending = False
        code = event.type_code
        if self.outside[code]:
            return
        if self.current is None and code not in OPENING_TYPES:
            self.current = Transaction(None)
            self.begun = False
        if code == 19:
            event.transaction = self.current
        elif isinstance(event, Rows):
            event.transaction = self.current
            self.see_rows(event)
        else:
            self.see_other(event)

    def see_other(self, event: Event) -> None:
        """Not a row and not a table map."""
        if isinstance(event, MariadbGtid):
            self.open(event)
            self.begun = event.flags2 & FL_STANDALONE == 0
            if event.thread_id != 0:
                self.current.thread_id = event.thread_id
        elif isinstance(event, MysqlGtid):
            self.open(event)
        elif isinstance(event, Xid):
            self.current.xid = event.xid
            self.current.changed = True
            self.end("COMMIT")
        elif isinstance(event, XaPrepare):
            self.end("COMMIT")
        elif isinstance(event, StatementText):
            self.statement = event
        elif isinstance(event, Query):
            self.see_query(event)
        event.transaction = self.current

    def see_rows(self, event: Rows) -> None:
        """Rows: they belong to the statement whose text came last."""
        event.statement = self.statement
        if event.ends_statement:
            self.statement = None

    def open(self, opener: MariadbGtid | MysqlGtid) -> None:
        """A GTID event opens a transaction, whatever became of the one before."""
        self.current = Transaction(opener)
        self.begun = False
        self.statement = None

    def end(self, outcome: str) -> None:
        """This event is the transaction's last one."""
        self.current.outcome = outcome
        self.ending = True

    def see_query(self, event: Query) -> None:
        """A statement: it begins the transaction, ends it, is in it, or is all of it."""
        current = self.current
        if current.thread_id is None:
            current.thread_id = event.thread_id
            current.changed = True
        if event.status.ddl_xid is not None:
            current.xid = event.status.ddl_xid
        elif event.status.xid is not None:
            current.xid = event.status.xid
        current.changed = current.changed or current.xid is not None
        words = event.query[:16].upper()
        if words.startswith(BEGINNINGS):
            self.begun = True
        elif words.startswith(ENDINGS) and not words.startswith(b"ROLLBACK TO"):
            self.end("ROLLBACK" if words.startswith(ROLLBACKS) else "COMMIT")
        elif not self.begun and not words.startswith((b"SAVEPOINT", b"ROLLBACK TO")):
            self.begun = event.query.endswith(b"START TRANSACTION")  # CREATE TABLE ... SELECT of MySQL 8.0.21
            if not self.begun:
                self.end("COMMIT")

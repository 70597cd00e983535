"""Which transaction an event is part of: begun by a GTID or BEGIN, ended by XID, COMMIT, XA PREPARE or a statement."""

from __future__ import annotations

from binlogcli.events.event import Event, Transaction
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.mysql import MysqlGtid
from binlogcli.events.statements import Query, StatementText, XaPrepare, Xid
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import OPENING_TYPES, OUTSIDE_TYPES, role_of
from binlogcli.log.roles import BEGIN, COMMIT, OPENS_GROUP, ROLLBACK, ROLLBACK_TO, SAVEPOINT
from binlogcli.names.event_types import ANONYMOUS_GTID_LOG_EVENT, TABLE_MAP_EVENT


class TransactionTracker:
    """Gives each event the transaction it is part of, and row events their statement's text."""

    def __init__(self) -> None:
        self.current: Transaction = None  # type: ignore[assignment] # only between transactions
        self.begun = False
        self.ending = False
        self.statement: StatementText | None = None
        self.outside = OUTSIDE_TYPES
        self.opening = OPENING_TYPES

    def see(self, event: Event) -> None:
        """The next event in the order of the log."""
        if self.ending:
            self.current = None  # type: ignore[assignment] # until the next event
            self.statement = None
            self.ending = False
        code = event.type_code
        if self.outside[code]:
            return
        if self.current is None and not self.opening[code]:
            self.open()
        if code == TABLE_MAP_EVENT:
            event.transaction = self.current
        elif isinstance(event, Rows):
            event.transaction = self.current
            self.see_rows(event)
        else:
            self.see_other(event)

    def see_other(self, event: Event) -> None:
        """Not a row and not a table map."""
        if isinstance(event, Query):
            self.see_query(event)
        elif isinstance(event, Xid):
            self.see_xid(event)
        elif isinstance(event, MariadbGtid):
            self.see_mariadb_gtid(event)
        elif isinstance(event, StatementText):
            self.statement = event
        elif isinstance(event, MysqlGtid):
            self.see_mysql_gtid(event)
        elif isinstance(event, XaPrepare):
            self.end("COMMIT")
        event.transaction = self.current

    def see_xid(self, event: Xid) -> None:
        """COMMIT."""
        self.current.xid = event.xid
        self.end("COMMIT")

    def see_mariadb_gtid(self, event: MariadbGtid) -> None:
        """A GTID says whether its group is a transaction or one statement."""
        self.open()
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

    def see_mysql_gtid(self, event: MysqlGtid) -> None:
        """A GTID, or what stands in its place where there is none."""
        self.open()
        if event.type_code != ANONYMOUS_GTID_LOG_EVENT:
            current = self.current
            current.sid = event.sid
            current.tag = event.tag
            current.gno = event.gno

    def see_rows(self, event: Rows) -> None:
        """Rows: they belong to the statement whose text came last."""
        event.statement = self.statement
        if event.ends_statement:
            self.statement = None

    def open(self) -> None:
        """A transaction opens, whatever became of the one before."""
        self.current = Transaction()
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
        if event.status.ddl_xid is not None:
            current.xid = event.status.ddl_xid
        elif event.status.xid is not None:
            current.xid = event.status.xid
        self.see_words(event.query)

    def see_words(self, query: bytes) -> None:
        """Follow what the statement's words say; one outside of BEGIN and COMMIT is a transaction by itself."""
        role = role_of(query, 0, len(query))
        if role >= COMMIT:
            self.end("ROLLBACK" if role >= ROLLBACK else "COMMIT")
        elif role >= BEGIN:
            self.begun = True
        elif not self.begun and role != SAVEPOINT and role != ROLLBACK_TO:
            self.begun = role == OPENS_GROUP
            if not self.begun:
                self.end("COMMIT")

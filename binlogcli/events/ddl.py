"""The statements of a log that may change a definition, and the sessions that they ran in, for the catalog."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from binlogcli.events.control import FormatDescription, StartV3
from binlogcli.events.event import Event
from binlogcli.events.mariadb import GtidList
from binlogcli.events.mysql import PreviousGtids
from binlogcli.events.statements import Query
from binlogcli.log.boundaries import may_define
from binlogcli.log.context import LogContext
from binlogcli.log.format import version_numbers
from binlogcli.log.gaps import Damage
from binlogcli.names import event_types
from binlogcli.names.event_types import type_table

if TYPE_CHECKING:
    from binlogcli.schema.catalog import Catalog
    from binlogcli.schema.logged_statement import LoggedStatement, Session
    from binlogcli.schema.sql.charsets import Collations

_STATEMENTS = frozenset((event_types.QUERY_EVENT, event_types.QUERY_COMPRESSED_EVENT))
_STATEMENTS_OR_PAYLOADS = type_table(_STATEMENTS | {event_types.TRANSACTION_PAYLOAD_EVENT})
_HEAD = event_types.FORMAT_EVENTS | {event_types.GTID_LIST_EVENT, event_types.PREVIOUS_GTIDS_LOG_EVENT}
FOLLOWED = type_table(_STATEMENTS | _HEAD)
WALKED = type_table(_STATEMENTS | _HEAD | event_types.GTID_EVENTS)

_ANSI_QUOTES = 1 << 2  # of sql_mode, in both families
_NO_BACKSLASH_ESCAPES = 1 << 20
UNFINISHED_ALTER = 2 | 8  # of gtid_flags_extra: FL_START_ALTER_E1, FL_ROLLBACK_ALTER_E1
_MARIADB_WITH_DDL_XID = (10, 6, 0)  # from here on a statement that did something has Q_XID
_THREAD_SPECIFIC = 4  # header flag: the statement has used a temporary table, or might have replaced one
_UTF8MB4_GENERAL_CI = 45  # the default before MySQL 8.0, whose statements tell theirs


class DdlFollower:
    """Passes on to a catalog what one log tells of definitions, in the order of its events."""

    def __init__(self, catalog: Catalog, file: str) -> None:
        self.catalog = catalog
        self.file = file
        self._history_is_empty = False
        catalog.begin_log(file)

    def see(self, event: Event, context: LogContext) -> Collection[str]:
        """Take in an event of a type in `FOLLOWED`; return the tables that may have changed (lower case)."""
        if isinstance(event, Query):
            statement = self.statement_of(event, context)
            return self.catalog.take(statement) if statement is not None else ()
        if isinstance(event, FormatDescription | StartV3):
            self.catalog.begin_server(event.server_id, restarted=event.created != 0)
        elif isinstance(event, GtidList):
            self._history_is_empty = event.count == 0
        elif isinstance(event, PreviousGtids):
            self._history_is_empty = str(event.gtid_set) == ""
        return ()

    def lose(self, damage: Damage, event: Event | None, context: LogContext) -> Collection[str]:
        """Take in that a stretch of the log is damaged, which is this event; None where that is not known.

        Returns the tables (lower case) of which less is known by that.
        """
        if not self.may_lose(event):
            return ()
        where = f"{self.file} is damaged at {damage.start}"
        unknown = self.catalog.lose(where)
        statement = self.damaged_statement(event, context)
        if statement is None:
            return unknown
        return {*unknown, *(table.lower() for _, table in self.catalog.lose_statement(where, statement))}

    def may_lose(self, event: Event | None) -> bool:
        """Whether a damaged event, None for one that is not known, may hold statements, which are missing then."""
        if event is not None and not _STATEMENTS_OR_PAYLOADS[event.type_code]:
            return False
        self._history_is_empty = False
        return True

    def damaged_statement(self, event: Event | None, context: LogContext) -> LoggedStatement | None:
        """Return the statement in a damaged event, as one that has failed; None where it defines nothing."""
        if not isinstance(event, Query) or not may_define(event.query, 0, len(event.query)):
            return None
        statement = logged_statement(event, context, self.file)
        return statement._replace(session=replace(statement.session, failed=True), damaged=True)

    def statement_of(self, event: Query, context: LogContext) -> LoggedStatement | None:
        """Return the statement for the catalog; None for one that has no effect."""
        if (event.status.gtid_flags_extra or 0) & UNFINISHED_ALTER:
            return None  # MariaDB's two-phase ALTER counts when it is committed
        if self._history_is_empty:
            if context.mariadb or (event.transaction is not None and event.transaction.gtid):
                self.catalog.begin_history()
            self._history_is_empty = False
        return logged_statement(event, context, self.file)


def logged_statement(event: Query, context: LogContext, file: str) -> LoggedStatement:
    """Return a statement with its session and its place."""
    from binlogcli.schema.logged_statement import LoggedStatement, Place

    status = event.status
    session = _session(
        event.db,
        event.server_id << 32 | event.thread_id,  # a replica's log has the threads of several servers
        context.mariadb,
        context.format.server_version,
        status.sql_mode or 0,
        status.collation_server,
        tuple(status.character_set_collations or ()) if context.mariadb else status.default_collation_for_utf8mb4,
        event.error_code != 0,
        status.ddl_xid is not None,
        status.xid is not None,
        _copies_temporary(event),
    )
    text = event.text
    gtid = event.transaction.gtid if event.transaction is not None else None
    position = event.start if event.within_at < 0 else event.within_at
    return LoggedStatement(event.query if text is None else text, session, Place(file, position, event.timestamp, gtid))


@lru_cache(maxsize=64)
def _session(
    database: str,
    thread: int,
    mariadb: bool,
    server_version: str,
    mode: int,
    collation_server: int | None,
    collations: tuple[tuple[int, int], ...] | int | None,
    failed: bool,
    ddl_xid: bool,
    xid: bool,
    copies_temporary: bool,
) -> Session:
    """Return what a statement was executed under; made once for the statements of a session, which saves 13 us each."""
    from binlogcli.schema.logged_statement import Session
    from binlogcli.schema.sql.tokens import Dialect

    version = version_numbers(server_version)
    dialect = Dialect(
        mariadb,
        version[0] * 10000 + version[1] * 100 + version[2],
        ansi_quotes=mode & _ANSI_QUOTES != 0,
        no_backslash_escapes=mode & _NO_BACKSLASH_ESCAPES != 0,
    )
    known = _collations(collations)
    effective = ddl_xid or (xid and version >= _MARIADB_WITH_DDL_XID)
    charset = known.of_number(collation_server)
    return Session(database, thread, dialect, known, charset, failed, effective, copies_temporary)


def _copies_temporary(event: Query) -> bool:
    """Whether a CREATE TABLE, not TEMPORARY, is what the server wrote for LIKE a temporary table.

    It has the server's lines and has used a temporary table, but no rows: those of CREATE TABLE ... SELECT are one
    transaction with it. A replica creates what the lines say, and the flag is not in its log.
    """
    if not event.flags & _THREAD_SPECIFIC or b" (\n  " not in event.query or b"\n)" not in event.query:
        return False
    transaction = event.transaction
    if transaction is not None and transaction.mariadb_gtid:
        return transaction.standalone
    return not event.query.endswith(b"START TRANSACTION")


def _collations(chosen: tuple[tuple[int, int], ...] | int | None) -> Collations:
    """Return the default collations of character sets in a session: MariaDB's pairs, or MySQL's one for utf8mb4."""
    from binlogcli.schema.sql.charsets import Collations

    if not isinstance(chosen, tuple):
        return Collations(False, {"utf8mb4": chosen or _UTF8MB4_GENERAL_CI})
    known = Collations(True)
    return Collations(True, {known.of_number(default).name: number for default, number in chosen})

"""Finds the statements of a split that empty, drop or rename tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from binlogcli.events.ddl import UNFINISHED_ALTER, logged_statement
from binlogcli.events.statements import Query
from binlogcli.lake.table_marks import TableMark
from binlogcli.lake.tables.types import readable
from binlogcli.log.context import LogContext

if TYPE_CHECKING:
    from binlogcli.schema.removals import TableChange

_REPLACING = re.compile(rb"\bor\s+replace\b", re.IGNORECASE)
_HEAD = 256  # bytes of a statement in which these words stand


def marks_of(event: Query, context: LogContext, sequence: int, time: int) -> list[TableMark | str]:
    """Return what a statement does to whole tables; as a text what rows cannot tell. `time` is in microseconds."""
    from binlogcli.schema.removals import DROP, RENAME, TRUNCATE, changed_tables  # rarely needed

    if (event.status.gtid_flags_extra or 0) & UNFINISHED_ALTER:
        return []
    if event.query[:6].lower() == b"create" and not _REPLACING.search(event.query[:_HEAD]):
        return []
    statement = logged_statement(event, context, "")
    found: list[TableMark | str] = []
    for number, change in enumerate(changed_tables(statement)):
        if change.kind in (TRUNCATE, DROP, RENAME):
            found.append(_mark_of(change, event, sequence + number, time))
        else:
            name = ".".join(map(readable, change.name))
            text = f"the log does not contain the rows that {change.kind.upper()} adds to or removes from table {name}"
            found.append(f"at {event.start}: {text}")
    return found


def _mark_of(change: TableChange, event: Query, sequence: int, time: int) -> TableMark:
    """Return a change as the lake keeps it; its file is not set yet, and its `_seq` is that within the log."""
    transaction = event.transaction
    xid = None if transaction is None else transaction.xid
    return TableMark(
        change.kind,
        readable(change.name[0]),
        readable(change.name[1]),
        () if change.new is None else tuple(map(readable, change.new)),
        sequence,
        time,
        event.timestamp * 1_000_000,
        None if transaction is None else transaction.gtid,
        xid if xid is not None and xid < 1 << 63 else None,
        event.server_id,
        event.thread_id,
        "",
        event.start if event.within_at < 0 else event.within_at,
    )

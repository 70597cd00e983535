"""MariaDB's words for events of which logs have few."""

from __future__ import annotations

from binlogcli.events.control import FormatDescription, StartEncryption, StartV3
from binlogcli.events.event import Event
from binlogcli.events.statements import Query, Rand, UserVar, XaPrepare
from binlogcli.names.event_types import (
    BINLOG_CHECKPOINT_EVENT,
    EVENT_TYPES,
    FORMAT_DESCRIPTION_EVENT,
    GTID_LIST_EVENT,
    RAND_EVENT,
    START_ENCRYPTION_EVENT,
    START_EVENT_V3,
    USER_VAR_EVENT,
    XA_PREPARE_LOG_EVENT,
)
from binlogcli.render.mysqlbinlog.events import control, statements
from binlogcli.render.mysqlbinlog.events.control import DELIMITER
from binlogcli.render.mysqlbinlog.events.shared import (
    COMMON,
    Printer,
    long_form,
    put_start,
    put_start_statements,
)
from binlogcli.render.mysqlbinlog.text import EventText

IGNORABLE = 0x80
START_OR_ROLLBACK = 2 | 8  # of a two-phase ALTER


def put_unknown(text: EventText, event: Event) -> None:
    """A type that the tool does not know."""
    if text.short_form:
        return
    out = text.out
    text.put_header(out, event)
    if event.flags & IGNORABLE:
        out.put(b"\tIgnorable\n# Ignorable event type %d (%s)\n" % (event.type_code, tool_name(event.type_code)))
    else:
        out.put(b"\n# Unknown event\n")


def tool_name(code: int) -> bytes:
    """An event type as MariaDB's own functions name it: Start_encryption."""
    name = EVENT_TYPES.get(code, "Unknown")
    return name.removesuffix("_EVENT").removesuffix("_LOG").capitalize().encode("ascii")


def put_format(text: EventText, event: FormatDescription | StartV3) -> None:
    """How the log is laid out; clients need it before any BINLOG statement."""
    text.session.meet_server(event.format.version)
    put_start(text, event)
    put_start_statements(text, event)


def put_alter(text: EventText, event: Query, extra: int) -> None:
    """A part of a two-phase ALTER: only as an event can it be run."""
    out = text.out
    wrapped = extra & START_OR_ROLLBACK != 0
    if text.encoded:
        out.put(b"/*!100600 BINLOG '\n" if wrapped else b"BINLOG '\n")
        text.put_encoded(out, event)
        out.put(b"' */" + DELIMITER if wrapped else b"'" + DELIMITER)
    if text.verbose > 0 and not text.short_form:
        out.put(b"### " + event.query + b"\n")


def put_xa_prepare(text: EventText, event: XaPrepare) -> None:
    """XA PREPARE."""
    out = text.out
    xid = statements.xid_text(event.format_id, event.gtrid, event.bqual)
    if not text.short_form:
        text.put_header(out, event)
        out.put(b"\tXID = " + xid + b"\n")
    out.put(b"XA PREPARE " + xid + b"\n" + DELIMITER)


def put_user_var(text: EventText, event: UserVar) -> None:
    """A user variable."""
    if not text.short_form:
        text.put_header(text.out, event)
        text.out.put(b"\tUser_var\n")
    statements.put_user_var(text.out, event, mariadb=True)


def put_rand(text: EventText, event: Rand) -> None:
    """The seeds of RAND()."""
    if not text.short_form:
        text.put_header(text.out, event)
        text.out.put(b"\tRand\n")
    statements.put_rand(text.out, event)


def put_encryption(text: EventText, event: StartEncryption) -> None:
    """What follows was encrypted; no header line. A server that sends its log marks the event as of no matter."""
    if event.flags & IGNORABLE:
        put_unknown(text, event)
    else:
        control.put_encryption(text.out, event)


PRINTERS: dict[int, Printer] = {
    **COMMON,
    START_EVENT_V3: put_format,
    RAND_EVENT: put_rand,
    USER_VAR_EVENT: put_user_var,
    FORMAT_DESCRIPTION_EVENT: put_format,
    XA_PREPARE_LOG_EVENT: put_xa_prepare,
    BINLOG_CHECKPOINT_EVENT: long_form(control.put_checkpoint),
    GTID_LIST_EVENT: long_form(control.put_gtid_list),
    START_ENCRYPTION_EVENT: put_encryption,
}

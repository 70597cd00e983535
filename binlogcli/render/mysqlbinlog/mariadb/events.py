"""Printers of a MariaDB log's rare events, in a table by event type."""

from __future__ import annotations

from binlogcli.events.control import FormatDescription, StartEncryption, StartV3
from binlogcli.events.event import Event
from binlogcli.events.mariadb import BinlogCheckpoint, GtidList, MariadbGtid
from binlogcli.events.statements import Query, Rand, UserVar, XaPrepare
from binlogcli.events.transactions import xid_text
from binlogcli.gtids.text import mariadb_gtid
from binlogcli.names import event_types
from binlogcli.render.mysqlbinlog.shared import statements
from binlogcli.render.mysqlbinlog.shared.printers import COMMON, Printer, long_form, put_start, put_start_statements
from binlogcli.render.mysqlbinlog.shared.text import EventText
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER, encoded_text

_IGNORABLE = 0x80
_MYSQL_NAMES = {  # types that MariaDB's tool knows of MySQL's logs, without a text for them
    event_types.IGNORABLE_LOG_EVENT: b"Ignorable log event",
    event_types.ROWS_QUERY_LOG_EVENT: b"MySQL Rows_query",
    event_types.GTID_LOG_EVENT: b"MySQL Gtid",
    event_types.ANONYMOUS_GTID_LOG_EVENT: b"MySQL Anonymous_Gtid",
    event_types.PREVIOUS_GTIDS_LOG_EVENT: b"MySQL Previous_gtids",
    event_types.PARTIAL_UPDATE_ROWS_EVENT: b"MySQL Update_rows_partial",
    event_types.TRANSACTION_PAYLOAD_EVENT: b"MySQL Transaction_payload",
}
_IGNORED = frozenset(  # of these also where no flag says that they may be ignored
    {
        event_types.GTID_LOG_EVENT,
        event_types.ANONYMOUS_GTID_LOG_EVENT,
        event_types.PREVIOUS_GTIDS_LOG_EVENT,
        event_types.TRANSACTION_CONTEXT_EVENT,
        event_types.VIEW_CHANGE_EVENT,
    }
)
_LATER_TYPES = frozenset({event_types.GTID_TAGGED_LOG_EVENT, event_types.LARGE_TRANSACTION_HEADER_EVENT})
_GROUP_COMMIT, _TRANSACTIONAL, _WAITED, _DDL = 2, 4, 16, 32  # flags of a GTID event
_START_ALTER, _COMMIT_ALTER, _ROLLBACK_ALTER, _THREAD_ID = 2, 4, 8, 16  # its extra flags
_START_OR_ROLLBACK = 2 | 8  # of a two-phase ALTER


def put_unknown(text: EventText, event: Event) -> None:
    """Write an event of a type that the tool does not support."""
    if text.short_form:
        return
    out = text.out
    text.put_header(out, event)
    code = event.type_code
    if code in _IGNORED or (event.flags & _IGNORABLE and code in event_types.EVENT_TYPES):
        out.put(b"\tIgnorable\n# Ignorable event type %d (%s)\n" % (code, _tool_name(code)))
    else:
        out.put(b"\n# Unknown event\n")


def _tool_name(code: int) -> bytes:
    """Return the tool's name of an event type: that of MariaDB's functions (Start_encryption), or one of MySQL's."""
    if code in _MYSQL_NAMES:
        return _MYSQL_NAMES[code]
    name = event_types.EVENT_TYPES[code] if code not in _LATER_TYPES else "Unknown"
    return name.removesuffix("_EVENT").removesuffix("_LOG").capitalize().encode("ascii")


def _put_format(text: EventText, event: FormatDescription | StartV3) -> None:
    """Write a format description, and in base64 for the BINLOG statements after it."""
    text.session.meet_server(event.format.version)
    put_start(text, event)
    if isinstance(event, StartV3):
        text.dumped_from = 0  # as the tool: the header's bytes both in columns and in lines
    put_start_statements(text, event)


def put_alter(text: EventText, event: Query, extra: int) -> None:
    """Write a part of a two-phase ALTER, which runs only as an event in base64."""
    out = text.out
    wrapped = extra & _START_OR_ROLLBACK != 0
    if text.encoded:
        out.put(b"/*!100600 BINLOG '\n" if wrapped else b"BINLOG '\n")
        text.put_encoded(out, event)
        out.put(b"' */" + DELIMITER if wrapped else b"'" + DELIMITER)
    if text.verbose > 0 and not text.short_form:
        out.put(b"### " + text.remarks.in_comment(event, event.query) + b"\n")


def _put_xa_prepare(text: EventText, event: XaPrepare) -> None:
    """Write the XA PREPARE statement of an XA_PREPARE_LOG_EVENT."""
    out = text.out
    xid = xid_text(event.format_id, event.gtrid, event.bqual).encode("ascii")
    if not text.short_form:
        text.put_header(out, event)
        out.put(b"\tXID = " + xid + b"\n")
    out.put(b"XA PREPARE " + xid + b"\n" + DELIMITER)


def _put_user_var(text: EventText, event: UserVar) -> None:
    """Write the SET of the user variable that the next statement uses."""
    if not text.short_form:
        text.put_header(text.out, event)
        text.out.put(b"\tUser_var\n")
    statements.put_user_var(text.out, event, mariadb=True)


def _put_rand(text: EventText, event: Rand) -> None:
    """Write the SET of the seeds that RAND() of the next statement uses."""
    if not text.short_form:
        text.put_header(text.out, event)
        text.out.put(b"\tRand\n")
    statements.put_rand(text.out, event)


def _put_encryption(text: EventText, event: StartEncryption) -> None:
    """Write START_ENCRYPTION_EVENT, without a header line; as ignorable where a server marked it so on sending."""
    if event.flags & _IGNORABLE:
        put_unknown(text, event)
        return
    text.out.put(b"# Encryption scheme: %d, key_version: %d" % (event.crypto_scheme, event.key_version))
    text.out.put(b", nonce: " + event.nonce.hex().encode("ascii") + b"\n# The rest of the binlog is encrypted!\n")


def _put_gtid_list(text: EventText, event: GtidList) -> None:
    """Write the last GTIDs of the log's past: by domain, in the order of their sequence numbers."""
    written = sorted(event.list, key=lambda gtid: (gtid[0], gtid[2]))
    texts = [mariadb_gtid(*gtid) for gtid in written]
    text.out.put(b"\tGtid list [" + ",\n# ".join(texts).encode("ascii") + b"]\n")


def _put_checkpoint(text: EventText, event: BinlogCheckpoint) -> None:
    """Write the file from which crash recovery starts."""
    name = text.remarks.in_comment(event, encoded_text(event.binlog_file_name))
    text.out.put(b"\tBinlog checkpoint " + name + b"\n")


def gtid_words(event: MariadbGtid) -> bytes:
    """Return the end of a GTID event's line: the group's flags and ids in words."""
    flags, extra = event.flags2, event.flags_extra
    words = [
        f" cid={event.commit_id}" if flags & _GROUP_COMMIT else "",
        " ddl" if flags & _DDL else "",
        " trans" if flags & _TRANSACTIONAL else "",
        " waited" if flags & _WAITED else "",
        " START ALTER" if extra & _START_ALTER else "",
        f" COMMIT ALTER id= {event.sa_seq_no}" if extra & _COMMIT_ALTER else "",
        f" ROLLBACK ALTER id= {event.sa_seq_no}" if extra & _ROLLBACK_ALTER else "",
        f" thread_id={event.thread_id}" if extra & _THREAD_ID else "",
    ]
    return "".join(words).encode("ascii") + b"\n"


PRINTERS: dict[int, Printer] = {
    **COMMON,
    event_types.START_EVENT_V3: _put_format,
    event_types.RAND_EVENT: _put_rand,
    event_types.USER_VAR_EVENT: _put_user_var,
    event_types.FORMAT_DESCRIPTION_EVENT: _put_format,
    event_types.XA_PREPARE_LOG_EVENT: _put_xa_prepare,
    event_types.BINLOG_CHECKPOINT_EVENT: long_form(_put_checkpoint),
    event_types.GTID_LIST_EVENT: long_form(_put_gtid_list),
    event_types.START_ENCRYPTION_EVENT: _put_encryption,
}

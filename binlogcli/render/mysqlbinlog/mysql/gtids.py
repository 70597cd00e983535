"""MySQL's GTID events as text."""

from __future__ import annotations

from binlogcli.events.mysql import MysqlGtid, PreviousGtids
from binlogcli.names.event_types import ANONYMOUS_GTID_LOG_EVENT
from binlogcli.render.mysqlbinlog.shared.clock import TextClock
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER

UNKNOWN_VERSION = 999999
_MAY_HAVE_SBR = 1


def gtid_line(event: MysqlGtid) -> bytes:
    """Return the rest of a GTID event's header line."""
    name = "Anonymous_GTID" if event.type_code == ANONYMOUS_GTID_LOG_EVENT else "GTID"
    return (
        f"\t{name}\tlast_committed={event.last_committed or 0}\tsequence_number={event.sequence_number or 0}"
        f"\trbr_only={'no' if event.gtid_flag_bits & _MAY_HAVE_SBR else 'yes'}"
        f"\toriginal_committed_timestamp={event.original_commit_timestamp or 0}"
        f"\timmediate_commit_timestamp={event.immediate_commit_timestamp or 0}"
        f"\ttransaction_length={event.transaction_length or 0}\n"
    ).encode("ascii")


def gtid_statements(event: MysqlGtid, clock: TextClock) -> bytes:
    """Return the SET statements that give a replayed transaction its GTID, times and versions."""
    text = b""
    if not event.gtid_flag_bits & _MAY_HAVE_SBR:
        text += b"/*!50718 SET TRANSACTION ISOLATION LEVEL READ COMMITTED*/" + DELIMITER
    original = event.original_commit_timestamp or 0
    immediate = event.immediate_commit_timestamp or 0
    lines = (("original", original), ("immediate", immediate))
    text += b"".join(
        f"# {name}_commit_timestamp={micro} ({clock.microsecond(micro)})\n".encode() for name, micro in lines
    )
    text += b"/*!80001 SET @@session.original_commit_timestamp=%d*/" % original + DELIMITER
    unsaid = 0 if event.immediate_commit_timestamp is None else UNKNOWN_VERSION  # too old an event, or left out
    versions = ((b"original", event.original_server_version), (b"immediate", event.immediate_server_version))
    for name, version in versions:
        number = unsaid if version is None else version
        text += b"/*!80014 SET @@session.%s_server_version=%d*/" % (name, number) + DELIMITER
    name = b"ANONYMOUS" if event.gtid is None else event.gtid.encode("ascii")
    return text + b"SET @@SESSION.GTID_NEXT= '" + name + b"'" + DELIMITER


def previous_gtids(event: PreviousGtids) -> bytes:
    """Return the set as comments, one server per line."""
    text = str(event.gtid_set)
    return b"# " + text.replace(",", ",\n# ").encode("ascii") + b"\n" if text else b"# [empty]\n"

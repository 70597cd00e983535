"""Events that only MariaDB writes."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.events.event import Event
from binlogcli.gtids.text import mariadb_gtid
from binlogcli.log.context import LogContext
from binlogcli.names.flags import flag_names

_FL_STANDALONE = 1  # bits of flags2
_FL_GROUP_COMMIT_ID = 2
_FL_XA = 64 | 128  # FL_PREPARED_XA, FL_COMPLETED_XA
_EXTRA_MULTI_ENGINE = 1  # bits of flags_extra
_EXTRA_ALTER = 4 | 8  # FL_COMMIT_ALTER_E1, FL_ROLLBACK_ALTER_E1
_EXTRA_THREAD_ID = 16


class MariadbGtid(Event):
    """GTID_EVENT (162): opens a group of events.

    The post-header length in the log does not cover the optional fields: the body is read to its end instead.
    """

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body; flags tell which of them are there."""
        self.seq_no = body.u8("seq_no")
        self.domain_id = body.u4("domain_id")
        self.flags2 = body.u1("flags2")
        self.commit_id = body.u8("commit_id") if self.flags2 & _FL_GROUP_COMMIT_ID else 0
        self.xid = None
        if self.flags2 & _FL_XA:
            format_id = body.u4("format_id")
            gtrid_length = body.u1("gtrid_length")
            bqual_length = body.u1("bqual_length")
            gtrid = body.take("gtrid", gtrid_length)
            self.xid = (format_id, gtrid, body.take("bqual", bqual_length))
        self._read_extra(body)

    def _read_extra(self, body: Cursor) -> None:
        """Read the fields of 10.8 and newer, and skip the zeros that pad the event."""
        self.flags_extra = body.u1("flags_extra") if body.left() > 0 else 0
        extra = self.flags_extra
        self.extra_engines = body.u1("extra_engines") if extra & _EXTRA_MULTI_ENGINE else 0
        self.sa_seq_no = body.u8("sa_seq_no") if extra & _EXTRA_ALTER else 0
        self.thread_id = body.u4("thread_id") if extra & _EXTRA_THREAD_ID else 0
        if kernel.is_zero(body.view, body.pos, body.end):
            body.skip("padding", body.end - body.pos)

    @property
    def standalone(self) -> bool:
        """Whether the group is a single statement without a COMMIT."""
        return self.flags2 & _FL_STANDALONE != 0

    @property
    def gtid(self) -> str:
        """The GTID as the server writes it."""
        return mariadb_gtid(self.domain_id, self.server_id, self.seq_no)

    def as_dict(self) -> dict[str, object]:
        """Return the fields that the event has."""
        fields: dict[str, object] = {
            "gtid": self.gtid,
            "seq_no": self.seq_no,
            "domain_id": self.domain_id,
            "flags2": flag_names("mariadb_gtid", self.flags2),
        }
        if self.flags2 & _FL_GROUP_COMMIT_ID:
            fields["commit_id"] = self.commit_id
        if self.xid is not None:
            fields["xid"] = dict(zip(("format_id", "gtrid", "bqual"), self.xid, strict=True))
        if self.flags_extra:
            fields["flags_extra"] = flag_names("mariadb_gtid_extra", self.flags_extra)
            if self.flags_extra & _EXTRA_MULTI_ENGINE:
                fields["extra_engines"] = self.extra_engines
            if self.flags_extra & _EXTRA_ALTER:
                fields["sa_seq_no"] = self.sa_seq_no
            if self.flags_extra & _EXTRA_THREAD_ID:
                fields["thread_id"] = self.thread_id
        if self.unknown:
            fields["unknown"] = self.unknown
        return fields


class GtidList(Event):
    """GTID_LIST_EVENT (163): the last GTID of each domain and server before this log."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body, and skip the padding of an empty list."""
        head = body.u4("count")
        self.count = head & 0x0FFFFFFF
        self.gl_flags = head & 0xF0000000
        if self.count * 16 > body.left():
            raise DecodeError(f"count needs {self.count * 16} bytes: {counted(body.left(), 'byte')} left")
        self.list = []
        for _ in range(self.count):
            body.enter("gtid")
            domain_id = body.u4("domain_id")
            server_id = body.u4("server_id")
            seq_no = body.u8("seq_no")
            self.list.append((domain_id, server_id, seq_no))
            body.leave(mariadb_gtid(domain_id, server_id, seq_no))
        body.skip("padding", body.left())

    def as_dict(self) -> dict[str, object]:
        """Return the fields, and each GTID in parts and as text."""
        return {
            "count": self.count,
            "gl_flags": flag_names("gtid_list", self.gl_flags),
            "list": [
                {"gtid": mariadb_gtid(domain, server, seq), "domain_id": domain, "server_id": server, "seq_no": seq}
                for domain, server, seq in self.list
            ],
        }


class BinlogCheckpoint(Event):
    """BINLOG_CHECKPOINT_EVENT (161): the log at which crash recovery may begin."""

    FIELDS = ("binlog_file_len", "binlog_file_name")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.binlog_file_len = body.u4("binlog_file_len")
        self.binlog_file_name = body.text("binlog_file_name", self.binlog_file_len)
        self.finish(body)


class PartialRowData(Event):
    """PARTIAL_ROW_DATA_EVENT (172), 12.3 and newer: a fragment of a rows event that is over the size limit."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.total_fragments = body.u4("total_fragments")
        self.seq_no = body.u4("seq_no")
        self.fragment_flags = body.u1("flags")
        self.original_size = body.u8("original_event_size") if self.fragment_flags & 1 else 0
        self.fragment = body.rest("fragment")

    def as_dict(self) -> dict[str, object]:
        """Return the fields that the event has."""
        fields: dict[str, object] = {
            "total_fragments": self.total_fragments,
            "seq_no": self.seq_no,
            "flags": flag_names("partial_row", self.fragment_flags),
        }
        if self.fragment_flags & 1:
            fields["original_event_size"] = self.original_size
        return {**fields, "fragment": self.fragment}

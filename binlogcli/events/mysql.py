"""Events that only MySQL writes: GTIDs, group replication, compressed and very large transactions."""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.events.event import Event
from binlogcli.gtids.text import mysql_gtid, uuid_text
from binlogcli.log.context import LogContext
from binlogcli.names.event_types import ANONYMOUS_GTID_LOG_EVENT
from binlogcli.names.flags import flag_names

_GTID_OF_5_6 = 25  # bytes: a flag, the UUID, the number, and no logical timestamps
_LOGICAL_TIMESTAMP = 2  # LOGICAL_TIMESTAMP_TYPECODE: the byte before last_committed and sequence_number
HAS_ORIGINAL_TIME = 1 << 55
HAS_ORIGINAL_VERSION = 1 << 31
_UNDEFINED_VERSION = 999999
COMPRESSION_TYPES = {0: "ZSTD", 255: "NONE"}


class MysqlGtid(Event):
    """GTID_LOG_EVENT (33), ANONYMOUS_GTID_LOG_EVENT (34), GTID_TAGGED_LOG_EVENT (42): opens a transaction.

    Fields that the server's version does not write are None.
    """

    FIELDS = (
        "commit_flag",
        "gtid_flags",
        "sid",
        "tag",
        "gno",
        "last_committed",
        "sequence_number",
        "immediate_commit_timestamp",
        "original_commit_timestamp",
        "transaction_length",
        "immediate_server_version",
        "original_server_version",
        "commit_group_ticket",
    )

    def _forget(self) -> None:
        """Set the optional fields to their values when the event does not have them."""
        self.tag = ""
        self.is_commit_flag = False
        self.last_committed: int | None = None
        self.sequence_number: int | None = None
        self.immediate_commit_timestamp: int | None = None
        self.original_commit_timestamp: int | None = None
        self.transaction_length: int | None = None
        self.immediate_server_version: int | None = None
        self.original_server_version: int | None = None
        self.commit_group_ticket: int | None = None

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self._forget()
        self.is_commit_flag = body.left() == _GTID_OF_5_6
        self.gtid_flag_bits = body.u1("commit_flag" if self.is_commit_flag else "gtid_flags")
        self.sid = uuid_text(body.take("sid", 16))
        self.gno = body.i8("gno")
        if body.left() >= 17 and body.data[body.pos] == _LOGICAL_TIMESTAMP:
            body.u1("lt_type")
            self.last_committed = body.i8("last_committed")
            self.sequence_number = body.i8("sequence_number")
            self._read_times(body)
        self.finish(body)

    def _read_times(self, body: Cursor) -> None:
        """Read the fields of 8.0; each was added by a later release than the one before it."""
        if body.left() < 7:
            return
        time = body.uint("immediate_commit_timestamp", 7)
        self.immediate_commit_timestamp = time & (HAS_ORIGINAL_TIME - 1)
        self.original_commit_timestamp = self.immediate_commit_timestamp
        if time & HAS_ORIGINAL_TIME:
            self.original_commit_timestamp = body.uint("original_commit_timestamp", 7)
        if body.left() < 1:
            return
        self.transaction_length = body.lenenc("transaction_length")
        if body.left() < 4:
            return
        version = body.u4("immediate_server_version")
        self.immediate_server_version = version & (HAS_ORIGINAL_VERSION - 1)
        self.original_server_version = self.immediate_server_version
        if version & HAS_ORIGINAL_VERSION:
            self.original_server_version = body.u4("original_server_version")
        if body.left() >= 8:
            self.commit_group_ticket = body.u8("commit_group_ticket")

    @property
    def commit_flag(self) -> bool | None:
        """What 5.6 has in the place of the flags: true in all its logs; None in logs of other versions."""
        return bool(self.gtid_flag_bits) if self.is_commit_flag else None

    @property
    def gtid_flags(self) -> list[str] | None:
        """The names of the flags; None where the byte is the commit flag."""
        return None if self.is_commit_flag else flag_names("mysql_gtid", self.gtid_flag_bits)

    @property
    def gtid(self) -> str | None:
        """The GTID as the server writes it; None for an anonymous transaction."""
        if self.type_code == ANONYMOUS_GTID_LOG_EVENT:
            return None
        return mysql_gtid(self.sid, self.tag, self.gno)

    def as_dict(self) -> dict[str, object]:
        """Return the fields that the event has."""
        fields: dict[str, object] = {"gtid": self.gtid}
        fields |= {name: value for name in self.FIELDS if (value := getattr(self, name)) is not None and value != ""}
        if self.unknown:
            fields["unknown"] = self.unknown
        return fields


class MysqlTaggedGtid(MysqlGtid):
    """GTID_TAGGED_LOG_EVENT (42), 8.3 and newer, for GTIDs with a tag: the fields as one serialized message."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self._forget()
        from binlogcli.gtids.tagged import read_message  # few logs have tags

        uuid, self.tag, found = read_message(body)
        self.gtid_flag_bits = found.get("gtid_flags", 0)
        self.sid = uuid_text(uuid)
        self.gno = found.get("gno", 0)
        self.last_committed = found.get("last_committed", 0)
        self.sequence_number = found.get("sequence_number", 0)
        time = found.get("immediate_commit_timestamp", 0)
        self.immediate_commit_timestamp = time
        self.original_commit_timestamp = found.get("original_commit_timestamp", time)
        self.transaction_length = found.get("transaction_length", 0)
        version = found.get("immediate_server_version", _UNDEFINED_VERSION)
        self.immediate_server_version = version
        self.original_server_version = found.get("original_server_version", version)
        self.commit_group_ticket = found.get("commit_group_ticket")
        self.finish(body)


class PreviousGtids(Event):
    """PREVIOUS_GTIDS_LOG_EVENT (35): all GTIDs of the logs before this one."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        from binlogcli.gtids.encoding import read_gtid_set  # logs of MariaDB have no such sets

        self.gtid_set = read_gtid_set(body)
        self.finish(body)

    def as_dict(self) -> dict[str, object]:
        """Return the set in parts and as text."""
        return {"gtid_set": self.gtid_set.as_list(), "gtid_set_text": str(self.gtid_set)}


class TransactionContext(Event):
    """TRANSACTION_CONTEXT_EVENT (36): the rows that group replication compares to certify a transaction."""

    FIELDS = ("server_uuid", "thread_id", "gtid_specified", "snapshot_version", "write_set", "read_set")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        uuid_length = body.u1("server_uuid_len")
        self.thread_id = body.u4("thread_id")
        self.gtid_specified = body.u1("gtid_specified") != 0
        version_length = body.u4("snapshot_version_len")
        writes = body.u4("write_set_items")
        reads = body.u4("read_set_items")
        self.server_uuid = body.text("server_uuid", uuid_length)
        self.snapshot_version = _enclosed_set(body, "snapshot_version", version_length)
        self.write_set = _items(body, "write_set", writes)
        self.read_set = _items(body, "read_set", reads)
        self.finish(body)


class ViewChange(Event):
    """VIEW_CHANGE_EVENT (37): a member joined or left the group; with what was certified until then."""

    FIELDS = ("view_id", "seq_number", "certification_info")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.view_id = body.padded_text("view_id", 40)
        self.seq_number = body.u8("seq_number")
        count = body.u4("certification_info_count")
        self.certification_info = {}
        for _ in range(count):
            body.enter("certification")
            key = body.text("key", body.u2("key_len"))
            self.certification_info[key] = _enclosed_set(body, "value", body.u4("value_len"))
            body.leave()
        self.finish(body)


class TransactionPayload(Event):
    """TRANSACTION_PAYLOAD_EVENT (40): a compressed transaction; `payload` holds whole events without checksums."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the header fields (type, length, value; type 0 ends them) and the payload."""
        self.payload_size = -1
        self.compression_type = 0
        self.uncompressed_size = None
        while True:
            kind = body.lenenc("field_type")
            if kind == 0:
                break
            size = body.lenenc("field_length")
            end = body.pos + size
            if size > body.left():
                raise DecodeError(f"a field of {counted(size, 'byte')} runs past the payload event")
            if kind == 1:
                self.payload_size = body.lenenc("payload_size")
            elif kind == 2:
                self.compression_type = body.lenenc("compression_type")
            elif kind == 3:
                self.uncompressed_size = body.lenenc("uncompressed_size")
            body.skip("unknown", end - body.pos)
        if self.payload_size < 0:
            self.payload_size = body.left()
        self.payload = self.kept = body.take("payload", self.payload_size, self.kept)
        self.finish(body)

    @property
    def compression(self) -> str | None:
        """The compression's name, or None for a number that MySQL has not assigned."""
        return COMPRESSION_TYPES.get(self.compression_type)

    def as_dict(self) -> dict[str, object]:
        """Return the header fields; the content follows as events of its own."""
        return {
            "payload_size": self.payload_size,
            "compression_type": self.compression or self.compression_type,
            "uncompressed_size": self.uncompressed_size,
        }


class LargeTransactionHeader(Event):
    """LARGE_TRANSACTION_HEADER_EVENT (43): stands before a transaction that was written to a file of its own."""

    FIELDS = ("version", "terminating_event_offset", "terminating_event_type")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body, and skip the padding."""
        self.version = body.u1("version")
        self.terminating_event_offset = body.u8("terminating_event_offset")
        self.terminating_event_type = body.u1("terminating_event_type")
        body.skip("padding", body.left())


def _enclosed_set(body: Cursor, name: str, size: int) -> str:
    """Read a GTID set that has exactly `size` bytes, and return it as text."""
    from binlogcli.gtids.encoding import read_gtid_set  # logs of MariaDB have no such sets

    end = body.end
    body.need(name, size)
    body.pos -= size
    body.end = body.pos + size
    body.enter(name)
    text = str(read_gtid_set(body)) if size else ""
    body.skip("unknown", body.left())
    body.leave(text)
    body.end = end
    return text


def _items(body: Cursor, name: str, count: int) -> list[bytes | str]:
    items: list[bytes | str] = []
    for _ in range(count):
        items.append(body.text(name, body.u2(f"{name}_len")))  # noqa: PERF401 - stops at the first item that lacks bytes
    return items

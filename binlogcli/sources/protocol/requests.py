"""A client's commands: a replica's registration, its requests for logs, its acknowledgements; statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from binlogcli.binary.cursor import Cursor
from binlogcli.sources.protocol.encodings import lenenc_number, rest_text, short_text
from binlogcli.sources.protocol.packets import (
    COM_BINLOG_DUMP,
    COM_BINLOG_DUMP_GTID,
    COM_REGISTER_SLAVE,
    SEMI_SYNC,
    expect,
)

# Commands of a client; those that a replica uses are decoded, of the others the name is shown.
COMMANDS = {
    0x00: "COM_SLEEP", 0x01: "COM_QUIT", 0x02: "COM_INIT_DB", 0x03: "COM_QUERY", 0x04: "COM_FIELD_LIST",
    0x08: "COM_SHUTDOWN", 0x09: "COM_STATISTICS", 0x0A: "COM_PROCESS_INFO", 0x0C: "COM_PROCESS_KILL",
    0x0D: "COM_DEBUG", 0x0E: "COM_PING", 0x11: "COM_CHANGE_USER", 0x12: "COM_BINLOG_DUMP", 0x13: "COM_TABLE_DUMP",
    0x14: "COM_CONNECT_OUT", 0x15: "COM_REGISTER_SLAVE", 0x16: "COM_STMT_PREPARE", 0x17: "COM_STMT_EXECUTE",
    0x18: "COM_STMT_SEND_LONG_DATA", 0x19: "COM_STMT_CLOSE", 0x1A: "COM_STMT_RESET", 0x1B: "COM_SET_OPTION",
    0x1C: "COM_STMT_FETCH", 0x1E: "COM_BINLOG_DUMP_GTID", 0x1F: "COM_RESET_CONNECTION",
}  # fmt: skip


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _short(text: str) -> bytes:
    data = _bytes(text)[:255]
    return bytes([len(data)]) + data


@dataclass(frozen=True, slots=True)
class RegisterSlave:
    """COM_REGISTER_SLAVE: the replica's identity. Servers show the password field to all who ask for their replicas."""

    command: ClassVar[int] = COM_REGISTER_SLAVE
    server_id: int
    host: str = ""
    user: str = ""
    password: str = ""
    port: int = 0
    rpl_recovery_rank: int = 0
    master_id: int = 0

    def pack(self) -> bytes:
        """Return the payload."""
        return b"".join(
            (
                bytes([COM_REGISTER_SLAVE]),
                self.server_id.to_bytes(4, "little"),
                _short(self.host),
                _short(self.user),
                _short(self.password),
                self.port.to_bytes(2, "little"),
                self.rpl_recovery_rank.to_bytes(4, "little"),
                self.master_id.to_bytes(4, "little"),
            )
        )

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> RegisterSlave:
        """Return a payload's fields."""
        expect(payload, COM_REGISTER_SLAVE, "COM_REGISTER_SLAVE")
        fields = fields or Cursor(payload, 1)
        return cls(
            fields.uint("server_id", 4),
            short_text(fields, "host"),
            short_text(fields, "user"),
            short_text(fields, "password"),
            fields.uint("port", 2),
            fields.uint("rpl_recovery_rank", 4),
            fields.uint("master_id", 4),
        )


@dataclass(frozen=True, slots=True)
class BinlogDump:
    """COM_BINLOG_DUMP: send a log from a position on."""

    command: ClassVar[int] = COM_BINLOG_DUMP
    pos: int
    flags: int
    server_id: int
    log_ident: str

    def pack(self) -> bytes:
        """Return the payload, in which positions have 32 bits."""
        return b"".join(
            (
                bytes([COM_BINLOG_DUMP]),
                self.pos.to_bytes(4, "little"),
                self.flags.to_bytes(2, "little"),
                self.server_id.to_bytes(4, "little"),
                _bytes(self.log_ident),
            )
        )

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> BinlogDump:
        """Return a payload's fields."""
        expect(payload, COM_BINLOG_DUMP, "COM_BINLOG_DUMP")
        fields = fields or Cursor(payload, 1)
        pos, flags, server_id = fields.uint("pos", 4), fields.uint("flags", 2), fields.uint("server_id", 4)
        return cls(pos, flags, server_id, rest_text(fields, "log_ident"))


@dataclass(frozen=True, slots=True)
class BinlogDumpGtid:
    """COM_BINLOG_DUMP_GTID of MySQL: send what is not in a set, which is encoded as in PREVIOUS_GTIDS."""

    command: ClassVar[int] = COM_BINLOG_DUMP_GTID
    flags: int
    server_id: int
    log_ident: str
    pos: int
    gtid_set: bytes

    def pack(self) -> bytes:
        """Return the payload."""
        name = _bytes(self.log_ident)
        return b"".join(
            (
                bytes([COM_BINLOG_DUMP_GTID]),
                self.flags.to_bytes(2, "little"),
                self.server_id.to_bytes(4, "little"),
                len(name).to_bytes(4, "little"),
                name,
                self.pos.to_bytes(8, "little"),
                len(self.gtid_set).to_bytes(4, "little"),
                self.gtid_set,
            )
        )

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> BinlogDumpGtid:
        """Return a payload's fields."""
        expect(payload, COM_BINLOG_DUMP_GTID, "COM_BINLOG_DUMP_GTID")
        fields = fields or Cursor(payload, 1)
        flags, server_id = fields.uint("flags", 2), fields.uint("server_id", 4)
        name = fields.text("log_ident", fields.uint("log_ident_length", 4))
        pos = fields.uint("pos", 8)
        return cls(flags, server_id, name, pos, fields.take("gtid_set", fields.uint("gtid_set_length", 4)))


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """A semi-synchronous replica's report that all up to a position is on its disk; sent as packet number 0."""

    semi_sync_indicator: ClassVar[int] = SEMI_SYNC
    log_file_pos: int
    log_file_name: str

    def pack(self) -> bytes:
        """Return the payload, which ends with the name, without a NUL."""
        return bytes([SEMI_SYNC]) + self.log_file_pos.to_bytes(8, "little") + _bytes(self.log_file_name)

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Acknowledgement:
        """Return a payload's fields, the name without the NUL that some replicas add."""
        expect(payload, SEMI_SYNC, "acknowledgement")
        fields = fields or Cursor(payload, 1)
        return cls(fields.uint("log_file_pos", 8), rest_text(fields, "log_file_name").removesuffix("\0"))


@dataclass(frozen=True, slots=True)
class ComQuery:
    """COM_QUERY: a statement."""

    command: ClassVar[int] = 0x03
    query: str

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ComQuery:
        """Return a payload's statement."""
        fields = fields or Cursor(payload, 1)
        return cls(rest_text(fields, "query"))


class ComQueryWithAttributes(ComQuery):
    """COM_QUERY of a client with CLIENT_QUERY_ATTRIBUTES, where parameters stand before the statement."""

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ComQuery:
        """Return a payload's statement, with the bytes of the parameters before it if there are any."""
        fields = fields or Cursor(payload, 1)
        lenenc_number(fields, "parameter_count")
        lenenc_number(fields, "parameter_set_count")
        return ComQuery(rest_text(fields, "query"))

"""What a replica says: who it is, which log it wants, what is safe on its disk. Values to payloads and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from binlogcli.binary.cursor import Cursor
from binlogcli.sources.protocol.encodings import rest_text, short_text
from binlogcli.sources.protocol.packets import (
    COM_BINLOG_DUMP,
    COM_BINLOG_DUMP_GTID,
    COM_REGISTER_SLAVE,
    SEMI_SYNC,
    expect,
)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _short(text: str) -> bytes:
    data = _bytes(text)[:255]
    return bytes([len(data)]) + data


@dataclass(frozen=True, slots=True)
class RegisterSlave:
    """COM_REGISTER_SLAVE: who is about to read. The password is a field of the protocol that servers show to all."""

    command: ClassVar[int] = COM_REGISTER_SLAVE
    server_id: int
    host: str = ""
    user: str = ""
    password: str = ""
    port: int = 0
    rpl_recovery_rank: int = 0
    master_id: int = 0

    def pack(self) -> bytes:
        """The payload."""
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
        """A payload's fields."""
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
    """COM_BINLOG_DUMP: send the log from here on."""

    command: ClassVar[int] = COM_BINLOG_DUMP
    pos: int
    flags: int
    server_id: int
    log_ident: str

    def pack(self) -> bytes:
        """The payload; positions have 32 bits."""
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
        """A payload's fields."""
        expect(payload, COM_BINLOG_DUMP, "COM_BINLOG_DUMP")
        fields = fields or Cursor(payload, 1)
        pos, flags, server_id = fields.uint("pos", 4), fields.uint("flags", 2), fields.uint("server_id", 4)
        return cls(pos, flags, server_id, rest_text(fields, "log_ident"))


@dataclass(frozen=True, slots=True)
class BinlogDumpGtid:
    """COM_BINLOG_DUMP_GTID of MySQL: send what is not in this set, which is encoded as in PREVIOUS_GTIDS."""

    command: ClassVar[int] = COM_BINLOG_DUMP_GTID
    flags: int
    server_id: int
    log_ident: str
    pos: int
    gtid_set: bytes

    def pack(self) -> bytes:
        """The payload."""
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
        """A payload's fields."""
        expect(payload, COM_BINLOG_DUMP_GTID, "COM_BINLOG_DUMP_GTID")
        fields = fields or Cursor(payload, 1)
        flags, server_id = fields.uint("flags", 2), fields.uint("server_id", 4)
        name = fields.text("log_ident", fields.uint("log_ident_length", 4))
        pos = fields.uint("pos", 8)
        return cls(flags, server_id, name, pos, fields.take("gtid_set", fields.uint("gtid_set_length", 4)))


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What a semi-synchronous replica has safe on its disk: all up to this place. Its packet's sequence is 0."""

    semi_sync_indicator: ClassVar[int] = SEMI_SYNC
    log_file_pos: int
    log_file_name: str

    def pack(self) -> bytes:
        """The payload; the name ends with it, without a NUL."""
        return bytes([SEMI_SYNC]) + self.log_file_pos.to_bytes(8, "little") + _bytes(self.log_file_name)

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Acknowledgement:
        """A payload's fields; a NUL that some replicas end the name with is not part of it."""
        expect(payload, SEMI_SYNC, "acknowledgement")
        fields = fields or Cursor(payload, 1)
        return cls(fields.uint("log_file_pos", 8), rest_text(fields, "log_file_name").removesuffix("\0"))

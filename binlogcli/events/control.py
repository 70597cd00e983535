"""Events about the log itself: format, end, incidents, encryption, heartbeats."""

from __future__ import annotations

import struct

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.events.event import Event
from binlogcli.log.context import LogContext
from binlogcli.log.format import read_format_description, read_start_v3

_CHECKSUM_SIZE = 4
_LENGTH_AT = 9  # of the length in the header; the position follows it
INCIDENTS = {0: "NONE", 1: "LOST_EVENTS"}


class FormatDescription(Event):
    """FORMAT_DESCRIPTION_EVENT (15): how all events after it are laid out."""

    FIELDS = (
        "binlog_version",
        "server_version",
        "created",
        "common_header_len",
        "number_of_event_types",
        "post_header_len",
        "checksum_alg",
    )

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body, and make the format that of the context."""
        self.format = read_format_description(body, proven=self.crc >= 0)
        context.meet(self.format)
        self.binlog_version = self.format.binlog_version
        self.server_version = self.format.server_version
        self.created = self.format.created
        self.common_header_len = self.format.common_header_len
        self.post_header_len = list(self.format.post_header_len)
        self.checksum_alg = self.format.checksum

    @property
    def number_of_event_types(self) -> int:
        """The number of event types that the server has."""
        return len(self.post_header_len)


class StartV3(Event):
    """START_EVENT_V3 (1): the first event of logs of version 1 (3.23) and 3 (4.x)."""

    FIELDS = ("binlog_version", "server_version", "created")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body, and make the format that of the context."""
        self.format = read_start_v3(body)
        context.meet(self.format)
        self.binlog_version = self.format.binlog_version
        self.server_version = self.format.server_version
        self.created = self.format.created


class Stop(Event):
    """STOP_EVENT (3), without a body: the server shut down cleanly."""


class Rotate(Event):
    """ROTATE_EVENT (4): the name of the log that follows this one."""

    FIELDS = ("pos", "new_log_ident")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body, which has no position in logs of version 1."""
        self.pos = 4 if context.binlog_version == 1 else body.u8("pos")
        self.new_log_ident = body.text("new_log_ident", body.left())


class Slave(Event):
    """SLAVE_EVENT (7): the source and position of a 4.x replica. Written after the servers' sources, without a log."""

    FIELDS = ("master_pos", "master_port", "master_host", "master_log")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.master_pos = body.u8("master_pos")
        self.master_port = body.u2("master_port")
        self.master_host = body.nul_text("master_host")
        self.master_log = body.text("master_log", body.left())


class Incident(Event):
    """INCIDENT_EVENT (26): the server's note that events are missing from its log."""

    FIELDS = ("incident", "message_length", "message")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.first_checksum = -1
        self.incident = body.u2("incident")
        self.message_length = body.u1("message_length") if body.left() > 0 else 0
        self.message = body.text("message", self.message_length)

    def finish(self, body: Cursor) -> None:
        """Read the first of two checksums: MySQL from 8.4 on writes the event with one, then anew around it."""
        if body.left() == _CHECKSUM_SIZE and self._checksum_before() == body.little(body.pos, _CHECKSUM_SIZE):
            self.first_checksum = body.u4("first_checksum")
        Event.finish(self, body)

    def _checksum_before(self) -> int:
        """Return the checksum of the event as it was before: shorter by the first checksum, and without a position."""
        first = bytearray(self.data[self.at : self.body_end - _CHECKSUM_SIZE])
        struct.pack_into("<II", first, _LENGTH_AT, len(first) + _CHECKSUM_SIZE, 0)
        return kernel.crc32_range(bytes(first), 0, len(first))

    def as_dict(self) -> dict[str, object]:
        """Return the fields, the incident's name and the first checksum if there is one."""
        first = {"first_checksum": f"0x{self.first_checksum:08x}"} if self.first_checksum >= 0 else {}
        return {**super().as_dict(), "incident_name": INCIDENTS.get(self.incident), **first}


class Heartbeat(Event):
    """HEARTBEAT_LOG_EVENT (27), sent while nothing is written to the log: its name. Only on the network."""

    FIELDS = ("log_ident",)

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.log_ident = body.text("log_ident", body.left())


class HeartbeatV2(Event):
    """HEARTBEAT_LOG_EVENT_V2 (41): a heartbeat with the name of the log and a position of 64 bits."""

    FIELDS = ("log_filename", "log_position")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body, each as type, length and value; type 0 ends them."""
        self.log_filename = ""
        self.log_position = 0
        while body.left() > 0:
            kind = body.lenenc("field_type")
            if kind == 0:
                break
            size = body.lenenc("field_length")
            if kind == 1:
                self.log_filename = body.text("log_filename", size)
            elif kind == 2:
                self.log_position = body.lenenc("log_position")
            else:
                body.skip("unknown", size)


class Ignorable(Event):
    """IGNORABLE_LOG_EVENT (28): content that readers may skip."""

    FIELDS = ("data_bytes",)

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Keep the bytes of the body."""
        self.data_bytes = body.rest("data")


class StartEncryption(Event):
    """START_ENCRYPTION_EVENT (164) of MariaDB: the events after it are encrypted, unless it has the IGNORABLE flag."""

    FIELDS = ("crypto_scheme", "key_version", "nonce")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.crypto_scheme = body.u1("crypto_scheme")
        self.key_version = body.u4("key_version")
        self.nonce = body.take("nonce", 12)

"""Events about the log itself: its format, its end, what is wrong with it, its encryption."""

from __future__ import annotations

import struct

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.events.event import Event
from binlogcli.log.context import LogContext
from binlogcli.log.format import read_format_description, read_start_v3

CHECKSUM_SIZE = 4
LENGTH_AT = 9  # in the header, the position after it
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
        """Read the fields of the body; from here on the context has this format."""
        self.format = read_format_description(body)
        context.meet(self.format)
        self.binlog_version = self.format.binlog_version
        self.server_version = self.format.server_version
        self.created = self.format.created
        self.common_header_len = self.format.common_header_len
        self.post_header_len = list(self.format.post_header_len)
        self.checksum_alg = self.format.checksum

    @property
    def number_of_event_types(self) -> int:
        """How many types the server knew."""
        return len(self.post_header_len)


class StartV3(Event):
    """START_EVENT_V3 (1): the first event of logs of version 1 (3.23) and 3 (4.x)."""

    FIELDS = ("binlog_version", "server_version", "created")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body; from here on the context has this format."""
        self.format = read_start_v3(body)
        context.meet(self.format)
        self.binlog_version = self.format.binlog_version
        self.server_version = self.format.server_version
        self.created = self.format.created


class Stop(Event):
    """STOP_EVENT (3): the server shut down cleanly. No body."""


class Rotate(Event):
    """ROTATE_EVENT (4): the log goes on in another file."""

    FIELDS = ("pos", "new_log_ident")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body; version 1 logs have no position."""
        self.pos = 4 if context.binlog_version == 1 else body.u8("pos")
        self.new_log_ident = body.text("new_log_ident", body.left())


class Slave(Event):
    """SLAVE_EVENT (7): where a 4.x replica stood; known from sources only."""

    FIELDS = ("master_pos", "master_port", "master_host", "master_log")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.master_pos = body.u8("master_pos")
        self.master_port = body.u2("master_port")
        self.master_host = body.nul_text("master_host")
        self.master_log = body.text("master_log", body.left())


class Incident(Event):
    """INCIDENT_EVENT (26): the server knows that something is missing from its log."""

    FIELDS = ("incident", "message_length", "message")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.first_checksum = -1
        self.incident = body.u2("incident")
        self.message_length = body.u1("message_length") if body.left() > 0 else 0
        self.message = body.text("message", self.message_length)

    def finish(self, body: Cursor) -> None:
        """MySQL from 8.4 on writes the event with a checksum, and then anew, that one included, to its place."""
        if body.left() == CHECKSUM_SIZE and self.checksum_before() == body.little(body.pos, CHECKSUM_SIZE):
            self.first_checksum = body.u4("first_checksum")
        Event.finish(self, body)

    def checksum_before(self) -> int:
        """The checksum that the event had before it was written to its place."""
        first = bytearray(self.data[self.at : self.body_end - CHECKSUM_SIZE])
        struct.pack_into("<II", first, LENGTH_AT, len(first) + CHECKSUM_SIZE, 0)
        return kernel.crc32_range(bytes(first), 0, len(first))

    def as_dict(self) -> dict[str, object]:
        """The fields, with the incident's name where it has one."""
        first = {"first_checksum": f"0x{self.first_checksum:08x}"} if self.first_checksum >= 0 else {}
        return {**super().as_dict(), "incident_name": INCIDENTS.get(self.incident), **first}


class Heartbeat(Event):
    """HEARTBEAT_LOG_EVENT (27): only on the network; where the sender stands while nothing is written."""

    FIELDS = ("log_ident",)

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.log_ident = body.text("log_ident", body.left())


class HeartbeatV2(Event):
    """HEARTBEAT_LOG_EVENT_V2 (41): only on the network, with a position of 64 bits."""

    FIELDS = ("log_filename", "log_position")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body: type, length, value; type 0 ends it."""
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
    """IGNORABLE_LOG_EVENT (28): readers that do not know it pass over it."""

    FIELDS = ("data_bytes",)

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Keep the body as it is."""
        self.data_bytes = body.rest("data")


class StartEncryption(Event):
    """START_ENCRYPTION_EVENT (164), MariaDB: what follows is encrypted, unless the IGNORABLE flag is set."""

    FIELDS = ("crypto_scheme", "key_version", "nonce")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.crypto_scheme = body.u1("crypto_scheme")
        self.key_version = body.u4("key_version")
        self.nonce = body.take("nonce", 12)

"""What replica and server say to one another before, beside and after events: the packets of a session, told apart.

Parsers take the payload of one packet and raise nothing but `DecodeError`, as those of `packets`. `Message`,
`SentEvent` and `Hole` are what is seen of a connection from outside; `SECRETS` are the fields that nobody is shown.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar, NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import counted
from binlogcli.names.event_types import HEARTBEAT_EVENTS, ROTATE_EVENT
from binlogcli.sources.protocol import answers, packets
from binlogcli.sources.protocol.encodings import (
    lenenc_bytes,
    lenenc_number,
    lenenc_text,
    nul_text,
    quiet_lenenc_bytes,
    rest_text,
    short_bytes,
)

CLIENT_PLUGIN_AUTH = 0x80000
CLIENT_PLUGIN_AUTH_LENENC = 0x200000
CLIENT_CONNECT_WITH_DB = 0x8
CLIENT_LONG_PASSWORD = 0x1  # in a greeting without it the last reserved bytes are MariaDB's own capabilities
CLIENT_SECURE_CONNECTION = 0x8000
CLIENT_CONNECT_ATTRS = 0x100000
CLIENT_SSL = 0x800
CLIENT_COMPRESS = 0x20
CLIENT_ZSTD_COMPRESSION = 1 << 26
CLIENT_DEPRECATE_EOF = 1 << 24  # rows end with an OK packet that begins as an EOF packet does
CLIENT_QUERY_ATTRIBUTES = 1 << 27  # of MySQL 8: statements come after parameters, of which replicas send none
PROTOCOL_VERSION = 10
NULL = 0xFB  # in the place of the length of a row's value
COLUMN_FILLER = 2  # zero bytes at the end of a column's definition
LEAST_AUTH_DATA = 13  # bytes of the second part of the nonce at least, its NUL among them

SECRETS = frozenset({"auth_plugin_data", "auth_response", "auth_data", "password", "auth_plugin_data_2"})

# Commands of a client; what a replica may use of them is decoded, of the others the name is told.
COMMANDS = {
    0x00: "COM_SLEEP", 0x01: "COM_QUIT", 0x02: "COM_INIT_DB", 0x03: "COM_QUERY", 0x04: "COM_FIELD_LIST",
    0x08: "COM_SHUTDOWN", 0x09: "COM_STATISTICS", 0x0A: "COM_PROCESS_INFO", 0x0C: "COM_PROCESS_KILL",
    0x0D: "COM_DEBUG", 0x0E: "COM_PING", 0x11: "COM_CHANGE_USER", 0x12: "COM_BINLOG_DUMP", 0x13: "COM_TABLE_DUMP",
    0x14: "COM_CONNECT_OUT", 0x15: "COM_REGISTER_SLAVE", 0x16: "COM_STMT_PREPARE", 0x17: "COM_STMT_EXECUTE",
    0x18: "COM_STMT_SEND_LONG_DATA", 0x19: "COM_STMT_CLOSE", 0x1A: "COM_STMT_RESET", 0x1B: "COM_SET_OPTION",
    0x1C: "COM_STMT_FETCH", 0x1E: "COM_BINLOG_DUMP_GTID", 0x1F: "COM_RESET_CONNECTION",
}  # fmt: skip


class Place(NamedTuple):
    """Where a packet was seen."""

    number: int  # of the frame that brought its first byte
    time: int  # of that frame, in nanoseconds since the epoch
    source: str  # address and port of who sent it
    target: str
    start: int  # offsets among the bytes of its direction
    end: int


class PacketField(NamedTuple):
    """A named stretch of a payload, and its value."""

    name: str
    start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class Message:
    """A packet that holds no event of a log: its name, what it says, and where its fields stand in its payload."""

    place: Place
    sequence: int
    name: str
    body: dict[str, object]
    payload: bytes = b""  # secrets overwritten
    fields: tuple[PacketField, ...] = ()


@dataclass(frozen=True, slots=True)
class SentEvent:
    """A packet that holds an event of a log."""

    place: Place
    sequence: int
    event: bytes
    semi_sync_flags: int | None


@dataclass(frozen=True, slots=True)
class Hole:
    """Bytes of a stream that are missing, or that could not be read for those that are."""

    missing: int
    unread: int
    number: int  # of the frame after it; 0 at the end


def public(fields: dict[str, object]) -> dict[str, object]:
    """Fields by name, of which the secrets only say that they were there."""
    return {name: redacted(value) if name in SECRETS else value for name, value in fields.items()}


def redacted(value: object) -> str:
    """What is shown in place of a secret."""
    size = len(value) if isinstance(value, str | bytes) else 0
    return f"redacted, {counted(size, 'byte')}" if size else ""


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a server says first."""

    protocol_version: int
    server_version: str
    connection_id: int
    character_set: int
    server_status: int
    capabilities: int
    auth_plugin_data_length: int
    mariadb_capabilities: int
    auth_plugin_data: bytes
    auth_plugin_name: str

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Greeting:
        """A payload's fields; `fields` begins at the first byte."""
        fields = fields or Cursor(payload)
        version = fields.uint("protocol_version", 1)
        server, thread = nul_text(fields, "server_version"), fields.uint("connection_id", 4)
        nonce = fields.take("auth_plugin_data", 8)
        fields.take("filler", 1)
        low = fields.uint("capabilities_low", 2)
        charset, status = fields.uint("character_set", 1), fields.uint("server_status", 2)
        capabilities = low | fields.uint("capabilities_high", 2) << 16
        size = fields.uint("auth_plugin_data_length", 1)
        fields.take("reserved", 6)
        own = fields.uint("mariadb_capabilities", 4)
        second = fields.take("auth_plugin_data_2", min(max(LEAST_AUTH_DATA, size - 8), fields.left()))
        plugin = nul_text(fields, "auth_plugin_name") if capabilities & CLIENT_PLUGIN_AUTH else ""
        own = 0 if capabilities & CLIENT_LONG_PASSWORD else own
        nonce += second.removesuffix(b"\0")
        return cls(version, server, thread, charset, status, capabilities, size, own, nonce, plugin)


@dataclass(frozen=True, slots=True)
class HandshakeResponse:
    """What a client answers: who it is, and what it can do."""

    capabilities: int
    max_packet_size: int
    character_set: int
    mariadb_capabilities: int
    user: str
    auth_response: bytes
    database: str
    auth_plugin_name: str
    attributes: dict[str, str]

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> HandshakeResponse:
        """A payload's fields; `fields` begins at the first byte."""
        fields = fields or Cursor(payload)
        capabilities, largest = fields.uint("capabilities", 4), fields.uint("max_packet_size", 4)
        charset = fields.uint("character_set", 1)
        fields.take("reserved", 19)
        own = fields.uint("mariadb_capabilities", 4)
        user = nul_text(fields, "user")
        if capabilities & CLIENT_PLUGIN_AUTH_LENENC:
            answer = lenenc_bytes(fields, "auth_response")
        elif capabilities & CLIENT_SECURE_CONNECTION:
            answer = short_bytes(fields, "auth_response")
        else:
            answer = nul_text(fields, "auth_response").encode("utf-8", "surrogateescape")
        database = nul_text(fields, "database") if capabilities & CLIENT_CONNECT_WITH_DB else ""
        plugin = nul_text(fields, "auth_plugin_name") if capabilities & CLIENT_PLUGIN_AUTH and fields.left() else ""
        attributes = {}
        if capabilities & CLIENT_CONNECT_ATTRS and fields.left():
            start, raw = fields.pos, quiet_lenenc_bytes(fields, "attributes")
            said: object = raw
            try:
                said = attributes = attributes_of(raw)
            finally:
                fields.note("attributes", start, said)
        own = 0 if capabilities & CLIENT_LONG_PASSWORD else own
        return cls(capabilities, largest, charset, own, user, answer, database, plugin, attributes)


def attributes_of(raw: bytes) -> dict[str, str]:
    """Names and values of what a client tells of itself."""
    inner = Cursor(raw)
    found = {}
    while inner.left():
        name = lenenc_text(inner, "name")
        found[name] = lenenc_text(inner, "value")
    return found


@dataclass(frozen=True, slots=True)
class Query:
    """COM_QUERY: a statement."""

    command: ClassVar[int] = 0x03
    query: str

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Query:
        """A payload's text."""
        fields = fields or Cursor(payload, 1)
        return cls(rest_text(fields, "query"))


class AttributedQuery(Query):
    """The same from a client that may send parameters along."""

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Query:
        """A payload's text; where there are parameters, with their bytes before it."""
        fields = fields or Cursor(payload, 1)
        lenenc_number(fields, "parameter_count")
        lenenc_number(fields, "parameter_set_count")
        return Query(rest_text(fields, "query"))


class EndOfRows(answers.Ok):
    """An OK packet that begins as an EOF packet does."""

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> answers.Ok:
        """A payload's fields."""
        return answers.Ok.parse(bytes([packets.OK]) + payload[1:], fields or Cursor(payload, 1))


@dataclass(frozen=True, slots=True)
class ColumnCount:
    """The head of a result set."""

    column_count: int

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ColumnCount:
        """A payload's number."""
        fields = fields or Cursor(payload)
        return cls(lenenc_number(fields, "column_count"))


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column of a result set."""

    catalog: str
    schema: str
    table: str
    org_table: str
    name: str
    org_name: str
    character_set: int
    length: int
    type: int
    flags: int
    decimals: int

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ColumnDefinition:
        """A payload's fields; MariaDB's extended metadata is not asked for by replicas."""
        fields = fields or Cursor(payload)
        texts = [lenenc_text(fields, name) for name in ("catalog", "schema", "table", "org_table", "name", "org_name")]
        lenenc_number(fields, "column_definition_size")
        sizes = (("character_set", 2), ("length", 4), ("type", 1), ("flags", 2), ("decimals", 1))
        numbers = [fields.uint(name, size) for name, size in sizes]
        if fields.left():
            fields.take("filler", min(COLUMN_FILLER, fields.left()))
        return cls(*texts, *numbers)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a result set in text form."""

    values: list[str | None]

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Row:
        """A payload's values; 0xFB is NULL."""
        fields = fields or Cursor(payload)
        values: list[str | None] = []
        while fields.left():
            name = f"value {len(values) + 1}"
            if payload[fields.pos] == NULL:
                fields.note(name, fields.need(name, 1), None)
                values.append(None)
            else:
                values.append(lenenc_text(fields, name))
        return cls(values)


@dataclass(frozen=True, slots=True)
class ArtificialEvent:
    """An event that stands in no log: where the events to come are from, or that there is nothing new."""

    said: dict[str, object]

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ArtificialEvent:
        """A payload's event, all of its bytes named."""
        fields = fields or Cursor(payload, 1)
        sent = answers.EventPacket.parse(payload)
        if sent.semi_sync_flags is not None:
            fields.uint("semi_sync_indicator", 1)
            fields.uint("semi_sync_flags", 1)
        for name, size in answers.EVENT_FIELDS:
            fields.uint(name, size)
        body = answers.body_of(sent.event)
        end = fields.left() - len(body)
        if sent.event[4] == ROTATE_EVENT:
            said: dict[str, object] = asdict(answers.read_fake_rotate(sent.event))
            fields.uint("position", 8)
            fields.text("log_name", len(body) - 8)
        elif sent.event[4] in HEARTBEAT_EVENTS:
            said = asdict(answers.read_heartbeat(sent.event))
            fields.take("heartbeat", len(body))
        else:
            said = {"log_pos": int.from_bytes(sent.event[13:17], "little")}
            fields.take("body", len(body))
        if end:
            fields.uint("checksum", end)
        return cls(said)


def without_secrets(payload: bytes, noted: tuple[PacketField, ...], *, whole: bool) -> bytes:
    """A payload whose secret bytes are overwritten; with them all that was not understood, where it may hold some."""
    shown = bytearray(payload)
    for one in noted:
        if one.name in SECRETS:
            shown[one.start : one.end] = bytes(one.end - one.start)
    read = max((one.end for one in noted), default=0)
    return bytes(shown if whole else shown[:read] + bytes(len(payload) - read))

"""The packets before a session begins: the server's greeting and the client's response."""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.binary.cursor import Cursor
from binlogcli.sources.protocol.encodings import lenenc_bytes, lenenc_text, nul_text, quiet_lenenc_bytes, short_bytes

CLIENT_LONG_PASSWORD = 0x1  # in a greeting without it the last reserved bytes are MariaDB's own capabilities
CLIENT_CONNECT_WITH_DB = 0x8
CLIENT_COMPRESS = 0x20
CLIENT_SSL = 0x800
CLIENT_SECURE_CONNECTION = 0x8000
CLIENT_PLUGIN_AUTH = 0x80000
CLIENT_CONNECT_ATTRS = 0x100000
_CLIENT_PLUGIN_AUTH_LENENC = 0x200000
CLIENT_DEPRECATE_EOF = 1 << 24  # rows end with an OK packet that begins as an EOF packet does
CLIENT_ZSTD_COMPRESSION = 1 << 26
CLIENT_QUERY_ATTRIBUTES = 1 << 27  # of MySQL 8: statements come after parameters, of which replicas send none
PROTOCOL_VERSION = 10
_LEAST_AUTH_DATA = 13  # bytes of the second part of the nonce at least, its NUL among them


@dataclass(frozen=True, slots=True)
class Greeting:
    """The server's first packet."""

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
        """Return a payload's fields; `fields` begins at the first byte."""
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
        second = fields.take("auth_plugin_data_2", min(max(_LEAST_AUTH_DATA, size - 8), fields.left()))
        plugin = nul_text(fields, "auth_plugin_name") if capabilities & CLIENT_PLUGIN_AUTH else ""
        own = 0 if capabilities & CLIENT_LONG_PASSWORD else own
        nonce += second.removesuffix(b"\0")
        return cls(version, server, thread, charset, status, capabilities, size, own, nonce, plugin)


@dataclass(frozen=True, slots=True)
class HandshakeResponse:
    """The client's answer to the greeting: its account, and its capabilities."""

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
        """Return a payload's fields; `fields` begins at the first byte."""
        fields = fields or Cursor(payload)
        capabilities, largest = fields.uint("capabilities", 4), fields.uint("max_packet_size", 4)
        charset = fields.uint("character_set", 1)
        fields.take("reserved", 19)
        own = fields.uint("mariadb_capabilities", 4)
        user = nul_text(fields, "user")
        if capabilities & _CLIENT_PLUGIN_AUTH_LENENC:
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
                said = attributes = _attributes_of(raw)
            finally:
                fields.note("attributes", start, said)
        own = 0 if capabilities & CLIENT_LONG_PASSWORD else own
        return cls(capabilities, largest, charset, own, user, answer, database, plugin, attributes)


def _attributes_of(raw: bytes) -> dict[str, str]:
    """Return a client's attributes by name."""
    inner = Cursor(raw)
    found = {}
    while inner.left():
        name = lenenc_text(inner, "name")
        found[name] = lenenc_text(inner, "value")
    return found

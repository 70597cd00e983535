"""A server's answers: OK, EOF, errors, events; and the artificial events, which are in no log but tell about it."""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, EndOfEvent
from binlogcli.names.event_types import HEARTBEAT_EVENTS, HEARTBEAT_LOG_EVENT_V2, ROTATE_EVENT
from binlogcli.sources.protocol.encodings import lenenc_bytes, lenenc_number, text_of
from binlogcli.sources.protocol.packets import EOF, ERR, EVENT_HEADER, LONGEST_EOF, OK, SEMI_SYNC, expect

# the header of an event: the names of its fields, and their sizes
_EVENT_FIELDS = (
    ("timestamp", 4),
    ("type_code", 1),
    ("server_id", 4),
    ("event_length", 4),
    ("log_pos", 4),
    ("flags", 2),
)


@dataclass(frozen=True, slots=True)
class Ok:
    """A command was executed."""

    affected_rows: int = 0
    last_insert_id: int = 0
    server_status: int = 0
    warnings: int = 0

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Ok:
        """Return a payload's fields, without those that newer servers add after them."""
        expect(payload, OK, "OK packet")
        fields = fields or Cursor(payload, 1)
        rows, insert_id = lenenc_number(fields, "affected_rows"), lenenc_number(fields, "last_insert_id")
        return cls(rows, insert_id, fields.uint("server_status", 2), fields.uint("warnings", 2))


@dataclass(frozen=True, slots=True)
class Eof:
    """The end of definitions, of rows, or of a dump that does not wait for more."""

    warnings: int = 0
    server_status: int = 0

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Eof:
        """Return a payload's fields."""
        if not is_eof(payload):
            raise DecodeError("no EOF packet")
        fields = fields or Cursor(payload, 1)
        return cls(fields.uint("warnings", 2), fields.uint("server_status", 2)) if len(payload) > 1 else cls()


@dataclass(frozen=True, slots=True)
class Err:
    """An error of the server."""

    code: int
    sqlstate: str
    message: str

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Err:
        """Return a payload's fields; during the login there is no SQLSTATE."""
        expect(payload, ERR, "error packet")
        fields = fields or Cursor(payload, 1)
        code = fields.uint("code", 2)
        state = fields.text("sqlstate", 6)[1:] if payload[3:4] == b"#" else ""
        return cls(code, state, fields.rest("message").decode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class EventPacket:
    """An event as it is sent; `semi_sync_flags` is None where the stream has no semi-sync bytes."""

    event: bytes
    semi_sync_flags: int | None = None

    def pack(self) -> bytes:
        """Return the payload."""
        marks = b"" if self.semi_sync_flags is None else bytes([SEMI_SYNC, self.semi_sync_flags])
        return bytes([OK]) + marks + self.event

    @classmethod
    def parse(cls, payload: bytes, *, semi_sync: bool | None = None) -> EventPacket:
        """Return the event of a packet; `semi_sync`: whether two such bytes stand before it, None to look."""
        expect(payload, OK, "event packet")
        marked = has_semi_sync(payload) if semi_sync is None else semi_sync
        if not marked:
            return cls(payload[1:])
        if len(payload) < 3 or payload[1] != SEMI_SYNC:
            raise DecodeError("the semi-sync bytes are missing")
        return cls(payload[3:], payload[2])


def is_eof(payload: bytes) -> bool:
    """Whether a payload is an EOF packet."""
    return payload[:1] == bytes([EOF]) and len(payload) <= LONGEST_EOF


def has_semi_sync(payload: bytes) -> bool:
    """Whether two semi-sync bytes stand before the event, by the length in the event's header.

    All packets of a stream are alike: the first one's answer holds for all of them.
    """
    if payload[1:2] != bytes([SEMI_SYNC]) or len(payload) < 3 + EVENT_HEADER:
        return False
    return int.from_bytes(payload[12:16], "little") == len(payload) - 3


# events that are no part of a log -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FakeRotate:
    """An artificial ROTATE: the name of the log whose events follow, and the position of the first."""

    position: int
    log_name: str


@dataclass(frozen=True, slots=True)
class ReplicaHeartbeat:
    """An artificial heartbeat: how far the server has read in which log, as there is nothing new."""

    position: int
    log_name: str


def read_fake_rotate(event: bytes) -> FakeRotate:
    """Return the content of an artificial ROTATE event, with or without a checksum."""
    body = _body_of(event)
    if len(body) < 8:
        raise EndOfEvent("position", 8, len(body))
    return FakeRotate(int.from_bytes(body[:8], "little"), text_of(body[8:]))


def read_heartbeat(event: bytes) -> ReplicaHeartbeat:
    """Return the content of a heartbeat event of either version."""
    body = _body_of(event)
    position = int.from_bytes(event[13:17], "little")
    if event[4] == HEARTBEAT_LOG_EVENT_V2:
        return _read_heartbeat_v2(body)
    # a name begins with a letter, an eight-byte position beyond 4 GiB ends in zero bytes
    if position == 0 and len(body) > 8 and body[7] == 0:
        return ReplicaHeartbeat(int.from_bytes(body[:8], "little"), text_of(body[8:]))
    return ReplicaHeartbeat(position, text_of(body))


def _read_heartbeat_v2(body: bytes) -> ReplicaHeartbeat:
    """Read fields of type, length and value: type 1 is the log's name, 2 its position; 0 ends them."""
    fields = Cursor(body)
    name, position = "", 0
    while fields.left():
        kind = lenenc_number(fields, "type")
        if kind == 0:
            break
        value = lenenc_bytes(fields, "value")
        if kind == 1:
            name = text_of(value)
        elif kind == 2:
            position = lenenc_number(Cursor(value), "position")
    return ReplicaHeartbeat(position, name)


def _body_of(event: bytes) -> bytes:
    """Return an event's body without its checksum, which is recognized by fitting the event."""
    if len(event) < EVENT_HEADER:
        raise EndOfEvent("header", EVENT_HEADER, len(event))
    if len(event) >= EVENT_HEADER + 4 and zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little"):
        return event[EVENT_HEADER:-4]
    return event[EVENT_HEADER:]


@dataclass(frozen=True, slots=True)
class ArtificialEvent:
    """An artificial event, with its content by name."""

    said: dict[str, object]

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ArtificialEvent:
        """Return a payload's event, and note all of its bytes."""
        fields = fields or Cursor(payload, 1)
        sent = EventPacket.parse(payload)
        if sent.semi_sync_flags is not None:
            fields.uint("semi_sync_indicator", 1)
            fields.uint("semi_sync_flags", 1)
        for name, size in _EVENT_FIELDS:
            fields.uint(name, size)
        body = _body_of(sent.event)
        end = fields.left() - len(body)
        if sent.event[4] == ROTATE_EVENT:
            said: dict[str, object] = asdict(read_fake_rotate(sent.event))
            fields.uint("position", 8)
            fields.text("log_name", len(body) - 8)
        elif sent.event[4] in HEARTBEAT_EVENTS:
            said = asdict(read_heartbeat(sent.event))
            fields.take("heartbeat", len(body))
        else:
            said = {"log_pos": int.from_bytes(sent.event[13:17], "little")}
            fields.take("body", len(body))
        if end:
            fields.uint("checksum", end)
        return cls(said)

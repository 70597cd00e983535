"""What a server answers: OK, EOF, errors, events; and the events that stand in no log but say something about it."""

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
    """A command has done what it should."""

    affected_rows: int = 0
    last_insert_id: int = 0
    server_status: int = 0
    warnings: int = 0

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Ok:
        """A payload's fields; what newer servers add after them is left out."""
        expect(payload, OK, "OK packet")
        fields = fields or Cursor(payload, 1)
        rows, insert_id = lenenc_number(fields, "affected_rows"), lenenc_number(fields, "last_insert_id")
        return cls(rows, insert_id, fields.uint("server_status", 2), fields.uint("warnings", 2))


@dataclass(frozen=True, slots=True)
class Eof:
    """The end of rows, or of a dump that does not wait for more."""

    warnings: int = 0
    server_status: int = 0

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Eof:
        """A payload's fields."""
        if not is_eof(payload):
            raise DecodeError("no EOF packet")
        fields = fields or Cursor(payload, 1)
        return cls(fields.uint("warnings", 2), fields.uint("server_status", 2)) if len(payload) > 1 else cls()


@dataclass(frozen=True, slots=True)
class Err:
    """The server refuses."""

    code: int
    sqlstate: str
    message: str

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> Err:
        """A payload's fields; before the end of a handshake there is no SQLSTATE."""
        expect(payload, ERR, "error packet")
        fields = fields or Cursor(payload, 1)
        code = fields.uint("code", 2)
        state = fields.text("sqlstate", 6)[1:] if payload[3:4] == b"#" else ""
        return cls(code, state, fields.rest("message").decode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class EventPacket:
    """An event on its way. `semi_sync_flags` is None where the stream has no semi-sync bytes."""

    event: bytes
    semi_sync_flags: int | None = None

    def pack(self) -> bytes:
        """The payload."""
        marks = b"" if self.semi_sync_flags is None else bytes([SEMI_SYNC, self.semi_sync_flags])
        return bytes([OK]) + marks + self.event

    @classmethod
    def parse(cls, payload: bytes, *, semi_sync: bool | None = None) -> EventPacket:
        """The event of a packet. `semi_sync`: whether the stream has the two bytes; None lets the packet tell."""
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
    """Whether two semi-sync bytes stand before the event: told by the length that the event has of itself.

    All packets of a stream are alike, and the first one's answer is good for all of them.
    """
    if payload[1:2] != bytes([SEMI_SYNC]) or len(payload) < 3 + EVENT_HEADER:
        return False
    return int.from_bytes(payload[12:16], "little") == len(payload) - 3


# events that are no part of a log -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FakeRotate:
    """An artificial ROTATE: the name of the log whose events follow, and where they begin."""

    position: int
    log_name: str


@dataclass(frozen=True, slots=True)
class ReplicaHeartbeat:
    """Nothing new: how far the server has read in which log. HEARTBEAT_LOG_EVENT_V2 has fields of its own."""

    position: int
    log_name: str


def read_fake_rotate(event: bytes) -> FakeRotate:
    """The content of a fake rotate, with or without a checksum."""
    body = _body_of(event)
    if len(body) < 8:
        raise EndOfEvent("position", 8, len(body))
    return FakeRotate(int.from_bytes(body[:8], "little"), text_of(body[8:]))


def read_heartbeat(event: bytes) -> ReplicaHeartbeat:
    """The content of a heartbeat of either version."""
    body = _body_of(event)
    position = int.from_bytes(event[13:17], "little")
    if event[4] == HEARTBEAT_LOG_EVENT_V2:
        return _read_heartbeat_v2(body)
    # a name begins with a letter, an eight-byte position beyond 4 GiB ends in zero bytes
    if position == 0 and len(body) > 8 and body[7] == 0:
        return ReplicaHeartbeat(int.from_bytes(body[:8], "little"), text_of(body[8:]))
    return ReplicaHeartbeat(position, text_of(body))


def _read_heartbeat_v2(body: bytes) -> ReplicaHeartbeat:
    """Fields of a type, a length and a value: 1 is the log's name, 2 its position; 0 ends them."""
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
    """An event's body without its checksum; whether it has one, nothing but the checksum itself tells."""
    if len(event) < EVENT_HEADER:
        raise EndOfEvent("header", EVENT_HEADER, len(event))
    if len(event) >= EVENT_HEADER + 4 and zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little"):
        return event[EVENT_HEADER:-4]
    return event[EVENT_HEADER:]


@dataclass(frozen=True, slots=True)
class ArtificialEvent:
    """An event that stands in no log: where the events to come are from, or that there is nothing new."""

    said: dict[str, object]

    @classmethod
    def parse(cls, payload: bytes, fields: Cursor | None = None) -> ArtificialEvent:
        """A payload's event, all of its bytes named."""
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

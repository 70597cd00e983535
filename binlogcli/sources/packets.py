"""The packets of the replication dialogue: bytes to values and back, without any input or output of their own.

What a replica says (register, dump request, acknowledgement), what a server answers (OK, EOF, error, events), and how
packets are cut out of a connection's bytes. Every parser takes the payload of one packet, whatever it holds, and raises
nothing but `DecodeError`.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from binlogcli.errors import DecodeError, EndOfEvent
from binlogcli.sources.fields import Fields, text_of

HEADER = 4  # of a packet: length in three bytes, sequence in one
LARGEST_CHUNK = 0xFFFFFF  # a payload of this length goes on in the next packet
LARGEST_PAYLOAD = (1 << 30) + 64  # an event of a GiB, which is the servers' own limit, and what stands around it
EVENT_HEADER = 19

COM_QUERY = 0x03
COM_BINLOG_DUMP = 0x12
COM_REGISTER_SLAVE = 0x15
COM_BINLOG_DUMP_GTID = 0x1E

OK = 0x00
EOF = 0xFE
ERR = 0xFF
LONGEST_EOF = 7  # an EOF packet is shorter than 8 bytes
SEMI_SYNC = 0xEF  # stands before an event that may have to be acknowledged, and begins the acknowledgement
ACK_WANTED = 0x01

BINLOG_DUMP_NON_BLOCK = 0x0001
BINLOG_SEND_ANNOTATE_ROWS = 0x0002  # MariaDB
USE_HEARTBEAT_EVENT_V2 = 0x0002  # MySQL

ROTATE = 4
HEARTBEAT = 27
HEARTBEAT_V2 = 41
ARTIFICIAL_FLAG = 0x20
LOG_START = 4  # where the first event of a log stands


class Packet(NamedTuple):
    """One packet, its chunks put together. `start` and `end` are offsets in the bytes of its direction."""

    start: int
    end: int
    sequence: int  # of its first chunk
    payload: bytes
    chunks: int


class PacketReader:
    """Packets out of the bytes of one direction of a connection, however these are cut."""

    def __init__(self, limit: int = LARGEST_PAYLOAD) -> None:
        self.limit = limit
        self.offset = 0  # of the next packet
        self._bytes = bytearray()

    def feed(self, data: bytes | memoryview) -> None:
        """Take the next bytes."""
        self._bytes += data

    @property
    def waiting(self) -> int:
        """Bytes of a packet that is not whole yet."""
        return len(self._bytes)

    def ahead(self, size: int | None = None) -> bytes:
        """The bytes of the packet to come, as many as are there or asked for."""
        return bytes(self._bytes[:size])

    def next(self) -> Packet | None:
        """The next packet; None when its bytes are not all there."""
        data = self._bytes
        at = total = chunks = 0
        while True:
            if at + HEADER > len(data):
                return None
            length = int.from_bytes(data[at : at + 3], "little")
            total += length
            if total > self.limit:
                raise DecodeError(f"a packet of more than {self.limit} bytes")
            at += HEADER + length
            chunks += 1
            if length < LARGEST_CHUNK:
                break
        if at > len(data):
            return None
        sequence = data[3]
        payload = b"".join(self._chunks(at)) if chunks > 1 else bytes(data[HEADER:at])
        start = self.offset
        self.offset += at
        del data[:at]
        return Packet(start, self.offset, sequence, payload, chunks)

    def _chunks(self, end: int) -> list[bytes]:
        chunks = []
        at = 0
        while at < end:
            length = int.from_bytes(self._bytes[at : at + 3], "little")
            chunks.append(bytes(self._bytes[at + HEADER : at + HEADER + length]))
            at += HEADER + length
        return chunks


def frame(payload: bytes, sequence: int) -> bytes:
    """A payload as it goes over the wire: one packet, or as many as it needs."""
    parts = []
    at = 0
    while True:
        chunk = payload[at : at + LARGEST_CHUNK]
        parts += [len(chunk).to_bytes(3, "little"), bytes([sequence & 0xFF]), chunk]
        at += len(chunk)
        sequence += 1
        if len(chunk) < LARGEST_CHUNK:
            return b"".join(parts)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _short(text: str) -> bytes:
    data = _bytes(text)[:255]
    return bytes([len(data)]) + data


def _expect(payload: bytes, first: int, name: str) -> None:
    if payload[:1] != bytes([first]):
        raise DecodeError(f"no {name}: it begins with {payload[:1].hex() or 'nothing'}")


# what a replica says --------------------------------------------------------------------------------------------------


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
    def parse(cls, payload: bytes, fields: Fields | None = None) -> RegisterSlave:
        """A payload's fields."""
        _expect(payload, COM_REGISTER_SLAVE, "COM_REGISTER_SLAVE")
        fields = fields or Fields(payload)
        return cls(
            fields.number("server_id", 4),
            fields.short_text("host"),
            fields.short_text("user"),
            fields.short_text("password"),
            fields.number("port", 2),
            fields.number("rpl_recovery_rank", 4),
            fields.number("master_id", 4),
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
    def parse(cls, payload: bytes, fields: Fields | None = None) -> BinlogDump:
        """A payload's fields."""
        _expect(payload, COM_BINLOG_DUMP, "COM_BINLOG_DUMP")
        fields = fields or Fields(payload)
        pos, flags, server_id = fields.number("pos", 4), fields.number("flags", 2), fields.number("server_id", 4)
        return cls(pos, flags, server_id, fields.rest_text("log_ident"))


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
    def parse(cls, payload: bytes, fields: Fields | None = None) -> BinlogDumpGtid:
        """A payload's fields."""
        _expect(payload, COM_BINLOG_DUMP_GTID, "COM_BINLOG_DUMP_GTID")
        fields = fields or Fields(payload)
        flags, server_id = fields.number("flags", 2), fields.number("server_id", 4)
        name = fields.text("log_ident", fields.number("log_ident_length", 4))
        pos = fields.number("pos", 8)
        return cls(flags, server_id, name, pos, fields.take("gtid_set", fields.number("gtid_set_length", 4)))


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
    def parse(cls, payload: bytes, fields: Fields | None = None) -> Acknowledgement:
        """A payload's fields; a NUL that some replicas end the name with is not part of it."""
        _expect(payload, SEMI_SYNC, "acknowledgement")
        fields = fields or Fields(payload)
        return cls(fields.number("log_file_pos", 8), fields.rest_text("log_file_name").removesuffix("\0"))


# what a server answers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ok:
    """A command has done what it should."""

    affected_rows: int = 0
    last_insert_id: int = 0
    server_status: int = 0
    warnings: int = 0

    @classmethod
    def parse(cls, payload: bytes, fields: Fields | None = None) -> Ok:
        """A payload's fields; what newer servers add after them is left out."""
        _expect(payload, OK, "OK packet")
        fields = fields or Fields(payload)
        rows, insert_id = fields.lenenc("affected_rows"), fields.lenenc("last_insert_id")
        return cls(rows, insert_id, fields.number("server_status", 2), fields.number("warnings", 2))


@dataclass(frozen=True, slots=True)
class Eof:
    """The end of rows, or of a dump that does not wait for more."""

    warnings: int = 0
    server_status: int = 0

    @classmethod
    def parse(cls, payload: bytes, fields: Fields | None = None) -> Eof:
        """A payload's fields."""
        if not is_eof(payload):
            raise DecodeError("no EOF packet")
        fields = fields or Fields(payload)
        return cls(fields.number("warnings", 2), fields.number("server_status", 2)) if len(payload) > 1 else cls()


@dataclass(frozen=True, slots=True)
class Err:
    """The server refuses."""

    code: int
    sqlstate: str
    message: str

    @classmethod
    def parse(cls, payload: bytes, fields: Fields | None = None) -> Err:
        """A payload's fields; before the end of a handshake there is no SQLSTATE."""
        _expect(payload, ERR, "error packet")
        fields = fields or Fields(payload)
        code = fields.number("code", 2)
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
        _expect(payload, OK, "event packet")
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
class Heartbeat:
    """Nothing new: how far the server has read in which log. HEARTBEAT_LOG_EVENT_V2 has fields of its own."""

    position: int
    log_name: str


def read_fake_rotate(event: bytes) -> FakeRotate:
    """The content of a fake rotate, with or without a checksum."""
    body = body_of(event)
    if len(body) < 8:
        raise EndOfEvent("position", 8, len(body))
    return FakeRotate(int.from_bytes(body[:8], "little"), text_of(body[8:]))


def read_heartbeat(event: bytes) -> Heartbeat:
    """The content of a heartbeat of either version."""
    body = body_of(event)
    position = int.from_bytes(event[13:17], "little")
    if event[4] == HEARTBEAT_V2:
        return _read_heartbeat_v2(body)
    # a name begins with a letter, an eight-byte position beyond 4 GiB ends in zero bytes
    if position == 0 and len(body) > 8 and body[7] == 0:
        return Heartbeat(int.from_bytes(body[:8], "little"), text_of(body[8:]))
    return Heartbeat(position, text_of(body))


def _read_heartbeat_v2(body: bytes) -> Heartbeat:
    """Fields of a type, a length and a value: 1 is the log's name, 2 its position; 0 ends them."""
    fields = Fields(body, 0)
    name, position = "", 0
    while fields.left:
        kind = fields.lenenc("type")
        if kind == 0:
            break
        value = fields.take("value", fields.lenenc("length"))
        if kind == 1:
            name = text_of(value)
        elif kind == 2:
            position = Fields(value, 0).lenenc("position")
    return Heartbeat(position, name)


# the header of an event: the names of its fields, and their sizes
EVENT_FIELDS = (("timestamp", 4), ("type_code", 1), ("server_id", 4), ("event_length", 4), ("log_pos", 4), ("flags", 2))


def body_of(event: bytes) -> bytes:
    """An event's body without its checksum; whether it has one, nothing but the checksum itself tells."""
    if len(event) < EVENT_HEADER:
        raise EndOfEvent("header", EVENT_HEADER, len(event))
    if len(event) >= EVENT_HEADER + 4 and zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little"):
        return event[EVENT_HEADER:-4]
    return event[EVENT_HEADER:]

"""Packets: how they are cut out of a connection's bytes and put into them, and the numbers that the protocol uses.

The classes in `login`, `requests`, `answers` and `results` parse the payload of one packet and raise nothing but
`DecodeError`.
"""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.errors import DecodeError

PACKET_HEADER = 4  # of a packet: length in three bytes, sequence in one
LARGEST_CHUNK = 0xFFFFFF  # a payload of this length continues in the next packet
_LARGEST_PAYLOAD = (1 << 30) + 64  # an event of a GiB, which is the servers' own limit, and what stands around it
EVENT_HEADER = 19  # timestamp 4, type 1, server_id 4, length 4, log_pos 4, flags 2

COM_QUERY = 0x03
COM_BINLOG_DUMP = 0x12
COM_REGISTER_SLAVE = 0x15
COM_BINLOG_DUMP_GTID = 0x1E

# first bytes of a server's packets
OK = 0x00
EOF = 0xFE
ERR = 0xFF
LONGEST_EOF = 7  # an EOF packet is shorter than 8 bytes
SEMI_SYNC = 0xEF  # stands before an event that may have to be acknowledged, and begins the acknowledgement
ACK_WANTED = 0x01  # in the byte after SEMI_SYNC

BINLOG_DUMP_NON_BLOCK = 0x0001
BINLOG_SEND_ANNOTATE_ROWS_EVENT = 0x0002  # MariaDB

ARTIFICIAL_FLAG = 0x20  # LOG_EVENT_ARTIFICIAL_F
LOG_START = 4  # where the first event of a log stands


class Packet(NamedTuple):
    """One packet, its chunks put together; `start` and `end` are offsets in the bytes of its direction."""

    start: int
    end: int
    sequence: int  # of its first chunk
    payload: bytes
    chunks: int


class PacketReader:
    """Cuts packets out of the bytes of one direction of a connection."""

    def __init__(self, limit: int = _LARGEST_PAYLOAD) -> None:
        self.limit = limit
        self.offset = 0  # of the next packet
        self._bytes = bytearray()

    def feed(self, data: bytes | memoryview) -> None:
        """Take the next bytes."""
        self._bytes += data

    @property
    def waiting(self) -> int:
        """Number of bytes of the packet that is not whole yet."""
        return len(self._bytes)

    def ahead(self, size: int | None = None) -> bytes:
        """Return up to `size` bytes of the packet to come, all that are there by default."""
        return bytes(self._bytes[:size])

    def next(self) -> Packet | None:
        """Return the next packet; None while its bytes are not all there."""
        data = self._bytes
        at = total = chunks = 0
        while True:
            if at + PACKET_HEADER > len(data):
                return None
            length = int.from_bytes(data[at : at + 3], "little")
            total += length
            if total > self.limit:
                raise DecodeError(f"a packet of more than {self.limit} bytes")
            at += PACKET_HEADER + length
            chunks += 1
            if length < LARGEST_CHUNK:
                break
        if at > len(data):
            return None
        sequence = data[3]
        payload = b"".join(self._chunks(at)) if chunks > 1 else bytes(data[PACKET_HEADER:at])
        start = self.offset
        self.offset += at
        del data[:at]
        return Packet(start, self.offset, sequence, payload, chunks)

    def _chunks(self, end: int) -> list[bytes]:
        chunks = []
        at = 0
        while at < end:
            length = int.from_bytes(self._bytes[at : at + 3], "little")
            chunks.append(bytes(self._bytes[at + PACKET_HEADER : at + PACKET_HEADER + length]))
            at += PACKET_HEADER + length
        return chunks


def frame(payload: bytes, sequence: int) -> bytes:
    """Return a payload as packets: one, or as many as its size needs."""
    parts = []
    at = 0
    while True:
        chunk = payload[at : at + LARGEST_CHUNK]
        parts += [len(chunk).to_bytes(3, "little"), bytes([sequence & 0xFF]), chunk]
        at += len(chunk)
        sequence += 1
        if len(chunk) < LARGEST_CHUNK:
            return b"".join(parts)


def expect(payload: bytes, first: int, name: str) -> None:
    """Raise `DecodeError` for a payload that does not begin with the byte `first`."""
    if payload[:1] != bytes([first]):
        raise DecodeError(f"no {name}: it begins with {payload[:1].hex() or 'nothing'}")

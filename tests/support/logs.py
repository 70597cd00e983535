"""Binary logs made byte by byte, and read from memory in chunks of any size."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.log.gaps import Damage
from binlogcli.render.ndjson.events import JsonLines

MAGIC = b"\xfebin"
MYSQL = "8.4.8"
MARIADB = "10.11.19-MariaDB-log"
# post-header lengths by type - 1, as MySQL 8.4 and MariaDB 10.11 write them
MYSQL_SIZES = bytes.fromhex(
    "000d0008000000000400040000006200041a0800000008080802000000" + "0a0a0a2a2a001234000a2800" + "00"
)
MARIADB_SIZES = (bytes.fromhex("380d0008001200040404041200000000041a08000000080808020000000a0a0a") + bytes(139))[:171]
CRC32, NO_CHECKSUM = 1, 0
SECOND = 0x65666768  # no byte of it is zero

Items = list[Any]  # events of any class, damage, padding


class LogBuilder:
    """Puts events one after another; positions and checksums are as a server would write them."""

    def __init__(self, version: str = MYSQL, *, checksum: int = CRC32, magic: bytes = MAGIC, at: int = -1) -> None:
        self.log = bytearray(magic)
        self.version = version
        self.checksum = checksum
        self.base = at - len(magic) if at >= 0 else 0

    @property
    def at(self) -> int:
        """Where the next event begins."""
        return self.base + len(self.log)

    def describe(self, *, flags: int = 0, header: int = 19, created: int = 0, **fields: Any) -> LogBuilder:
        """Add the format description."""
        sizes = MARIADB_SIZES if "MariaDB" in self.version else MYSQL_SIZES
        body = struct.pack("<H50sIB", 4, self.version.encode(), created, header) + sizes + bytes([self.checksum])
        event = self.framed(15, body + bytes(4), flags=flags & ~1, trailer=0, **fields)
        event[-4:] = zlib.crc32(event[:-4]).to_bytes(4, "little")
        event[17:19] = flags.to_bytes(2, "little")
        self.log += event
        return self

    def add(self, kind: int, body: bytes = b"", **fields: Any) -> LogBuilder:
        """Add an event."""
        self.log += self.framed(kind, body, trailer=4 if self.checksum == CRC32 else 0, **fields)
        return self

    def framed(
        self,
        kind: int,
        body: bytes,
        *,
        trailer: int,
        flags: int = 0,
        log_pos: int = -1,
        server_id: int = 101,
        timestamp: int = SECOND,
    ) -> bytearray:
        length = 19 + len(body) + trailer
        end = (self.at + length) & 0xFFFFFFFF if log_pos < 0 else log_pos
        event = bytearray(struct.pack("<IBIIIH", timestamp, kind, server_id, length, end, flags) + body)
        if trailer:
            event += zlib.crc32(event).to_bytes(4, "little")
        return event

    def raw(self, data: bytes) -> LogBuilder:
        """Add bytes as they are."""
        self.log += data
        return self

    def read(self, **options: Any) -> Items:
        """What is read from it."""
        return read(bytes(self.log), **options)


class MemorySource:
    """A source over bytes; hands out at most `chunk` at once. A stream does not know its size."""

    seekable = False
    remark = ""

    def __init__(self, data: bytes, *, chunk: int = 1 << 20, stream: bool = False) -> None:
        self.name = "memory"
        self.size = None if stream else len(data)
        self.data = data
        self.chunk = chunk
        self.at = 0

    def read(self, size: int) -> bytes:
        piece = self.data[self.at : self.at + min(size, self.chunk)]
        self.at += len(piece)
        return piece

    def head(self, size: int) -> bytes:
        return self.data[:size]

    def seek(self, offset: int) -> None:
        self.at = offset

    def close(self) -> None:
        pass

    def __enter__(self) -> MemorySource:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


# bodies of events ---------------------------------------------------------------------------------------------------


def u2(value: int) -> bytes:
    return value.to_bytes(2, "little")


def u4(value: int) -> bytes:
    return value.to_bytes(4, "little")


def u8(value: int) -> bytes:
    return value.to_bytes(8, "little")


def lenenc_field(kind: int, value: bytes) -> bytes:
    return bytes([kind, len(value)]) + value


def query(status: bytes = b"", db: bytes = b"shop", text: bytes = b"SELECT 1", error: int = 0) -> bytes:
    return struct.pack("<IIBHH", 9, 3, len(db), error, len(status)) + status + db + b"\0" + text


def container(data: bytes) -> bytes:
    size = max(1, (len(data).bit_length() + 7) // 8)
    return bytes([0x80 | size]) + len(data).to_bytes(size, "big") + zlib.compress(data)


def small_log(transactions: int = 3, version: str = MYSQL) -> bytes:
    """A whole log of transactions without changes."""
    log = LogBuilder(version).describe()
    for number in range(transactions):
        log.add(16, u8(number))
    return bytes(log.add(3).log)


# reading --------------------------------------------------------------------------------------------------------------


def stream_of(
    data: bytes, *, chunk: int = 1 << 20, stream: bool = False, verify: bool = True, max_event_size: int = 1 << 30
) -> EventStream:
    """The event stream over bytes."""
    options = ReadOptions(verify=verify, max_event_size=max_event_size)
    return EventStream(MemorySource(data, chunk=chunk, stream=stream), options)


def read(data: bytes, **options: Any) -> Items:
    """Everything that is in some bytes."""
    return list(stream_of(data, **options))


def events(items: Items) -> Items:
    """The events among them."""
    return [item for item in items if isinstance(item, Event)]


def gaps(items: Items) -> list[Damage]:
    """The damage among them."""
    return [item for item in items if isinstance(item, Damage)]


def places(items: Items) -> Iterator[tuple[str, int, int]]:
    """Each item's kind and place."""
    for item in items:
        yield (item.type if isinstance(item, Event) else type(item).__name__.lower(), item.start, item.end)


def json_lines(data: bytes) -> tuple[list[bytes], list[Damage]]:
    """The lines of JSON that some bytes give, and the damage that is told of."""
    out = TextBuffer()
    lines = JsonLines(out)
    lines.name_file("memory")
    told = []
    for item in stream_of(data):
        if isinstance(item, Event):
            told.append(lines.put_event(item))
        elif isinstance(item, Damage):
            lines.put_damage(item)
            told.append(item)
    return bytes(out.content()).splitlines(), [damage for damage in told if damage is not None]

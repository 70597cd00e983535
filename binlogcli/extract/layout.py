"""How the events of a log are written: their headers, positions and checksums, and the events at its head."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from binlogcli.events.control import FormatDescription
from binlogcli.events.event import Event
from binlogcli.log.format import CHECKSUM_SIZE, HEADER_SIZE, LogFormat, knows_checksums
from binlogcli.names.event_types import BINLOG_CHECKPOINT_EVENT, FORMAT_DESCRIPTION_EVENT

_CRC32 = 1
_LENGTH_AT, _POSITION_AT, _FLAGS_AT = 9, 13, 17  # in the header
_OF_A_PLACE = 0x01 | 0x20 | 0x40  # LOG_EVENT_BINLOG_IN_USE_F, _ARTIFICIAL_F, _RELAY_LOG_F: of the log that was read
_CREATED_AT = HEADER_SIZE + 2 + 50  # in FORMAT_DESCRIPTION
# For logs whose own format description is lost: versions, and the sizes of post-headers, as these servers write them
_ASSUMED = {True: "10.11.0-MariaDB-assumed", False: "8.4.0-assumed"}
_SIZES_OF_MYSQL = bytes.fromhex("000d0008000000000400040000006300041a08000000000000020000000a0a0a2a2a001234000a280000")
_SIZES_OF_MARIADB = bytes.fromhex(
    "380d000800120004040404120000e400041a08000000080808020000000a0a0a0000000000000a0a0a"
).ljust(160, b"\0") + bytes.fromhex("041304000d0808080a0a0a")  # types of MariaDB alone, from 161 on


class Layout(NamedTuple):
    """The format in which events are written. `head` is its FORMAT_DESCRIPTION or START_V3, as it was read."""

    format: LogFormat
    head: bytes
    assumed: bool = False

    @property
    def trailer(self) -> int:
        """The bytes of a checksum after each event."""
        return CHECKSUM_SIZE if self.format.checksum == _CRC32 else 0

    def same_as(self, other: Layout) -> bool:
        """Return whether events of the other layout can follow without a format description of their own."""
        return self.format._replace(created=0) == other.format._replace(created=0)

    def joins(self, other: Layout) -> bool:
        """Return whether a format description of the other layout may stand in a log of this one."""
        here, there = self.format, other.format
        return here.mariadb == there.mariadb and here.binlog_version == there.binlog_version == 4

    def described(self, start: int, *, created: bool) -> bytes:
        """Return the format description for a log in which it starts at `start`; `created`: with the server's start."""
        event = bytearray(self.head)
        if event[4] != FORMAT_DESCRIPTION_EVENT:
            return self.placed(bytes(event), start)
        if not created:
            event[_CREATED_AT : _CREATED_AT + 4] = bytes(4)
        _place(event, start + len(event))
        if self.format.checksum is not None:  # it has a checksum of its own even where the events have none
            _seal(event)
        return bytes(event)

    def placed(self, data: bytes, start: int, *, inner: bool = False) -> bytes:
        """Return an event as it is written at `start`; one from a payload has no checksum yet."""
        if self.format.header_size < HEADER_SIZE:
            return data
        event = bytearray(data)
        if inner:
            event += bytes(self.trailer)
            struct.pack_into("<I", event, _LENGTH_AT, len(event))
        _place(event, start if self.format.binlog_version == 3 else start + len(event))
        if self.trailer:
            _seal(event)
        return bytes(event)

    def made(self, kind: int, flags: int, body: bytes, start: int) -> bytes:
        """Return an event with the server and time of the format description."""
        body = bytes(self.format.header_size - HEADER_SIZE) + body  # a header may be longer than today's
        size = HEADER_SIZE + len(body) + self.trailer
        head = bytearray(self.head[:HEADER_SIZE])
        head[4] = kind
        struct.pack_into("<IIH", head, _LENGTH_AT, size, 0, flags)
        return self.placed(bytes(head) + body + bytes(self.trailer), start)

    def knows(self, kind: int) -> bool:
        """Return whether the server that wrote the log has this type of event."""
        return len(self.format.post_header_len) >= kind

    def checkpoint(self, name: str, start: int) -> bytes:
        """Return MariaDB's note of the oldest log that recovery needs: this one."""
        text = name.encode("utf-8", "surrogateescape")
        return self.made(BINLOG_CHECKPOINT_EVENT, 0, struct.pack("<I", len(text)) + text, start)


def _place(event: bytearray, position: int) -> None:
    """Set the position, and clear the flags that are not of the event itself."""
    flags = int.from_bytes(event[_FLAGS_AT : _FLAGS_AT + 2], "little") & ~_OF_A_PLACE
    struct.pack_into("<IH", event, _POSITION_AT, position & 0xFFFFFFFF, flags)


def _seal(event: bytearray) -> None:
    """Set the checksum."""
    end = len(event) - CHECKSUM_SIZE
    struct.pack_into("<I", event, end, zlib.crc32(memoryview(event)[:end]))


def layout_of(event: Event, log_format: LogFormat) -> Layout:
    """Return the layout that a FORMAT_DESCRIPTION or START_V3 describes."""
    found = event.format if isinstance(event, FormatDescription) else log_format
    return Layout(found, event.raw)


def assumed_layout(log_format: LogFormat, event: Event) -> Layout:
    """Return a layout for a log without a format description, by what is known of its events; `event` is one of them.

    The server's version is taken over where it is known and says that there may be checksums.
    """
    mariadb = log_format.mariadb
    version = log_format.server_version
    if not knows_checksums(version) or version.startswith("0"):
        version = _ASSUMED[mariadb]
    checksum = log_format.checksum or 0
    sizes = _SIZES_OF_MARIADB if mariadb else _SIZES_OF_MYSQL
    body = struct.pack("<H50sIB", 4, version.encode("latin-1"), 0, HEADER_SIZE) + sizes + bytes([checksum])
    size = HEADER_SIZE + len(body) + CHECKSUM_SIZE
    head = struct.pack("<IBIIIH", event.timestamp, FORMAT_DESCRIPTION_EVENT, event.server_id, size, 0, 0)
    described = log_format._replace(server_version=version, post_header_len=tuple(sizes), checksum=checksum)
    return Layout(described, head + body + bytes(CHECKSUM_SIZE), assumed=True)

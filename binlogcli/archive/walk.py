"""How far the copy of a log can be trusted: a walk over its events' headers, and over checksums where it has any."""

from __future__ import annotations

import os
import zlib
from typing import NamedTuple

from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT
from binlogcli.sources.protocol.packets import EVENT_HEADER, LOG_START

_CHECKSUM = 4  # bytes
IN_USE = 0x01  # LOG_EVENT_BINLOG_IN_USE_F
FLAGS_AT = 17  # in the header
_PIECE = 1 << 20
_MASK32 = 0xFFFFFFFF


class Walked(NamedTuple):
    """Where the last whole event ends, and its type; 0 for none."""

    end: int
    last_type: int


def walk(fd: int, start: int, last_type: int) -> Walked:
    """Walk all whole events from `start` on, where one begins, and return where they end."""
    size = os.fstat(fd).st_size
    if size < LOG_START:
        return Walked(0, 0)
    at = max(start, LOG_START)
    checksums = has_checksums(fd)
    while at + EVENT_HEADER <= size:
        header = os.pread(fd, EVENT_HEADER, at)
        length = int.from_bytes(header[9:13], "little")
        log_pos = int.from_bytes(header[13:17], "little")
        end = at + length
        if length < EVENT_HEADER or end > size or log_pos not in (0, end & _MASK32):
            break
        if checksums and not _sound(fd, at, end):
            break
        at, last_type = end, header[4]
    return Walked(at, last_type)


def has_checksums(fd: int) -> bool:
    """Whether the format description says that events end in CRC32, and its own checksum fits."""
    header = os.pread(fd, EVENT_HEADER, LOG_START)
    length = int.from_bytes(header[9:13], "little") if len(header) == EVENT_HEADER else 0
    if not EVENT_HEADER + _CHECKSUM < length < _PIECE or header[4] != FORMAT_DESCRIPTION_EVENT:
        return False
    # the algorithm stands before the checksum; older servers end in neither, and the checksum does not fit
    algorithm = os.pread(fd, 1, LOG_START + length - _CHECKSUM - 1)
    return algorithm == b"\x01" and _sound(fd, LOG_START, LOG_START + length)


def _sound(fd: int, start: int, end: int) -> bool:
    """Whether the last four bytes are the checksum of those before; that of the first event leaves out IN_USE."""
    crc = 0
    at = start
    while at < end - _CHECKSUM:
        piece = os.pread(fd, min(_PIECE, end - _CHECKSUM - at), at)
        if not piece:
            return False
        if at == start == LOG_START:
            piece = piece[:FLAGS_AT] + bytes([piece[FLAGS_AT] & ~IN_USE & 0xFF]) + piece[FLAGS_AT + 1 :]
        crc = zlib.crc32(piece, crc)
        at += len(piece)
    return crc == int.from_bytes(os.pread(fd, _CHECKSUM, end - _CHECKSUM), "little")

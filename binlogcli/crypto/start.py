"""Where a log of MariaDB turns encrypted: its START_ENCRYPTION event, the second of the file.

All that follows depends on this event, so one flipped bit of it is mended by its checksum before it is used; the log
reader is left to tell of it. It is also found after a format description whose length is damaged.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from binlogcli.binary.checksums import mended
from binlogcli.errors import SourceError
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, START_ENCRYPTION_EVENT, START_EVENT_V3
from binlogcli.names.magics import ENCRYPTED_MAGIC, MAGIC
from binlogcli.sources.source import Source

HEADER = 19  # bytes of an event's header, and of the smallest event
LOOK = 20  # bytes of an encrypted event that show its header once they are decrypted: four, and a block of AES
IGNORABLE_FLAG = 0x80  # set where a server has sent the log, and it is plain
_IN_USE_FLAG = 0x01  # LOG_EVENT_BINLOG_IN_USE_F, which no checksum covers
_SCHEME = 1
SIZES = (36, 40)  # of the event, without and with a checksum
LARGEST_FORMAT = 400  # bytes of a format description
NEWER = "the log is damaged, or newer than this program"
_SEARCHED = 4096  # bytes in which the event is looked for where nothing leads to it


@dataclass(frozen=True, slots=True)
class EncryptionStart:
    """The content of a START_ENCRYPTION event, and where it stands."""

    start: int
    end: int
    key_version: int
    nonce: bytes
    sound: bool  # whether the event's bytes are what they were written as, for all that can be known

    @property
    def checksum(self) -> bool:
        """Whether the log's events have checksums."""
        return self.end - self.start == max(SIZES)


def find_encryption(source: Source) -> EncryptionStart | None:
    """Return the START_ENCRYPTION event at the beginning of a log; None where the log is plain."""
    head = source.head(17)
    size = int.from_bytes(head[13:17], "little")
    if head[:4] == ENCRYPTED_MAGIC or head[8:9] == bytes([START_EVENT_V3]):
        return None
    if head[:4] == MAGIC and head[8:9] == bytes([FORMAT_DESCRIPTION_EVENT]) and size <= LARGEST_FORMAT:
        head = source.head(4 + size + max(SIZES))
        found = _encryption_at(head, 4 + size, source.name)
        if found is not None or _is_sound_format(head[4 : 4 + size]):
            return found
    head = source.head(_SEARCHED)
    at = head.find(START_ENCRYPTION_EVENT, 4 + HEADER + 4) - 4
    while at >= 0:
        found = _encryption_at(head, at, source.name, searching=True)
        if found is not None:
            return found
        at = head.find(START_ENCRYPTION_EVENT, at + 5) - 4
    return None


def _is_sound_format(event: bytes) -> bool:
    """Whether a format description ends in its checksum, so that its length can be relied on."""
    if len(event) < HEADER + 4:
        return False
    cleared = bytearray(event)
    cleared[17] &= ~_IN_USE_FLAG & 0xFF
    return zlib.crc32(cleared[:-4]) == int.from_bytes(cleared[-4:], "little")


def _encryption_at(data: bytes, at: int, name: str, *, searching: bool = False) -> EncryptionStart | None:
    """Return the event at `at` if it is one and what follows it is encrypted; None otherwise.

    Raise `SourceError` for an unknown scheme, unless `searching`: then it is not such an event.
    """
    stored = data[at : at + max(SIZES)]
    event = mended(stored)
    size = int.from_bytes(event[9:13], "little")
    if len(event) < min(SIZES) or event[4] != START_ENCRYPTION_EVENT or size not in SIZES:
        return None
    if int.from_bytes(event[13:17], "little") not in (0, at + size) or event[17] & IGNORABLE_FLAG:
        return None
    if event[HEADER] != _SCHEME:
        if searching:
            return None
        raise SourceError(f"unknown scheme {event[HEADER]} of log encryption", file=name, offset=at, hint=NEWER)
    sound = size == min(SIZES) or (event == stored and zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little"))
    return EncryptionStart(at, at + size, int.from_bytes(event[20:24], "little"), event[24:36], sound)

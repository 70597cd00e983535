"""Where a log of MariaDB turns encrypted: its START_ENCRYPTION event, the second of the file."""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.errors import SourceError
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, START_ENCRYPTION_EVENT, START_EVENT_V3
from binlogcli.names.magics import MAGIC
from binlogcli.sources.source import Source

HEADER = 19  # bytes of an event's header, and of the smallest event
LOOK = 20  # bytes of an encrypted event that show its header once they are decrypted: four, and a block of AES
IGNORABLE_FLAG = 0x80  # set where a server has sent the log, and it is plain
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

    @property
    def checksum(self) -> bool:
        """Whether the log's events have checksums."""
        return self.end - self.start == max(SIZES)


def find_encryption(source: Source) -> EncryptionStart | None:
    """Return the START_ENCRYPTION event at the beginning of a log; None where the log is plain."""
    head = source.head(17)
    size = int.from_bytes(head[13:17], "little")
    if head[:4] == MAGIC and head[8:9] == bytes([FORMAT_DESCRIPTION_EVENT]) and size <= LARGEST_FORMAT:
        return _encryption_at(source.head(4 + size + max(SIZES)), 4 + size, source.name)
    if head[:4] != MAGIC or head[8:9] == bytes([START_EVENT_V3]):
        return None
    head = source.head(_SEARCHED)
    for at in range(4 + HEADER, len(head) - min(SIZES)):
        found = _encryption_at(head, at, source.name)
        if found is not None:
            return found
    return None


def _encryption_at(data: bytes, at: int, name: str) -> EncryptionStart | None:
    """Return the event at `at` if it is one and what follows it is encrypted; None otherwise."""
    event = data[at : at + max(SIZES)]
    size = int.from_bytes(event[9:13], "little")
    if len(event) < min(SIZES) or event[4] != START_ENCRYPTION_EVENT or size not in SIZES:
        return None
    if int.from_bytes(event[13:17], "little") not in (0, at + size) or event[17] & IGNORABLE_FLAG:
        return None
    if event[HEADER] != _SCHEME:
        raise SourceError(f"unknown scheme {event[HEADER]} of log encryption", file=name, offset=at, hint=NEWER)
    return EncryptionStart(at, at + size, int.from_bytes(event[20:24], "little"), event[24:36])

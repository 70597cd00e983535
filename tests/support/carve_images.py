"""Files with fragments of golden logs among other content, and which events are in them.

What is in an image is found out here from the logs alone, without the program: an event is in it where its bytes are.
"""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from support.golden import GOLDEN, golden_logs

MAGIC = b"\xfebin"
HEADER = 19
RELAY_FLAG = 0x40
ROTATE, STOP, FORMAT_DESCRIPTION, START_ENCRYPTION = 4, 3, 15, 164
LARGEST_LOG = 1 << 17


@dataclass
class KnownLog:
    """A sound log: its bytes, and the offset and size of each event."""

    data: bytes
    summed: bool
    relay: bool
    events: list[tuple[int, int]]


@dataclass
class Placed:
    """A part of a log in an image: where it stands, and which part it is."""

    log: KnownLog
    offset: int
    start: int
    end: int


@dataclass
class Image:
    """The bytes, and per event its offset in the image with its position in the log."""

    data: bytes = b""
    placed: list[Placed] = field(default_factory=list)

    def whole(self) -> dict[int, tuple[Placed, int, int]]:
        """Return each event of which all bytes are there: by its offset its place, position and size."""
        found = {}
        for place in self.placed:
            for at, size in place.log.events:
                offset = place.offset + at - place.start
                if place.start <= at < place.end and self._has(place, offset, at, size):
                    found[offset] = (place, at, size)
        return found

    def headed(self) -> dict[int, tuple[Placed, int, int]]:
        """Return each event whose header is there, and that of the event after it."""
        found = {}
        for place in self.placed:
            sizes = [*place.log.events, (len(place.log.data), 0)]
            for (at, size), (after, _) in pairwise(sizes):
                offset = place.offset + at - place.start
                if place.start <= at < place.end and self._has(place, offset, at, HEADER):
                    last = after == len(place.log.data)
                    if last or self._has(place, offset + size, after, HEADER):
                        found[offset] = (place, at, size)
        return found

    def placed_headers(self) -> dict[int, tuple[Placed, int, int]]:
        """Return each event without checksum whose size and position are there: no other byte is checked."""
        found = {}
        for place in self.placed:
            for at, size in place.log.events:
                offset = place.offset + at - place.start
                inside = place.start < at + HEADER and at < place.end and not place.log.summed
                if inside and self._has(place, offset + 9, at + 9, 8):
                    found[offset] = (place, at, size)
        return found

    def _has(self, place: Placed, offset: int, at: int, size: int) -> bool:
        return self.data[offset : offset + size] == place.log.data[at : at + size]


def number(data: bytes | bytearray, at: int, size: int = 4) -> int:
    return int.from_bytes(data[at : at + size], "little")


def known_log(data: bytes) -> KnownLog | None:
    """Return a log read event by event; None for one that is encrypted, damaged or too large."""
    if data[:4] != MAGIC or len(data) > LARGEST_LOG or data[8] != FORMAT_DESCRIPTION:
        return None
    size = number(data, 13)
    version = data[25:75].split(b"\0")[0]
    summed = (data[4 + size - 5] == 1 and version >= b"5.6") or (b"MariaDB" in version and data[4 + size - 5] == 1)
    log = KnownLog(data, summed, bool(data[21] & RELAY_FLAG), [])
    at = 4
    while at < len(data):
        size = number(data, at + 9)
        if size < HEADER or at + size > len(data) or data[at + 4] in {START_ENCRYPTION, 0}:
            return None
        event = bytearray(data[at : at + size])
        if event[4] == FORMAT_DESCRIPTION:
            event[17] &= 0xFE  # the checksum is that of a log which is not in use
        if summed and zlib.crc32(event[:-4]) != number(event, size - 4):
            return None
        log.events.append((at, size))
        at += size
    return log


@cache
def logs() -> list[KnownLog]:
    """Return the sound plain logs of golden/ that are not too large."""
    paths = [*golden_logs(), GOLDEN / "built" / "mysql-5.1.000001"]
    found = [known_log(path.read_bytes()) for path in paths]
    return [log for log in found if log is not None]


def noise(rng: random.Random, size: int) -> bytes:
    """Return bytes as they are on disks and in memory."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:
        return bytes(size)
    if kind == 2:
        return b"".join(innodb_page(rng, number) for number in range(size // 16384 + 1))[:size]
    if kind == 3:
        return (b"\xff\xd8\xff\xe0\0\x10JFIF\0" + zlib.compress(rng.randbytes(size)) + b"\xff\xd9")[:size]
    words = [b"INSERT", b"INTO", b"shop", b"the", b"binary", b"log", b"(1,", b"'x');\n", b"COMMIT", b"BEGIN"]
    return b" ".join(rng.choices(words, k=size // 3))[:size]


def innodb_page(rng: random.Random, page: int) -> bytes:
    """Return a page of an index: header, records of small numbers and short texts, free space, directory."""
    head = struct.pack(
        ">IIIIQHQI", rng.getrandbits(32), page, max(page - 1, 0), page + 1, rng.getrandbits(40), 17855, 0, 7
    )
    rows = bytearray(head.ljust(120, b"\0"))
    while len(rows) < 12000:
        rows += struct.pack(
            ">HBBIQ", 0, rng.randrange(8), rng.randrange(64), rng.randrange(1 << 20), rng.getrandbits(33)
        )
        rows += b"name%d" % rng.randrange(1000) + bytes(rng.randrange(4))
        rows += struct.pack("<IQ", rng.randrange(5000), rng.randrange(1 << 16))
    return bytes(rows[:16000].ljust(16384 - 8, b"\0") + struct.pack(">II", rng.getrandbits(32), page))


def make_image(seed: int, fragments: int = 12) -> Image:
    """Return an image of fragments and other content; some fragments are overwritten in part."""
    rng = random.Random(seed)
    image, data = Image(), bytearray()
    for _ in range(fragments):
        if rng.random() < 0.8:
            data += noise(rng, rng.choice((1, 3, 18, 100, 4096, 20000)))
        log = rng.choice(logs())
        start, end = 0, len(log.data)
        if rng.random() < 0.7:
            start = rng.randrange(end)
            end = rng.randrange(start, end) + 1
        image.placed.append(Placed(log, len(data), start, end))
        part = bytearray(log.data[start:end])
        for _ in range(rng.choice((0, 0, 1, 2))):
            at = rng.randrange(len(part))
            size = min(rng.choice((1, 4, 30, 600)), len(part) - at)
            part[at : at + size] = noise(rng, size).ljust(size, b"\0")
        data += part
    data += noise(rng, 3000)
    image.data = bytes(data)
    return image

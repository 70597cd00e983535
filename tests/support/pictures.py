"""Small pictures: read and written as PNG, and compared: another font is no difference, a lost part is one."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

_MAGIC = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {2: 3, 6: 4}  # of the colour types RGB and RGBA
_LEVELS = 0xF0  # what is kept of each byte: small files, and no noise
_CELL = 10  # pixels of the sides of a cell that is compared
_LIKE = 20  # differences of the mean of a channel that are none


class Picture(NamedTuple):
    """Rows of pixels of three bytes."""

    width: int
    rows: list[bytes]

    @classmethod
    def read(cls, data: bytes) -> Picture:
        """Return what a PNG of eight bits a channel, not interlaced, shows; transparency is left out."""
        assert data.startswith(_MAGIC)
        at, packed = len(_MAGIC), b""
        width = height = channels = 0
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            chunk = data[at + 8 : at + 8 + size]
            if kind == b"IHDR":
                width, height, depth, colours, *_, interlaced = struct.unpack(">IIBBBBB", chunk)
                assert (depth, interlaced) == (8, 0)
                channels = _CHANNELS[colours]
            elif kind == b"IDAT":
                packed += chunk
            at += size + 12
        lines = _unfiltered(zlib.decompress(packed), width * channels, height, channels)
        if channels == 4:
            lines = [bytes(line[at] for at in range(len(line)) if at % 4 < 3) for line in lines]
        return cls(width, lines)

    def png(self) -> bytes:
        """Return the picture as a PNG with fewer colours."""
        table = bytes(level & _LEVELS | (level & _LEVELS) >> 4 for level in range(256))
        text = b"".join(b"\0" + row.translate(table) for row in self.rows)
        header = struct.pack(">IIBBBBB", self.width, len(self.rows), 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(text, 9)), (b"IEND", b""))
        parts = (struct.pack(">I", len(data)) + kind + data + _crc(kind + data) for kind, data in chunks)
        return _MAGIC + b"".join(parts)

    def difference(self, other: Picture) -> float:
        """Return the share of the cells whose mean colours differ; 1.0 for pictures of other sizes."""
        if self.width != other.width or len(self.rows) != len(other.rows):
            return 1.0
        mine, theirs = self._cells(), other._cells()
        unlike = sum(
            any(abs(a - b) > _LIKE for a, b in zip(one, two, strict=True))
            for one, two in zip(mine, theirs, strict=True)
        )
        return unlike / len(mine)

    def _cells(self) -> list[tuple[float, ...]]:
        """Return the mean of each channel of all cells."""
        found = []
        for top in range(0, len(self.rows), _CELL):
            rows = self.rows[top : top + _CELL]
            for left in range(0, self.width, _CELL):
                parts = [row[3 * left : 3 * (left + _CELL)] for row in rows]
                count = sum(map(len, parts)) / 3
                found.append(tuple(sum(sum(part[channel::3]) for part in parts) / count for channel in range(3)))
        return found


def _crc(data: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(data))


def _unfiltered(data: bytes, size: int, height: int, step: int) -> list[bytes]:
    """Return lines of `size` bytes without the filters of PNG; `step` bytes are a pixel."""
    lines: list[bytes] = []
    above = bytes(size)
    for at in range(0, height * (size + 1), size + 1):
        kind, line = data[at], bytearray(data[at + 1 : at + 1 + size])
        for index in range(size) if kind else ():
            left = line[index - step] if index >= step else 0
            up, corner = above[index], above[index - step] if index >= step else 0
            line[index] = line[index] + (left, up, (left + up) // 2, _paeth(left, up, corner))[kind - 1] & 0xFF
        above = bytes(line)
        lines.append(above)
    return lines


def _paeth(left: int, up: int, corner: int) -> int:
    """Return which of the three is nearest to left + up - corner."""
    estimate = left + up - corner
    return min((left, up, corner), key=lambda one: abs(estimate - one))

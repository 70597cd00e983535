"""The primitives that Python has no fast form of inside a loop: checksum, copy and floating point out of a buffer.

The compiled modules take them from `kernel.pxd` (C, each range checked); this is what runs uncompiled.
"""

from __future__ import annotations

import struct
import zlib


def crc32_range(data: bytes, start: int, end: int) -> int:
    """CRC-32 of data[start:end]."""
    return zlib.crc32(memoryview(data)[start:end])


def copy_range(target: bytearray, at: int, data: bytes | bytearray, start: int, end: int) -> int:
    """Copy data[start:end] to target[at:]; the place after it."""
    if not 0 <= start <= end <= len(data) or not 0 <= at <= len(target) - (end - start):
        raise IndexError("copy outside of a buffer")
    target[at : at + end - start] = memoryview(data)[start:end]
    return at + end - start


def put_all(target: bytearray, at: int, data: bytes) -> int:
    """Copy all of `data` to target[at:]; the place after it."""
    return copy_range(target, at, data, 0, len(data))


def put_number(target: bytearray, at: int, value: int, width: int) -> int:
    """A number in decimal with zeros before it up to `width`, at target[at:]; the place after it."""
    return put_all(target, at, b"%0*d" % (width, value))


def float_at(data: bytes, at: int) -> float:
    """The little-endian IEEE single at data[at:], as a double."""
    return float(struct.unpack_from("<f", data, at)[0])


def double_at(data: bytes, at: int) -> float:
    """The little-endian IEEE double at data[at:]."""
    return float(struct.unpack_from("<d", data, at)[0])

"""What a wrong CRC32 tells of the bytes: the one bit that was flipped, if it was only one."""

from __future__ import annotations

import zlib

_SIZE = 4


def flipped_bit(data: bytes) -> int:
    """Return the number of the one bit whose flip makes the CRC32 at the end of `data` right; -1 if there is none.

    Bits count from the lowest of the first byte. A bit changes the CRC by a number that depends on its distance from
    the end alone; within some kilobytes two flipped bits are never taken for one.
    """
    size = len(data) - _SIZE
    difference = zlib.crc32(data[:size]) ^ int.from_bytes(data[size:], "little")
    if size < 0 or difference == 0:
        return -1
    if difference & (difference - 1) == 0:
        return size * 8 + difference.bit_length() - 1
    shifted = [zlib.crc32(bytes([byte])) ^ zlib.crc32(b"\0") for byte in range(256)]
    for bit in range(8):
        change = shifted[1 << bit]
        for at in range(size - 1, -1, -1):
            if change == difference:
                return at * 8 + bit
            change = change >> 8 ^ shifted[change & 0xFF]
    return -1


def mended(data: bytes) -> bytes:
    """Return data with its one flipped bit set right; as it is where its CRC32 is right or names no single bit."""
    at = flipped_bit(data)
    if at < 0:
        return data
    found = bytearray(data)
    found[at // 8] ^= 1 << at % 8
    return bytes(found)

"""Primitives that are slow in Python inside a loop: checksums, copies, numbers and texts in a buffer.

The compiled modules take the C forms in `kernel.pxd`, each range checked; these run uncompiled.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

BLOCK = 16  # bytes of an AES block
MASK128 = (1 << 128) - 1

Buffer = bytes | bytearray | memoryview


def crc32_range(data: Buffer, start: int, end: int) -> int:
    """Return the CRC-32 of data[start:end]."""
    return zlib.crc32(memoryview(data)[start:end])


def copy_range(target: bytearray | memoryview, at: int, data: Buffer, start: int, end: int) -> int:
    """Copy data[start:end] to target[at:]; return the place after it."""
    if not 0 <= start <= end <= len(data) or not 0 <= at <= len(target) - (end - start):
        raise IndexError("copy outside of a buffer")
    target[at : at + end - start] = memoryview(data)[start:end]
    return at + end - start


def put_all(target: bytearray, at: int, data: bytes) -> int:
    """Copy all of `data` to target[at:]; return the place after it."""
    return copy_range(target, at, data, 0, len(data))


def blank(kind: type, names: tuple[str, ...]) -> Any:
    """Return an object of a class without __init__, all attributes None, as objects of compiled classes are made."""
    made: Any = object.__new__(kind)
    for name in names:
        setattr(made, name, None)
    return made


def is_zero(data: bytes, start: int, end: int) -> bool:
    """Whether data[start:end] holds only zero bytes."""
    return not any(memoryview(data)[start:end])


def little(data: bytes | bytearray, at: int, size: int) -> int:
    """Return the little-endian number in data[at:at+size]."""
    if not 0 <= at <= len(data) - size:
        raise IndexError("number outside of a buffer")
    return int.from_bytes(data[at : at + size], "little")


def big(data: bytes | bytearray, at: int, size: int) -> int:
    """Return the big-endian number in data[at:at+size]."""
    if not 0 <= at <= len(data) - size:
        raise IndexError("number outside of a buffer")
    return int.from_bytes(data[at : at + size], "big")


def cut(data: bytes, start: int, end: int) -> bytes:
    """Return the bytes data[start:end]."""
    return data[start:end]


def utf8(data: bytes, start: int, end: int) -> str:
    """Return data[start:end] as UTF-8; other bytes become surrogates (surrogateescape)."""
    return data[start:end].decode("utf-8", "surrogateescape")


def same(data: bytes, start: int, end: int, other: bytes) -> bool:
    """Whether data[start:end] equals `other`."""
    return data[start:end] == other


def json_chars(target: bytearray, at: int, data: bytes, start: int, end: int, allow_high: bool) -> int:
    """Write data[start:end] as the inside of a JSON string to target[at:]; return the place after it.

    Return -1 where a byte is above 0x7f, unless `allow_high` says that the bytes are valid UTF-8.
    """
    from json.encoder import encode_basestring  # the compiled modules have their own

    raw = data[start:end]
    if not allow_high and not raw.isascii():
        return -1
    return put_all(target, at, encode_basestring(raw.decode("latin-1"))[1:-1].encode("latin-1"))


def put_number(target: bytearray, at: int, value: int, width: int) -> int:
    """Write a decimal number, with zeros before it up to `width` digits, to target[at:]; return the place after it."""
    return put_all(target, at, b"%0*d" % (width, value))


def power_of_ten(exponent: int) -> int:
    """Return 10 ** exponent, which fits into 64 bits."""
    if not 0 <= exponent < 20:
        raise IndexError("no power of ten in 64 bits")
    return int(10**exponent)


def to_signed(value: int, bits: int) -> int:
    """Return the signed number that has these `bits` bits in two's complement."""
    sign = 1 << bits - 1
    return (value ^ sign) - sign


def float_at(data: bytes, at: int) -> float:
    """Return the little-endian IEEE single at data[at:]."""
    return float(struct.unpack_from("<f", data, at)[0])


def double_at(data: bytes, at: int) -> float:
    """Return the little-endian IEEE double at data[at:]."""
    return float(struct.unpack_from("<d", data, at)[0])


def fill_counters(target: bytearray, at: int, iv: Buffer, first: int, count: int) -> None:
    """Write `count` counter blocks to target[at:]: iv + first and on, as big-endian numbers of 128 bits."""
    if count < 0 or first < 0 or len(iv) != BLOCK or not 0 <= at <= len(target) - BLOCK * count:
        raise IndexError("counters outside of a buffer")
    counter = int.from_bytes(iv, "big") + first
    for block in range(count):
        target[at + BLOCK * block : at + BLOCK * (block + 1)] = (counter + block & MASK128).to_bytes(BLOCK, "big")


def xor(target: bytearray, at: int, left: Buffer, left_at: int, right: Buffer, right_at: int, size: int) -> None:
    """Set target[at:] to left[left_at:] ^ right[right_at:], `size` bytes of them."""
    if size < 0 or not 0 <= at <= len(target) - size:
        raise IndexError("xor outside of a buffer")
    if not 0 <= left_at <= len(left) - size or not 0 <= right_at <= len(right) - size:
        raise IndexError("xor outside of a buffer")
    a = int.from_bytes(memoryview(left)[left_at : left_at + size], "little")
    b = int.from_bytes(memoryview(right)[right_at : right_at + size], "little")
    target[at : at + size] = (a ^ b).to_bytes(size, "little")


def find(data: Buffer, start: int, end: int, needle: bytes, fold: bool) -> int:
    """Return where `needle` first is in data[start:end], or -1; with `fold`, its small ASCII letters match both."""
    part = bytes(memoryview(data)[start:end])
    found = (part.lower() if fold else part).find(needle)
    return found if found < 0 else start + found


def is_ascii(data: Buffer, start: int, end: int) -> bool:
    """Whether data[start:end] holds only bytes below 0x80."""
    return bytes(memoryview(data)[start:end]).isascii()

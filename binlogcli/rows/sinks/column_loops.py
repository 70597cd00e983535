"""Primitives that write columns in memory: numbers, decimals of 128 bits, text that is checked while it is copied.

The compiled modules take the C forms in `column_loops.pxd`, each range checked; these run uncompiled.
"""

from __future__ import annotations

import struct

ASCII, UTF8, NEITHER = 2, 1, 0  # what `copy_text` tells


def new_room(size: int) -> bytearray:
    """Return `size` bytes of undefined content."""
    return bytearray(size)


def put_little(target: bytearray, at: int, value: int, width: int) -> None:
    """Write a number, or the two's complement of a negative one, in `width` bytes at target[at:]."""
    if not 0 <= at <= len(target) - width:
        raise IndexError("number outside of a buffer")
    target[at : at + width] = (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")


def put_run(target: bytearray, at: int, value: int, width: int, count: int, step: int) -> None:
    """Write `count` numbers at target[at:] as `put_little` does, each by `step` more than the one before it."""
    for number in range(count):
        put_little(target, at + number * width, value + number * step, width)


def wide_at(data: bytearray, at: int) -> int:
    """Return the number of eight bytes at data[at:]."""
    if not 0 <= at <= len(data) - 8:
        raise IndexError("number outside of a buffer")
    return int.from_bytes(data[at : at + 8], "little")


def lengthen(target: bytearray, data: bytearray, count: int, low: int, high: int) -> None:
    """Write `count` numbers of eight bytes as ones of sixteen: `low` added to each, and `high` as the upper half."""
    for number in range(count):
        put_little(target, 16 * number, low + wide_at(data, 8 * number), 8)
        put_little(target, 16 * number + 8, high, 8)


def put_single(target: bytearray, at: int, value: float) -> None:
    """Write an IEEE single at target[at:]."""
    struct.pack_into("<f", target, at, value)


def put_double(target: bytearray, at: int, value: float) -> None:
    """Write an IEEE double at target[at:]."""
    struct.pack_into("<d", target, at, value)


def put_decimal(target: bytearray, at: int, text: bytes | bytearray, size: int) -> None:
    """Write the digits of a decimal, without their point, as a number of 128 bits at target[at:]."""
    if not 0 <= at <= len(target) - 16:
        raise IndexError("number outside of a buffer")
    target[at : at + 16] = int(bytes(text[:size]).replace(b".", b"")).to_bytes(16, "little", signed=True)


def copy_text(target: bytearray, at: int, data: bytes, start: int, end: int) -> int:
    """Copy data[start:end] to target[at:] and return what it is: ASCII, other UTF8, or NEITHER."""
    if not 0 <= start <= end <= len(data) or not 0 <= at <= len(target) - (end - start):
        raise IndexError("copy outside of a buffer")
    raw = bytes(data[start:end])
    target[at : at + len(raw)] = raw
    if raw.isascii():
        return ASCII
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return NEITHER
    return UTF8


def recode(target: bytearray, at: int, data: bytes, start: int, end: int, table: bytes) -> int:
    """Write characters of one byte each as UTF-8 at target[at:]; return the place after them, -1 at an invalid one.

    The table has four bytes for each of 256: a length up to 3, then the bytes of the character.
    """
    parts = []
    for byte in bytes(data[start:end]):
        size = table[4 * byte]
        if size == 0:
            return -1
        parts.append(table[4 * byte + 1 : 4 * byte + 1 + size])
    text = b"".join(parts)
    if not 0 <= at <= len(target) - len(text):
        raise IndexError("copy outside of a buffer")
    target[at : at + len(text)] = text
    return at + len(text)


def fill(target: bytearray, start: int, end: int, byte: int) -> None:
    """Set all of target[start:end] to one byte."""
    if not 0 <= start <= end <= len(target):
        raise IndexError("bytes outside of a buffer")
    target[start:end] = bytes([byte]) * (end - start)


def clear_bits(target: bytearray, start: int, end: int) -> None:
    """Clear the bits [start, end), counted from the lowest of the first byte."""
    if not 0 <= start <= end <= 8 * len(target):
        raise IndexError("bits outside of a buffer")
    for at in range(start, end):
        target[at >> 3] &= ~(1 << (at & 7)) & 0xFF

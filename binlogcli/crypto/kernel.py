"""What Python has no fast form of inside a loop: copies, counter blocks and XOR of stretches of buffers.

The compiled modules take them from `kernel.pxd` (C, each range checked); this is what runs uncompiled.
"""

from __future__ import annotations

BLOCK = 16
MASK128 = (1 << 128) - 1

Buffer = bytes | bytearray | memoryview


def gather(target: bytearray | memoryview, at: int, data: Buffer, start: int, size: int) -> None:
    """Copy data[start:start+size] to target[at:]."""
    if size < 0 or not 0 <= start <= len(data) - size or not 0 <= at <= len(target) - size:
        raise IndexError("copy outside of a buffer")
    target[at : at + size] = memoryview(data)[start : start + size]


def fill_counters(target: bytearray, at: int, iv: Buffer, first: int, count: int) -> None:
    """Write `count` counter blocks to target[at:]: iv + first and on, as big-endian numbers of 128 bits."""
    if count < 0 or first < 0 or len(iv) != BLOCK or not 0 <= at <= len(target) - BLOCK * count:
        raise IndexError("counters outside of a buffer")
    counter = int.from_bytes(iv, "big") + first
    for block in range(count):
        target[at + BLOCK * block : at + BLOCK * (block + 1)] = (counter + block & MASK128).to_bytes(BLOCK, "big")


def xor(target: bytearray, at: int, left: Buffer, left_at: int, right: Buffer, right_at: int, size: int) -> None:
    """target[at:] = left[left_at:] ^ right[right_at:], `size` bytes of them."""
    if size < 0 or not 0 <= at <= len(target) - size:
        raise IndexError("xor outside of a buffer")
    if not 0 <= left_at <= len(left) - size or not 0 <= right_at <= len(right) - size:
        raise IndexError("xor outside of a buffer")
    a = int.from_bytes(memoryview(left)[left_at : left_at + size], "little")
    b = int.from_bytes(memoryview(right)[right_at : right_at + size], "little")
    target[at : at + size] = (a ^ b).to_bytes(size, "little")

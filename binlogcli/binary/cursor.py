"""A place in the bytes of one event, read field by field by name.

Guarantees that no read passes the end: it raises `EndOfEvent` with the field's name. When somebody listens (`notes`),
each read is noted there, so that a decoder is at the same time the description of its bytes.
"""

from __future__ import annotations

import struct

from binlogcli.binary import kernel
from binlogcli.binary.notes import Notes
from binlogcli.errors import DecodeError, EndOfEvent


class Cursor:
    """Reads fields of data[pos:end]; `listen` turns notes on."""

    def __init__(self, data: bytes = b"", pos: int = 0, end: int = -1) -> None:
        self.data = data
        self.view = data
        self.size = len(data)
        self.pos = pos
        self.end = self.size if end < 0 else end
        self.notes: Notes = None  # type: ignore[assignment] # most programs take none

    def load(self, data: bytes) -> None:
        """Turn to another buffer, as a whole."""
        self.data = data
        self.view = data
        self.size = len(data)
        self.pos = 0
        self.end = self.size

    def point(self, pos: int, end: int) -> None:
        """Turn to data[pos:end] of the same buffer."""
        if not 0 <= pos <= end <= self.size:
            raise EndOfEvent("event", end - pos, self.size - pos)
        self.pos = pos
        self.end = end

    def listen(self, notes: Notes | None) -> None:
        """Note every field read from now on."""
        self.notes = notes  # type: ignore[assignment]

    def left(self) -> int:
        """Bytes between here and the end."""
        return self.end - self.pos

    def need(self, name: str, size: int) -> int:
        """The place of the next `size` bytes, which are there and are passed."""
        at = self.pos
        if size < 0 or size > self.end - at:
            raise EndOfEvent(name, size, self.end - at)
        self.pos = at + size
        return at

    def note(self, name: str, start: int, value: object) -> None:
        """Note the bytes from `start` to here under a name."""
        if self.notes is not None:
            self.notes.leaf(name, start, self.pos, value)

    def enter(self, name: str) -> None:
        """What is noted from now on belongs to a field of this name."""
        if self.notes is not None:
            self.notes.enter(name, self.pos)

    def leave(self, value: object = None) -> None:
        """The field that was entered last ends here."""
        if self.notes is not None:
            self.notes.leave(self.pos, value)

    def u1(self, name: str) -> int:
        """One byte, unsigned."""
        at = self.need(name, 1)
        value = self.view[at]
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def u2(self, name: str) -> int:
        """Two bytes, little-endian, unsigned."""
        at = self.need(name, 2)
        value = self.little(at, 2)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def u3(self, name: str) -> int:
        """Three bytes, little-endian, unsigned."""
        at = self.need(name, 3)
        value = self.little(at, 3)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def u4(self, name: str) -> int:
        """Four bytes, little-endian, unsigned."""
        at = self.need(name, 4)
        value = self.little(at, 4)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def uint(self, name: str, size: int) -> int:
        """One to eight bytes, little-endian, unsigned."""
        at = self.need(name, size)
        value = self.little(at, size)
        if self.notes is not None:
            self.notes.unsigned(name, at, self.pos, value)
        return value

    def u8(self, name: str) -> int:
        """Eight bytes, little-endian, unsigned."""
        return self.uint(name, 8)

    def i8(self, name: str) -> int:
        """Eight bytes, little-endian, signed."""
        at = self.need(name, 8)
        value = kernel.to_signed(self.little(at, 8), 64)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def i4(self, name: str) -> int:
        """Four bytes, little-endian, signed."""
        at = self.need(name, 4)
        value = kernel.to_signed(self.little(at, 4), 32)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def little(self, at: int, size: int) -> int:
        """The little-endian number in view[at:at+size]; takes nothing, notes nothing."""
        return kernel.little(self.view, at, size)

    def big(self, at: int, size: int) -> int:
        """The big-endian number in view[at:at+size]; takes nothing, notes nothing."""
        return kernel.big(self.view, at, size)

    def f8(self, name: str) -> float:
        """Eight bytes, an IEEE double."""
        at = self.need(name, 8)
        value = struct.unpack_from("<d", self.data, at)[0]
        self.note(name, at, value)
        return float(value)

    def lenenc(self, name: str) -> int:
        """A length-encoded integer: one byte, or 0xFC, 0xFD, 0xFE and two, three, eight bytes."""
        at = self.need(name, 1)
        value = self.view[at]
        if value >= 0xFB:
            if value in (0xFB, 0xFF):
                raise DecodeError(f"{name}: 0x{value:02x} starts no length")
            size = 2 if value == 0xFC else 3 if value == 0xFD else 8
            value = self.little(self.need(name, size), size)
            if value > 0x7FFFFFFFFFFFFFFF:
                raise DecodeError(f"{name}: {value} is no length")
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def take(self, name: str, size: int) -> bytes:
        """`size` bytes as they are."""
        at = self.need(name, size)
        value = kernel.cut(self.data, at, at + size)
        if self.notes is not None:
            self.note(name, at, value)
        return value

    def rest(self, name: str) -> bytes:
        """All bytes up to the end."""
        return self.take(name, self.end - self.pos)

    def text(self, name: str, size: int) -> str:
        """A name of `size` bytes in UTF-8; what is not UTF-8 stays readable back (surrogateescape)."""
        at = self.need(name, size)
        value = kernel.utf8(self.data, at, at + size)
        if self.notes is not None:
            self.note(name, at, value)
        return value

    def padded_text(self, name: str, size: int) -> str:
        """A name in a field of fixed size, up to its first NUL."""
        at = self.need(name, size)
        value = self.data[at : at + size].split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
        if self.notes is not None:
            self.note(name, at, value)
        return value

    def nul_text(self, name: str) -> str:
        """A name that ends at a NUL, which is passed too."""
        at = self.pos
        nul = self.data.find(b"\0", at, self.end)
        if nul < 0:
            raise EndOfEvent(name, self.end - at + 1, self.end - at)
        self.pos = nul + 1
        value = kernel.utf8(self.data, at, nul)
        if self.notes is not None:
            self.note(name, at, value)
        return value

    def skip(self, name: str, size: int) -> None:
        """Pass bytes that mean nothing."""
        if size > 0:
            at = self.need(name, size)
            if self.notes is not None:
                self.note(name, at, kernel.cut(self.data, at, at + size))

"""A position in the bytes of one event or packet, from which fields are read by name.

No read passes the end: it raises `EndOfEvent` with the field's name. With `notes`, each field that is read is noted,
so that a decoder is also the description of its bytes.
"""

from __future__ import annotations

import struct

from binlogcli.binary import kernel
from binlogcli.binary.notes import Notes
from binlogcli.errors import DecodeError, EndOfEvent


class Cursor:
    """Reads the fields of data[pos:end]; `listen` turns notes on."""

    def __init__(self, data: bytes = b"", pos: int = 0, end: int = -1) -> None:
        self.data = data
        self.view = data
        self.size = len(data)
        self.pos = pos
        self.end = self.size if end < 0 else end
        self.notes: Notes = None  # type: ignore[assignment] # most programs take none

    def load(self, data: bytes) -> None:
        """Set the cursor to all of a buffer."""
        self.data = data
        self.view = data
        self.size = len(data)
        self.pos = 0
        self.end = self.size

    def point(self, pos: int, end: int) -> None:
        """Set the cursor to data[pos:end] of its buffer."""
        if not 0 <= pos <= end <= self.size:
            raise EndOfEvent("event", end - pos, self.size - pos)
        self.pos = pos
        self.end = end

    def listen(self, notes: Notes | None) -> None:
        """Note every field that is read from now on; None turns notes off."""
        self.notes = notes  # type: ignore[assignment]

    def left(self) -> int:
        """Return the bytes between the position and the end."""
        return self.end - self.pos

    def need(self, name: str, size: int) -> int:
        """Pass `size` bytes and return where they begin."""
        at = self.pos
        if size < 0 or size > self.end - at:
            raise EndOfEvent(name, size, self.end - at)
        self.pos = at + size
        return at

    def note(self, name: str, start: int, value: object) -> None:
        """Note the bytes from `start` to the position under a name."""
        if self.notes is not None:
            self.notes.leaf(name, start, self.pos, value)

    def enter(self, name: str) -> None:
        """Begin a field of this name that has fields of its own."""
        if self.notes is not None:
            self.notes.enter(name, self.pos)

    def leave(self, value: object = None) -> None:
        """End the field that was entered last."""
        if self.notes is not None:
            self.notes.leave(self.pos, value)

    def u1(self, name: str) -> int:
        """Read one byte, unsigned."""
        at = self.need(name, 1)
        value = self.view[at]
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def u2(self, name: str) -> int:
        """Read two bytes, little-endian, unsigned."""
        at = self.need(name, 2)
        value = self.little(at, 2)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def u3(self, name: str) -> int:
        """Read three bytes, little-endian, unsigned."""
        at = self.need(name, 3)
        value = self.little(at, 3)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def u4(self, name: str) -> int:
        """Read four bytes, little-endian, unsigned."""
        at = self.need(name, 4)
        value = self.little(at, 4)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def uint(self, name: str, size: int) -> int:
        """Read one to eight bytes, little-endian, unsigned."""
        at = self.need(name, size)
        value = self.little(at, size)
        if self.notes is not None:
            self.notes.unsigned(name, at, self.pos, value)
        return value

    def u8(self, name: str) -> int:
        """Read eight bytes, little-endian, unsigned."""
        return self.uint(name, 8)

    def i8(self, name: str) -> int:
        """Read eight bytes, little-endian, signed."""
        at = self.need(name, 8)
        value = kernel.to_signed(self.little(at, 8), 64)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def i4(self, name: str) -> int:
        """Read four bytes, little-endian, signed."""
        at = self.need(name, 4)
        value = kernel.to_signed(self.little(at, 4), 32)
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def little(self, at: int, size: int) -> int:
        """Return the little-endian number in view[at:at+size]; the position stays, nothing is noted."""
        return kernel.little(self.view, at, size)

    def big(self, at: int, size: int) -> int:
        """Return the big-endian number in view[at:at+size]; the position stays, nothing is noted."""
        return kernel.big(self.view, at, size)

    def f8(self, name: str) -> float:
        """Read eight bytes, an IEEE double."""
        at = self.need(name, 8)
        value = struct.unpack_from("<d", self.data, at)[0]
        self.note(name, at, value)
        return float(value)

    def lenenc(self, name: str) -> int:
        """Read a length-encoded integer: one byte, or 0xFC, 0xFD, 0xFE and two, three, eight bytes."""
        at = self.need(name, 1)
        value = self.view[at]
        if value >= 0xFB:
            if value in (0xFB, 0xFF):
                raise DecodeError(f"{name}: 0x{value:02x} is not the start of a length")
            size = 2 if value == 0xFC else 3 if value == 0xFD else 8
            value = self.little(self.need(name, size), size)
            if value > 0x7FFFFFFFFFFFFFFF:
                raise DecodeError(f"{name}: {value} is not a valid length")
        if self.notes is not None:
            self.notes.number(name, at, self.pos, value)
        return value

    def take(self, name: str, size: int, known: bytes = b"") -> bytes:
        """Read `size` bytes, which are not copied where they are `known` from before."""
        at = self.need(name, size)
        value = known if size > 0 and size == len(known) else kernel.cut(self.data, at, at + size)
        if self.notes is not None:
            self.note(name, at, value)
        return value

    def rest(self, name: str, known: bytes = b"") -> bytes:
        """Read all bytes up to the end, as `take` does."""
        return self.take(name, self.end - self.pos, known)

    def text(self, name: str, size: int) -> str:
        """Read a name of `size` bytes in UTF-8; other bytes become surrogates (surrogateescape)."""
        at = self.need(name, size)
        value = kernel.utf8(self.data, at, at + size)
        if self.notes is not None:
            self.note(name, at, value)
        return value

    def padded_text(self, name: str, size: int) -> str:
        """Read a name in a field of fixed size, up to its first NUL."""
        at = self.need(name, size)
        value = self.data[at : at + size].split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
        if self.notes is not None:
            self.note(name, at, value)
        return value

    def nul_text(self, name: str) -> str:
        """Read a name up to a NUL, and pass the NUL."""
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
        """Pass bytes without a meaning."""
        if size > 0:
            at = self.need(name, size)
            if self.notes is not None:
                self.note(name, at, kernel.cut(self.data, at, at + size))

"""The fields of a packet's payload, read from front to back by name; where each of them stood is remembered.

No read passes the end: it raises `EndOfEvent` with the field's name.
"""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.errors import DecodeError, EndOfEvent


class Noted(NamedTuple):
    """A field of a payload: where it stands there, and what it says."""

    name: str
    start: int
    end: int
    value: object


class Fields:
    """Reads the fields of a payload from front to back, and remembers where each of them stood."""

    def __init__(self, payload: bytes, start: int = 1) -> None:
        self.noted: list[Noted] = []
        self._data = payload
        self._at = start

    @property
    def left(self) -> int:
        """Bytes that were not read yet."""
        return len(self._data) - self._at

    def take(self, name: str, size: int) -> bytes:
        """So many bytes."""
        start = self._at
        data = self._next(name, size)
        self._note(name, start, data)
        return data

    def number(self, name: str, size: int) -> int:
        """An unsigned number of so many bytes."""
        start = self._at
        value = int.from_bytes(self._next(name, size), "little")
        self._note(name, start, value)
        return value

    def lenenc(self, name: str) -> int:
        """A length-encoded number."""
        start = self._at
        value = self._lenenc(name)
        self._note(name, start, value)
        return value

    def short_text(self, name: str) -> str:
        """Text after one byte of length."""
        start = self._at
        value = text_of(self._next(name, self._next(name, 1)[0]))
        self._note(name, start, value)
        return value

    def short_bytes(self, name: str) -> bytes:
        """Bytes after one byte of length."""
        start = self._at
        value = self._next(name, self._next(name, 1)[0])
        self._note(name, start, value)
        return value

    def lenenc_bytes(self, name: str) -> bytes:
        """Bytes after their length."""
        start = self._at
        value = self._next(name, self._lenenc(name))
        self._note(name, start, value)
        return value

    def lenenc_text(self, name: str) -> str:
        """Text after its length."""
        start = self._at
        value = text_of(self._next(name, self._lenenc(name)))
        self._note(name, start, value)
        return value

    def nul_text(self, name: str) -> str:
        """Text up to a NUL, or to the end of the payload."""
        start = self._at
        nul = self._data.find(b"\0", start)
        value = text_of(self._next(name, (nul if nul >= 0 else len(self._data)) - start))
        self._at += nul >= 0
        self._note(name, start, value)
        return value

    def text(self, name: str, size: int) -> str:
        """So many bytes of text."""
        start = self._at
        value = text_of(self._next(name, size))
        self._note(name, start, value)
        return value

    def rest(self, name: str) -> bytes:
        """All that is left."""
        return self.take(name, self.left)

    def rest_text(self, name: str) -> str:
        """All that is left, as text."""
        return self.text(name, self.left)

    def _next(self, name: str, size: int) -> bytes:
        if size > self.left:
            raise EndOfEvent(name, size, self.left)
        self._at += size
        return self._data[self._at - size : self._at]

    def _lenenc(self, name: str) -> int:
        first = self._next(name, 1)[0]
        if first < 0xFB:
            return first
        if first in {0xFB, 0xFF}:
            raise DecodeError(f"{name} is no number: it begins with 0x{first:02x}")
        return int.from_bytes(self._next(name, {0xFC: 2, 0xFD: 3, 0xFE: 8}[first]), "little")

    def _note(self, name: str, start: int, value: object) -> None:
        self.noted.append(Noted(name, start, self._at, value))


def text_of(data: bytes) -> str:
    """A name as the protocol sends it; what is not UTF-8 stays readable back (surrogateescape)."""
    return data.decode("utf-8", "surrogateescape")

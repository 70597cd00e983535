"""The buffer that text is written to: it grows where a piece does not fit, and is emptied by its owner.

A small log may hold a huge text: a kilobyte of zlib decompresses to a megabyte, two bytes of a row become a hundred.
So the formats let the buffer `breathe` within an event, at places where nothing of its content will be taken back.
"""

from __future__ import annotations

from collections.abc import Callable

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits

_FIRST_SIZE = 1 << 18
_LARGEST_KEPT = 1 << 23
_FLUSH_AT = 1 << 17  # bytes after which the owner should write out
HEX_DIGITS = b"0123456789abcdef"
_QUOTE = 0x22
_PIECE = 4096  # of a string: one escape makes six bytes of one
_WINDOW = 1 << 16  # of a text that is longer than what the buffer holds


class TextBuffer:
    """Text as bytes; `size` counts them.

    `breathe` gives the content to `drain`, if there is one, from `limit` bytes on and unless `held`; `drained` counts.
    """

    def __init__(self) -> None:
        self.buffer = bytearray(_FIRST_SIZE)
        self.chars = self.buffer
        self.room = _FIRST_SIZE
        self.size = 0
        self.digits = HEX_DIGITS
        self.drain: Callable[[memoryview], object] | None = None
        self.limit = _FLUSH_AT
        self.held = False  # what is written may be taken back
        self.drained = 0

    def ensure(self, more: int) -> None:
        """Make room for `more` bytes."""
        if self.size + more > self.room:
            self.grow(more)

    def grow(self, more: int) -> None:
        """Move the content to a larger buffer."""
        room = max(self.room * 2, self.size + more + (more >> 4))  # a huge piece has an end to come
        buffer = bytearray(room)
        buffer[: self.size] = memoryview(self.buffer)[: self.size]
        self.buffer = buffer
        self.chars = buffer
        self.room = room

    def full(self) -> bool:
        """Whether the owner should write the content out."""
        return self.size >= _FLUSH_AT

    def breathe(self) -> None:
        """Write the content out where it is large, and empty the buffer."""
        if self.size >= self.limit and self.drain is not None and not self.held:
            self.drain(self.content())
            self.drained += 1
            self.clear()

    def put_long(self, text: bytes) -> None:
        """Write bytes, in windows where they are many."""
        at = 0
        size = len(text)
        while size - at > _WINDOW:
            self.put(text[at : at + _WINDOW])
            self.breathe()
            at += _WINDOW
        self.put(text[at:])

    def content(self) -> memoryview:
        """Return the content, valid until the next write."""
        return memoryview(self.buffer)[: self.size]

    def clear(self) -> None:
        """Empty the buffer; one that a huge piece made huge is freed."""
        self.size = 0
        if self.room > _LARGEST_KEPT:
            self.buffer = bytearray(_FIRST_SIZE)
            self.chars = self.buffer
            self.room = _FIRST_SIZE

    def put(self, text: bytes) -> None:
        """Append bytes to the content."""
        self.ensure(len(text))
        self.size = kernel.put_all(self.chars, self.size, text)

    def move(self, other: TextBuffer) -> None:
        """Write the content of another buffer, and empty that one."""
        self.ensure(other.size)
        self.size = kernel.copy_range(self.chars, self.size, other.chars, 0, other.size)
        other.clear()

    def swap(self, other: TextBuffer) -> None:
        """Exchange the contents with another buffer, without a copy."""
        self.buffer, other.buffer = other.buffer, self.buffer
        self.chars, other.chars = other.chars, self.chars
        self.room, other.room = other.room, self.room
        self.size, other.size = other.size, self.size

    def put_char(self, char: int) -> None:
        """Write one byte."""
        self.ensure(1)
        self.chars[self.size] = char
        self.size += 1

    def put_uint(self, value: int) -> None:
        """Write an unsigned number in decimal."""
        self.put_padded(value, 1)

    def put_int(self, value: int) -> None:
        """Write a signed number in decimal."""
        if value < 0:
            self.put_char(45)  # -
            self.put_padded(negated(value), 1)
        else:
            self.put_padded(value, 1)

    def put_padded(self, value: int, width: int) -> None:
        """Write a number in decimal with zeros before it up to `width` digits."""
        self.ensure(64)
        self.size = kernel.put_number(self.chars, self.size, value, width)

    def put_digits(self, digits: Digits) -> None:
        """Write a decimal number."""
        self.ensure(digits.size)
        self.size = kernel.copy_range(self.chars, self.size, digits.chars, 0, digits.size)

    def put_hex32(self, value: int) -> None:
        """Write a number of 32 bits as eight hex digits."""
        self.ensure(8)
        place = 8
        while place > 0:
            place -= 1
            self.chars[self.size + place] = self.digits[value & 15]
            value >>= 4
        self.size += 8

    def put_hex(self, data: Cursor, start: int, end: int) -> None:
        """Write bytes in lower-case hex, without separators."""
        self.ensure(2 * (end - start))
        at = self.size
        while start < end:
            byte = data.view[start]
            self.chars[at] = self.digits[byte >> 4]
            self.chars[at + 1] = self.digits[byte & 15]
            at += 2
            start += 1
        self.size = at

    def put_json_chars(self, data: bytes, start: int, end: int, allow_high: bool) -> bool:
        """Write a JSON string of ASCII, or of valid UTF-8 with `allow_high`; False where it is not ASCII."""
        begun = self.size
        self.ensure(end - start + 2)
        self.put_char(_QUOTE)
        while start < end:
            stop = min(end, start + _PIECE)
            self.ensure(6 * (stop - start) + 1)
            at = kernel.json_chars(self.chars, self.size, data, start, stop, allow_high)
            if at < 0:
                self.size = begun
                return False
            self.size = at
            start = stop
        self.put_char(_QUOTE)
        return True

    def put_json_part(self, data: bytes) -> None:
        """Write valid UTF-8 as part of the inside of a JSON string."""
        start = 0
        end = len(data)
        while start < end:
            stop = min(end, start + _PIECE)
            self.ensure(6 * (stop - start))
            self.size = kernel.json_chars(self.chars, self.size, data, start, stop, True)
            start = stop


def negated(value: int) -> int:
    """Return the absolute value of a negative number, also of the most negative one of 64 bits."""
    absolute = -(value + 1)  # without a sign: the last addition may be over what fits into 64 bits with one
    return absolute + 1

"""Fields as RFC 4180 has them: quoted where they hold a delimiter, a quote or a line break.

What is not text is never quoted: an empty field is NULL, `(not logged)` a value that the log does not hold. A text that
would read as one of these is quoted.
"""

from __future__ import annotations

from collections.abc import Iterable

from binlogcli.binary import kernel
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.render.escape import FORMULAS

NOT_LOGGED = b"(not logged)"
HIGH = 4  # in what `classify` returns: bytes that are not ASCII
_QUOTE, _APOSTROPHE, _PARENTHESIS = 0x22, 0x27, 0x28
_QUOTED, _FORMULA = 1, 2
_FULL_WIDTH = 0xEF  # the first byte of the formulas' beginnings in full width
_WINDOW = 1 << 16


class FieldWriter:
    """Writes texts as fields into `out`; `raw`: without an apostrophe before those that a spreadsheet would run."""

    def __init__(self, out: TextBuffer, delimiter: int, *, raw: bool) -> None:
        self.out = out
        self.delimiter = delimiter
        self.raw = raw
        classes = bytearray(HIGH if byte >= 0x80 else 0 for byte in range(256))
        for byte in (delimiter, _QUOTE, 0x0A, 0x0D):
            classes[byte] |= _QUOTED
        for text in FORMULAS:
            classes[text.encode()[0]] |= _FORMULA
        self.classes = bytes(classes)

    def classify(self, data: bytes | bytearray, start: int, end: int) -> int:
        """Return the classes of the bytes in data[start:end], for `put`."""
        found = 0
        while start < end:
            found |= self.classes[data[start]]
            start += 1
        return found

    def put(self, data: bytes | bytearray, start: int, end: int, classes: int) -> None:
        """Write the UTF-8 text data[start:end]; `classes` are those of its bytes."""
        out = self.out
        formula = not self.raw and classes & _FORMULA != 0 and self.is_formula(data, start, end)
        if start == end or classes & _QUOTED != 0 or data[start] == _PARENTHESIS:
            out.put_char(_QUOTE)
            if formula:
                out.put_char(_APOSTROPHE)
            self.put_doubled(data, start, end)
            out.put_char(_QUOTE)
        else:
            if formula:
                out.put_char(_APOSTROPHE)
            out.ensure(end - start)
            out.size = kernel.copy_range(out.chars, out.size, data, start, end)

    def put_json(self, data: bytes | bytearray, end: int, classes: int) -> None:
        """Write the JSON data[:end]; it is no formula, as it begins with a digit, sign, bracket, quote or word."""
        out = self.out
        if classes & _QUOTED != 0:
            out.put_char(_QUOTE)
            self.put_doubled(data, 0, end)
            out.put_char(_QUOTE)
        else:
            out.ensure(end)
            out.size = kernel.copy_range(out.chars, out.size, data, 0, end)

    def put_bytes(self, text: bytes) -> None:
        """Write a text of UTF-8."""
        self.put(text, 0, len(text), self.classify(text, 0, len(text)))

    def put_pieces(self, pieces: Iterable[bytes]) -> None:
        """Write a long text of UTF-8, piece by piece."""
        out = self.out
        out.put_char(_QUOTE)
        first = True
        for piece in pieces:
            if first and not self.raw and self.is_formula(piece, 0, len(piece)):
                out.put_char(_APOSTROPHE)
            first = False
            self.put_doubled(piece, 0, len(piece))
        out.put_char(_QUOTE)

    def put_doubled(self, data: bytes | bytearray, start: int, end: int) -> None:
        """Write part of a quoted text, its quotes twice."""
        out = self.out
        while start < end:
            stop = min(end, start + _WINDOW)
            out.ensure(2 * (stop - start))
            at = out.size
            while start < stop:
                byte = data[start]
                if byte == _QUOTE:
                    out.chars[at] = byte
                    at += 1
                out.chars[at] = byte
                at += 1
                start += 1
            out.size = at
            out.breathe()

    def is_formula(self, data: bytes | bytearray, start: int, end: int) -> bool:
        """Whether a spreadsheet would take a text for a formula, by its first character."""
        if start == end or self.classes[data[start]] & _FORMULA == 0:
            return False
        return data[start] != _FULL_WIDTH or bytes(data[start : min(start + 3, end)]).decode() in FORMULAS

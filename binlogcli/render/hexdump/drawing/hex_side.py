"""The left side of the annotated hexdump: offset, bytes in hex, and their characters."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.binary.text_buffer import HEX_DIGITS
from binlogcli.render.hexdump.drawing.layout import HexLayout
from binlogcli.render.hexdump.drawing.palette import FAINT, HIT, LENGTH, RESET, SGR
from binlogcli.render.hexdump.drawing.pen import Pen

_SPACE, _DOT, _PLUS, _TILDE = 32, 46, 43, 126
_OPEN_BRACKET, _CLOSE_BRACKET = 91, 93
_LONGEST = 128  # most characters between an offset and the characters of a line
_STEP = 3  # columns of a byte in hex
_PLAIN, _PREFIX, _MARKED, _ZERO = 0, 1, 2, 3


class HexSide:
    """Draws bytes of `source`; an index plus `shift` is an offset in the log, or, if `derived`, in other content."""

    def __init__(self, pen: Pen, layout: HexLayout) -> None:
        self.pen = pen
        self.digits = HEX_DIGITS
        self.blank = b" " * _LONGEST
        self.source = Cursor()
        self.shift = 0
        self.derived = False
        self.hits: list[tuple[int, int]] = []
        self.styles = [SGR[kind] for kind in range(len(SGR))]
        self.kind = 0
        self.prefix = 0
        self.take_layout(layout)

    def take_layout(self, layout: HexLayout) -> None:
        """Use these columns from now on."""
        self.per_line = layout.bytes_a_line
        self.offset_width = layout.offset_width
        self.hex_width = layout.hex_width

    def put_offset(self, at: int) -> None:
        """Write the offset of an index, with a plus sign where it is one in decompressed content."""
        out = self.pen.out
        out.ensure(64)
        offset = at + self.shift
        if self.pen.painted:
            out.put(FAINT)
        place = out.size + self.offset_width
        out.size = place
        count = self.offset_width
        while count > 0:
            place -= 1
            count -= 1
            out.chars[place] = self.digits[offset & 15]
            offset >>= 4
        if self.derived:
            out.chars[place] = _PLUS
        if self.pen.painted:
            out.put(RESET)

    def put_bytes(self, start: int, end: int, since: int) -> None:
        """Write a line: offset, hex and characters; `since` is the number of the field's bytes before it."""
        self.put_offset(start)
        if self.pen.painted:
            self._put_painted(start, end, since)
            return
        out = self.pen.out
        out.ensure(96)
        view = self.source.view
        hex_at = out.size + 2
        text_at = hex_at + self.hex_width + 2
        kernel.copy_range(out.chars, out.size, self.blank, 0, text_at - out.size)
        at = hex_at
        count = 0
        chars = out.chars
        digits = self.digits
        while start + count < end:
            byte = view[start + count]
            if count == 8:
                at += 1
            chars[at] = digits[byte >> 4]
            chars[at + 1] = digits[byte & 15]
            chars[text_at + count] = byte if _SPACE <= byte <= _TILDE else _DOT
            at += _STEP
            count += 1
        out.size = text_at + count
        if self.hits:
            self._bracket(hex_at, start, end)

    def _bracket(self, hex_at: int, start: int, end: int) -> None:
        """Write brackets around the hits in a line whose hex begins at `hex_at`."""
        chars = self.pen.out.chars
        for first, last in self.hits:
            if first < end and last > start:
                low = max(first, start) - start
                high = min(last, end) - start - 1
                chars[hex_at + _STEP * low + (1 if low >= 8 else 0) - 1] = _OPEN_BRACKET
                chars[hex_at + _STEP * high + (1 if high >= 8 else 0) + 2] = _CLOSE_BRACKET

    def _put_painted(self, start: int, end: int, since: int) -> None:
        """Write hex and characters in colours: of the field's kind, its length prefix, zeros and hits."""
        forms = [self._form_of(at, since + at - start) for at in range(start, end)]
        self.pen.out.put(b"  ")
        self._put_run(start, forms, True)
        used = _STEP * len(forms) - 1 + (1 if len(forms) > 8 else 0)
        self.pen.put_spaces(self.hex_width - used + 2)
        self._put_run(start, forms, False)

    def _form_of(self, at: int, since: int) -> int:
        """Return how a byte is coloured."""
        for first, last in self.hits:
            if first <= at < last:
                return _MARKED
        if since < self.prefix:
            return _PREFIX
        return _PLAIN if self.source.view[at] else _ZERO

    def _put_run(self, start: int, forms: list[int], hexed: bool) -> None:
        """Write a line's bytes as hex or as characters, with escape sequences only where the colour changes."""
        out = self.pen.out
        current = -1
        for at, form in enumerate(forms):
            if form != current:
                out.put(RESET)
                out.put(self._style_of(form))
                current = form
            byte = self.source.view[start + at]
            if not hexed:
                out.put_char(byte if _SPACE <= byte <= _TILDE else _DOT)
                continue
            out.put_char(self.digits[byte >> 4])
            out.put_char(self.digits[byte & 15])
            if at + 1 < len(forms):
                if forms[at + 1] != current:
                    out.put(RESET)
                    current = -1
                out.put(b"  " if at == 7 else b" ")
        out.put(RESET)

    def _style_of(self, form: int) -> bytes:
        """Return the escape sequence of a form."""
        if form == _MARKED:
            return HIT
        if form == _ZERO:
            return FAINT
        return self.styles[LENGTH if form == _PREFIX else self.kind]

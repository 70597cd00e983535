"""The right side of the annotated hexdump: a field's name, value and meaning, broken into lines.

Words and short meanings are not broken: what does not fit beside the name stands below it, further left if needed.
"""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.render.hexdump.drawing.layout import HexLayout, columns_of
from binlogcli.render.hexdump.drawing.palette import RESET, SGR
from binlogcli.render.hexdump.drawing.pen import Pen

_SPACE, _TILDE = 32, 126
_NEWLINE, _RETURN, _TAB = 10, 13, 9
_LETTER_N, _LETTER_R, _LETTER_T = 0x6E, 0x72, 0x74
_QUOTE, _BACKSLASH = 0x27, 0x5C
_ZERO, _LETTER_A = 0x30, 0x61
_HANGING = 4  # columns by which lines are indented below their name
_LEAST_DIGITS = 8  # digits of a hexadecimal number of more than four bytes
_JOINTS = b"-,:;/._"  # preferred places to break a word longer than a line
_NO_MEANING = -1


class Cell:
    """The text beside a field's bytes, reused for each: `text` is its value and, from `meaning_at` on, its meaning."""

    def __init__(self, pen: Pen, layout: HexLayout) -> None:
        self.pen = pen
        self.text = TextBuffer()
        self.styles = [SGR[kind] for kind in range(len(SGR))]
        self.depth = 0
        self.name = b""
        self.name_width = 0
        self.kind = 0
        self.meaning_at = _NO_MEANING
        self.wide = False
        self.indent = 0
        self.room = 0
        self.take_layout(layout)

    def take_layout(self, layout: HexLayout) -> None:
        """Use these columns from now on."""
        self.name_room = layout.name_width
        self.value_room = layout.value_width
        self.field_at = layout.field_at
        self.field_room = layout.width - layout.field_at
        self.body_width = max(layout.body_width, 8)

    def begin(self, name: bytes, width: int, depth: int, kind: int) -> None:
        """Begin a field: its name, the name's width in columns, its depth and kind; its value then goes into `text`."""
        if width > self.field_room:
            name = _cut(name, self.field_room)
            width = self.field_room
        self.name = name
        self.name_width = width
        self.depth = min(depth, (self.field_room - width) // 2)
        self.kind = kind
        self.meaning_at = _NO_MEANING
        self.wide = False
        self.text.size = 0

    def fits(self, size: int) -> bool:
        """Whether `size` more characters fit beside the value on its line."""
        over = max(2 * self.depth + self.name_width - self.name_room, 0)
        return self.text.size + 2 + size + over <= self.body_width

    def add_text(self, text: str) -> None:
        """Append text as it is; control characters must be escaped already."""
        if not text.isascii():
            self.wide = True
        self.text.put(text.encode("utf-8", "backslashreplace"))

    def put_clean(self, raw: bytes, size: int, limit: int, quote: bool) -> bool:
        """Append ASCII, cut after `limit` characters; append nothing and return False where other bytes are in it.

        `size` is the length of the whole value, of which `raw` is the beginning that is looked at.
        """
        cell = self.text
        looked_at = len(raw)
        shown = min(size, limit)
        cell.ensure(2 * shown + 8)
        view = raw
        at = cell.size
        begun = at
        if quote:
            cell.chars[at] = _QUOTE
            at += 1
        index = 0
        while index < looked_at:
            byte = view[index]
            if _SPACE <= byte <= _TILDE:
                if index < shown:
                    cell.chars[at] = byte
                    at += 1
            elif byte in (_NEWLINE, _RETURN, _TAB):
                if index < shown:
                    cell.chars[at] = _BACKSLASH
                    cell.chars[at + 1] = _LETTER_N if byte == _NEWLINE else _LETTER_R if byte == _RETURN else _LETTER_T
                    at += 2
            else:
                cell.size = begun
                return False
            index += 1
        if quote:
            cell.chars[at] = _QUOTE
            at += 1
        cell.size = at
        if shown < size:
            cell.put(b" ... %d more" % (size - shown) if quote else b"...")
        return True

    def put_hex(self, value: int, size: int) -> None:
        """Append a number in hex, two digits a byte; above four bytes most leading zeros are left out."""
        text = self.text
        digits = min(2 * size, _LEAST_DIGITS)
        while digits < 2 * size and value >> 4 * digits:
            digits += 1
        text.put(b"0x")
        while digits > 0:
            digits -= 1
            digit = value >> 4 * digits & 15
            text.put_char(digit + (_ZERO if digit < 10 else _LETTER_A - 10))

    def begin_meaning(self, size: int) -> None:
        """Begin the meaning, of `size` characters: in the column of meanings if there is room, else after the value."""
        cell = self.text
        gap = max(self.value_room - cell.size, 2)
        if cell.size + gap + size > self.body_width:
            gap = 2 if cell.size > 0 else 0
        cell.ensure(gap)
        while gap > 0:
            cell.chars[cell.size] = _SPACE
            cell.size += 1
            gap -= 1
        self.meaning_at = cell.size

    # lines -------------------------------------------------------------------------------------------------------

    def put_all(self, used: int) -> None:
        """Write all lines of the cell; `used` columns of the first are written already."""
        text_at = self.put_first(used)
        while text_at < self.text.size:
            text_at = self.put_next(0, text_at)

    def put_first(self, used: int) -> int:
        """Write the name and as much text as fits after `used` columns; return the index of the rest."""
        pen = self.pen
        if self.name_width == 0:
            pen.out.put_char(_NEWLINE)
            return self.text.size
        pen.put_spaces(self.field_at - used + 2 * self.depth)
        if self.kind == 0 and pen.painted:
            pen.out.put(self.styles[0])
            pen.out.put(self.name)
            pen.out.put(RESET)
        else:
            pen.out.put(self.name)
        size = self.text.size
        used = 2 * self.depth + self.name_width
        upto = 0
        if size > 0:
            room = self.body_width
            if used > self.name_room:
                room -= used - self.name_room
            if size <= room and not self.wide:
                upto = size
            else:
                self._arrange()
                upto = self._break_at(0, room) if room > 0 else 0
                if upto < size and room < self.room and self.text.chars[upto] != _SPACE:
                    upto = 0  # the word fits unbroken on the next line
            if upto > 0:
                pen.put_spaces(max(self.name_room - used, 0) + 1)
                self.put_text(0, upto)
        pen.out.put_char(_NEWLINE)
        return self._after_spaces(upto)

    def put_next(self, used: int, text_at: int) -> int:
        """Write a line of the text from index `text_at` on, after `used` columns; return the index of the rest."""
        if text_at < self.text.size:
            self.pen.put_spaces(self.field_at - used + self.indent)
            upto = self._break_at(text_at, self.room)
            self.put_text(text_at, upto)
            text_at = self._after_spaces(upto)
        self.pen.out.put_char(_NEWLINE)
        return text_at

    def _arrange(self) -> None:
        """Choose indent and width of all lines but the first: below the value, or wider for a long word or meaning."""
        self.indent = self.name_room + 1
        self.room = self.body_width
        wider = self.field_room - 2 * self.depth - _HANGING
        if self.wide or wider <= self.room:
            return
        if self.room < self._longest(wider) <= wider or self.room < self._meaning_size() <= wider:
            self.indent = 2 * self.depth + _HANGING
            self.room = wider

    def _meaning_size(self) -> int:
        """Return the number of characters of the meaning."""
        return 0 if self.meaning_at < 0 else self.text.size - self.meaning_at

    def _longest(self, limit: int) -> int:
        """Return the length of the longest word, or of the first that exceeds the limit."""
        chars = self.text.chars
        size = self.text.size
        found = begun = 0
        for at in range(size):
            if chars[at] == _SPACE:
                found = max(found, at - begun)
                begun = at + 1
            elif at - begun > limit:
                return at - begun
        return max(found, size - begun)

    def _after_spaces(self, at: int) -> int:
        """Return the first index from `at` on that holds no space."""
        while at < self.text.size and self.text.chars[at] == _SPACE:
            at += 1
        return at

    def put_text(self, start: int, end: int) -> None:
        """Write part of the text; values in the colour of their kind, meanings without colour."""
        out = self.pen.out
        text = self.text
        while end > start and text.chars[end - 1] == _SPACE:
            end -= 1
        if not self.pen.painted:
            self.pen.copy(text, start, end)
            return
        split = end if self.meaning_at < 0 else min(max(self.meaning_at, start), end)
        if start < split:
            out.put(self.styles[self.kind])
            self.pen.copy(text, start, split)
            out.put(RESET)
        if split < end:
            self.pen.copy(text, split, end)

    def _break_at(self, start: int, room: int) -> int:
        """Return where a line of `room` characters from `start` ends: before the meaning, at a space, in a word."""
        if self.wide:
            return self._break_wide(start, room)
        text = self.text
        size = text.size
        if size - start <= room:
            return size
        meaning = self.meaning_at
        if start < meaning <= start + room + 2 and size - meaning <= self.room:
            while meaning > start and text.chars[meaning - 1] == _SPACE:
                meaning -= 1
            if meaning <= start + room:
                return meaning
        at = start + room
        while at > start and text.chars[at] != _SPACE:
            at -= 1
        after = at + 1
        while after < size and text.chars[after] != _SPACE and after - at <= self.room:
            after += 1
        if at > start and after - at <= self.room + 1:
            return at
        return self._joint_before(start, start + room)

    def _joint_before(self, start: int, end: int) -> int:
        """Return where to break a word longer than a line: after punctuation in the line's second half, or at `end`."""
        at = end
        while 2 * (end - at) < end - start:
            if self.text.chars[at - 1] in _JOINTS:
                return at
            at -= 1
        return end

    def _break_wide(self, start: int, room: int) -> int:
        """Return where a line ends whose characters may take several bytes, or no or two columns."""
        upto = min(start + 4 * room + 4, self.text.size)
        text = bytes(self.text.buffer[start:upto]).decode("utf-8", "ignore")
        used = 0
        space = 0
        for at, char in enumerate(text):
            if char == " ":
                space = at
            used += columns_of(char)
            if used > room and at > 0:
                return start + len(text[: space or at].encode("utf-8"))
        return upto


def _cut(name: bytes, room: int) -> bytes:
    """Return a name cut to `room` columns, with dots for the rest."""
    kept = ""
    used = 3
    for char in name.decode("utf-8", "replace"):
        used += columns_of(char)
        if used > room:
            break
        kept += char
    return kept.encode("utf-8") + b"." * min(3, room)

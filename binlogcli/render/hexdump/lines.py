"""The lines of the annotated hexdump: offset, bytes, characters, and a cell of text beside them that wraps.

Knows columns and colours, and nothing of events. Long stretches of bytes are squeezed, never the lines with a hit.
"""

from __future__ import annotations

from binlogcli.log import kernel
from binlogcli.log.cursor import Cursor
from binlogcli.render.hexdump.layout import WIDE_OFFSET_WIDTH, Layout, layout_for
from binlogcli.render.hexdump.palette import FAINT, HIT, RESET, SGR
from binlogcli.render.hexdump.values import columns_of
from binlogcli.rows.out import HEX_DIGITS, Out

SPACE = 32
DOT = 46
PLUS = 43
OPEN_BRACKET, CLOSE_BRACKET = 91, 93
NEWLINE, RETURN, TAB = 10, 13, 9
LETTER_N, LETTER_R, LETTER_T = 0x6E, 0x72, 0x74
QUOTE, BACKSLASH = 0x27, 0x5C
TILDE = 0x7E
NARROW_OFFSETS = 1 << 32
BLANKS = 256
STEP = 3  # characters a byte takes
PLAIN, PREFIX, MARKED, ZERO = 0, 1, 2, 3


class Lines:
    """Writes lines into a buffer. `cell` holds the text of the field: name, then value and meaning."""

    def __init__(self, out: Out, width: int, *, painted: bool, max_bytes: int) -> None:
        self.out = out
        self.painted = painted
        self.max_bytes = max_bytes
        self.digits = HEX_DIGITS
        self.blank = b" " * BLANKS
        self.cell = Out()
        self.source = Cursor()
        self.shift = 0
        self.derived = False
        self.hits: list[tuple[int, int]] = []
        self.styles = [SGR[kind] for kind in range(len(SGR))]
        self.depth = 0
        self.name = b""
        self.name_width = 0
        self.kind = 0
        self.prefix = 0
        self.meaning_at = -1
        self.wide = False
        self.take_layout(layout_for(width))

    def take_layout(self, layout: Layout) -> None:
        """Draw by these columns from now on."""
        self.layout = layout
        self.per_line = layout.bytes_a_line
        self.offset_width = layout.offset_width
        self.hex_width = layout.hex_width
        self.name_room = layout.name_width
        self.value_room = layout.value_width
        self.field_at = layout.field_at
        self.field_room = layout.width - layout.field_at
        self.body_width = max(layout.body_width, 8)

    def place(self, offset: int) -> None:
        """Offsets of more than 32 bits need a wider column."""
        if offset >= NARROW_OFFSETS and self.offset_width < WIDE_OFFSET_WIDTH:
            self.take_layout(layout_for(self.layout.width, wide_offsets=True))

    def begin(self, name: bytes, width: int, depth: int, kind: int) -> None:
        """A field of this name; its value is to be written into the cell."""
        if width > self.field_room:
            name = cut(name, self.field_room)
            width = self.field_room
        self.name = name
        self.name_width = width
        self.depth = min(depth, (self.field_room - width) // 2)
        self.kind = kind
        self.prefix = 0
        self.meaning_at = -1
        self.wide = False
        self.cell.size = 0

    def fits(self, size: int) -> bool:
        """Whether so many characters fit beside the value on its line."""
        over = max(2 * self.depth + self.name_width - self.name_room, 0)
        return self.cell.size + 2 + size + over <= self.body_width

    def add_text(self, text: str) -> None:
        """Text into the cell."""
        if not text.isascii():
            self.wide = True
        self.cell.put(text.encode("utf-8", "backslashreplace"))

    def put_clean(self, raw: bytes, looked_at: int, limit: int, quote: bool) -> bool:
        """Characters of ASCII, cut after `limit`; False, and nothing is written, where others are among them."""
        cell = self.cell
        size = len(raw)
        shown = min(size, limit)
        cell.ensure(2 * shown + 8)
        view = raw
        at = cell.size
        begun = at
        if quote:
            cell.chars[at] = QUOTE
            at += 1
        index = 0
        while index < looked_at:
            byte = view[index]
            if SPACE <= byte <= TILDE:
                if index < shown:
                    cell.chars[at] = byte
                    at += 1
            elif byte in (NEWLINE, RETURN, TAB):
                if index < shown:
                    cell.chars[at] = BACKSLASH
                    cell.chars[at + 1] = LETTER_N if byte == NEWLINE else LETTER_R if byte == RETURN else LETTER_T
                    at += 2
            else:
                cell.size = begun
                return False
            index += 1
        if quote:
            cell.chars[at] = QUOTE
            at += 1
        cell.size = at
        if shown < size:
            cell.put(b"... %d more" % (size - shown) if quote else b"...")
        return True

    def begin_meaning(self, size: int) -> None:
        """What is added from now on is the meaning, of that size; meanings stand in a column where there is room."""
        cell = self.cell
        gap = max(self.value_room - cell.size, 2)
        if cell.size + gap + size > self.body_width:
            gap = 2 if cell.size > 0 else 0
        while gap > 0:
            cell.put_char(SPACE)
            gap -= 1
        self.meaning_at = cell.size

    # a field -----------------------------------------------------------------------------------------------------

    def put_group(self, start: int) -> None:
        """The line of a field that is made of others: where it begins, its name and value, no bytes."""
        self.put_offset(start)
        self.put_cell(self.offset_width)

    def put_leaf(self, start: int, end: int) -> None:
        """The lines of a field with its bytes; those over the limit are left out."""
        shown = end
        if 0 < self.max_bytes < end - start:
            shown = start + self.max_bytes
        cell = self.cell
        if shown - start <= self.per_line and shown == end:
            self.put_bytes(start, shown, 0)
            self.put_cell(self.field_at - 2 - self.per_line + shown - start)
            return
        at = start
        text_at = 0
        first = True
        while at < shown or first or (text_at < cell.size and at >= shown):
            upto = min(at + self.per_line, shown)
            if at < shown:
                self.put_bytes(at, upto, at - start)
                used = self.field_at - 2 - self.per_line + upto - at
            else:
                used = 0
            text_at = self.put_piece(used, text_at, first)
            first = False
            at = upto
        if shown < end:
            self.put_squeezed(start, shown, end)

    def put_squeezed(self, start: int, shown: int, end: int) -> None:
        """The count of the bytes that were left out; the lines among them that hold a hit are shown."""
        at = shown
        for first, last in self.hits:
            if last <= at or first >= end:
                continue
            line = max(at, start + (first - start) // self.per_line * self.per_line)
            if line > at:
                self.put_left_out(line - at)
            while line < min(last, end):
                upto = min(line + self.per_line, end)
                self.put_bytes(line, upto, line - start)
                self.out.put_char(NEWLINE)
                line = upto
            at = line
        if at < end:
            self.put_left_out(end - at)

    def put_left_out(self, count: int) -> None:
        """A line for bytes that are not shown."""
        self.put_spaces(self.offset_width + 2)
        self.paint(FAINT)
        noun = "byte" if count == 1 else "bytes"
        self.out.put(f"... {count} more {noun}".encode("ascii"))
        self.unpaint()
        self.out.put_char(NEWLINE)

    # the left side -----------------------------------------------------------------------------------------------

    def put_offset(self, at: int) -> None:
        """Where bytes stand: in the file, or in decompressed content, which a plus sign marks."""
        out = self.out
        out.ensure(64)
        offset = at + self.shift
        if self.painted:
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
            out.chars[place] = PLUS
        if self.painted:
            out.put(RESET)

    def put_bytes(self, start: int, end: int, since: int) -> None:
        """Offset, hex and characters of up to a line of bytes; `since` counts those of the field before them."""
        self.put_offset(start)
        if self.painted:
            self.put_painted(start, end, since)
            return
        out = self.out
        out.ensure(96)
        view = self.source.view
        hex_at = out.size + 2
        text_at = hex_at + self.hex_width + 2
        kernel.copy_range(out.chars, out.size, self.blank, 0, text_at - out.size)
        at = hex_at
        count = 0
        while start + count < end:
            byte = view[start + count]
            if count == 8:
                at += 1
            out.chars[at] = self.digits[byte >> 4]
            out.chars[at + 1] = self.digits[byte & 15]
            out.chars[text_at + count] = byte if SPACE <= byte <= TILDE else DOT
            at += STEP
            count += 1
        out.size = text_at + count
        if self.hits:
            self.bracket(hex_at, start, end)

    def bracket(self, hex_at: int, start: int, end: int) -> None:
        """Draw brackets around the hits among the bytes of a line that was written at `hex_at`."""
        for first, last in self.hits:
            if first < end and last > start:
                low = max(first, start) - start
                high = min(last, end) - start - 1
                self.out.chars[hex_at + STEP * low + (1 if low >= 8 else 0) - 1] = OPEN_BRACKET
                self.out.chars[hex_at + STEP * high + (1 if high >= 8 else 0) + 2] = CLOSE_BRACKET

    def put_painted(self, start: int, end: int, since: int) -> None:
        """Hex and characters in colours: of the field's kind, of its length, of zeros, of hits."""
        forms = [self.form_of(at, since + at - start) for at in range(start, end)]
        out = self.out
        out.put(b"  ")
        self.put_run(start, forms, True)
        used = STEP * len(forms) - 1 + (1 if len(forms) > 8 else 0)
        self.put_spaces(self.hex_width - used + 2)
        self.put_run(start, forms, False)

    def form_of(self, at: int, since: int) -> int:
        """How a byte is painted."""
        for first, last in self.hits:
            if first <= at < last:
                return MARKED
        if since < self.prefix:
            return PREFIX
        return PLAIN if self.source.view[at] else ZERO

    def put_run(self, start: int, forms: list[int], hexed: bool) -> None:
        """The bytes of a line in one of the two ways, the style changed only where it does."""
        out = self.out
        current = -1
        for at, form in enumerate(forms):
            if form != current:
                out.put(RESET)
                out.put(self.style_of(form))
                current = form
            byte = self.source.view[start + at]
            if not hexed:
                out.put_char(byte if SPACE <= byte <= TILDE else DOT)
                continue
            out.put_char(self.digits[byte >> 4])
            out.put_char(self.digits[byte & 15])
            if at + 1 < len(forms):
                if forms[at + 1] != current:
                    out.put(RESET)
                    current = -1
                out.put(b"  " if at == 7 else b" ")
        out.put(RESET)

    def style_of(self, form: int) -> bytes:
        """The escape sequence of a form."""
        if form == MARKED:
            return HIT
        if form == ZERO:
            return FAINT
        return self.styles[1] if form == PREFIX else self.styles[self.kind]

    # the right side ----------------------------------------------------------------------------------------------

    def put_cell(self, used: int) -> None:
        """All of the cell, the first line at column `used` of a line begun."""
        text_at = self.put_piece(used, 0, True)
        while text_at < self.cell.size:
            text_at = self.put_piece(0, text_at, False)

    def put_piece(self, used: int, text_at: int, first: bool) -> int:
        """As much of the cell as a line takes, from `text_at` on; the place after it."""
        out = self.out
        cell = self.cell
        if first:
            self.put_spaces(self.field_at - used + 2 * self.depth)
            self.paint(self.styles[0] if self.kind == 0 else b"")
            out.put(self.name)
            self.unpaint_if(self.kind == 0)
            used = 2 * self.depth + self.name_width
        elif text_at < cell.size:
            self.put_spaces(self.field_at - used)
            used = 0
        if text_at < cell.size:
            room = self.body_width
            if first and used > self.name_room:
                room -= used - self.name_room
            upto = self.break_at(text_at, room) if room > 0 else text_at
            if room < self.body_width and upto < cell.size and cell.chars[upto] != SPACE:
                upto = text_at  # a word that is whole on the next line
            if upto > text_at:
                self.put_spaces(max(self.name_room - used, 0) + 1)
                self.put_text(text_at, upto)
            text_at = upto
            while text_at < cell.size and cell.chars[text_at] == SPACE:
                text_at += 1
        out.put_char(NEWLINE)
        return text_at

    def put_text(self, start: int, end: int) -> None:
        """A part of the cell; values in their kind's colour, meanings faint."""
        out = self.out
        cell = self.cell
        while end > start and cell.chars[end - 1] == SPACE:
            end -= 1
        if not self.painted:
            self.copy_cell(start, end)
            return
        split = end if self.meaning_at < 0 else min(max(self.meaning_at, start), end)
        if start < split:
            out.put(self.styles[self.kind])
            self.copy_cell(start, split)
            out.put(RESET)
        if split < end:
            self.copy_cell(split, end)

    def copy_cell(self, start: int, end: int) -> None:
        """A part of the cell as it is."""
        out = self.out
        out.ensure(end - start)
        out.size = kernel.copy_range(out.chars, out.size, self.cell.chars, start, end)

    def break_at(self, start: int, room: int) -> int:
        """Where the line ends that begins at `start` of the cell: at a space, if the word after it fits on a line."""
        size = self.cell.size
        if self.wide:
            return self.break_wide(start, room)
        if size - start <= room:
            return size
        at = start + room
        while at > start and self.cell.chars[at] != SPACE:
            at -= 1
        after = at + 1
        while after < size and self.cell.chars[after] != SPACE and after - at <= room:
            after += 1
        return at if at > start and after - at <= room + 1 else start + room

    def break_wide(self, start: int, room: int) -> int:
        """The same for text with characters of other widths than one byte and one column."""
        upto = min(start + 4 * room + 4, self.cell.size)
        text = bytes(self.cell.buffer[start:upto]).decode("utf-8", "ignore")
        used = 0
        for at, char in enumerate(text):
            used += columns_of(char)
            if used > room and at > 0:
                return start + len(text[:at].encode("utf-8"))
        return upto

    # colours -----------------------------------------------------------------------------------------------------

    def paint(self, style: bytes) -> None:
        """Begin a style, if there are colours."""
        if self.painted:
            self.out.put(style)

    def unpaint(self) -> None:
        """End it."""
        if self.painted:
            self.out.put(RESET)

    def unpaint_if(self, painted: bool) -> None:
        """End it where there was one."""
        if painted and self.painted:
            self.out.put(RESET)

    def put_spaces(self, count: int) -> None:
        """So many spaces."""
        out = self.out
        if count <= 0:
            return
        out.ensure(count)
        while count > 0:
            part = min(count, BLANKS)
            out.size = kernel.copy_range(out.chars, out.size, self.blank, 0, part)
            count -= part


def cut(name: bytes, room: int) -> bytes:
    """A name in as many columns as there are, its end left out."""
    kept = ""
    used = 3
    for char in name.decode("utf-8", "replace"):
        used += columns_of(char)
        if used > room:
            break
        kept += char
    return kept.encode("utf-8") + b"." * min(3, room)

"""The lines of the annotated hexdump: bytes to the left, a field's name, value and meaning to the right.

Long stretches of bytes are left out in the middle, but never lines with a hit.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.render.hexdump.drawing.cell import Cell
from binlogcli.render.hexdump.drawing.hex_side import HexSide
from binlogcli.render.hexdump.drawing.layout import WIDE_OFFSET_WIDTH, layout_for
from binlogcli.render.hexdump.drawing.palette import FAINT
from binlogcli.render.hexdump.drawing.pen import Pen

_NEWLINE = 10
_NARROW_OFFSETS = 1 << 32


class Lines:
    """Writes fields one after another: `begin`, then value and meaning into `cell`, then `put_leaf` or `put_group`."""

    def __init__(self, pen: Pen, width: int, *, max_bytes: int) -> None:
        self.pen = pen
        self.max_bytes = max_bytes
        self.layout = layout_for(width)
        self.side = HexSide(pen, self.layout)
        self.cell = Cell(pen, self.layout)

    def place(self, offset: int) -> None:
        """Widen the offset column where `offset` needs more than 32 bits."""
        if offset >= _NARROW_OFFSETS and self.layout.offset_width < WIDE_OFFSET_WIDTH:
            self.layout = layout_for(self.layout.width, wide_offsets=True)
            self.side.take_layout(self.layout)
            self.cell.take_layout(self.layout)

    def turn(self, source: Cursor, shift: int, *, derived: bool, hits: list[tuple[int, int]]) -> None:
        """Take bytes and offsets from another buffer."""
        side = self.side
        side.source = source
        side.shift = shift
        side.derived = derived
        side.hits = hits

    def begin(self, name: bytes, width: int, depth: int, kind: int) -> None:
        """Begin a field."""
        self.side.kind = kind
        self.side.prefix = 0
        self.cell.begin(name, width, depth, kind)

    def put_group(self, start: int) -> None:
        """Write the line of a field that consists of others: offset, name and value, no bytes."""
        self.side.put_offset(start)
        self.cell.put_all(self.side.offset_width)

    def put_leaf(self, start: int, end: int) -> None:
        """Write the lines of a field with its bytes, at most `max_bytes` of them."""
        side = self.side
        cell = self.cell
        shown = end
        if 0 < self.max_bytes < end - start:
            shown = start + self.max_bytes
        width = cell.field_at - 2 - side.per_line  # columns before the characters
        if shown - start <= side.per_line and shown == end:
            side.put_bytes(start, shown, 0)
            cell.put_all(width + shown - start)
            return
        at = start
        text_at = 0
        first = True
        while at < shown or text_at < cell.text.size:
            used = 0
            if at < shown:
                upto = min(at + side.per_line, shown)
                side.put_bytes(at, upto, at - start)
                used = width + upto - at
                at = upto
            text_at = cell.put_first(used) if first else cell.put_next(used, text_at)
            first = False
        if shown < end:
            self._put_squeezed(start, shown, end)

    def _put_squeezed(self, start: int, shown: int, end: int) -> None:
        """Write how many bytes were left out from `shown` on, and the lines among them that hold a hit."""
        side = self.side
        at = shown
        for first, last in side.hits:
            if last <= at or first >= end:
                continue
            line = max(at, start + (first - start) // side.per_line * side.per_line)
            if line > at:
                self.put_left_out(line - at)
            while line < min(last, end):
                upto = min(line + side.per_line, end)
                side.put_bytes(line, upto, line - start)
                self.pen.out.put_char(_NEWLINE)
                line = upto
            at = line
        if at < end:
            self.put_left_out(end - at)

    def put_left_out(self, count: int) -> None:
        """Write a line with a number of bytes that are not shown."""
        self.pen.put_spaces(self.side.offset_width + 2)
        self.pen.paint(FAINT)
        noun = "byte" if count == 1 else "bytes"
        self.pen.out.put(f"... {count} more {noun}".encode("ascii"))
        self.pen.unpaint()
        self.pen.out.put_char(_NEWLINE)

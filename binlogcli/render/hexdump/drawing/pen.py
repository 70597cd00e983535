"""Colours and spaces for the annotated hexdump."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.render.hexdump.drawing.palette import RESET

_BLANKS = 256


class Pen:
    """Writes into a buffer; escape sequences for colours only if `painted`."""

    def __init__(self, out: TextBuffer, *, painted: bool) -> None:
        self.out = out
        self.painted = painted
        self.blank = b" " * _BLANKS

    def paint(self, style: bytes) -> None:
        """Begin a style."""
        if self.painted:
            self.out.put(style)

    def unpaint(self) -> None:
        """End the style."""
        if self.painted:
            self.out.put(RESET)

    def put_spaces(self, count: int) -> None:
        """Write `count` spaces."""
        out = self.out
        if count <= 0:
            return
        out.ensure(count)
        while count > 0:
            part = min(count, _BLANKS)
            out.size = kernel.copy_range(out.chars, out.size, self.blank, 0, part)
            count -= part

    def copy(self, text: TextBuffer, start: int, end: int) -> None:
        """Copy part of another buffer."""
        out = self.out
        out.ensure(end - start)
        out.size = kernel.copy_range(out.chars, out.size, text.chars, start, end)

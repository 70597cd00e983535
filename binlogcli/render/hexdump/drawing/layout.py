"""The columns of the annotated hexdump: offset, bytes, their characters, and the field beside them.

Sixteen bytes a line where that leaves room for names and meanings, else eight, else four.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

_OFFSET_WIDTH = 8
WIDE_OFFSET_WIDTH = 12
_GAP = 2
_ROOM_FOR_SIXTEEN = 112
_ROOM_FOR_EIGHT = 72
_SMALLEST = 60
_LONGEST_NAME = 28  # columns reserved for names: immediate_commit_timestamp, FORMAT_DESCRIPTION_EVENT two deep


class HexLayout(NamedTuple):
    """Widths in characters; the last column reserves `name_width` for names and `value_width` for values."""

    width: int
    bytes_a_line: int
    hex_width: int
    name_width: int
    value_width: int
    offset_width: int = _OFFSET_WIDTH

    @property
    def text_at(self) -> int:
        """The column in which characters begin."""
        return self.offset_width + _GAP + self.hex_width + _GAP

    @property
    def field_at(self) -> int:
        """The column in which names begin."""
        return self.text_at + self.bytes_a_line + _GAP

    @property
    def body_width(self) -> int:
        """The width that is left for values and meanings."""
        return self.width - self.field_at - self.name_width - 1


def layout_for(width: int, *, wide_offsets: bool = False) -> HexLayout:
    """Return the layout for a screen of `width` columns."""
    width = max(width, _SMALLEST)
    count = 16 if width >= _ROOM_FOR_SIXTEEN else 8 if width >= _ROOM_FOR_EIGHT else 4
    hex_width = 3 * count - 1 + (1 if count == 16 else 0)
    offset_width = WIDE_OFFSET_WIDTH if wide_offsets else _OFFSET_WIDTH
    left = width - (offset_width + _GAP + hex_width + _GAP + count + _GAP)
    name_width = min(max(left * 2 // 5, 12), _LONGEST_NAME)
    value_width = min(max((left - name_width) * 2 // 5, 6), 24)
    return HexLayout(width, count, hex_width, name_width, value_width, offset_width)


def columns_of(char: str) -> int:
    """Return the number of terminal columns that a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

"""What the readers of columns take from a cursor, value by value: a place, a number.

The compiled modules take it from `reads.pxd`; this is what runs uncompiled.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor


def need(cursor: Cursor, name: str, size: int) -> int:
    """The place of the next `size` bytes, which are there and are passed."""
    return cursor.need(name, size)


def little(cursor: Cursor, name: str, size: int) -> int:
    """The next `size` bytes as a little-endian number."""
    return cursor.little(cursor.need(name, size), size)


def big(cursor: Cursor, name: str, size: int) -> int:
    """The next `size` bytes as a big-endian number."""
    return cursor.big(cursor.need(name, size), size)

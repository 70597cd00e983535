"""What the loop over a row takes value by value: a column of its list, a place of the cursor, a number there.

The compiled modules take the C forms in `reads.pxd`; these run uncompiled.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.rows.column import Column


def need(cursor: Cursor, name: str, size: int) -> int:
    """Pass the next `size` bytes and return where they begin; `EndOfEvent` where there are fewer."""
    return cursor.need(name, size)


def little(cursor: Cursor, name: str, size: int) -> int:
    """Pass the next `size` bytes and return their little-endian number."""
    return cursor.little(cursor.need(name, size), size)


def big(cursor: Cursor, name: str, size: int) -> int:
    """Pass the next `size` bytes and return their big-endian number."""
    return cursor.big(cursor.need(name, size), size)


def column_at(columns: list[Column], at: int) -> Column:
    """Return a column of a plan's list."""
    return columns[at]

"""Access to the buffer of a column, for the loop over the values of a row.

The compiled modules take the C forms in `lists.pxd`; these run uncompiled.
"""

from __future__ import annotations

from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer


def buffer_at(buffers: list[ColumnBuffer], at: int) -> ColumnBuffer:
    """Return a buffer of a sink's list."""
    return buffers[at]

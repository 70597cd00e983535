"""The way to a column of a list, and to where its values are put, for the loop over the values of a row.

The compiled modules take it from `lists.pxd`; this is what runs uncompiled.
"""

from __future__ import annotations

from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer


def buffer_at(buffers: list[ColumnBuffer], at: int) -> ColumnBuffer:
    """A buffer of a list that holds nothing else."""
    return buffers[at]


def fetch(buffers: list[ColumnBuffer]) -> None:
    """Values for all of these are about to come: the processor may fetch where they go, all at once."""

"""The way to a column of a list, for the loop over the values of a row.

The compiled modules take it from `lists.pxd`; this is what runs uncompiled.
"""

from __future__ import annotations

from binlogcli.rows.column import Column


def column_at(columns: list[Column], at: int) -> Column:
    """A column of a list that holds nothing else."""
    return columns[at]

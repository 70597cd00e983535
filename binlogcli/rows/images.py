"""The rows of one event as bytes, with all that is needed to read them."""

from __future__ import annotations

from binlogcli.rows.plan import TablePlan

WRITE, UPDATE, DELETE = 0, 1, 2


class RowImages:
    """Rows of one table in data[start:end], each with its image before the change, the one after it, or both.

    The bits of the columns that an image holds are set in `before` or `after`. With `partial`, images after the change
    may hold changes of JSON documents. `Rows.images` makes it for an event.
    """

    def __init__(self, plan: TablePlan) -> None:
        self.plan = plan
        self.data = b""
        self.start = self.end = 0
        self.operation = WRITE
        self.partial = False
        self.before = self.after = b""

"""The rows of one event as bytes, with all that the walk, the count and the search need to read them."""

from __future__ import annotations

from binlogcli.rows.plan import TablePlan
from binlogcli.rows.record_nulls import RecordNulls

WRITE, UPDATE, DELETE = 0, 1, 2


class RowImages:
    """Rows of one table in data[start:end]: each has an image before the change, one after it, or both.

    The bits of the columns that an image holds are set in `before` or `after`. With `partial`, images after the change
    may hold changes of JSON documents; with `record`, images begin as it says. `Rows.images`
    makes it for an event, without calling `__init__`.
    """

    def __init__(self, plan: TablePlan) -> None:
        self.plan = plan
        self.data = b""
        self.start = self.end = 0
        self.operation = WRITE
        self.partial = False
        self.record: RecordNulls | None = None
        self.before = self.after = b""

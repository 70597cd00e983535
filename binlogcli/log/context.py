"""What a log has said so far, in one object that is passed along: its format and the tables it has named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.log.cursor import Cursor
from binlogcli.log.format import LogFormat
from binlogcli.log.notes import Notes

DEFINITIONS_KEPT = 32768  # distinct table definitions remembered; above it the memory starts anew


class LogContext:
    """The state of reading one log. `tables`, `plans` and `status` are the event layer's to fill."""

    def __init__(self, log_format: LogFormat | None = None, max_content: int = 1 << 30) -> None:
        self.max_content = max_content  # bytes that one event may decompress to
        self.schema: Any = None  # what knows tables better than the log: see rows.schema
        self.plans: dict[bytes, Any] = {}
        self.tables: dict[int, Any] = {}
        self.status: dict[bytes, Any] = {}
        self.noted: dict[tuple[str, bytes], Notes] = {}
        self.meet(log_format or LogFormat())

    def meet(self, log_format: LogFormat) -> None:
        """A format description was read: table ids before it mean nothing any more."""
        self.format = log_format
        self.mariadb = log_format.mariadb
        self.binlog_version = log_format.binlog_version
        self.post_headers = log_format.post_headers
        self.tables.clear()

    def remember(self, key: bytes, plan: object) -> None:
        """Keep how a table is read under the bytes of its definition."""
        if len(self.plans) >= DEFINITIONS_KEPT:
            self.plans.clear()
        self.plans[key] = plan

    def remember_status(self, key: bytes, status: object) -> None:
        """Keep the status variables of a query under the bytes they were read from."""
        if len(self.status) >= DEFINITIONS_KEPT:
            self.status.clear()
        self.status[key] = status


def note_once(body: Cursor, context: LogContext, kind: str, raw: bytes, read: Callable[[Cursor], object]) -> None:
    """Note the fields of the bytes `raw`, at which the cursor stands; the notes of the same bytes are used again."""
    notes = body.notes
    key = (kind, raw)
    saved = context.noted.get(key)
    start = body.pos
    if saved is not None:
        notes.replay(saved, start)
        body.pos = start + len(raw)
        return
    first = notes.count
    end = body.end
    body.end = start + len(raw)
    read(body)
    body.end = end
    if len(context.noted) >= DEFINITIONS_KEPT:
        context.noted.clear()
    context.noted[key] = notes.copy_since(first, start)

"""What a log has said so far, in one object that is passed along: its format and the tables it has named."""

from __future__ import annotations

from typing import Any

from binlogcli.log.format import LogFormat

DEFINITIONS_KEPT = 32768  # distinct table definitions remembered; above it the memory starts anew


class LogContext:
    """The state of reading one log. `tables` and `plans` are the event layer's to fill."""

    def __init__(self, log_format: LogFormat | None = None, max_content: int = 1 << 30) -> None:
        self.max_content = max_content  # bytes that one event may decompress to
        self.schema: Any = None  # what knows tables better than the log: see rows.schema
        self.plans: dict[bytes, Any] = {}
        self.tables: dict[int, Any] = {}
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

"""What a log has said so far, in one object that is passed along: its format and the tables it has named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.notes import Notes
from binlogcli.log.format import LogFormat

# A column's reader takes some 500 bytes, what JSON says of it twice as much: what is remembered of tables is bounded by
# columns, and starts anew above. A statement needs only its own tables, which are rarely more than a few.
COLUMNS_KEPT = 1 << 14
PLAN_WEIGHT = 4
NOTES_KEPT = 1 << 14
TABLES_KEPT = 256  # table ids remembered whatever their columns are


class LogContext:
    """The state of reading one log. `tables` and `plans` are the event layer's to fill."""

    def __init__(self, log_format: LogFormat | None = None, max_content: int = 1 << 30) -> None:
        self.max_content = max_content  # bytes that one event may decompress to
        self.schema: Any = None  # what knows tables better than the log: see rows.schema
        self.plans: dict[bytes, Any] = {}
        self.planned = 0  # columns in `plans`, in `tables`; notes in `noted`
        self.named = 0
        self.note_count = 0
        self.tables: dict[int, Any] = {}
        self.older_tables: dict[int, Any] = {}
        self.noted: dict[tuple[str, bytes], Notes] = {}
        self.meet(log_format or LogFormat())

    def meet(self, log_format: LogFormat) -> None:
        """A format description was read: table ids before it mean nothing any more."""
        self.format = log_format
        self.mariadb = log_format.mariadb
        self.binlog_version = log_format.binlog_version
        self.post_headers = log_format.post_headers
        self.forget_tables()

    def remember(self, key: bytes, plan: Any) -> None:
        """Keep how a table is read under the bytes of its definition."""
        if self.planned > COLUMNS_KEPT:
            self.plans.clear()
            self.planned = 0
        self.planned += weight(plan)
        self.plans[key] = plan

    def forget_tables(self) -> None:
        """The numbers of tables mean nothing any more."""
        self.tables.clear()
        self.older_tables.clear()
        self.named = 0

    def name_table(self, table_id: int, plan: Any) -> None:
        """From here on the number stands for that table."""
        if table_id not in self.tables:
            if self.named > COLUMNS_KEPT and len(self.tables) >= TABLES_KEPT:
                self.older_tables = self.tables
                self.tables = {}
                self.named = 0
            self.named += weight(plan)
        self.tables[table_id] = plan

    def table(self, table_id: int) -> Any:
        """How the rows of the table with that number are read; None where no table map says it."""
        plan = self.tables.get(table_id)
        return self.older_tables.get(table_id) if plan is None else plan


def weight(plan: Any) -> int:
    """What a plan counts for: its columns, and what it takes itself as much as a few."""
    width: int = plan.width
    return width + PLAN_WEIGHT


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
    if context.note_count > NOTES_KEPT:
        context.noted.clear()
        context.note_count = 0
    context.note_count += notes.count - first
    context.noted[key] = notes.copy_since(first, start)

"""What was read of a log so far, in one object that is passed along: its format and the tables that it named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.notes import Notes
from binlogcli.log.format import LogFormat

# A column's reader takes some 500 bytes, what JSON says of it twice as much: what is remembered of tables is bounded by
# columns, and starts anew above. A statement needs only its own tables, which are rarely more than a few.
_COLUMNS_KEPT = 1 << 14
_PLAN_WEIGHT = 4
_NOTES_KEPT = 1 << 14
_TABLES_KEPT = 256  # table ids remembered whatever their columns are


class LogContext:
    """The state of reading one log: `plans` are the tables' readers by TABLE_MAP bytes, `tables` those by table id."""

    def __init__(self, log_format: LogFormat | None = None, max_content: int = 1 << 30) -> None:
        self.max_content = max_content  # bytes that one event may decompress to
        self.schema: Any = None  # a schema.catalog.Schema, which names columns that the log does not
        self.plans: dict[bytes, Any] = {}
        self.planned = 0  # columns in `plans`, in `tables`; notes in `noted`
        self.named = 0
        self.note_count = 0
        self.tables: dict[int, Any] = {}
        self.older_tables: dict[int, Any] = {}
        self.noted: dict[tuple[str, bytes], Notes] = {}
        self.meet(log_format or LogFormat())

    def meet(self, log_format: LogFormat) -> None:
        """Take over the format of the events that follow; forget table ids, which start anew with it."""
        self.format = log_format
        self.mariadb = log_format.mariadb
        self.binlog_version = log_format.binlog_version
        self.post_headers = log_format.post_headers
        self.forget_tables()

    def remember(self, key: bytes, plan: Any) -> None:
        """Keep the plan of a table under the bytes of its TABLE_MAP event."""
        if self.planned > _COLUMNS_KEPT:
            self.plans.clear()
            self.planned = 0
        self.planned += _weight(plan)
        self.plans[key] = plan

    def forget_tables(self) -> None:
        """Forget all table ids."""
        self.tables.clear()
        self.older_tables.clear()
        self.named = 0

    def name_table(self, table_id: int, plan: Any) -> None:
        """Let a table id stand for a plan from here on; of very many ids the older half is forgotten."""
        if table_id not in self.tables:
            if self.named > _COLUMNS_KEPT and len(self.tables) >= _TABLES_KEPT:
                self.older_tables = self.tables
                self.tables = {}
                self.named = 0
            self.named += _weight(plan)
        self.tables[table_id] = plan

    def table(self, table_id: int) -> Any:
        """Return the plan of a table id; None where no TABLE_MAP event named it."""
        plan = self.tables.get(table_id)
        return self.older_tables.get(table_id) if plan is None else plan


def _weight(plan: Any) -> int:
    """Return how many columns' worth of memory a plan takes, its own overhead included."""
    width: int = plan.width
    return width + _PLAN_WEIGHT


def note_once(body: Cursor, context: LogContext, kind: str, raw: bytes, read: Callable[[Cursor], object]) -> None:
    """Note the fields of `raw`, where the cursor stands: `read` reads them once, equal bytes repeat its notes."""
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
    if context.note_count > _NOTES_KEPT:
        context.noted.clear()
        context.note_count = 0
    context.note_count += notes.count - first
    context.noted[key] = notes.copy_since(first, start)

"""What was read of a log so far, in one object that is passed along: its format and the tables that it named."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.notes import Notes
from binlogcli.log.format import LogFormat

# A column's reader takes some 500 bytes, what JSON says of it twice as much: what is remembered of tables is bounded by
# columns, and starts anew above. A statement needs only its own tables, which are rarely more than a few.
# A statement that names more keeps the bytes of its TABLE_MAP events, from which plans are made again.
_COLUMNS_KEPT = 1 << 14
_NOTES_KEPT = 1 << 14
_MAP_BYTES_KEPT = 1 << 24


class LogContext:
    """The state of reading one log: `plans` are the tables' readers by TABLE_MAP bytes, `tables` those by table id.

    `maps` are the TABLE_MAP bytes of table ids whose plans were dropped from `tables`.
    """

    def __init__(self, log_format: LogFormat | None = None, max_content: int = 1 << 30) -> None:
        self.max_content = max_content  # bytes that one event may decompress to
        self.catalog: Any = None  # a schema.catalog.Catalog, which names columns that the log does not
        self.plans: dict[bytes, Any] = {}
        self.planned = 0  # columns in `plans`, in `tables`; notes in `noted`; bytes in `maps`
        self.named = 0
        self.note_count = 0
        self.map_bytes = 0
        self.tables: dict[int, Any] = {}
        self.maps: dict[int, bytes] = {}
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
        self.planned += plan.weight
        self.plans[key] = plan

    def forget_tables(self) -> None:
        """Forget all table ids."""
        self.tables.clear()
        self.maps.clear()
        self.named = self.map_bytes = 0

    def name_table(self, table_id: int, plan: Any) -> None:
        """Let a table id stand for a plan from here on."""
        known = self.tables.get(table_id)
        if known is not None:
            self.named -= known.weight
        self.tables[table_id] = plan
        self.named += plan.weight
        if self.named > _COLUMNS_KEPT:
            self._drop_plans()

    def _drop_plans(self) -> None:
        """Keep only the bytes of the table maps that were named first, until half of the columns are left."""
        for table_id in list(self.tables)[: len(self.tables) - 1]:
            if self.named <= _COLUMNS_KEPT // 2:
                break
            plan = self.tables.pop(table_id)
            self.named -= plan.weight
            self.map_bytes += len(plan.key) - len(self.maps.pop(table_id, b""))
            self.maps[table_id] = plan.key
        while self.map_bytes > _MAP_BYTES_KEPT:
            self.map_bytes -= len(self.maps.pop(next(iter(self.maps))))

    def plan_anew(self, changed: Collection[str]) -> None:
        """Forget the plans of tables whose definitions may have changed: they are made again when they are needed.

        `changed` are their names in lower case, as the server's setting is not known, and of any database.
        """
        for key, plan in list(self.plans.items()):
            if plan.definition.table.lower() in changed:
                self.planned -= plan.weight
                del self.plans[key]
        for table_id, plan in list(self.tables.items()):
            if plan.definition.table.lower() in changed:
                self.named -= plan.weight
                del self.tables[table_id]
                self.map_bytes += len(plan.key) - len(self.maps.pop(table_id, b""))
                self.maps[table_id] = plan.key
        self.noted.clear()
        self.note_count = 0

    def table(self, table_id: int) -> Any:
        """Return the plan of a table id; None where no TABLE_MAP event named it, or its bytes are in `maps`."""
        return self.tables.get(table_id)


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

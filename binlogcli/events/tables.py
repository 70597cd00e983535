"""Row logging: TABLE_MAP names a table and its columns, ROWS events hold its changed rows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.events.event import Event
from binlogcli.log.compressed import inflate
from binlogcli.log.context import LogContext, note_once
from binlogcli.names.event_types import (
    PARTIAL_UPDATE_ROWS_EVENT,
    PRE_GA_WRITE_ROWS_EVENT,
    WRITE_ROWS_COMPRESSED_EVENT,
    WRITE_ROWS_COMPRESSED_EVENT_V1,
    WRITE_ROWS_EVENT,
    WRITE_ROWS_EVENT_V1,
)
from binlogcli.names.flags import flag_names
from binlogcli.rows.column import Sink
from binlogcli.rows.images import DELETE, UPDATE, WRITE, RowImages
from binlogcli.rows.plan import TablePlan, make_plan
from binlogcli.rows.precision_search import find_precisions
from binlogcli.rows.table.definition import TableDefinition, read_definition
from binlogcli.rows.walk import RowWalker

if TYPE_CHECKING:
    from binlogcli.events.statements import StatementText
    from binlogcli.rows.sinks.python_values import Row

SHORT_ID_HEADER = 6  # a post-header of this size has a table id of four bytes (5.1.0 to 5.1.3)
STMT_END_F = 1
DUMMY_IDS = (0xFFFFFF, 0xFFFFFFFF)  # of an event without table and rows that only ends a statement: MySQL's, MariaDB's
MAX_WIDTH = 4096
FLAGS_SIZE = 2
OPERATION_NAMES = {WRITE: "write", UPDATE: "update", DELETE: "delete"}
NDB_INFO, PARTITION_INFO = 0, 1
EXTRA_INFO = {NDB_INFO: "NDB", PARTITION_INFO: "PART"}


class TableMap(Event):
    """TABLE_MAP_EVENT (19): from here on a number stands for a table."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body; a definition whose bytes were seen before is used again."""
        short = context.post_headers[self.type_code] == SHORT_ID_HEADER
        self.table_id = body.uint("table_id", 4 if short else 6)
        self.map_flags = body.u2("flags")
        plan = context.table(self.table_id) if body.notes is None else None
        if plan is None or not kernel.same(body.data, body.pos - FLAGS_SIZE, body.end, plan.key):
            plan = self.read_plan(body, context)
            context.name_table(self.table_id, plan)
        body.pos = body.end
        self.plan = plan
        self.definition = plan.definition

    def read_plan(self, body: Cursor, context: LogContext) -> TablePlan:
        """How the table's rows are read: known from an earlier map of the same bytes, or made."""
        described = body.data[body.pos : body.end]
        key = body.data[body.pos - FLAGS_SIZE : body.pos] + described
        plan: TablePlan | None = context.plans.get(key)
        definition = None if plan is None else plan.definition
        if body.notes is not None:
            definition = definition or understood(described, mariadb=context.mariadb)
            note = partial(read_definition, mariadb=context.mariadb, known=definition)
            note_once(body, context, "table", described, note)
        if plan is None:
            definition = definition or read_definition(body, mariadb=context.mariadb)
            if context.schema is not None:
                context.schema.complete(definition)
            plan = make_plan(definition, limit=context.max_content)
            plan.key = key
            plan.map_flags = self.map_flags
            context.remember(key, plan)
        return plan

    @property
    def database(self) -> str:
        """The table's database."""
        return str(self.definition.database)

    @property
    def table(self) -> str:
        """The table's name."""
        return str(self.definition.table)

    def as_dict(self) -> dict[str, object]:
        """The fields under the server's names, and the columns one by one."""
        head: dict[str, object] = {"table_id": self.table_id, "flags": flag_names("table_map", self.map_flags)}
        return head | self.definition.as_dict()


class Rows(Event):
    """All WRITE, UPDATE and DELETE events: rows of one table before and after a change.

    The images are read when asked for: by `walk` into a sink, or as Python objects by `rows`.
    """

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read all but the rows themselves."""
        kind = self.type_code
        self.operation = operation_of(kind)
        self.partial = kind == PARTIAL_UPDATE_ROWS_EVENT
        second_version = WRITE_ROWS_EVENT <= kind <= PARTIAL_UPDATE_ROWS_EVENT or kind >= WRITE_ROWS_COMPRESSED_EVENT
        short = context.post_headers[kind] == SHORT_ID_HEADER
        self.table_id = body.uint("table_id", 4 if short else 6)
        self.row_flags = body.u2("flags")
        self.extra = b""
        if second_version:
            self.read_extra(body)
        self.width = body.lenenc("width")
        if self.width > MAX_WIDTH:
            raise DecodeError(f"{self.width} columns are more than a table can have")
        size = (self.width + 7) >> 3
        self.present = body.take("columns_present", size)
        self.present_after = self.present
        # the types before the first general release have one bitmap of columns for both images
        if self.operation == UPDATE and kind >= WRITE_ROWS_EVENT_V1:
            self.present_after = body.take("columns_present_after", size)
        self.plan = context.table(self.table_id)
        self.statement: StatementText | None = None  # its text, where the log has it
        self.ranges: list[tuple[int, int]] | None = None  # where the rows stand that were chosen; None: all of them
        self.read_rows(body, context, kind >= WRITE_ROWS_COMPRESSED_EVENT_V1)

    def read_extra(self, body: Cursor) -> None:
        """Extra row info: its length counts itself."""
        size = body.u2("var_header_len")
        if size < 2:
            raise DecodeError(f"var_header_len is {size}, below 2")
        start = body.need("extra_row_info", size - 2)
        self.extra = body.data[start : body.pos]
        if body.notes is not None and self.extra:
            self.note_extra(body, start)

    def note_extra(self, body: Cursor, start: int) -> None:
        """Note the fields of the extra row info; what cannot be read of it is unread."""
        notes, end, stop = body.notes, body.end, body.pos
        depth = notes.depth() + 1
        body.pos, body.end = start, stop
        body.enter("extra_row_info")
        try:
            self.read_info(body)
        except DecodeError as error:
            notes.close(depth)
            notes.leaf("unread", notes.covered, stop, str(error))
        body.pos, body.end = stop, end
        body.leave()

    def read_rows(self, body: Cursor, context: LogContext, compressed: bool) -> None:
        """Where the row images stand; `packed_at` is their place in the event, also of compressed ones."""
        self.packed_at = body.pos
        if compressed:
            self.rows_start = 0
            self.row_data = inflate(body, "rows", context.max_content, self.note_content)
            self.rows_end = len(self.row_data)
            return
        self.row_data = body.data
        self.rows_start = body.pos
        self.rows_end = body.end
        if body.notes is not None:
            self.note_rows(body)
        body.pos = body.end

    def note_content(self, body: Cursor, content: bytes) -> None:
        """Note each value of rows that were compressed."""
        self.row_data = content
        self.rows_end = len(content)
        self.note_rows(body)

    def note_rows(self, body: Cursor) -> None:
        """Note each value; from the row on that cannot be read, bytes that are unread."""
        notes = body.notes
        if notes.walker is None:
            from binlogcli.rows.notes.value_parts import PartNoter  # noqa: PLC0415 - most programs take no notes
            from binlogcli.rows.sinks.python_values import LastValue  # noqa: PLC0415

            cursor = Cursor()
            cursor.listen(notes)
            notes.walker = (RowWalker(cursor, PartNoter()), LastValue())
        walker, sink = notes.walker
        depth = notes.depth()
        try:
            self.walk(walker, sink)
        except DecodeError as error:
            notes.close(depth)
            if notes.covered < self.rows_end:
                notes.leaf("unread", notes.covered, self.rows_end, str(error))

    def resolve(self) -> TablePlan:
        """The plan to read the rows with; `DecodeError` says why there is none."""
        plan: TablePlan | None = self.plan
        if plan is None:
            raise DecodeError(f"no table map with id {self.table_id} stands before these rows")
        if plan.width != self.width:
            raise DecodeError(f"the rows have {counted(self.width, 'column')}, the table map {plan.width}")
        if plan.ambiguous and not plan.reason:
            plan = find_precisions(self.images(plan))
        if plan.reason:
            raise UnreadableRowsError(plan.reason)
        return plan

    def walk(self, walker: RowWalker, sink: Sink) -> int:
        """Hand every value of every row to a sink; how many rows there were."""
        if self.plan is None and self.table_id in DUMMY_IDS and self.rows_start == self.rows_end:
            return 0
        return self.walk_by(self.resolve(), walker, sink)

    def walk_by(self, plan: TablePlan, walker: RowWalker, sink: Sink) -> int:
        """Read all rows, or those that were chosen, by another plan than the event's; return how many there were."""
        images = self.images(plan)
        if self.ranges is None:
            return walker.walk(images, sink)
        count = 0
        for start, end in self.ranges:
            images.start, images.end = start, end
            count += walker.walk(images, sink)
        return count

    def images(self, plan: TablePlan) -> RowImages:
        """Return all rows of the event, to be read by a plan."""
        images = RowImages.__new__(RowImages)
        images.plan = plan
        images.data = self.row_data
        images.start = self.rows_start
        images.end = self.rows_end
        images.operation = self.operation
        images.partial = self.partial
        images.before = self.present
        images.after = self.present_after
        return images

    @property
    def rows(self) -> list[Row]:
        """The rows as Python objects."""
        from binlogcli.rows.sinks.python_values import ValueSink  # noqa: PLC0415

        sink = ValueSink()
        self.walk(RowWalker(), sink)
        return list(sink.rows)

    @property
    def operation_name(self) -> str:
        """`write`, `update` or `delete`."""
        return OPERATION_NAMES[self.operation]

    @property
    def database(self) -> str | None:
        """The table's database, or None where its table map is missing."""
        return None if self.plan is None else str(self.plan.definition.database)

    @property
    def table(self) -> str | None:
        """The table's name, or None where its table map is missing."""
        return None if self.plan is None else str(self.plan.definition.table)

    @property
    def columns(self) -> list[str]:
        """The names of all columns of the table, or their numbers."""
        if self.plan is None:
            return [f"@{at + 1}" for at in range(self.width)]
        return list(self.plan.names)

    @property
    def ends_statement(self) -> bool:
        """Whether these are the last rows of their statement."""
        return self.row_flags & STMT_END_F != 0

    def extra_info(self) -> dict[str, object]:
        """What the extra row info says: the partition, or what NDB put there."""
        return self.read_info(Cursor(self.extra))

    def read_info(self, body: Cursor) -> dict[str, object]:
        """The same out of these bytes."""
        found: dict[str, object] = {}
        while body.left() > 0:
            kind = body.u1("typecode")
            if kind == PARTITION_INFO:
                found["partition_id"] = body.u2("partition_id")
                if self.operation == UPDATE:
                    found["source_partition_id"] = body.u2("source_partition_id")
            elif kind == NDB_INFO:
                size = body.u1("length")
                found["ndb_format"] = body.u1("format")
                found["ndb_data"] = body.take("data", size - 2)
            else:
                found["unknown"] = body.rest("unknown")
        return found

    def as_dict(self) -> dict[str, object]:
        """The fields and the rows; rows that cannot be read as their bytes with the reason."""
        rows: list[object] = []
        try:
            rows.extend(
                {k: v for k, v in (("before", r.before), ("after", r.after)) if v is not None} for r in self.rows
            )
        except DecodeError as error:
            rows.append({"hex": self.row_data[self.rows_start : self.rows_end].hex(), "reason": str(error)})
        return {
            "database": self.database,
            "table": self.table,
            "table_id": self.table_id,
            "columns": self.columns,
            "rows": rows,
            "flags": flag_names("rows", self.row_flags),
        }


def understood(described: bytes, *, mariadb: bool) -> TableDefinition | None:
    """The table that some bytes describe, or None where they fail to."""
    try:
        return read_definition(Cursor(described), mariadb=mariadb)
    except DecodeError:
        return None


def operation_of(type_code: int) -> int:
    """WRITE, UPDATE or DELETE: in each version the three types follow one another."""
    if type_code == PARTIAL_UPDATE_ROWS_EVENT:
        return UPDATE
    if type_code >= WRITE_ROWS_COMPRESSED_EVENT_V1:
        first = WRITE_ROWS_COMPRESSED_EVENT_V1
    else:
        first = WRITE_ROWS_EVENT if type_code >= WRITE_ROWS_EVENT else PRE_GA_WRITE_ROWS_EVENT
    return (type_code - first) % 3


class UnreadableRowsError(DecodeError):
    """Rows of a sound event that nobody could read: the log does not say enough about their columns."""

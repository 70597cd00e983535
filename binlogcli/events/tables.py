"""The events of row logging: TABLE_MAP describes a table, ROWS events have its changed rows.

The bytes of a table map are decoded once: maps repeat before every statement, and the plan to read rows with is kept
in the context under those bytes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DEFECTS, DecodeError, counted, undecodable
from binlogcli.events.damage import rows_damage
from binlogcli.events.event import Event
from binlogcli.log.compressed import inflate
from binlogcli.log.context import LogContext, note_once
from binlogcli.log.format import version_numbers
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
from binlogcli.rows.extra_row_info import ExtraRowInfo
from binlogcli.rows.images import DELETE, UPDATE, WRITE, RowImages
from binlogcli.rows.plan import TablePlan, make_plan
from binlogcli.rows.precision_search import find_precisions
from binlogcli.rows.record_nulls import RecordNulls, record_problem
from binlogcli.rows.table.definition import TableDefinition, read_definition
from binlogcli.rows.walk import RowWalker

if TYPE_CHECKING:
    from binlogcli.events.statements import StatementText
    from binlogcli.log.gaps import Damage
    from binlogcli.rows.sinks.python_values import Row

_SHORT_ID_HEADER = 6  # a post-header of this size has a table id of four bytes (5.1.0 to 5.1.3)
_STMT_END_F = 1  # in the flags of ROWS
DUMMY_IDS = (0xFFFFFF, 0xFFFFFFFF)  # of MySQL, MariaDB: an event without table and rows that ends a statement
_MAX_WIDTH = 4096
_FLAGS_SIZE = 2  # bytes of the flags in TABLE_MAP
_AFTER_BETAS = (5, 2, 0)  # from this version on all table maps have metadata
_OPERATION_NAMES = {WRITE: "write", UPDATE: "update", DELETE: "delete"}


class TableMap(Event):
    """TABLE_MAP_EVENT (19): the table that a number stands for in the ROWS events after it."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body; a definition with known bytes is not decoded again."""
        short = context.post_headers[self.type_code] == _SHORT_ID_HEADER
        self.table_id = body.uint("table_id", 4 if short else 6)
        self.map_flags = body.u2("flags")
        plan = context.table(self.table_id) if body.notes is None else None
        if plan is None or not kernel.same(body.data, body.pos - _FLAGS_SIZE, body.end, plan.key):
            plan = self._read_plan(body, context)
            context.name_table(self.table_id, plan)
        body.pos = body.end
        self.plan = plan
        self.definition = plan.definition

    def _read_plan(self, body: Cursor, context: LogContext) -> TablePlan:
        """Return the plan to read the table's rows with: that of an earlier map of equal bytes, or a new one."""
        described = body.data[body.pos : body.end]
        key = body.data[body.pos - _FLAGS_SIZE : body.pos] + described
        plan: TablePlan | None = context.plans.get(key)
        definition = None
        if plan is None:
            noted = body.notes is not None  # notes are taken of a map that is known, with its columns' names
            mariadb = context.mariadb
            definition = understood(described, mariadb=mariadb) if noted else read_definition(body, mariadb=mariadb)
            if definition is not None and (definition.complete or not _tells_widths(context)):
                plan = _new_plan(definition, key, context, self.start)
        if body.notes is not None:
            known = definition if plan is None else plan.definition
            note_once(body, context, "table", described, partial(read_definition, mariadb=context.mariadb, known=known))
        if plan is None:
            raise DecodeError("it ends after the columns' types")
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
        """Return the fields under the server's names, and the columns."""
        head: dict[str, object] = {"table_id": self.table_id, "flags": flag_names("table_map", self.map_flags)}
        return head | self.definition.as_dict()


class Rows(Event):
    """All WRITE, UPDATE and DELETE events: rows of one table before and after a change.

    Row images are not decoded with the event, but by `walk` into a sink, or by `rows` into Python objects. `damage`
    says why `rows` were not all read, None before that.
    """

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read all but the row images."""
        kind = self.type_code
        self.operation = operation_of(kind)
        self.partial = kind == PARTIAL_UPDATE_ROWS_EVENT
        second_version = WRITE_ROWS_EVENT <= kind <= PARTIAL_UPDATE_ROWS_EVENT or kind >= WRITE_ROWS_COMPRESSED_EVENT
        short = context.post_headers[kind] == _SHORT_ID_HEADER
        self.table_id = body.uint("table_id", 4 if short else 6)
        self.row_flags = body.u2("flags")
        self.extra = b""
        if second_version:
            self._read_extra(body)
        self.width = body.lenenc("width")
        if self.width > _MAX_WIDTH:
            raise DecodeError(f"{self.width} columns are more than a table can have")
        size = (self.width + 7) >> 3
        self.present = body.take("columns_present", size)
        self.present_after = self.present
        # the types before the first general release have one bitmap of columns for both images
        if self.operation == UPDATE and kind >= WRITE_ROWS_EVENT_V1:
            self.present_after = body.take("columns_present_after", size)
        self.plan = context.table(self.table_id)
        if self.plan is None and context.maps:
            self.plan = _plan_again(self.table_id, context, self.start)
        self.statement: StatementText | None = None  # its text, where the log has it
        self.damage: Damage | None = None
        self.ranges: list[tuple[int, int]] | None = None  # of the chosen rows in `row_data`; None: all rows
        self._read_rows(body, context, kind >= WRITE_ROWS_COMPRESSED_EVENT_V1)

    def _read_extra(self, body: Cursor) -> None:
        """Read the extra row info, whose length includes the two bytes of the length."""
        size = body.u2("var_header_len")
        if size < 2:
            raise DecodeError(f"var_header_len is {size}, less than 2")
        start = body.need("extra_row_info", size - 2)
        self.extra = body.data[start : body.pos]
        if body.notes is not None and self.extra:
            self._note_extra(body, start)
        elif self.extra:
            self.extra_info()  # what cannot be decoded is damage of the event

    def _note_extra(self, body: Cursor, start: int) -> None:
        """Note the fields of the extra row info; what cannot be decoded as `unread`."""
        notes, end, stop = body.notes, body.end, body.pos
        depth = notes.depth() + 1
        body.pos, body.end = start, stop
        body.enter("extra_row_info")
        try:
            ExtraRowInfo(body, update=self.operation == UPDATE)
        except DecodeError as error:
            notes.close(depth)
            notes.leaf("unread", notes.covered, stop, str(error))
        body.pos, body.end = stop, end
        body.leave()

    def _read_rows(self, body: Cursor, context: LogContext, compressed: bool) -> None:
        """Find the row images: `row_data[rows_start:rows_end]`, decompressed; `packed_at` is their place in `data`."""
        self.packed_at = body.pos
        if compressed:
            self.rows_start = 0
            self.row_data = self.kept = inflate(body, "rows", context.max_content, self.kept, self._note_content)
            self.rows_end = len(self.row_data)
            return
        self.row_data = body.data
        self.rows_start = body.pos
        self.rows_end = body.end
        if body.notes is not None:
            self._note_rows(body)
        body.pos = body.end

    def _note_content(self, body: Cursor, content: bytes) -> None:
        """Note each value of compressed rows, out of their decompressed bytes."""
        self.row_data = content
        self.rows_end = len(content)
        self._note_rows(body)

    def _note_rows(self, body: Cursor) -> None:
        """Note each value; from a row on that cannot be decoded, the bytes as `unread`."""
        notes = body.notes
        if notes.walker is None:
            from binlogcli.rows.notes.value_parts import PartNoter  # most programs take no notes
            from binlogcli.rows.sinks.python_values import LastValue

            cursor = Cursor()
            cursor.listen(notes)
            notes.walker = (RowWalker(cursor, PartNoter()), LastValue())
        walker, sink = notes.walker
        depth = notes.depth()
        failure = None
        try:
            self.walk(walker, sink)
        except DecodeError as error:
            failure = error
            notes.close(depth)
            if notes.covered < self.rows_end:
                notes.leaf("unread", notes.covered, self.rows_end, str(error))
        self.damage = rows_damage(self, failure, sink)

    def resolve(self) -> TablePlan:
        """Return the plan to read the rows with; `DecodeError` if there is none, or if it does not fit."""
        plan: TablePlan | None = self.plan
        if plan is None:
            raise DecodeError(f"no table map with id {self.table_id} precedes these rows")
        if plan.width != self.width:
            raise DecodeError(f"the rows have {counted(self.width, 'column')}, the table map {plan.width}")
        if plan.ambiguous and not plan.reason:
            try:
                plan = find_precisions(self.images(plan))
            except DEFECTS as error:
                raise undecodable(error) from error
        if plan.reason:
            raise UnreadableRowsError(plan.reason)
        if self.type_code < WRITE_ROWS_EVENT_V1 and (problem := record_problem(plan.definition)):
            raise UnreadableRowsError(problem)
        return plan

    def walk(self, walker: RowWalker, sink: Sink) -> int:
        """Give every value of the chosen rows to a sink, and return the number of rows."""
        sink.problem = ""
        if self.only_ends():
            return 0
        return self.walk_by(self.resolve(), walker, sink)

    def only_ends(self) -> bool:
        """Whether the event has no table and no rows: it ends a statement."""
        return self.plan is None and self.table_id in DUMMY_IDS and self.rows_start == self.rows_end

    def walk_by(self, plan: TablePlan, walker: RowWalker, sink: Sink) -> int:
        """Give every value of the chosen rows to a sink by the given plan, and return the number of rows."""
        sink.problem = ""
        try:
            return self._walk_ranges(plan, walker, sink)
        except DEFECTS as error:
            raise undecodable(error) from error

    def _walk_ranges(self, plan: TablePlan, walker: RowWalker, sink: Sink) -> int:
        """Walk over all rows, or over those in `ranges`."""
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
        self.fill(images, plan)
        return images

    def fill(self, images: RowImages, plan: TablePlan) -> None:
        """Make `images` all rows of the event, to be read by a plan."""
        images.plan = plan
        images.data = self.row_data
        images.start = self.rows_start
        images.end = self.rows_end
        images.operation = self.operation
        images.partial = self.partial
        images.record = RecordNulls(plan.definition) if self.type_code < WRITE_ROWS_EVENT_V1 else None
        images.before = self.present
        images.after = self.present_after

    @property
    def rows(self) -> list[Row]:
        """The rows as Python objects, up to one that cannot be read; `damage` then says why."""
        return self._read_values()[0]

    def _read_values(self) -> tuple[list[Row], int]:
        """Return the rows as Python objects, and where the bytes begin that could not be read. Sets `damage`."""
        from binlogcli.rows.sinks.python_values import ValueSink

        sink = ValueSink()
        walker = RowWalker()
        failure = None
        unread = self.rows_end
        try:
            self.walk(walker, sink)
        except DecodeError as error:
            failure = error
            unread = walker.row_start if walker.cursor.data is self.row_data else self.rows_start
        self.damage = rows_damage(self, failure, sink)
        return list(sink.rows), unread

    @property
    def operation_name(self) -> str:
        """`write`, `update` or `delete`."""
        return _OPERATION_NAMES[self.operation]

    @property
    def database(self) -> str | None:
        """The table's database, or None if its table map is missing."""
        return None if self.plan is None else str(self.plan.definition.database)

    @property
    def table(self) -> str | None:
        """The table's name, or None if its table map is missing."""
        return None if self.plan is None else str(self.plan.definition.table)

    @property
    def columns(self) -> list[str]:
        """The names of the table's columns; `@1`, `@2` and so on if its table map is missing."""
        if self.plan is None:
            return [f"@{at + 1}" for at in range(self.width)]
        return list(self.plan.names)

    @property
    def ends_statement(self) -> bool:
        """Whether this is the last event of its statement."""
        return self.row_flags & _STMT_END_F != 0

    def extra_info(self) -> ExtraRowInfo:
        """Return the extra row info: what NDB says, or the partition."""
        return ExtraRowInfo(Cursor(self.extra), update=self.operation == UPDATE)

    def as_dict(self) -> dict[str, object]:
        """Return the fields and the rows; those from an unreadable one on as their bytes with the reason.

        `sign_unknown` are the columns that have a negative value which is a larger number if the column is unsigned.
        """
        from binlogcli.rows.sinks.python_values import two_readings  # only where Python objects are asked for

        values, unread = self._read_values()
        rows: list[object] = [
            {k: v for k, v in (("before", r.before), ("after", r.after)) if v is not None} for r in values
        ]
        if self.damage is not None and (unread < self.rows_end or not values):
            rows.append(
                {
                    "hex": self.row_data[unread : self.rows_end].hex(),
                    "reason": self.damage.reason.removeprefix(f"{self.type}: "),
                }
            )
        found: dict[str, object] = {
            "database": self.database,
            "table": self.table,
            "table_id": self.table_id,
            "columns": self.columns,
            "rows": rows,
            "flags": flag_names("rows", self.row_flags),
        }
        unsure = two_readings(self.plan, values)
        return found | {"sign_unknown": unsure} if unsure else found


def _new_plan(definition: TableDefinition, key: bytes, context: LogContext, position: int) -> TablePlan:
    """Return the plan of a table map, whose body is `key` from its flags on; the context remembers it."""
    if context.catalog is not None:
        unknown = context.catalog.complete(definition, position)
        if unknown:
            context.plan_anew(unknown)
    plan = make_plan(definition, limit=context.max_content)
    plan.come_from(key, int.from_bytes(key[:_FLAGS_SIZE], "little"))
    context.remember(key, plan)
    return plan


def _plan_again(table_id: int, context: LogContext, position: int) -> TablePlan | None:
    """Return the plan of a table id from the bytes of its table map; None where the log did not name it."""
    key = context.maps.get(table_id)
    if key is None:
        return None
    plan: TablePlan | None = context.plans.get(key)
    if plan is None:
        plan = _new_plan(read_definition(Cursor(key, _FLAGS_SIZE), mariadb=context.mariadb), key, context, position)
    context.name_table(table_id, plan)
    return plan


def understood(described: bytes, *, mariadb: bool) -> TableDefinition | None:
    """Return the table that some bytes describe, or None if they cannot be decoded."""
    try:
        return read_definition(Cursor(described), mariadb=mariadb)
    except DecodeError:
        return None


def _tells_widths(context: LogContext) -> bool:
    """Whether the server's table maps continue after the columns' types; those of 5.1's alphas and betas do not."""
    layout = context.format
    return not layout.early_types and version_numbers(layout.server_version) >= _AFTER_BETAS


def operation_of(type_code: int) -> int:
    """Return WRITE, UPDATE or DELETE for a type of ROWS event: in each version they have consecutive numbers."""
    if type_code == PARTIAL_UPDATE_ROWS_EVENT:
        return UPDATE
    if type_code >= WRITE_ROWS_COMPRESSED_EVENT_V1:
        first = WRITE_ROWS_COMPRESSED_EVENT_V1
    else:
        first = WRITE_ROWS_EVENT if type_code >= WRITE_ROWS_EVENT else PRE_GA_WRITE_ROWS_EVENT
    return (type_code - first) % 3


class UnreadableRowsError(DecodeError):
    """Rows of a sound event that cannot be decoded, as the log does not tell enough about their columns."""

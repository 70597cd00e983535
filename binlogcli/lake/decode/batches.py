"""What is collected until it is handed out: the rows of a table, and the events, each as column buffers.

`arrow_batches` makes Arrow of them.
"""

from __future__ import annotations

from binlogcli.binary.json_writer import json_bytes
from binlogcli.events.event import Event
from binlogcli.events.tables import Rows, TableMap
from binlogcli.lake.decode.columns.row_origins import LogPosition, RowOrigins
from binlogcli.lake.decode.columns.transaction_columns import TrackedTransaction, TransactionColumns
from binlogcli.lake.tables.types import TableSchema
from binlogcli.log.gaps import Damage
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer
from binlogcli.rows.sinks.arrow_columns import ColumnSink

EVENT_COST = 64  # bytes that an event takes in the columns, its body not counted
COLUMN_COST = 1 << 10  # bytes that an empty column takes
COLUMNS_KNOWN = 1 << 14  # of tables whose maps are kept as JSON
ABSENT_NAMES = 1 << 20  # in the lists of columns that images lack, after which a batch is handed out
UPDATE = 1


class TableUse:
    """A table that events refer to: its map as JSON, and its place in the batch of events numbered `batch`."""

    def __init__(self) -> None:
        self.batch = -1
        self.number = 0  # among the batch's tables
        self.table_id = 0
        self.text: bytes | None = None  # the map as JSON
        self.body = -1  # its index among the batch's bodies; -1: not written yet


class TableRows:
    """Rows of one table and their origins; made by `TableMaker`. `reader` is the plan that reads the wanted columns."""

    def __init__(self, plan: TablePlan, reader: TablePlan, schema: TableSchema, sink: ColumnSink) -> None:
        self.plan = plan
        self.reader = reader
        self.schema = schema
        self.names = schema.names
        self.sink = sink
        self.begun_at = 0  # the first row whose origin is not noted yet
        self.origins = RowOrigins()
        self.transactions: TransactionColumns = None  # type: ignore[assignment] # set when the rows are handed out
        self.last_transaction = -1
        self.last = False  # the split has no more rows of this table
        self.absent: list[list[str]] = [[]]  # the lists of columns that images lack; the first is empty
        self.absent_names = 0  # in all lists
        self.absences: dict[tuple[bytes, bytes, int], int] = {}
        self.full = bytes([255]) * ((plan.width + 7) // 8)  # all columns, and the unused bits: as MySQL has it
        self.exact = self.full[: plan.width // 8] + bytes([(1 << plan.width % 8) - 1] if plan.width % 8 else [])

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.sink.row

    def cost(self) -> int:
        """Return the bytes that the empty columns take."""
        return COLUMN_COST * (len(self.sink.columns) + len(self.sink.before))

    def _absence(self, event: Rows) -> int:
        """Return the index in `absent` of the columns that the event's images lack."""
        before, after = event.present, event.present_after
        if (before == self.exact and after == self.exact) or (before == self.full and after == self.full):
            return 0
        key = (before, after, event.operation)
        known = self.absences.get(key)
        if known is None:
            names = self._lacking(after if event.operation == UPDATE else before, "")
            if event.operation == UPDATE:
                names += self._lacking(before, "_before.")
            known = self._number_of(names)
            self.absences[key] = known
        return known

    def _lacking(self, bitmap: bytes, prefix: str) -> list[str]:
        """Return the names of the columns whose bits are not set, each with `prefix` before it."""
        present = self.plan.present(bitmap)
        there = [False] * self.plan.width
        for column in present:
            there[column.index] = True
        return [prefix + self.names[at] for at in range(self.plan.width) if not there[at]]

    def _number_of(self, names: list[str]) -> int:
        """Return the index in `absent` of a list of columns, which is added."""
        if not names:
            return 0
        self.absent.append(names)
        self.absent_names += len(names)
        return len(self.absent) - 1

    def note_origins(
        self, event: Rows, tracked: TrackedTransaction, transaction_number: int, time: int, position: LogPosition
    ) -> int:
        """Record the origin of the rows added since the last call; return their number."""
        count = self.sink.row - self.begun_at
        if count == 0:
            return 0
        thread = -1
        if tracked is not None and tracked.transaction.thread_id is not None:
            thread = tracked.transaction.thread_id  # as far as the log has had it by now
        self.last_transaction = transaction_number
        absence = self._absence(event)
        patched = self._patched_absences(absence) if self.sink.patched else None
        origins = self.origins
        for at in range(1 if patched is None else count):
            origins.begin(count if patched is None else 1)
            origins.put(event.operation)
            origins.put(time)
            origins.put(event.server_id)
            origins.put(thread)
            origins.put(position.place)
            origins.put(position.row_number + at)
            origins.put(position.sequence + position.row_number + at)
            origins.put(transaction_number)
            origins.put(absence if patched is None else patched[at])
        self.begun_at = self.sink.row
        position.row_number += count
        return count

    def _patched_absences(self, absence: int) -> list[int]:
        """Return an index in `absent` for each new row: documents of which the log has only changes are absent, too."""
        patched: dict[int, list[str]] = {}
        for row, column in self.sink.patched:
            patched.setdefault(row, []).append(self.names[column])
        self.sink.patched.clear()
        numbers = []
        for row in range(self.begun_at, self.sink.row):
            names = patched.get(row)
            numbers.append(absence if names is None else self._number_of(self.absent[absence] + names))
        return numbers


class EventRows:
    """Events as columns, one value each, and gaps of the log as events without a header."""

    def __init__(self, transactions: TransactionColumns, uses: dict[TablePlan, TableUse], number: int) -> None:
        self.number = number  # of the batch
        self.count = 0
        self.used = 0  # bytes
        self.sequence = ColumnBuffer(8)
        self.starts = ColumnBuffer(8)
        self.ends = ColumnBuffer(8)
        self.within = ColumnBuffer(8)
        self.times = ColumnBuffer(8)
        self.types = ColumnBuffer(2)
        self.servers = ColumnBuffer(8)
        self.flags = ColumnBuffer(4)
        self.checksums = ColumnBuffer(8)
        self.transaction_at = ColumnBuffer(4)
        self.table_at = ColumnBuffer(4)
        self.rows = ColumnBuffer(4)
        self.body_at = ColumnBuffer(4)
        self.bodies = ColumnBuffer(0)
        self.damages = ColumnBuffer(0)
        self.transactions = transactions
        self.first_transaction = -1  # the number that `transaction_at` counts from
        self.transaction_count = 0
        self.tables: list[tuple[str, str]] = []  # databases and names
        self.uses = uses
        self.columns = sum([plan.weight for plan in uses])  # in `uses`

    def expect_like(self, other: EventRows) -> None:
        """Reserve as much room as `other` has filled."""
        self.sequence.expect_like(other.sequence)
        self.starts.expect_like(other.starts)
        self.ends.expect_like(other.ends)
        self.times.expect_like(other.times)
        self.types.expect_like(other.types)
        self.servers.expect_like(other.servers)
        self.flags.expect_like(other.flags)
        self.checksums.expect_like(other.checksums)
        self.transaction_at.expect_like(other.transaction_at)
        self.table_at.expect_like(other.table_at)
        self.rows.expect_like(other.rows)
        self.body_at.expect_like(other.body_at)
        self.bodies.expect_like(other.bodies)

    def put_place(self, start: int, end: int, within: int, sequence: int) -> None:
        """Begin an event: its place, and its number over all."""
        self.used += EVENT_COST
        self.sequence.put(sequence)
        self.starts.put(start)
        self.ends.put(end)
        if within >= 0:
            self.within.pad(self.count)
            self.within.put(within)

    def put_head(self, event: Event, time: int, tracked: TrackedTransaction) -> None:
        """Add the header's fields and the transaction."""
        self.times.put(time)
        self.types.put(event.type_code)
        self.servers.put(event.server_id)
        self.flags.put(event.flags)
        if event.crc >= 0:
            if self.checksums.count < self.count:
                self.checksums.pad(self.count)
            self.checksums.put(event.crc)
        if tracked is not None:
            if self.transaction_at.count < self.count:
                self.transaction_at.pad(self.count)
            self._put_transaction(self.transactions.number(tracked))

    def _put_transaction(self, number: int) -> None:
        """Add the number of the event's transaction."""
        if self.first_transaction < 0:
            self.first_transaction = number
        self.transaction_at.put(number - self.first_transaction)
        self.transaction_count = number - self.first_transaction + 1

    def put_table(self, plan: TablePlan) -> TableUse:
        """Add the table of the event, and return it."""
        use: TableUse | None = self.uses.get(plan)
        if use is None:
            if self.columns > COLUMNS_KNOWN:
                self.uses.clear()
                self.columns = 0
            self.columns += plan.weight
            use = TableUse()
            self.uses[plan] = use
        if use.batch != self.number:
            use.batch = self.number
            use.number = len(self.tables)
            use.body = -1
            self.tables.append((plan.definition.database, plan.definition.table))
        if self.table_at.count < self.count:
            self.table_at.pad(self.count)
        self.table_at.put(use.number)
        return use

    def put_table_map(self, event: TableMap) -> None:
        """Add a table map's body, which is written once in a batch: it is the longest, and repeats."""
        use = self.put_table(event.plan)
        if use.text is None or use.table_id != event.table_id:
            use.text = json_bytes(event.as_dict())
            use.table_id = event.table_id
            use.body = -1
        if use.body < 0:
            self.bodies.append(use.text)
            use.body = self.bodies.count - 1
        if self.body_at.count < self.count:
            self.body_at.pad(self.count)
        self.body_at.put(use.body)

    def put_last_body(self, size: int) -> None:
        """Make the last of the bodies, of `size` bytes, that of the event."""
        self.used += size
        if self.body_at.count < self.count:
            self.body_at.pad(self.count)
        self.body_at.put(self.bodies.count - 1)

    def put_damage(self, reason: str) -> None:
        """Add the reason why bytes could not be read."""
        self.damages.pad(self.count)
        self.damages.append(reason.encode("utf-8", "replace"))

    def put_gap(self, damage: Damage, sequence: int) -> None:
        """Add a range of bytes that could not be read."""
        self.put_place(damage.start, damage.end, -1 if damage.within is None else damage.within, sequence)
        self.put_damage(damage.reason)
        self._skip_head()
        self.count += 1

    def take_back(self) -> None:
        """Drop what was added of an event since the last one was counted."""
        columns = (self.sequence, self.starts, self.ends, self.within, self.times, self.types, self.servers, self.flags)
        for column in (*columns, self.checksums, self.transaction_at, self.table_at, self.rows, self.body_at):
            column.cut(self.count)

    def _skip_head(self) -> None:
        """Leave the header's fields NULL."""
        self.times.put_null()
        self.types.put_null()
        self.servers.put_null()
        self.flags.put_null()

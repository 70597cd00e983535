"""What was collected and is not given out yet: the rows of each table, and all events.

No value, and of the usual events none, becomes an object here; `lake.arrays` makes Arrow of what is full.
"""

from __future__ import annotations

from binlogcli.binary.json_writer import json_bytes
from binlogcli.events.event import Event
from binlogcli.events.tables import Rows, TableMap
from binlogcli.lake.decode.row_origins import RowOrigins
from binlogcli.lake.decode.transaction_columns import TrackedTransaction, TransactionColumns
from binlogcli.lake.tables.types import TableSchema
from binlogcli.log.gaps import Damage
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer
from binlogcli.rows.sinks.arrow_columns import ColumnSink

EVENT_COST = 64  # bytes of an event beside its body
COLUMN_COST = 1 << 10  # bytes of a column that was begun
TABLES_KNOWN = 1 << 12  # the bodies of whose maps are remembered
UPDATE = 1


class TableUse:
    """A table among the events: the body of its map, and where a batch has it and its name."""

    def __init__(self) -> None:
        self.batch = -1
        self.number = 0
        self.table_id = 0
        self.text: bytes | None = None
        self.body = -1


class TableRows:
    """Rows of one table that are not given out yet, and where each stood."""

    def __init__(self, plan: TablePlan, schema: TableSchema, sink: ColumnSink) -> None:
        self.plan = plan
        self.schema = schema
        self.names = schema.names
        self.sink = sink
        self.begun_at = 0  # rows of earlier events
        self.runs = RowOrigins()
        self.transactions: TransactionColumns = None  # type: ignore[assignment] # set when the rows are handed out
        self.last_transaction = -1
        self.last = False  # the log has no more rows of it
        self.absent: list[list[str]] = [[]]
        self.absences: dict[tuple[bytes, bytes, int], int] = {}
        self.full = bytes([255]) * ((plan.width + 7) // 8)  # as MySQL writes it
        self.exact = self.full[: plan.width // 8] + bytes([(1 << plan.width % 8) - 1] if plan.width % 8 else [])

    @property
    def count(self) -> int:
        """How many rows."""
        return self.sink.row

    def cost(self) -> int:
        """What the columns take before there is anything in them."""
        return COLUMN_COST * (len(self.sink.columns) + len(self.sink.before))

    def absence(self, event: Rows) -> int:
        """The number of the list of columns that the event's images lack."""
        before, after = event.present, event.present_after
        if (before == self.exact and after == self.exact) or (before == self.full and after == self.full):
            return 0
        key = (before, after, event.operation)
        known = self.absences.get(key)
        if known is None:
            names = self.lacking(after if event.operation == UPDATE else before, "")
            if event.operation == UPDATE:
                names += self.lacking(before, "_before.")
            known = self.number_of(names)
            self.absences[key] = known
        return known

    def lacking(self, bitmap: bytes, prefix: str) -> list[str]:
        """The names of the columns whose bits are not set."""
        present = self.plan.present(bitmap)
        there = [False] * self.plan.width
        for column in present:
            there[column.index] = True
        return [prefix + self.names[at] for at in range(self.plan.width) if not there[at]]

    def number_of(self, names: list[str]) -> int:
        """The number of a list of columns."""
        if not names:
            return 0
        self.absent.append(names)
        return len(self.absent) - 1

    def stamp(
        self,
        event: Rows,
        tracked: TrackedTransaction,
        transaction_number: int,
        time: int,
        place: int,
        number: int,
        sequence: int,
    ) -> int:
        """Say of the rows that came since the last stamp where they stand; how many they are."""
        count = self.sink.row - self.begun_at
        if count == 0:
            return 0
        thread = -1
        if tracked is not None and tracked.transaction.thread_id is not None:
            thread = tracked.transaction.thread_id  # as far as the log has told by now
        self.last_transaction = transaction_number
        absence = self.absence(event)
        patched = self.patched_absences(absence) if self.sink.patched else None
        runs = self.runs
        for at in range(1 if patched is None else count):
            runs.begin(count if patched is None else 1)
            runs.put(event.operation)
            runs.put(time)
            runs.put(event.server_id)
            runs.put(thread)
            runs.put(place)
            runs.put(number + at)
            runs.put(sequence + number + at)
            runs.put(transaction_number)
            runs.put(absence if patched is None else patched[at])
        self.begun_at = self.sink.row
        return count

    def patched_absences(self, absence: int) -> list[int]:
        """The number for each row where some documents are not there but for what changed in them."""
        patched: dict[int, list[str]] = {}
        for row, column in self.sink.patched:
            patched.setdefault(row, []).append(self.names[column])
        self.sink.patched.clear()
        numbers = []
        for row in range(self.begun_at, self.sink.row):
            names = patched.get(row)
            numbers.append(absence if names is None else self.number_of(self.absent[absence] + names))
        return numbers


class EventRows:
    """Events that are not given out yet."""

    def __init__(self, transactions: TransactionColumns, uses: dict[TablePlan, TableUse], number: int) -> None:
        self.number = number  # of the batch
        self.count = 0
        self.used = 0
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
        self.first_transaction = -1  # which of them `transaction_at` counts from
        self.transaction_count = 0
        self.tables: list[TablePlan] = []
        self.uses = uses

    def expect_like(self, other: EventRows) -> None:
        """As many are likely to come as another batch has."""
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
        """Where the next one stands."""
        self.used += EVENT_COST
        self.sequence.put(sequence)
        self.starts.put(start)
        self.ends.put(end)
        if within >= 0:
            self.within.pad(self.count)
            self.within.put(within)

    def put_head(self, event: Event, time: int, tracked: TrackedTransaction) -> None:
        """What the header says, and the transaction."""
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
            self.put_transaction(self.transactions.number(tracked))

    def put_transaction(self, number: int) -> None:
        """The number of the transaction."""
        if self.first_transaction < 0:
            self.first_transaction = number
        self.transaction_at.put(number - self.first_transaction)
        self.transaction_count = number - self.first_transaction + 1

    def put_table(self, plan: TablePlan) -> TableUse:
        """The table that the event is about."""
        use: TableUse | None = self.uses.get(plan)
        if use is None:
            if len(self.uses) >= TABLES_KNOWN:
                self.uses.clear()
            use = TableUse()
            self.uses[plan] = use
        if use.batch != self.number:
            use.batch = self.number
            use.number = len(self.tables)
            use.body = -1
            self.tables.append(plan)
        if self.table_at.count < self.count:
            self.table_at.pad(self.count)
        self.table_at.put(use.number)
        return use

    def put_table_map(self, event: TableMap) -> None:
        """A table map: the same again and again, and the longest of bodies."""
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
        """The body is the last one of those that were written."""
        self.used += size
        if self.body_at.count < self.count:
            self.body_at.pad(self.count)
        self.body_at.put(self.bodies.count - 1)

    def put_damage(self, reason: str) -> None:
        """Why bytes could not be read."""
        self.damages.pad(self.count)
        self.damages.append(reason.encode("utf-8", "replace"))

    def put_gap(self, damage: Damage, sequence: int) -> None:
        """A stretch without events."""
        self.put_place(damage.start, damage.end, -1 if damage.within is None else damage.within, sequence)
        self.put_damage(damage.reason)
        self.skip_head()
        self.count += 1

    def skip_head(self) -> None:
        """There is no header."""
        self.times.put_null()
        self.types.put_null()
        self.servers.put_null()
        self.flags.put_null()

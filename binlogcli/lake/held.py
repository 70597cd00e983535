"""What was collected and is not given out yet: the rows of each table, all events, and the transactions they are of.

No value, and of the usual events none, becomes an object here; `lake.arrays` makes Arrow of what is full.
"""

from __future__ import annotations

from typing import Any

from binlogcli.events.event import Event
from binlogcli.events.tables import Rows, TableMap
from binlogcli.events.transactions import Transaction
from binlogcli.log.gaps import Damage
from binlogcli.rows.columns import ColumnBuffer, ColumnSink
from binlogcli.rows.json_value import json_bytes
from binlogcli.rows.out import Out
from binlogcli.rows.plan import TablePlan

EVENT_COST = 64  # bytes of an event beside its body
UPDATE = 1
DASH = 45


class Trail:
    """A transaction with what its rows have to say of its end."""

    def __init__(self, transaction: Transaction) -> None:
        self.transaction = transaction
        self.commit = -1  # microseconds since 1970
        self.begun = -1  # the same, of its first statement, where the log has them
        self.over = False
        self.xid: int | None = None  # where the end was found ahead


class Trails:
    """The transactions of a batch one after another, each as the columns that its rows share.

    Only the last can be open yet; it is written down when the next one comes, or when the batch is given out.
    """

    def __init__(self) -> None:
        self.count = 0
        self.last: Trail = None  # type: ignore[assignment] # outside of any transaction
        self.out = Out()
        self.gtids = ColumnBuffer(0)
        self.xids = ColumnBuffer(8)
        self.commits = ColumnBuffer(8)

    def number(self, trail: Trail) -> int:
        """The number of a transaction: that of the last one, or a new one."""
        if trail is not self.last or self.count == 0:
            self.close()
            self.last = trail
            self.count += 1
        return self.count - 1

    def close(self) -> None:
        """Write down the last one."""
        done = self.gtids.count
        if done == self.count:
            return
        trail = self.last
        if trail is None:
            self.gtids.put_null()
        else:
            self.put_gtid(trail.transaction)
            xid = trail.transaction.xid if trail.xid is None else trail.xid
            if xid is not None:
                self.xids.pad(done)
                self.xids.put(xid)
            if trail.commit >= 0:
                self.commits.pad(done)
                self.commits.put(trail.commit)

    def put_gtid(self, transaction: Transaction) -> None:
        """The GTID as the server writes it."""
        out = self.out
        out.clear()
        if transaction.mariadb_gtid:
            out.put_uint(transaction.domain_id)
            out.put_char(DASH)
            out.put_uint(transaction.server_id)
            out.put_char(DASH)
            out.put_uint(transaction.seq_no)
            self.gtids.append_out(out)
        elif transaction.sid is None:
            self.gtids.put_null()
        else:
            self.gtids.append((transaction.gtid or "").encode("utf-8", "replace"))


class TableUse:
    """A table among the events of a batch: its number, and where the body of its map stands."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.table_id = 0
        self.body = -1


class TableRows:
    """Rows of one table that are not given out yet, and where each stood."""

    def __init__(self, plan: TablePlan, schema: Any, names: list[str], sink: ColumnSink) -> None:
        self.plan = plan
        self.schema = schema  # who made this keeps here what he needs to finish it
        self.names = names  # of the columns in the data set, by their place in the log
        self.sink = sink
        self.begun_at = 0  # rows of earlier events
        self.operations = ColumnBuffer(1)
        self.times = ColumnBuffer(8)
        self.servers = ColumnBuffer(8)
        self.threads = ColumnBuffer(8)  # as far as the log has told by then
        self.positions = ColumnBuffer(8)
        self.numbers = ColumnBuffer(4)
        self.sequence = ColumnBuffer(8)
        self.trail_at = ColumnBuffer(4)
        self.absent_at = ColumnBuffer(4)
        self.trails = Trails()
        self.absent: list[list[str]] = [[]]
        self.absences: dict[tuple[bytes, bytes, int], int] = {}
        self.full = bytes([255]) * ((plan.width + 7) // 8)  # as MySQL writes it
        self.exact = self.full[: plan.width // 8] + bytes([(1 << plan.width % 8) - 1] if plan.width % 8 else [])

    @property
    def count(self) -> int:
        """How many rows."""
        return self.sink.row

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

    def stamp(self, event: Rows, trail: Trail, time: int, place: int, number: int, sequence: int) -> int:
        """Say of the rows that came since the last stamp where they stand; how many they are."""
        count = self.sink.row - self.begun_at
        if count == 0:
            return 0
        self.operations.put_many(event.operation, count)
        self.times.put_many(time, count)
        self.servers.put_many(event.server_id, count)
        if trail is not None and trail.transaction.thread_id is not None:
            self.threads.pad(self.begun_at)
            self.threads.put_many(trail.transaction.thread_id, count)
        self.positions.put_many(place, count)
        self.numbers.put_up(number, count)
        self.sequence.put_up(sequence + number, count)
        self.trail_at.put_many(self.trails.number(trail), count)
        absence = self.absence(event)
        if self.sink.patched:
            self.stamp_patched(absence, count)
        else:
            self.absent_at.put_many(absence, count)
        self.begun_at = self.sink.row
        return count

    def stamp_patched(self, absence: int, count: int) -> None:
        """The same of rows some of whose documents are not there but for what changed in them."""
        patched: dict[int, list[str]] = {}
        for row, column in self.sink.patched:
            patched.setdefault(row, []).append(self.names[column])
        self.sink.patched.clear()
        for row in range(self.begun_at, self.begun_at + count):
            names = patched.get(row, [])
            self.absent_at.put(self.number_of(self.absent[absence] + names) if names else absence)


class EventRows:
    """Events that are not given out yet."""

    def __init__(self) -> None:
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
        self.trail_at = ColumnBuffer(4)
        self.table_at = ColumnBuffer(4)
        self.rows = ColumnBuffer(4)
        self.body_at = ColumnBuffer(4)
        self.bodies = ColumnBuffer(0)
        self.damages = ColumnBuffer(0)
        self.trails = Trails()
        self.tables: list[TablePlan] = []
        self.uses: dict[TablePlan, TableUse] = {}

    def put_place(self, start: int, end: int, within: int, sequence: int) -> None:
        """Where the next one stands."""
        self.used += EVENT_COST
        self.sequence.put(sequence)
        self.starts.put(start)
        self.ends.put(end)
        if within >= 0:
            self.within.pad(self.count)
            self.within.put(within)

    def put_head(self, event: Event, time: int, trail: Trail) -> None:
        """What the header says, and the transaction."""
        self.times.put(time)
        self.types.put(event.type_code)
        self.servers.put(event.server_id)
        self.flags.put(event.flags)
        if event.crc >= 0:
            if self.checksums.count < self.count:
                self.checksums.pad(self.count)
            self.checksums.put(event.crc)
        if trail is not None:
            if self.trail_at.count < self.count:
                self.trail_at.pad(self.count)
            self.trail_at.put(self.trails.number(trail))

    def put_table(self, plan: TablePlan) -> TableUse:
        """The table that the event is about."""
        use: TableUse | None = self.uses.get(plan)
        if use is None:
            use = TableUse(len(self.tables))
            self.tables.append(plan)
            self.uses[plan] = use
        if self.table_at.count < self.count:
            self.table_at.pad(self.count)
        self.table_at.put(use.number)
        return use

    def put_table_map(self, event: TableMap) -> None:
        """A table map: the same again and again, and the longest of bodies."""
        use = self.put_table(event.plan)
        if use.body < 0 or use.table_id != event.table_id:
            self.bodies.append(json_bytes(event.as_dict()))
            use.body = self.bodies.count - 1
            use.table_id = event.table_id
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

"""Counts by table and bucket of time, for the section `tables` with a width of buckets.

Only buckets in which something happened are kept, KEPT of all tables at most. Beyond that the tables with least bytes
are counted together from the beginning, so that a table which is shown is complete; its name is remembered by a bit of
its hash, so that it never comes back. Where one table alone has too many buckets, all of them become wider.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from binlogcli.select.times import time_text
from binlogcli.stats.collector import DELETE, NO_ROWS, UPDATE, WRITE
from binlogcli.stats.time_buckets import TimeBuckets
from binlogcli.stats.times import clean
from binlogcli.stats.wanted import Wanted

KEPT = 1 << 15
_LONGEST = KEPT // 8 * 3  # buckets of one table; more than a week has minutes
_LEFT = KEPT // 2  # where some are counted together: room for those, and for new ones, before that happens again
_GONE = 1 << 18  # hashes of names that are kept apart
MEASURES = ("inserted", "updated", "deleted", "bytes", "transactions", "statements")
_SIZE = len(MEASURES)
_INSERTED, _UPDATED, _DELETED, _BYTES, _TRANSACTIONS, _STATEMENTS = range(_SIZE)
_OF_OPERATION = {WRITE: _INSERTED, UPDATE: _UPDATED, DELETE: _DELETED}
_ZEROS = array("q", bytes(8 * _SIZE))
Name = tuple[str, str]  # database and table


class TableTimes:
    """The buckets of one table in the order of time, each with a count for every measure."""

    def __init__(self) -> None:
        self.starts = array("q")
        self.counts = array("q")  # _SIZE for each of `starts`
        self.at = 0  # where the counts of the current bucket begin
        self.low = self.high = 0  # seconds from the one up to the other are in the current bucket
        self.work = 0  # number of the transaction that was counted last
        self.into: TableTimes | None = None  # the entry that it is counted in, once it has none of its own

    def place(self, start: int) -> bool:
        """Make the bucket with this start the current one; return whether it is new."""
        index = bisect_left(self.starts, start)
        new = index == len(self.starts) or self.starts[index] != start
        self.at = index * _SIZE
        if new:
            self.starts.insert(index, start)
            self.counts[self.at : self.at] = _ZEROS
        return new

    def add_all(self, other: TableTimes, buckets: TimeBuckets | None = None) -> int:
        """Add all counts of another table, joined to `buckets` if those are wider; return how many are new."""
        if buckets is None and other.starts and (not self.starts or self.starts[-1] < other.starts[0]):
            self.starts += other.starts
            self.counts += other.counts
            return len(other.starts)
        new = 0
        for start, counts in other.rows():
            new += self.place(start if buckets is None else buckets.start_of(start))
            for at, count in enumerate(counts, self.at):
                self.counts[at] += count
        return new

    def rows(self) -> Iterator[tuple[int, array[int]]]:
        """Yield the first second and the counts of each bucket."""
        for index, start in enumerate(self.starts):
            yield start, self.counts[index * _SIZE : (index + 1) * _SIZE]

    def bytes(self) -> int:
        """Return the bytes of all buckets, by which tables are ranked."""
        return sum(self.counts[_BYTES::_SIZE])


class TimesByTable:
    """Counts of all tables of a log, or of all logs."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted.width
        self.buckets = TimeBuckets(wanted.width, wanted.zone)
        self.tables: dict[Name, TableTimes] = {}
        self.others = TableTimes()
        self.gone = bytearray()  # 1 for the hash of each table that is counted in `others`
        self.kept = 0  # buckets of all tables
        self.texts: dict[int, str] = {}  # times in the report

    def of(self, name: Name) -> TableTimes:
        """Return what a table is counted in."""
        found = self.tables.get(name)
        if found is None:
            found = TableTimes()
            if self.gone and self.gone[hash(name) % _GONE]:
                found.into = self.others
            else:
                self.tables[name] = found
        return found

    def add(self, table: TableTimes, time: int, work: int, length: int, operation: int, rows: int) -> None:
        """Count an event of a table: `length` bytes, and rows or a statement (operation NO_ROWS without rows).

        `work` is the number of its transaction, which counts in the bucket of its first event.
        """
        if time == 0:
            return
        target = self.turn(table, time)
        counts, at = target.counts, target.at
        counts[at + _BYTES] += length
        if operation != NO_ROWS:
            counts[at + _OF_OPERATION[operation]] += rows
        if work != table.work:
            table.work = work
            counts[at + _TRANSACTIONS] += 1

    def add_statement(self, table: TableTimes, time: int, work: int, length: int) -> None:
        """Count a statement that names a table as changed."""
        if time > 0:
            self.add(table, time, work, length, NO_ROWS, 0)
            target = table.into or table
            target.counts[target.at + _STATEMENTS] += 1

    def turn(self, table: TableTimes, time: int) -> TableTimes:
        """Return what the table is counted in, with the bucket of this time as the current one."""
        while True:
            target = table.into or table
            if target.low <= time < target.high:
                return target
            self.kept += target.place(self.buckets.start_of(time))
            target.low, target.high = self.buckets.around(time)
            if self.kept > KEPT:
                self.shrink()

    def shrink(self) -> None:
        """Join buckets to wider ones where one table has too many; otherwise count the light tables together."""
        every = [*self.tables.values(), self.others]
        if max(len(table.starts) for table in every) > _LONGEST and not self.buckets.widest():
            self.widen()
            return
        left = _LEFT
        for name, table in sorted(self.tables.items(), key=lambda item: (-item[1].bytes(), item[0])):
            left -= len(table.starts)
            if left < 0:
                self.fold(name, table)

    def widen(self) -> None:
        """Join all buckets to those of the next width."""
        self.buckets = self.buckets.wider()
        self.kept = 0
        for table in (*self.tables.values(), self.others):
            wider = TableTimes()
            self.kept += wider.add_all(table, self.buckets)
            table.starts, table.counts = wider.starts, wider.counts
            table.low = table.high = 0

    def fold(self, name: Name, table: TableTimes) -> None:
        """Count a table together with others from now on."""
        self.gone = self.gone or bytearray(_GONE)
        self.gone[hash(name) % _GONE] = 1
        self.kept += self.others.add_all(table) - len(table.starts)
        self.others.low = self.others.high = 0
        table.starts, table.counts = array("q"), array("q")
        table.into = self.others
        del self.tables[name]

    def export(self) -> Any:
        """Return width, tables, the others together and which are among these, for `absorb`."""
        return self.buckets.width, self.tables, self.others, bytes(self.gone)

    def absorb(self, found: Any) -> None:
        """Add what was exported of a log."""
        width, tables, others, gone = found
        while width > self.buckets.width:
            self.widen()
        if gone:
            self.gone = bytearray(map(max, self.gone, gone)) if self.gone else bytearray(gone)
            for name in [name for name in self.tables if gone[hash(name) % _GONE]]:
                self.fold(name, self.tables[name])
        self.add_table(self.others, others, width)
        for name, table in tables.items():
            self.add_table(self.of(name), table, width)

    def add_table(self, target: TableTimes, table: TableTimes, width: int) -> None:
        """Add the counts of a table, whose buckets are of `width`; they become as wide as those here."""
        joined = self.buckets if width < self.buckets.width else None
        self.kept += (target.into or target).add_all(table, joined)
        while self.kept > KEPT:
            self.shrink()

    def report(self) -> dict[str, Any]:
        """Return the tables, those with most bytes first, with their buckets in order of time; the others last.

        Times are texts: there may be too many of them to make the report anew, as `dated` does.
        """
        found: dict[str, Any] = {"bucket_seconds": self.buckets.width}
        if self.wanted != self.buckets.width:
            found["bucket_wanted_seconds"] = self.wanted
        order = sorted(self.tables.items(), key=lambda item: (-item[1].bytes(), item[0]))
        found["tables"] = [
            {"database": clean(database), "table": clean(table), "buckets": self.rows(times)}
            for (database, table), times in order
        ]
        if self.others.starts:
            found["other_tables"] = {"tables_at_least": self.gone.count(1), "buckets": self.rows(self.others)}
        return found

    def rows(self, times: TableTimes) -> list[dict[str, Any]]:
        """Return the buckets of a table, with their times and counts by name."""
        return [
            {"time": self.text(start), **dict(zip(MEASURES, counts, strict=True))} for start, counts in times.rows()
        ]

    def text(self, start: int) -> str:
        """Return the time of a bucket; tables share the texts."""
        found = self.texts.get(start)
        if found is None:
            found = self.texts[start] = time_text(start, self.buckets.zone)
        return found

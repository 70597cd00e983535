"""Section `tables`: rows changed and bytes by table; statements that name a table are counted apart from rows.

With a width of buckets the tables are counted by time, too: `table_times`.
"""

from __future__ import annotations

from typing import Any

from binlogcli.events.statements import Query
from binlogcli.names.event_types import TABLE_MAP_EVENT
from binlogcli.rows.plan import TablePlan
from binlogcli.stats.bounded import OWN_WEIGHT, Weighed, joined_counts
from binlogcli.stats.collector import DELETE, NO_ROWS, UPDATE, WRITE, EventFacts, SectionCollector
from binlogcli.stats.sections.table_times import TableTimes, TimesByTable
from binlogcli.stats.times import At
from binlogcli.stats.wanted import Wanted

_TABLES_KEPT = 12 << 10
_COLUMNS_KEPT = 1 << 11  # of plans whose tallies are known without a search by name
Name = tuple[str, str]


class TableTally:
    """What happened to one table in one log."""

    def __init__(self) -> None:
        self.inserted = self.updated = self.deleted = 0
        self.row_events = self.row_bytes = 0
        self.map_events = self.map_bytes = 0
        self.transactions = self.last_work = 0
        self.first_time = self.last_time = 0
        self.statements = self.statement_bytes = 0
        self.unread = 0
        self.times: TableTimes | None = None

    def weight(self) -> int:
        """Return the measure by which tables are ranked: bytes."""
        return self.row_bytes + self.map_bytes + self.statement_bytes

    def count_rows(self, operation: int, rows: int) -> None:
        """Count changed rows by operation."""
        if operation == WRITE:
            self.inserted += rows
        elif operation == UPDATE:
            self.updated += rows
        elif operation == DELETE:
            self.deleted += rows

    def touch(self, work: int, timestamp: int) -> None:
        """Count the transaction with this number, once, and the time."""
        if work != self.last_work:
            self.last_work = work
            self.transactions += 1
        if timestamp > 0:
            if timestamp < self.first_time or self.first_time == 0:
                self.first_time = timestamp
            self.last_time = max(self.last_time, timestamp)

    def values(self) -> tuple[int, ...]:
        """Return the counts in the order of _NAMES, then the first and last time."""
        return (
            self.inserted,
            self.updated,
            self.deleted,
            self.row_events,
            self.row_bytes,
            self.map_events,
            self.map_bytes,
            self.transactions,
            self.statements,
            self.statement_bytes,
            self.unread,
            self.first_time,
            self.last_time,
        )


_SUMS = 11  # of the values above; then come the two times
_NAMES = (
    "inserted",
    "updated",
    "deleted",
    "row_events",
    "row_bytes",
    "map_events",
    "map_bytes",
    "transactions",
    "statements",
    "statement_bytes",
    "uncounted_row_events",
)


class TablesCollector(SectionCollector):
    """Counts one log by the names in table maps, and by those in logged statements."""

    def __init__(self, wanted: Wanted) -> None:
        self.tallies: Weighed[Name, TableTally] = Weighed(_TABLES_KEPT, OWN_WEIGHT)
        self.others = (0,) * (_SUMS + 2)
        self.plans: dict[TablePlan, TableTally] = {}
        self.columns = 0  # in `plans`
        self.last_plan: TablePlan | None = None
        self.last: TableTally | None = None
        self.nameless = TableTally()
        self.by_time = TimesByTable(wanted) if wanted.width else None

    def see(self, facts: EventFacts) -> None:
        """Count one event, if it is about a table."""
        if facts.plan is not None:
            self.see_rows(facts, self.tally_of(facts.plan))
        elif facts.operation != NO_ROWS:
            self.see_rows(facts, self.nameless)
        elif facts.statement is not None and isinstance(facts.event, Query):
            self.see_statement(facts)

    def see_rows(self, facts: EventFacts, tally: TableTally) -> None:
        """Count a table map or rows."""
        if facts.code == TABLE_MAP_EVENT:
            tally.map_events += 1
            tally.map_bytes += facts.length
        else:
            tally.row_events += 1
            tally.row_bytes += facts.length
            tally.count_rows(facts.operation, facts.rows)
            if facts.unread:
                tally.unread += 1
        if facts.work is not None:
            tally.touch(facts.work.number, facts.timestamp)
        if self.by_time is not None and tally.times is not None:
            work = 0 if facts.work is None else facts.work.number
            self.by_time.add(tally.times, facts.timestamp, work, facts.length, facts.operation, facts.rows)

    def see_statement(self, facts: EventFacts) -> None:
        """Count a statement for each table that it changes."""
        for database, table in facts.statement.written:
            name = (database or _query_database(facts.event), table)
            tally = self.by_name(name)
            tally.statements += 1
            tally.statement_bytes += facts.length
            if facts.work is not None:
                tally.touch(facts.work.number, facts.timestamp)
            if self.by_time is not None and tally.times is not None:
                work = 0 if facts.work is None else facts.work.number
                self.by_time.add_statement(tally.times, facts.timestamp, work, facts.length)

    def tally_of(self, plan: TablePlan) -> TableTally:
        """Return the tally of a plan's table."""
        if plan is self.last_plan and self.last is not None:
            return self.last
        tally = self.plans.get(plan)
        if tally is None:
            definition = plan.definition
            tally = self.by_name((str(definition.database), str(definition.table)))
            if self.columns > _COLUMNS_KEPT:
                self.plans.clear()
                self.columns = 0
            self.columns += plan.weight
            self.plans[plan] = tally
        self.last_plan = plan
        self.last = tally
        return tally

    def by_name(self, name: Name) -> TableTally:
        """Return the tally of a table by database and name; it may be a new one."""
        tally: TableTally | None = self.tallies.get(name)
        if tally is None:
            lost = self.tallies.shrink()
            if lost:
                self.plans.clear()
                self.last_plan = None
                for one in lost:
                    self.others = joined_counts(self.others, one.values())
            tally = TableTally()
            if self.by_time is not None:
                tally.times = self.by_time.of(name)
            self.tallies[name] = tally
        return tally

    def export(self) -> Any:
        """Return the tallies, the sums of those dropped, and the counts of rows without a table map."""
        tables = {name: tally.values() for name, tally in self.tallies.items()}
        by_time = None if self.by_time is None else self.by_time.export()
        return tables, self.others, self.tallies.dropped, self.tallies.missed, self.nameless.values(), by_time


def _query_database(event: Any) -> str:
    """Return the default database of a statement."""
    return str(event.db)


class TablesTotal:
    """Joins the tallies of all logs."""

    def __init__(self, wanted: Wanted) -> None:
        self.tables: Weighed[Name, tuple[int, ...]] = Weighed(_TABLES_KEPT, _weight)
        self.others = self.nameless = (0,) * (_SUMS + 2)
        self.dropped = self.missed = 0
        self.by_time = TimesByTable(wanted) if wanted.width else None

    def absorb(self, file: str, found: Any) -> None:
        """Add the tallies of a log."""
        tables, others, dropped, missed, nameless, by_time = found
        if self.by_time is not None:
            self.by_time.absorb(by_time)
        self.others = joined_counts(self.others, others)
        self.nameless = joined_counts(self.nameless, nameless)
        self.dropped += dropped
        self.missed += missed
        for name, values in tables.items():
            old = self.tables.get(name)
            if old is None:
                for lost in self.tables.shrink():
                    self.others = joined_counts(self.others, lost)
            self.tables[name] = values if old is None else joined_counts(old, values)

    def report(self) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """Return a row for each table, those with most bytes first, and what was dropped."""
        order = sorted(self.tables.items(), key=lambda item: (-_weight(item[1]), item[0]))
        rows = [_table_row(database, table, values) for (database, table), values in order]
        if any(self.nameless):
            rows.append(_table_row(None, None, self.nameless))
        dropped = self.dropped + self.tables.dropped
        if not dropped:
            return rows, None
        return rows, {"tables_dropped": dropped, "bytes_missed": self.missed + self.tables.missed} | dict(
            zip(_NAMES, self.others, strict=False)
        )


def _weight(values: tuple[int, ...]) -> int:
    """Return the bytes of a table: rows, table maps, statements."""
    return values[4] + values[6] + values[9]


def _table_row(database: str | None, table: str | None, values: tuple[int, ...]) -> dict[str, Any]:
    """Return the row of a table."""
    row: dict[str, Any] = {"database": database, "table": table}
    row |= dict(zip(_NAMES, values, strict=False))
    row["first_time"] = At(values[_SUMS])
    row["last_time"] = At(values[_SUMS + 1])
    return row

"""Section `problems`: what is odd in the logs, each with its place and what to look at next."""

from __future__ import annotations

from typing import Any

from binlogcli.errors import counted
from binlogcli.events.control import Incident
from binlogcli.events.event import Event
from binlogcli.events.statements import Query
from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.log.framer import ENCRYPTED
from binlogcli.log.gaps import MISMATCH, Damage, Padding
from binlogcli.names.event_types import INCIDENT_EVENT
from binlogcli.rows.plan import TablePlan
from binlogcli.stats.bounded import Top
from binlogcli.stats.collector import DELETE, UPDATE, EventFacts, SectionCollector
from binlogcli.stats.key_history import KeyHistory
from binlogcli.stats.wanted import Wanted

_LISTED = 100  # of each kind; all of them are counted
_ADDING = len("CREATE UNIQUE")


class ProblemKind:
    """The problems of one kind in one log: the first _LISTED, and their number."""

    def __init__(self) -> None:
        self.count = 0
        self.listed: list[dict[str, Any]] = []

    def add(self, position: int, what: str, advice: str, **more: Any) -> None:
        """Add a problem."""
        self.count += 1
        if len(self.listed) < _LISTED:
            self.listed.append({"position": position, "what": what, "next": advice, **more})


class ProblemsCollector(SectionCollector):
    """Finds what is odd in one log."""

    def __init__(self, wanted: Wanted) -> None:
        self.kinds: dict[str, ProblemKind] = {}
        self.steps = Top(wanted.top)
        self.steps_back = 0
        self.first_end = self.first_end_at = self.latest = 0
        self.keyless: dict[Any, list[int]] = {}
        self.plans: set[bytes] = set()  # by their keys
        self.last_plan: TablePlan | None = None
        self.last_gap: Any = None
        self.unknown_keys: dict[tuple[str, str], tuple[int, int]] = {}  # tables: first change, number of columns
        self.adds_keys = False  # whether a statement adds a key to a table that it does not define

    def add(self, kind: str, position: int, what: str, advice: str) -> None:
        """Add a problem of a kind."""
        self.kinds.setdefault(kind, ProblemKind()).add(position, what, advice)

    def see(self, facts: EventFacts) -> None:
        """Look for problems of one event."""
        if facts.unread:
            self.add("unreadable_rows", facts.start, facts.unread, _advice_on_rows(facts))
        if facts.operation == UPDATE or facts.operation == DELETE:
            if facts.plan is not None and facts.plan is not self.last_plan:
                self.see_table(facts.plan, facts.start)
        elif facts.code == INCIDENT_EVENT:
            self.see_incident(facts.event)
        elif facts.statement is not None and isinstance(facts.event, Query):
            self.see_statement(facts)

    def see_table(self, plan: TablePlan, position: int) -> None:
        """Add a table whose rows are changed and which has no primary key; note one of which that is not known."""
        self.last_plan = plan
        definition = plan.definition
        if not definition.lacks_key:
            if definition.key is None and len(self.unknown_keys) < _LISTED:
                place = (position, len(definition.columns))
                self.unknown_keys.setdefault((str(definition.database), str(definition.table)), place)
            return
        if plan.key in self.plans or len(self.plans) > _LISTED:
            return
        self.plans.add(plan.key)
        self.add("no_primary_key", position, *_without_key(definition.database, definition.table))

    def see_incident(self, event: Event) -> None:
        """Add an INCIDENT event: the server lost events."""
        message = event.message if isinstance(event, Incident) else ""
        self.add(
            "incident",
            event.start,
            f"the server lost events: {message}",
            "copy the data again: this log does not contain the lost events",
        )

    def see_statement(self, facts: EventFacts) -> None:
        """Note a statement that changes rows without naming them by a key, and one that adds a key."""
        if facts.statement.verb == "create" and facts.statement.fingerprint[:_ADDING].upper().endswith(b"UNIQUE"):
            self.adds_keys = True
        if not facts.statement.keyless:
            return
        known = self.keyless.get(facts.statement)
        if known is not None:
            known[0] += 1
        elif len(self.keyless) < _LISTED:
            self.keyless[facts.statement] = [1, facts.start]

    def close(self, work: TransactionFacts) -> None:
        """Note a transaction that ends earlier than the one before it, by their timestamps."""
        if work.end_time == 0:
            return
        if self.first_end == 0:
            self.first_end = work.end_time
            self.first_end_at = work.start
        if work.end_time < self.latest:
            self.steps_back += 1
            if self.latest - work.end_time > self.steps.least:
                self.steps.put(self.latest - work.end_time, (work.start, work.end_time, self.latest))
        self.latest = work.end_time

    def miss(self, gap: Damage | Padding) -> None:
        """Add a Damage gap."""
        if not isinstance(gap, Damage):
            return
        kind = "checksum" if gap.reason.startswith(MISMATCH) else "encrypted" if gap.reason == ENCRYPTED else "damage"
        place = gap.start if gap.within is None else gap.within
        size = gap.end - gap.start
        what = f"{gap.reason} ({counted(size, 'byte')} not read)" if size else gap.reason
        advice = gap.hint or f"see the bytes with: binlogcli hexdump -j {place}"
        found = self.kinds.setdefault(kind, ProblemKind())
        found.add(place, what, advice)
        self.last_gap = (kind, gap.end if gap.within is None else -1, found)

    def finish(self, seen: int) -> None:
        """Name a damage that reaches to the log's end a truncated tail."""
        if self.last_gap is None:
            return
        kind, end, found = self.last_gap
        if kind == "damage" and end == seen and found.count <= _LISTED:
            last = found.listed.pop()
            found.count -= 1
            self.add("truncated_tail", last["position"], last["what"], "copy the log again, or its backup")

    def export(self) -> Any:
        """Return the problems by kind, and the times of the first and last end of a transaction."""
        for tally, (count, position) in self.keyless.items():
            times = f" ({count} times)" if count > 1 else ""
            fingerprint = tally.fingerprint[:120].decode("utf-8", "backslashreplace")
            self.add(
                "statement_without_key",
                position,
                f"a logged statement may change different rows on a replica: {tally.keyless}{times}: {fingerprint}",
                _ADVICE_ON_KEYS[tally.verb in ("update", "delete")],
            )
        for step, (position, end, latest) in self.steps.things():
            self.add("clock_backwards", position, *_backwards(step, end, latest))
        if "clock_backwards" in self.kinds:
            self.kinds["clock_backwards"].count = self.steps_back
        return {
            "kinds": {kind: (found.count, found.listed) for kind, found in self.kinds.items() if found.count},
            "ends": (self.first_end, self.first_end_at, self.latest),
            "unknown_keys": None if self.adds_keys else self.unknown_keys,
        }


_ADVICE_ON_KEYS = ("use binlog_format=ROW", "use binlog_format=ROW, or select the rows by primary key with = or IN")


def _advice_on_rows(facts: EventFacts) -> str:
    """Return what to do about rows that cannot be read."""
    if facts.plan is None:
        return "pass also the log that contains the table map"
    if facts.plan.ambiguous:
        return "pass --schema"
    return f"see the bytes with: binlogcli hexdump -j {facts.start}"


def _without_key(database: str, table: str) -> tuple[str, str]:
    """Return what is odd about a table without a primary key, and what to look at."""
    name = f"{database}.{table}"
    return (
        f"rows of {name} are changed, but the table has no primary key",
        f"replicas search the table for each row; see SHOW CREATE TABLE {name}",
    )


def _backwards(step: int, end: int, latest: int) -> tuple[str, str]:
    """Return what is odd about a clock that went back by `step` seconds, and what to look at."""
    return (
        f"a transaction ends {counted(step, 'second')} earlier than the one before it",
        f"the clock was set, or a statement took a long time: events have the time at which their statement started; "
        f"see the events in question with --start-datetime @{end} --stop-datetime @{latest}",
    )


_ADVICE = {
    "gaps": "the missing transactions are in damaged parts of the logs or in another log, were purged, or were never "
    "written",
    "duplicates": "a log was passed twice, or a server's GTIDs were reset",
    "out_of_order": "transactions were committed in a different order, or the logs of two servers are mixed",
}


class ProblemsTotal:
    """Joins the problems of all logs, in the order of their history; finds those between logs."""

    def __init__(self, wanted: Wanted) -> None:
        self.rows: list[dict[str, Any]] = []
        self.counts: dict[str, int] = {}
        self.latest = 0
        self.keys = KeyHistory()

    def add(self, kind: str, file: str | None, position: int | None, what: str, advice: str) -> None:
        """Add a problem."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] <= _LISTED:
            self.rows.append({"kind": kind, "file": file, "position": position, "what": what, "next": advice})

    def absorb(self, file: str, found: dict[str, Any]) -> None:
        """Add the problems of a log."""
        first, first_at, latest = found["ends"]
        if first and first < self.latest:
            self.add("clock_backwards", file, first_at, *_backwards(self.latest - first, first, self.latest))
        self.latest = latest or self.latest
        for kind, (count, listed) in found["kinds"].items():
            for entry in listed:
                self.add(kind, file, entry["position"], entry["what"], entry["next"])
            self.counts[kind] += count - len(listed)

    def absorb_keys(self, log: dict[str, Any]) -> None:
        """Add the tables of a log that have no key by the statements of the logs before it."""
        for (database, table), position in self.keys.keyless(log, log["sections"]["problems"]["unknown_keys"]):
            self.add("no_primary_key", log["file"], position, *_without_key(database, table))

    def absorb_gtids(self, report: dict[str, Any]) -> None:
        """Add the gaps, duplicates and GTIDs out of order of the section `gtids`."""
        words = {
            "gaps": "GTIDs are missing before it",
            "duplicates": "it is already in the log",
            "out_of_order": "it is out of order",
        }
        for kind, advice in _ADVICE.items():
            for entry in report[kind]:
                after = f" (after {entry['after']})" if entry["after"] else ""
                what = f"GTID {entry['gtid']}: {words[kind]}{after}"
                if kind == "duplicates" and not entry["after"]:
                    what = f"GTIDs {entry['gtid']}: some or all of them are in another of these logs, too"
                self.add(f"gtid_{kind}", entry["file"], entry["position"], what, advice)
            more = (report[f"{kind}_count"] or 0) - len(report[kind])
            if more > 0:
                self.counts[f"gtid_{kind}"] += more

    def absorb_transactions(self, report: dict[str, Any]) -> None:
        """Add the transactions without an end of the section `transactions`."""
        for thing in report["prepared_list"]:
            what = f"XA transaction {thing['xa']} is prepared, but neither committed nor rolled back"
            self.add(
                "xa_prepared", thing["file"], thing["start"], what, "run XA RECOVER on the server; read later logs"
            )
        for thing in report["unfinished_list"]:
            what = f"a transaction of {thing['bytes']} bytes does not end"
            advice = (
                "the log or the selected range ends within the transaction, its end is damaged, or the server crashed"
            )
            self.add("unfinished", thing["file"], thing["start"], what, advice)

    def report(self) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """Return a row for each problem, and the numbers of kinds of which not all are listed."""
        cut = {kind: count for kind, count in self.counts.items() if count > _LISTED}
        more = {kind: count for kind, count in self.counts.items() if count > self.listed(kind)}
        if not cut and not more:
            return self.rows, None
        return self.rows, {"listed_of_each_kind": _LISTED, "counts": more | cut}

    def listed(self, kind: str) -> int:
        """Return how many problems of a kind are listed."""
        return sum(1 for row in self.rows if row["kind"] == kind)

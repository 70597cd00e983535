"""Section `statements`: statements by their fingerprints, in QUERY events and in the texts that are logged with rows.

The collector also names the statement at hand in the facts of an event, for the collectors after it: each text is
reduced to its fingerprint once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from binlogcli.events.event import Event
from binlogcli.events.statements import Query, StatementText, client_text
from binlogcli.events.tables import Rows
from binlogcli.events.transaction_facts import TABLES_NAMED
from binlogcli.names.event_types import (
    ANNOTATE_ROWS_EVENT,
    EXECUTE_LOAD_QUERY_EVENT,
    QUERY_COMPRESSED_EVENT,
    QUERY_EVENT,
    ROWS_QUERY_LOG_EVENT,
)
from binlogcli.stats.bounded import OWN_WEIGHT, Value, Weighed
from binlogcli.stats.collector import NO_ROWS, EventFacts, SectionCollector
from binlogcli.stats.fingerprint import Fingerprinter
from binlogcli.stats.wanted import Wanted

_STATEMENTS_KEPT = 1 << 13
_BYTES_KEPT = 3 << 20  # of their fingerprints
_EXAMPLE_SIZE = 400  # bytes of the statement that is shown as the example
_FRAMES = frozenset((b"BEGIN", b"COMMIT", b"ROLLBACK"))  # not counted; savepoints and XA are
_NAME = r"(?:`(?:[^`]|``)+`|[\w$@]+)"
_TABLE = rf"({_NAME}(?:\s*\.\s*{_NAME})?)"
_WRITTEN = re.compile(
    rf"^(?:insert\b.*?\binto\s+|insert\s+(?:ignore\s+)?|replace\b.*?\binto\s+|replace\s+"
    rf"|update\s+(?:low_priority\s+|ignore\s+)*|delete\b.*?\bfrom\s+|load\s+data\b.*?\binto\s+table\s+"
    rf"|truncate\s+(?:table\s+)?"
    rf"|(?:create|alter|drop)\b[^(]*?\btable\s+(?:if\s+(?:not\s+)?exists\s+)?){_TABLE}",
    re.IGNORECASE | re.DOTALL,
)
_READ = re.compile(rf"\b(?:from|join)\s+{_TABLE}", re.IGNORECASE)
_VERB = re.compile(r"\s*(\w+)")
_WHERE = re.compile(r"\bwhere\b(.*)", re.IGNORECASE | re.DOTALL)
_ORDERED = re.compile(r"\border\s+by\b", re.IGNORECASE)
_LIMITED = re.compile(r"\blimit\b", re.IGNORECASE)
_SELECTED = re.compile(r"\bselect\b", re.IGNORECASE)
_EXACT = re.compile(r"=|\bin\s*\(", re.IGNORECASE)


class _ByFingerprint(Weighed[bytes, Value]):
    """Counts by fingerprint, bounded in number and in the bytes of the fingerprints."""

    def __init__(self, weigh: Callable[[Value], int]) -> None:
        super().__init__(_STATEMENTS_KEPT, weigh)
        self.bytes = 0

    def add(self, fingerprint: bytes, value: Value) -> None:
        """Add a fingerprint that is not there."""
        if self.shrink() or (self.bytes > _BYTES_KEPT and self.halve()):
            self.bytes = sum(map(len, self))
        self.bytes += len(fingerprint)
        self[fingerprint] = value


class StatementTally:
    """The counts of one fingerprint. `written` are the tables that it names as changed, `tables` all that it names."""

    def __init__(self, fingerprint: bytes) -> None:
        text = fingerprint.decode("utf-8", "replace")
        self.fingerprint = fingerprint
        self.verb = ""
        known = _VERB.match(text)
        if known is not None:
            self.verb = known[1].lower()
        self.written = [_split_name(name) for name in _WRITTEN.findall(text)]
        self.tables = list(dict.fromkeys(self.written + [_split_name(name) for name in _READ.findall(text)]))
        self.keyless = _why_keyless(self.verb, text)
        self.count = self.bytes = self.rows = self.row_bytes = 0
        self.example = ""
        self.position = 0
        self.last_table = 0  # the hash of its table map: to hold the plan would keep it in memory

    def weight(self) -> int:
        """Return the measure by which statements are ranked: the bytes of their texts and rows."""
        return self.bytes + self.row_bytes

    def count_text(self, length: int) -> None:
        """Count one text of `length` bytes."""
        self.count += 1
        self.bytes += length

    def count_rows(self, length: int, rows: int) -> None:
        """Count rows that the statement changed, in an event of `length` bytes."""
        self.rows += rows
        self.row_bytes += length

    def values(self) -> tuple[Any, ...]:
        """Return all that is reported of the statement."""
        counts = (self.count, self.bytes, self.rows, self.row_bytes)
        return (self.fingerprint, self.verb, self.tables, *counts, self.example, self.position)


class StatementsCollector(SectionCollector):
    """Counts one log by fingerprint; sets `EventFacts.statement`."""

    def __init__(self, wanted: Wanted) -> None:
        self.fingerprinter = Fingerprinter()
        self.tallies: _ByFingerprint[StatementTally] = _ByFingerprint(OWN_WEIGHT)
        self.last_text = b""
        self.last: StatementTally | None = None

    def see(self, facts: EventFacts) -> None:
        """Count one event, if it holds a statement or rows."""
        facts.statement = None
        code = facts.code
        if facts.operation != NO_ROWS:
            self.see_rows(facts)
        elif code in (ANNOTATE_ROWS_EVENT, ROWS_QUERY_LOG_EVENT):
            self.hear(facts, self.text_of(facts.event))
        elif code in (QUERY_EVENT, QUERY_COMPRESSED_EVENT, EXECUTE_LOAD_QUERY_EVENT):
            self.hear(facts, self.query_of(facts.event))

    def text_of(self, event: Event) -> bytes:
        """Return the text that is logged with rows."""
        return event.query if isinstance(event, StatementText) else b""

    def query_of(self, event: Event) -> bytes:
        """Return the text of a QUERY event."""
        return event.query if isinstance(event, Query) else b""

    def hear(self, facts: EventFacts, text: bytes) -> None:
        """Count a statement, unless it only frames a transaction."""
        if len(text) <= 8 and text in _FRAMES:
            return
        tally = self.find(text)
        if tally.count == 0:
            self.introduce(tally, facts, text)
        tally.count_text(facts.length)
        facts.statement = tally

    def find(self, text: bytes) -> StatementTally:
        """Return the tally of a statement; it may be a new one."""
        if self.last is not None and text == self.last_text:
            return self.last
        fingerprint = self.fingerprinter.fingerprint(text)
        tally = self.tallies.get(fingerprint)
        if tally is None:
            tally = StatementTally(fingerprint)
            self.tallies.add(fingerprint, tally)
        self.last_text = text
        self.last = tally
        return tally

    def introduce(self, tally: StatementTally, facts: EventFacts, text: bytes) -> None:
        """Set example, position and default database of a new tally."""
        event = facts.event
        database = event.db if isinstance(event, Query) else ""
        tally.tables = [(one or database, table) for one, table in tally.tables]
        number = event.status.character_set_client if isinstance(event, Query) else None
        mariadb = event.mariadb if isinstance(event, Query) else True
        shown = text if len(text) <= _EXAMPLE_SIZE else text[:_EXAMPLE_SIZE]
        tally.example = client_text(shown, number, mariadb) or shown.decode("utf-8", "backslashreplace")
        if len(text) > _EXAMPLE_SIZE:
            tally.example += "..."
        tally.position = facts.start

    def see_rows(self, facts: EventFacts) -> None:
        """Count rows for the statement whose text came last."""
        event = facts.event
        if not isinstance(event, Rows) or event.statement is None:
            return
        tally = self.find(self.text_of(event.statement))
        tally.count_rows(facts.length, facts.rows)
        if facts.plan is not None and hash(facts.plan.key) != tally.last_table:
            tally.last_table = hash(facts.plan.key)
            name = (str(facts.plan.definition.database), str(facts.plan.definition.table))
            named = tally.tables
            if name not in named and len(named) < TABLES_NAMED:
                tally.tables = [known for known in named if known != ("", name[1])] + [name]
        facts.statement = tally

    def export(self) -> Any:
        """Return the tallies, how many were dropped, and the most bytes that one may lack."""
        return [tally.values() for tally in self.tallies.values()], self.tallies.dropped, self.tallies.missed


def _split_name(text: str) -> tuple[str, str]:
    """Return database (empty if there is none) and name of a table as it was written."""
    parts = [part.strip("`").replace("``", "`") for part in re.findall(_NAME, text)]
    return (parts[0], parts[1]) if len(parts) == 2 else ("", parts[0])


def _why_keyless(verb: str, fingerprint: str) -> str:
    """Return why a statement does not name the rows that it writes by a key; empty where it may."""
    if verb in ("insert", "replace"):
        return "it takes its rows from a SELECT" if _SELECTED.search(fingerprint) else ""
    if verb not in ("update", "delete"):
        return ""
    if _LIMITED.search(fingerprint) and not _ORDERED.search(fingerprint):
        return "it has a LIMIT and no ORDER BY"
    where = _WHERE.search(fingerprint)
    if where is None:
        return "it has no WHERE"
    return "" if _EXACT.search(where[1]) else "its WHERE compares no column by = or IN"


class StatementsTotal:
    """Joins the tallies of all logs."""

    def __init__(self, wanted: Wanted) -> None:
        self.top = wanted.top
        self.found: _ByFingerprint[list[Any]] = _ByFingerprint(_weight)
        self.dropped = self.missed = 0

    def absorb(self, file: str, found: Any) -> None:
        """Add the tallies of a log."""
        statements, dropped, missed = found
        self.dropped += dropped
        self.missed += missed
        for fingerprint, verb, tables, count, size, rows, row_bytes, example, position in statements:
            old = self.found.get(fingerprint)
            if old is None:
                self.found.add(fingerprint, [verb, tables, count, size, rows, row_bytes, example, file, position])
                continue
            old[1] = list(dict.fromkeys(old[1] + tables))[:TABLES_NAMED]
            for at, value in ((2, count), (3, size), (4, rows), (5, row_bytes)):
                old[at] += value

    def report(self) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """Return a row for each statement, those with most bytes first, and what was cut."""
        order = sorted(self.found.items(), key=lambda item: (-_weight(item[1]), item[0]))
        rows = [_statement_row(fingerprint, values) for fingerprint, values in order[: self.top]]
        dropped = self.dropped + self.found.dropped
        if not dropped and len(order) <= self.top:
            return rows, None
        cut = {"shown": len(rows), "kinds": len(order) + dropped}
        if dropped:
            cut |= {"kinds_are_at_most": True, "dropped": dropped, "bytes_missed": self.missed + self.found.missed}
        return rows, cut


def _weight(values: list[Any]) -> int:
    """Return the bytes of a statement's texts and of the rows it changed."""
    return int(values[3] + values[5])


def _statement_row(fingerprint: bytes, values: list[Any]) -> dict[str, Any]:
    """Return the row of a statement."""
    _, tables, count, size, rows, row_bytes, example, file, position = values
    return {
        "statement": fingerprint.decode("utf-8", "backslashreplace"),
        "count": count,
        "bytes": size + row_bytes,
        "text_bytes": size,
        "row_bytes": row_bytes,
        "rows": rows,
        "tables": [f"{database}.{table}" if database else table for database, table in tables],
        "example": example,
        "file": file,
        "position": position,
    }

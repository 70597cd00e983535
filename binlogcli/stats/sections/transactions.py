"""Section `transactions`: the largest, the longest, the sizes, and those rolled back, prepared or without an end."""

from __future__ import annotations

from typing import Any

from binlogcli.events.event import Event
from binlogcli.events.statements import Query, StatementText, client_text
from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.events.transactions import xid_text
from binlogcli.rows.plan import TablePlan
from binlogcli.stats.bounded import Top
from binlogcli.stats.collector import SectionCollector, counters, power
from binlogcli.stats.times import At
from binlogcli.stats.wanted import Wanted

_SIZES = 64  # powers of two
_TEXT_SIZE = 200
_SECOND = 1000000  # microseconds; events carry whole seconds, so that less is not a duration
_PREPARED_KEPT = 4096
_LISTS = ("largest_by_bytes", "largest_by_rows", "longest_by_time", "longest_by_commit", "rolled_back", "unfinished")


class TransactionsCollector(SectionCollector):
    """Counts the transactions of one log, each at its end."""

    def __init__(self, wanted: Wanted) -> None:
        top = wanted.top
        self.count = self.committed = self.rolled_back = self.unfinished = 0
        self.sizes = counters(_SIZES)
        self.size_bytes = counters(_SIZES)
        self.by_bytes = Top(top)
        self.by_rows = Top(top)
        self.by_time = Top(top)
        self.by_commit = Top(top)
        self.undone = Top(top)
        self.open_ended = Top(top)
        self.prepared: dict[Any, Any] = {}
        self.prepared_more = 0
        self.ended: list[Any] = []

    def close(self, work: TransactionFacts) -> None:
        """Count one transaction, at its end or where it breaks off."""
        self.count += 1
        at = min(power(work.bytes), _SIZES - 1)
        self.sizes[at] += 1
        self.size_bytes[at] += work.bytes
        transaction = work.transaction
        outcome = "" if transaction is None else transaction.outcome
        if outcome == "COMMIT":
            self.committed += 1
        elif outcome:
            self.rolled_back += 1
            if work.bytes > self.undone.least:
                self.undone.put(work.bytes, _describe(work, outcome))
        else:
            self.unfinished += 1
            if work.bytes > self.open_ended.least:
                self.open_ended.put(work.bytes, _describe(work, ""))
        if work.prepared is not None:
            self.see_xa(work)
        self.rank(work, outcome)

    def rank(self, work: TransactionFacts, outcome: str) -> None:
        """Add the transaction to the top lists where it belongs in them."""
        duration = work.last_time - work.first_time
        if work.bytes > self.by_bytes.least:
            self.by_bytes.put(work.bytes, _describe(work, outcome))
        if work.rows > self.by_rows.least:
            self.by_rows.put(work.rows, _describe(work, outcome))
        if duration > self.by_time.least:
            self.by_time.put(duration, _describe(work, outcome))
        if work.commit_micro > 0:
            spent = work.commit_micro - work.first_time * _SECOND
            if spent >= _SECOND and spent > self.by_commit.least:
                self.by_commit.put(spent, _describe(work, outcome))

    def see_xa(self, work: TransactionFacts) -> None:
        """Note an XA transaction that is prepared, or one that ends."""
        prepares, xid = work.prepared
        if not prepares:
            if self.prepared.pop(xid, None) is None and len(self.ended) < _PREPARED_KEPT:
                self.ended.append(xid)
        elif len(self.prepared) < _PREPARED_KEPT:
            self.prepared[xid] = _describe(work, "PREPARE")
        else:
            self.prepared_more += 1

    def export(self) -> Any:
        """Return the counts, the top lists and the XA transactions."""
        tops = (self.by_bytes, self.by_rows, self.by_time, self.by_commit, self.undone, self.open_ended)
        return {
            "counts": (self.count, self.committed, self.rolled_back, self.unfinished, self.prepared_more),
            "sizes": (list(self.sizes), list(self.size_bytes)),
            "lists": [top.things() for top in tops],
            "prepared": self.prepared,
            "ended": self.ended,
        }


def _describe(work: TransactionFacts, outcome: str) -> dict[str, Any]:
    """Return a transaction as the report shows it."""
    transaction = work.transaction
    commit = max(work.commit_micro - work.first_time * _SECOND, 0)
    return {
        "file": "",
        "start": work.start,
        "end": work.end,
        "time": At(work.first_time),
        "seconds": work.last_time - work.first_time,
        "commit_microseconds": commit if commit >= _SECOND else None,
        "exec_seconds": work.exec_time,
        "bytes": work.bytes,
        "rows": work.rows,
        "events": work.events,
        "gtid": None if transaction is None else transaction.gtid,
        "xid": None if transaction is None else transaction.xid,
        "thread_id": None if transaction is None else transaction.thread_id,
        "server_id": work.server_id,
        "outcome": outcome or None,
        "tables": list(dict.fromkeys([_table_name(plan) for plan in work.tables])),
        "more_tables": work.more_tables,
        "statement": _text_of(work.statement),
    }


def _table_name(plan: TablePlan) -> str:
    """Return a table's name with its database."""
    return f"{plan.definition.database}.{plan.definition.table}"


def _text_of(event: Event | None) -> str | None:
    """Return the first _TEXT_SIZE bytes of a statement as text, with `...` where it is cut; None for None."""
    if event is None:
        return None
    number, mariadb = None, True
    if isinstance(event, Query):
        number, mariadb = event.status.character_set_client, event.mariadb
    raw = event.query if isinstance(event, Query | StatementText) else b""
    shown = raw[:_TEXT_SIZE]
    text = client_text(shown, number, mariadb) or shown.decode("utf-8", "backslashreplace")
    return text + ("..." if len(raw) > _TEXT_SIZE else "")


class TransactionsTotal:
    """Joins the transactions of all logs."""

    def __init__(self, wanted: Wanted) -> None:
        self.continuous = wanted.scope.continuous
        self.counts = [0] * 5
        self.sizes = [0] * _SIZES
        self.size_bytes = [0] * _SIZES
        self.lists = {name: Top(wanted.top) for name in _LISTS}
        self.prepared: dict[Any, Any] = {}

    def absorb(self, file: str, found: dict[str, Any]) -> None:
        """Add the transactions of a log."""
        self.counts = [one + more for one, more in zip(self.counts, found["counts"], strict=True)]
        for mine, more in zip((self.sizes, self.size_bytes), found["sizes"], strict=True):
            for at, count in enumerate(more):
                mine[at] += count
        for name, things in zip(_LISTS, found["lists"], strict=True):
            self.lists[name].absorb((measure, {**thing, "file": file}) for measure, thing in things)
        for xid in found["ended"]:
            self.prepared.pop(xid, None)
        for xid, thing in found["prepared"].items():
            if len(self.prepared) < _PREPARED_KEPT:
                self.prepared[xid] = {**thing, "file": file}
            else:
                self.counts[4] += 1

    def report(self) -> tuple[dict[str, Any], None]:
        """Return the section; nothing is cut from it."""
        count, committed, rolled_back, unfinished, more = self.counts
        return self.figures(count, committed, rolled_back, unfinished, more), None

    def figures(self, count: int, committed: int, rolled_back: int, unfinished: int, more: int) -> dict[str, Any]:
        """Return counts, histogram and lists by name."""
        return {
            "count": count,
            "committed": committed,
            "rolled_back": rolled_back,
            "unfinished": unfinished,
            # where single transactions were chosen, the one that ends it may not be among them
            "prepared_without_end": len(self.prepared) + more if self.continuous else None,
            "histogram": self.histogram(),
            **{f"{name}_list" if name in _LISTS[4:] else name: self.rows(name) for name in _LISTS},
            "prepared_list": [
                thing | {"xa": xid_text(*xid)} for xid, thing in self.prepared.items() if self.continuous
            ],
        }

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return one of the top lists."""
        return [thing for _, thing in self.lists[name].things()]

    def histogram(self) -> list[dict[str, int]]:
        """Return the numbers of transactions by size, in powers of two."""
        used = [at for at in range(_SIZES) if self.sizes[at]]
        if not used:
            return []
        return [
            {
                "from_bytes": 1 << (at - 1) if at else 0,
                "below_bytes": 1 << at,
                "count": self.sizes[at],
                "bytes": self.size_bytes[at],
            }
            for at in range(used[0], used[-1] + 1)
        ]

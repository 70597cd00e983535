"""The comparison of two histories, from their logs to the lines of a report.

The transactions of both sides are read abreast, one pass each, and brought into line (`alignment`). What has no
counterpart in its place goes to a temporary database (`store`). Transactions whose hashes differ are read again and
compared value by value: only then is it known how many differ, so the summary comes last and is written first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from binlogcli.binary.json_writer import json_bytes
from binlogcli.compare.alignment import A, Alignment, B, Left
from binlogcli.compare.changes import UnreadableError, changes_of
from binlogcli.compare.differences import Differences
from binlogcli.compare.logged_transaction import LoggedTransaction
from binlogcli.compare.second_reading import SecondReading
from binlogcli.compare.side import Side
from binlogcli.compare.store import Couple, Store, other_form
from binlogcli.errors import BinlogError, OutputError
from binlogcli.events.log import Log
from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.text import GtidSet, set_text
from binlogcli.log.gaps import Damage
from binlogcli.select.by_name import NameChoice
from binlogcli.select.choice import Choice
from binlogcli.select.times import time_text

SIDES = ("a", "b")
_KINDS = ("different", "only_in_a", "only_in_b", "reordered", "unknown")
_CHANGES_LISTED = 20  # of a transaction
_RANGES = 1 << 12  # of GTIDs, by source


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to compare: `by` is auto, gtid or content; `limit` how many differences of each kind are listed, 0 for all.

    `zone` is that of times in the output.
    """

    choice: Choice
    by: str = "auto"
    limit: int = 20
    zone: tzinfo | None = None

    def names(self) -> NameChoice | None:
        """Return the choice of tables; None for all."""
        choice = self.choice
        return NameChoice(choice.databases, choice.tables) if choice.databases or choice.tables else None

    @property
    def takes_all(self) -> bool:
        """Whether all transactions are to be compared, with all that they do."""
        return self.choice == Choice()

    def takes(self, work: LoggedTransaction) -> bool:
        """Return whether a transaction is in the ranges of times and GTIDs."""
        choice = self.choice
        if choice.start_time is not None and work.time < choice.start_time:
            return False
        if choice.stop_time is not None and work.time >= choice.stop_time:
            return False
        included = choice.include_gtids
        if included is not None and (work.source is None or not included.contains(work.source, work.number)):
            return False
        if choice.exclude_gtids is not None and work.source is not None:
            return not choice.exclude_gtids.contains(work.source, work.number)
        return True


@dataclass(slots=True)
class _Counts:
    transactions: list[int] = field(default_factory=lambda: [0, 0])
    before: list[int] = field(default_factory=lambda: [0, 0])  # the first log of the other side
    equal: int = 0  # in one place on both sides, by their hashes
    matched: int = 0
    in_part: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))
    errant: list[int] = field(default_factory=lambda: [0, 0])
    beyond: list[int] = field(default_factory=lambda: [0, 0])
    gtids: dict[str, GtidSet] = field(default_factory=dict)

    def add_equal(self) -> None:
        """Add those that were counted as equal to the other figures."""
        self.matched += self.equal
        self.transactions = [count + self.equal for count in self.transactions]
        self.equal = 0


class Comparison:
    """One run. `open_logs` opens the logs of each side, and does so again for a second reading.

    `tell` is given damage of the first reading, `fail` why a log cannot be read; `command` returns what shows a
    transaction of a side, or None.
    """

    def __init__(
        self,
        open_logs: Sequence[Callable[[], Iterator[Log]]],
        wanted: Wanted,
        tell: Callable[[str, Damage], object],
        fail: Callable[[BinlogError, str], object],
        command: Callable[[int, str, int, str | None], str | None],
    ) -> None:
        self._open_logs = open_logs
        self._wanted = wanted
        self._command = command
        self.names = wanted.names()
        self._sides = [Side(open_logs[side](), self.names, tell, fail) for side in (A, B)]
        self._store = Store()
        self._counts = _Counts()
        self._by_gtid = True
        self._differences = Differences(_CHANGES_LISTED if wanted.limit else None)

    def close(self) -> None:
        """Remove the temporary database."""
        self._store.close()

    def run(self) -> dict[str, Any]:
        """Compare the two sides; return the summary. Raises `OutputError` where the temporary database cannot grow."""
        try:
            return self._run()
        except sqlite3.Error as error:
            hint = "set TMPDIR to a directory with more space"
            raise OutputError(str(error), file="temporary database", hint=hint) from error

    def _run(self) -> dict[str, Any]:
        self._first_reading()
        for couple in self._store.couples(by_gtid=self._by_gtid):
            self._judge_couple(couple)
        for side, work, torn in self._store.alone():
            self._judge_alone(side, work, torn=torn)
        self._second_reading()
        return self._summary()

    @property
    def limit(self) -> int:
        """How many differences of each kind are listed, 0 for all."""
        return self._wanted.limit

    @property
    def chose_nothing(self) -> bool:
        """Whether something was chosen, and neither side has it."""
        return self._wanted.choice != Choice() and not any(self._counts.transactions)

    def remarks(self) -> list[str]:
        """Return a line for each pattern of `--database` and `--table` that matched nothing."""
        found = [] if self.names is None else self.names.unmatched()
        return [*found, "neither side has a transaction that was selected"] if self.chose_nothing else found

    def lines(self) -> Iterator[bytes]:
        """Yield the differences that are listed, each as a JSON object, in the order of the logs."""
        return self._store.lines()

    # the first reading ------------------------------------------------------------------------------------------

    def _first_reading(self) -> None:
        one, other = self._sides
        a, b = one.next(), other.next()
        self._by_gtid = self._wanted.by == "gtid" or (
            self._wanted.by == "auto" and all(work is None or work.source is not None for work in (a, b))
        )
        alignment = Alignment(by_gtid=self._by_gtid, pair=self._pair, leave=self._leave)
        waiting = alignment.waiting
        alike = self._by_gtid and self._wanted.takes_all
        while a is not None or b is not None:
            if a is not None and b is not None and alike and not waiting[A] and not waiting[B] and a.same(b):
                alignment.pass_by(a, b)  # nearly all are so, and nothing else is to be done about them
                self._counts.equal += 1
                a, b = one.next(), other.next()
            elif b is None or (a is not None and waiting[A] <= waiting[B]):
                if a is not None and self._takes(A, a):
                    a.seal()
                    alignment.take(A, a)
                a = one.next()
            else:
                if self._takes(B, b):
                    b.seal()
                    alignment.take(B, b)
                b = other.next()
        alignment.finish((one.damages, other.damages))
        self._counts.add_equal()

    def _takes(self, side: int, work: LoggedTransaction) -> bool:
        """Whether a transaction is to be compared; count it."""
        if not self._wanted.takes(work):
            return False
        if self.names is not None and work.empty and (not self._by_gtid or work.source is None) and not work.doubt:
            return False
        if not self._counted(work):
            return True  # it may be the counterpart of one that does something to what was chosen
        self._counts.transactions[side] += 1
        if self._by_gtid and self._sides[1 - side].was_before(work):
            self._counts.before[side] += 1
            return False
        return True

    def _counted(self, work: LoggedTransaction) -> bool:
        return self.names is None or not work.empty or bool(work.doubt)

    def _pair(self, a: LoggedTransaction, b: LoggedTransaction) -> None:
        """Take in two transactions with one key in one place."""
        self._judge_couple(Couple(a, b, moved=False))

    def _leave(self, left: Left) -> None:
        self._store.leave(left, by_gtid=self._by_gtid)

    # what is left over ------------------------------------------------------------------------------------------

    def _judge_couple(self, couple: Couple) -> None:
        """Take in two transactions that stand for one another."""
        a, b = couple.a, couple.b
        if not self._counted(a) and not self._counted(b):
            return
        if a.content != b.content or a.outcome != b.outcome or a.doubt or b.doubt:
            self._store.differ(couple)
            return
        self._counts.matched += 1
        if couple.moved:
            self._found("reordered", a, b)

    def _judge_alone(self, side: int, work: LoggedTransaction, *, torn: bool) -> None:
        """Take in a transaction that only one side has."""
        if not self._counted(work):
            return
        ends = [work, None] if side == A else [None, work]
        if work.doubt and (not self._by_gtid or work.source is None):
            self._found("unknown", *ends, reason=work.doubt)
        elif torn:
            self._found("unknown", *ends, reason=f"{SIDES[1 - side].upper()} could not be read where it would be")
        else:
            self._found(f"only_in_{SIDES[side]}", *ends, reason=self._reason(side, work))

    def _reason(self, side: int, work: LoggedTransaction) -> str:
        """Return why the other side lacks a transaction, as far as GTIDs tell; count errant ones."""
        other = self._sides[1 - side]
        if not self._by_gtid or work.source is None:
            return "missing"
        numbers = other.gtids.get(work.source)
        if numbers is not None and not numbers.cut and numbers.contains(work.number):
            return "repeated"
        if not other.knows(work.source):
            self._counts.errant[side] += 1
            self._note_gtid(f"errant_in_{SIDES[side]}", work)
            return "errant"
        if work.number > other.last_of(work.source):
            self._counts.beyond[side] += 1
            return "beyond"
        return "missing"

    # the second reading -----------------------------------------------------------------------------------------

    def _second_reading(self) -> None:
        """Compare the values of transactions whose hashes differ."""
        readings = [SecondReading(self._open_logs[side]) for side in (A, B)]
        try:
            for couple in self._store.differing():
                self._judge_different(couple, readings)
        finally:
            for reading in readings:
                reading.close()

    def _judge_different(self, couple: Couple, readings: list[SecondReading]) -> None:
        a, b = couple.a, couple.b
        doubt = a.doubt or b.doubt or other_form(a, b)
        found = self._differences
        if not doubt and a.content == b.content:
            found.listed, found.count, found.partial = [], 0, False
        elif not doubt:
            try:
                found.compare(
                    changes_of(readings[A].events(a), a, self.names), changes_of(readings[B].events(b), b, self.names)
                )
            except (UnreadableError, BinlogError) as error:
                doubt = str(error)
        if couple.moved:
            self._found("reordered", a, b)
        if doubt:
            self._found("unknown", a, b, reason=doubt)
            return
        if not found.count and a.outcome == b.outcome:
            self._counts.matched += 1
            self._counts.in_part += found.partial
            return
        details: dict[str, Any] = {}
        if a.outcome != b.outcome:
            details["outcome"] = {"a": a.outcome, "b": b.outcome}
        if found.count:
            details["changes"] = found.listed
            details["more_changes"] = found.count - len(found.listed)
        self._found("different", a, b, details=details)

    # what is reported -------------------------------------------------------------------------------------------

    def _found(
        self,
        kind: str,
        a: LoggedTransaction | None,
        b: LoggedTransaction | None,
        *,
        reason: str = "",
        details: dict[str, Any] | None = None,
    ) -> None:
        """Count a difference, and keep its line if it is one of the first of its kind."""
        work = a or b
        if work is None:
            return
        kinds = self._counts.kinds
        kinds[kind] += 1
        self._note_gtid(kind, work)
        if self._wanted.limit and kinds[kind] > self._wanted.limit:
            return
        line: dict[str, Any] = {"type": "difference", "kind": kind, "gtid": work.gtid}
        if reason:
            line["reason"] = reason
        line |= {"a": self._place_of(A, a), "b": self._place_of(B, b)}
        self._store.keep_line(work.place, 0 if a is not None else 1, json_bytes(line | (details or {})))

    def _place_of(self, side: int, work: LoggedTransaction | None) -> dict[str, Any] | None:
        if work is None:
            return None
        file = self._sides[side].paths[work.log]
        return {
            "file": file,
            "pos": work.start,
            "gtid": work.gtid,
            "time": time_text(work.time, self._wanted.zone) if work.time else None,
            "rows": work.rows,
            "statements": work.statements,
            "outcome": work.outcome,
            "command": self._command(side, file, work.start, work.gtid),
        }

    def _note_gtid(self, kind: str, work: LoggedTransaction) -> None:
        if work.source is not None:
            sets = self._counts.gtids.setdefault(kind, {})
            numbers = sets.get(work.source)
            if numbers is None:
                numbers = sets[work.source] = Intervals(_RANGES)
            numbers.add(work.number)

    def _summary(self) -> dict[str, Any]:
        counts = self._counts
        kinds = counts.kinds
        sides = {}
        for side in (A, B):
            one = self._sides[side]
            sides[SIDES[side]] = {
                "logs": one.paths,
                "transactions": counts.transactions[side],
                "gtids": _text(one.gtids),
                "before_first_log_of_other": counts.before[side],
                "errant": counts.errant[side],
                "beyond_other": counts.beyond[side],
            }
        return {
            "type": "summary",
            "equal": not any(kinds.values()) and not self.chose_nothing,
            "nothing_chosen": self.chose_nothing,
            "matched_by": "gtid" if self._by_gtid else "content",
            **sides,
            "matched": counts.matched,
            "matched_by_common_columns": counts.in_part,
            **kinds,
            "gtids": {kind: _text(found) for kind, found in counts.gtids.items()},
            "gtids_approximate": [
                kind for kind, found in counts.gtids.items() if any(one.cut for one in found.values())
            ],
        }


def _text(sets: GtidSet) -> str:
    return set_text({source: numbers.pairs() for source, numbers in sets.items()})

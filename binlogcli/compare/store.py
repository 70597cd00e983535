"""Transactions without a counterpart in their place, kept in a temporary database on disk beyond a few megabytes.

SQLite keeps what is in it in memory up to a limit, and in a file without a name beyond it.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from binlogcli.binary.json_reader import read_json
from binlogcli.compare.alignment import A, B, Left
from binlogcli.compare.logged_transaction import LoggedTransaction

_CACHE = -8192  # KiB that SQLite keeps in memory
_MOST_PAIRED = 1 << 12  # transactions between two pairs that are paired by their tables
_TABLES = """
CREATE TABLE left_over (side INT, sequence TEXT, before INT, place INT, key TEXT, shape BLOB, torn INT, work TEXT);
CREATE TABLE alone (side INT, sequence TEXT, before INT, place INT, shape BLOB, torn INT, work TEXT);
CREATE TABLE moved (sequence TEXT, before_a INT, before_b INT, a_place INT, b_place INT, a TEXT, b TEXT);
CREATE TABLE different (place INT, a TEXT, b TEXT, moved INT, paired INT);
CREATE TABLE found (place INT, side INT, line BLOB);
"""


class Couple(NamedTuple):
    """Two transactions that stand for one another; `moved`: not in one place, `paired`: by their tables alone."""

    a: LoggedTransaction
    b: LoggedTransaction
    moved: bool
    paired: bool = False


class Store:
    """What was not matched at once; made for one comparison, and to be closed after it."""

    def __init__(self) -> None:
        self._base = sqlite3.connect("", isolation_level=None)
        self._base.execute(f"PRAGMA cache_size = {_CACHE}")
        self._base.execute("PRAGMA synchronous = OFF")
        self._base.execute("PRAGMA journal_mode = OFF")
        self._base.execute("PRAGMA temp_store = FILE")
        self._base.executescript(_TABLES)

    def close(self) -> None:
        """Remove all that is kept."""
        self._base.close()

    def leave(self, left: Left, *, by_gtid: bool) -> None:
        """Keep a transaction that has no counterpart in its place."""
        work = left.work
        key = str(work.gtid) if by_gtid and work.source is not None else work.content.hex()
        if work.doubt and not (by_gtid and work.source is not None):
            key = f"damaged {left.side} {work.place}"  # it equals nothing
        values = (left.side, repr(left.sequence), left.before, work.place, key, work.shape, left.torn, _text(work))
        self._base.execute("INSERT INTO left_over VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def differ(self, couple: Couple) -> None:
        """Keep two transactions whose hashes differ."""
        values = (couple.a.place, _text(couple.a), _text(couple.b), couple.moved, couple.paired)
        self._base.execute("INSERT INTO different VALUES (?, ?, ?, ?, ?)", values)

    def differing(self) -> Iterator[Couple]:
        """Yield what `differ` kept, in the order of the first side."""
        for a, b, moved, paired in self._base.execute("SELECT a, b, moved, paired FROM different ORDER BY place"):
            yield Couple(_work(a), _work(b), bool(moved), bool(paired))

    def keep_line(self, place: int, side: int, line: bytes) -> None:
        """Keep a line of the output, to be written in the order of places."""
        self._base.execute("INSERT INTO found VALUES (?, ?, ?)", (place, side, line))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines in their order."""
        for (line,) in self._base.execute("SELECT line FROM found ORDER BY place, side, rowid"):
            yield line

    def couples(self, *, by_gtid: bool) -> Iterator[Couple]:
        """Yield what is left over on both sides under one key, or, without GTIDs, in one place and of one shape."""
        self._match_by_key()
        yield from self._moved()
        if not by_gtid:
            yield from self._pair_by_shape()

    def alone(self) -> Iterator[tuple[int, LoggedTransaction, bool]]:
        """Yield each transaction that only one side has, and whether the other side is damaged there."""
        rows = self._base.execute("SELECT side, work, torn FROM alone ORDER BY side, place")
        for side, work, torn in rows:
            yield side, _work(work), bool(torn)

    def _match_by_key(self) -> None:
        """Match what is left over by sequence and key, in the order of each side; the others are `alone`."""
        rows = self._base.execute(
            "SELECT sequence, key, side, before, place, shape, torn, work FROM left_over "
            "ORDER BY sequence, key, side, place"
        )
        for (sequence, _), group in groupby(rows, lambda row: (row[0], row[1])):
            waiting: deque[tuple[int, int, bytes, int, str]] = deque()  # of the first side
            for _, _, side, before, place, shape, torn, work in group:
                if side == A:
                    waiting.append((before, place, shape, torn, work))
                elif waiting:
                    other = waiting.popleft()
                    moved = (sequence, other[0], before, other[1], place, other[4], work)
                    self._base.execute("INSERT INTO moved VALUES (?, ?, ?, ?, ?, ?, ?)", moved)
                else:
                    self._leave_alone(B, sequence, before, place, shape, torn, work)
            for one in waiting:
                self._leave_alone(A, sequence, *one)

    def _leave_alone(self, *values: object) -> None:
        self._base.execute("INSERT INTO alone VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def _moved(self) -> Iterator[Couple]:
        """Yield the couples with one key; those in one place are in order as far as most of them are."""
        columns = "SELECT a, b, b_place, sequence, before_a FROM moved"
        for a, b, *_ in self._base.execute(f"{columns} WHERE before_a <> before_b ORDER BY a_place"):
            yield Couple(_work(a), _work(b), moved=True)
        places = "SELECT sequence, before_a, b_place FROM moved WHERE before_a = before_b ORDER BY sequence, 2, a_place"
        rows = self._base.execute(f"{columns} WHERE before_a = before_b ORDER BY sequence, before_a, a_place")
        for _, group in groupby(self._base.execute(places), lambda row: (row[0], row[1])):
            for ordered in _in_order(array("q", (place for _, _, place in group))):
                a, b, *_ = next(rows)
                yield Couple(_work(a), _work(b), moved=not ordered)

    def _pair_by_shape(self) -> Iterator[Couple]:
        """Yield transactions in one place that change the same tables in the same ways; they are no longer `alone`."""
        rows = self._base.execute(
            "SELECT sequence, before, rowid, side, shape, work FROM alone ORDER BY sequence, before, side, place"
        )
        found: list[tuple[int, int]] = []
        for _, group in groupby(rows, lambda row: (row[0], row[1])):
            waiting: dict[bytes, deque[tuple[int, str]]] = {}
            rest: list[tuple[int, str]] = []
            for at, (_, _, row, side, shape, work) in enumerate(group):
                if at >= _MOST_PAIRED and side == A:
                    continue
                if side == A:
                    waiting.setdefault(shape, deque()).append((row, work))
                elif waiting.get(shape):
                    other, a = waiting[shape].popleft()
                    found.append((other, row))
                    yield Couple(_work(a), _work(work), moved=False, paired=True)
                elif at < _MOST_PAIRED:
                    rest.append((row, work))
            yield from _pair_forms([one for many in waiting.values() for one in many], rest, found)
        self._base.executemany("DELETE FROM alone WHERE rowid IN (?, ?)", found)


def _pair_forms(a: list[tuple[int, str]], b: list[tuple[int, str]], found: list[tuple[int, int]]) -> Iterator[Couple]:
    """Yield transactions of which one side has the rows and the other the statements; they are added to `found`."""
    left = [(row, _work(text)) for row, text in sorted(a)]
    for row, text in b:
        work = _work(text)
        for at, (other, one) in enumerate(left):
            if other_form(one, work):
                found.append((other, row))
                yield Couple(one, work, moved=False, paired=True)
                del left[at]
                break


def other_form(a: LoggedTransaction, b: LoggedTransaction) -> str:
    """Return why two transactions cannot be compared if one was logged as rows and the other as statements."""
    for one, other, names in ((a, b, "AB"), (b, a, "BA")):
        if one.rows and not one.statements and other.statements and not other.rows:
            return f"logged as rows in {names[0]}, as statements in {names[1]}"
    return ""


def _in_order(places: array[int]) -> list[bool]:
    """Return for each place whether it is in a longest ascending part of the sequence."""
    ends: list[int] = []  # the smallest last place of ascending parts by length, and which place it is
    at_end: list[int] = []
    before = array("q", bytes(8 * len(places)))
    for at, place in enumerate(places):
        length = bisect_left(ends, place)
        before[at] = at_end[length - 1] if length else -1
        if length == len(ends):
            ends.append(place)
            at_end.append(at)
        else:
            ends[length], at_end[length] = place, at
    kept = [False] * len(places)
    at = at_end[-1] if at_end else -1
    while at >= 0:
        kept[at] = True
        at = before[at]
    return kept


def _text(work: LoggedTransaction) -> str:
    """Return a transaction as text, for the database."""
    return json.dumps(
        (
            *(work.log, work.start, work.time, work.source, work.number, work.content.hex(), work.outcome),
            *(work.rows, work.statements, work.empty, work.doubt, work.place, work.undone),
        )
    )


def _work(text: str) -> LoggedTransaction:
    """Return a transaction from its text."""
    work = LoggedTransaction()
    work.log, work.start, work.time, source, work.number, content, work.outcome, *rest = read_json(text)
    work.rows, work.statements, work.empty, work.doubt, work.place, undone = rest
    work.undone = [(start, end) for start, end in undone]
    work.source = None if source is None else (source[0], source[1])
    work.content = bytes.fromhex(content)
    return work

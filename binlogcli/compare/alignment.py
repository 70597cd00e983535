"""The transactions of two sides brought into line, as they are read: which follow one another on both sides.

Each sequence (a domain of MariaDB, a server of MySQL, or all transactions without GTIDs) has a queue for each side.
While the queues' heads have one key, they are passed on as a pair. Where the heads differ, more is read ahead, and the
nearest place is looked for at which both sides go on alike. What is before it is left over: matched later by its key,
wherever it is, else missing on the other side. A left-over transaction knows how many pairs its sequence had before
it: two with one key and one such number are in the same place relative to all pairs, others were moved.

Keys of GTIDs are unique. Hashes of content are not: where a hash comes more than once, both sides must go on alike for
some transactions before that place is taken.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import NamedTuple

from binlogcli.compare.logged_transaction import LoggedTransaction
from binlogcli.gtids.text import is_mariadb

A, B = 0, 1
_FIRST_WINDOW = 16  # transactions that are read ahead
_LARGEST_WINDOW = 1 << 14
_LARGEST_REPEATED = 1 << 12  # where keys are not unique
_RUN = 3  # transactions that must be alike after a key that is not unique
_LONGEST_RUN = 8
MOST_WAITING = 1 << 15  # on one side, in all sequences

Key = object


class Left(NamedTuple):
    """A transaction that the other side does not have in its place.

    `before` counts the pairs of its sequence before it. `torn`: the other side is damaged where it would be.
    """

    side: int
    sequence: object
    before: int
    work: LoggedTransaction
    torn: bool


Pair = Callable[[LoggedTransaction, LoggedTransaction], object]
Leave = Callable[[Left], object]


class Sequence:
    """The transactions of both sides that are to come in one order."""

    def __init__(self, name: object, *, unique: bool, pair: Pair, leave: Leave) -> None:
        self.name = name
        self.waiting: tuple[deque[LoggedTransaction], ...] = (deque(), deque())
        self._ended: tuple[int, int] | None = None  # the damaged stretches of both sides, once they were read
        self._unique = unique
        self._pair = pair
        self._leave = leave
        self._pairs = 0
        self._gaps = [0, 0]  # of each side, up to its last pair
        self._window = _FIRST_WINDOW
        self._largest = _LARGEST_WINDOW if unique else _LARGEST_REPEATED

    def key(self, work: LoggedTransaction) -> Key:
        """Return what identifies a transaction within the sequence."""
        if self._unique:
            return work.source, work.number
        return id(work) if work.doubt else work.content  # what is damaged equals nothing

    def advance(self) -> None:
        """Pass on all that can be decided by what was read so far."""
        a, b = self.waiting
        while a and b:
            if self.key(a[0]) == self.key(b[0]):
                self._pass_pair(a.popleft(), b.popleft())
            elif not self._skip():
                return
        if self._ended is not None:
            self._drop(A, len(a), None)
            self._drop(B, len(b), None)

    def end(self, gaps: tuple[int, int]) -> None:
        """Decide all that waits; `gaps` are the damaged stretches of both sides."""
        self._ended = gaps
        self.advance()

    def give_way(self) -> None:
        """Leave over the older half of what waits: more must not be kept."""
        a, b = self.waiting
        sides = [side for side in (A, B) if self.waiting[side]]
        if len(sides) == 2 and self._unique and a[0].source == b[0].source:
            sides = [A if a[0].number < b[0].number else B]  # what the other side has passed by already
        for side in sides:
            self._drop(side, (len(self.waiting[side]) + 1) // 2, None)
        self._window = _FIRST_WINDOW
        self.advance()

    def pass_by(self, a: LoggedTransaction, b: LoggedTransaction) -> None:
        """Count two transactions in one place."""
        self._pairs += 1
        self._gaps[A] = a.gaps
        self._gaps[B] = b.gaps

    def _pass_pair(self, a: LoggedTransaction, b: LoggedTransaction) -> None:
        self.pass_by(a, b)
        self._window = _FIRST_WINDOW
        self._pair(a, b)

    def _skip(self) -> bool:
        """Leave over what is before the next place where both sides go on alike; return False to wait for more."""
        a, b = self.waiting
        shortest = min(len(a), len(b))
        if self._ended is None and shortest < self._window and max(len(a), len(b)) < self._largest:
            return False
        found = self._nearest(min(len(a), self._window), min(len(b), self._window))
        if found is None or sum(found) > self._window:
            if self._window < self._largest and (shortest >= self._window or max(len(a), len(b)) > self._window):
                self._window *= 4
                return self._skip()
            if found is None:
                if self._ended is None and max(len(a), len(b)) < self._largest:
                    return False
                found = self._pass_by()
        skip_a, skip_b = found
        next_a = a[skip_a] if skip_a < len(a) else None
        next_b = b[skip_b] if skip_b < len(b) else None
        self._drop(A, skip_a, next_b)
        self._drop(B, skip_b, next_a)
        return True

    def _pass_by(self) -> tuple[int, int]:
        """Return how many to leave over on each side where nothing in the largest window is alike."""
        a, b = self.waiting
        half_a, half_b = (len(a) + 1) // 2, (len(b) + 1) // 2
        if self._ended is not None or not self._unique or a[0].source != b[0].source:
            return half_a, half_b
        return (half_a, 0) if a[0].number < b[0].number else (0, half_b)

    def _nearest(self, size_a: int, size_b: int) -> tuple[int, int] | None:
        """Return how many to skip on each side, together as few as possible, up to where both go on alike.

        Of several such places, it is the one from which on they are alike for longest.
        """
        a = [self.key(self.waiting[A][at]) for at in range(size_a)]
        b = [self.key(self.waiting[B][at]) for at in range(size_b)]
        places: dict[Key, list[int]] = {}
        for at, key in enumerate(b):
            places.setdefault(key, []).append(at)
        often = Counter() if self._unique else Counter(a)
        best: tuple[int, int] | None = None
        cost = size_a + size_b + 1
        longest = 0
        for at, key in enumerate(a):
            if at > cost:
                break
            for other in places.get(key, ()):
                if at + other > cost:
                    break
                alike = _alike(a, b, at, other)
                alone = self._unique or (often[key] == 1 and len(places[key]) == 1)
                if not alone and alike < min(_RUN, len(a) - at, len(b) - other):
                    continue
                if at + other < cost or alike > longest:
                    best, cost, longest = (at, other), at + other, alike
        return best

    def _drop(self, side: int, count: int, until: LoggedTransaction | None) -> None:
        """Leave over the first transactions of a side; `until` is the other side's transaction after them."""
        other = 1 - side
        gaps = until.gaps if until is not None else 0 if self._ended is None else self._ended[other]
        for _ in range(count):
            work = self.waiting[side].popleft()
            torn = gaps > self._gaps[other] or (until is not None and bool(until.doubt))
            self._leave(Left(side, self.name, self._pairs, work, torn))


def _alike(a: list[Key], b: list[Key], at: int, other: int) -> int:
    """Return how many transactions from two places on are alike, up to _LONGEST_RUN."""
    size = min(_LONGEST_RUN, len(a) - at, len(b) - other)
    return next((step for step in range(size) if a[at + step] != b[other + step]), size)


class Alignment:
    """All sequences of two sides; transactions are given to it as they are read.

    Pairs are passed to `pair`, what one side has in another place or alone to `leave`.
    """

    def __init__(self, *, by_gtid: bool, pair: Pair, leave: Leave) -> None:
        self.waiting = [0, 0]  # transactions of each side that are not decided yet
        self._by_gtid = by_gtid
        self._pair = pair
        self._leave = leave
        self._sequences: dict[object, Sequence] = {}
        self._source: object = None  # of the last that was passed by, and its sequence
        self._last = Sequence(None, unique=True, pair=pair, leave=leave)

    def take(self, side: int, work: LoggedTransaction) -> None:
        """Take the next transaction of a side."""
        sequence = self._sequence_of(work)
        sequence.waiting[side].append(work)
        self.waiting[side] += 1
        sequence.advance()
        while self.waiting[side] > MOST_WAITING:
            max(self._sequences.values(), key=lambda one: len(one.waiting[side])).give_way()

    def pass_by(self, a: LoggedTransaction, b: LoggedTransaction) -> None:
        """Take in two transactions with one key, while nothing waits."""
        if a.source != self._source:
            self._source = a.source
            self._last = self._sequence_of(a)
        self._last.pass_by(a, b)

    def finish(self, gaps: tuple[int, int]) -> None:
        """Decide all that waits: both sides were read to their ends, with so many damaged stretches."""
        for sequence in self._sequences.values():
            sequence.end(gaps)

    def _pass_pair(self, a: LoggedTransaction, b: LoggedTransaction) -> None:
        self.waiting[A] -= 1
        self.waiting[B] -= 1
        self._pair(a, b)

    def _pass_left(self, left: Left) -> None:
        self.waiting[left.side] -= 1
        self._leave(left)

    def _sequence_of(self, work: LoggedTransaction) -> Sequence:
        source = work.source if self._by_gtid else None
        name: object = None if source is None else source[0] if is_mariadb(source) else source
        found = self._sequences.get(name)
        if found is None:
            found = Sequence(name, unique=source is not None, pair=self._pass_pair, leave=self._pass_left)
            self._sequences[name] = found
        return found

"""Sets of whole numbers as sorted intervals that neither touch nor overlap; a set can be limited in its memory.

Most numbers extend the last interval: that case costs two comparisons, all others a bisection.
"""

from __future__ import annotations

import sys
from bisect import bisect_right

Pair = tuple[int, int]  # the first and the last number of an interval


class Intervals:
    """A set of numbers. Beyond `most` intervals the smaller half of the gaps is closed, and `cut` is set."""

    def __init__(self, most: int = sys.maxsize) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.last = -2  # the end of the last interval; for an empty set, the number that callers say came before it
        self.cut = False
        self._most = most

    def add(self, number: int) -> bool:
        """Add a number; return False if the set had it already."""
        if number == self.last + 1 and self.ends:
            self.ends[len(self.ends) - 1] = number
            self.last = number
            return True
        return self.add_all(number, number)

    def add_all(self, first: int, last: int) -> bool:
        """Add the numbers from `first` to `last`; return False if the set had any of them already."""
        starts, ends = self.starts, self.ends
        low = bisect_right(starts, first) - 1
        fresh = low < 0 or ends[low] < first
        if low < 0 or ends[low] < first - 1:
            low += 1
        high = low
        while high < len(starts) and starts[high] <= last + 1:
            fresh = fresh and not (starts[high] <= last and ends[high] >= first)
            high += 1
        if low < high:
            first = min(first, starts[low])
            last = max(last, ends[high - 1])
        starts[low:high] = [first]
        ends[low:high] = [last]
        if len(starts) > self._most:
            self._shorten()
        self.last = ends[len(ends) - 1]
        return fresh

    def _shorten(self) -> None:
        gaps = sorted((self.starts[at + 1] - self.ends[at], at) for at in range(len(self.starts) - 1))
        closed = {at for _, at in gaps[: len(gaps) // 2]}
        starts, ends = [self.starts[0]], []
        for at in range(len(self.starts) - 1):
            if at not in closed:
                ends.append(self.ends[at])
                starts.append(self.starts[at + 1])
        ends.append(self.ends[len(self.ends) - 1])
        self.starts, self.ends = starts, ends
        self.cut = True

    def contains(self, number: int) -> bool:
        """Return whether the number is in the set."""
        at = bisect_right(self.starts, number) - 1
        return at >= 0 and number <= self.ends[at]

    def pairs(self) -> list[Pair]:
        """Return the intervals in ascending order."""
        return list(zip(self.starts, self.ends, strict=True))

"""Sets of numbers as intervals, which grow mostly at their end, and never beyond a number of intervals."""

from __future__ import annotations

from bisect import bisect_right

INTERVALS_KEPT = 1 << 12


class Intervals:
    """Whole numbers, ends included. Past `INTERVALS_KEPT` intervals the smallest gaps are closed, and `cut` says so."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.last = -2  # the end of the last interval, or of what came before the first
        self.cut = False

    def add(self, number: int) -> bool:
        """Take a number in; False where it was there already."""
        if number == self.last + 1 and self.ends:
            self.ends[len(self.ends) - 1] = number
            self.last = number
            return True
        return self.add_all(number, number)

    def add_all(self, first: int, last: int) -> bool:
        """Take an interval in; False where any of it was there already."""
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
        if len(starts) > INTERVALS_KEPT:
            self.shorten()
        self.last = ends[len(ends) - 1]
        return fresh

    def shorten(self) -> None:
        """Close the smaller half of the gaps."""
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

    def pairs(self) -> list[tuple[int, int]]:
        """The intervals in order."""
        return list(zip(self.starts, self.ends, strict=True))

    def size(self) -> int:
        """How many numbers there are."""
        return sum(end - start + 1 for start, end in self.pairs())

    def gaps(self) -> list[tuple[int, int]]:
        """What is missing between the first and the last number."""
        return [(end + 1, start - 1) for end, start in zip(self.ends, self.starts[1:], strict=False)]

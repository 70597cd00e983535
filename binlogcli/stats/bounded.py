"""Containers of bounded memory: the greatest of many things, and counts by key of which the heaviest are kept."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable
from operator import methodcaller
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
OWN_WEIGHT = methodcaller("weight")  # by name: C compilers of today refuse a method of a compiled class here


class Top:
    """The `size` greatest things by a measure; of equal ones those that came first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.least = 0  # the smallest measure in a full heap; only larger ones are added
        self.seen = 0
        self.heap: list[tuple[int, int, Any]] = []

    def put(self, measure: int, thing: Any) -> None:
        """Add a thing if it is among the greatest so far."""
        self.seen += 1
        if measure <= self.least:
            return
        entry = (measure, -self.seen, thing)
        if len(self.heap) < self.size:
            heapq.heappush(self.heap, entry)
        else:
            heapq.heapreplace(self.heap, entry)
        if len(self.heap) == self.size:
            self.least = self.heap[0][0]

    def things(self) -> list[tuple[int, Any]]:
        """Return the measures and things, the greatest first."""
        return [(measure, thing) for measure, _, thing in sorted(self.heap, key=lambda entry: (-entry[0], -entry[1]))]

    def absorb(self, things: Iterable[tuple[int, Any]]) -> None:
        """Add things that were found in a later log."""
        for measure, thing in things:
            self.put(measure, thing)


class Weighed(dict[Key, Value]):
    """Counts by key. At `limit` keys the lighter half is dropped; `missed` is the most weight that a key may lack.

    All keys that are heavier than `missed` are there.
    """

    def __init__(self, limit: int, weigh: Callable[[Value], int]) -> None:
        super().__init__()
        self.limit = limit
        self.weigh = weigh
        self.missed = 0
        self.dropped = 0

    def shrink(self) -> list[Value]:
        """Drop the lighter half if the limit is reached; return the values that were dropped."""
        return self.halve() if len(self) >= self.limit else []

    def halve(self) -> list[Value]:
        """Drop the lighter half; return the values that were dropped, at least one."""
        order = sorted(self, key=lambda key: -self.weigh(self[key]))  # stable: of equal ones the first stay
        lost = [self.pop(key) for key in order[len(order) // 2 :]]
        self.missed += max(self.weigh(value) for value in lost)
        self.dropped += len(lost)
        return lost


def earliest(one: int, other: int) -> int:
    """Return the earlier of two times; 0 stands for no time."""
    return min(one, other) if one and other else one or other


def joined_counts(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sums of two tuples of counts, which end with the first and the last time."""
    sums = [a + b for a, b in zip(one[:-2], other[:-2], strict=True)]
    return (*sums, earliest(one[-2], other[-2]), max(one[-1], other[-1]))

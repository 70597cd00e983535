"""Memory with an end: the greatest few of many, and counts by key of which only the weightiest are kept."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable
from operator import methodcaller
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
OWN_WEIGHT = methodcaller("weight")  # asked by name: C compilers of today refuse a method of a compiled class here


class Top:
    """The `size` greatest things by their measure; of equal ones those that came first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.least = 0  # a measure must be above it
        self.seen = 0
        self.heap: list[tuple[int, int, Any]] = []

    def put(self, measure: int, thing: Any) -> None:
        """Take it among the greatest, where it belongs there."""
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
        """The greatest first."""
        return [(measure, thing) for measure, _, thing in sorted(self.heap, key=lambda entry: (-entry[0], -entry[1]))]

    def absorb(self, things: Iterable[tuple[int, Any]]) -> None:
        """Take over what another one found, later."""
        for measure, thing in things:
            self.put(measure, thing)


class Weighed(dict[Key, Value]):
    """Counts by key. Beyond `limit` keys the lighter half is dropped, and `missed` says how heavy it was at most.

    Whatever is heavier than `missed` is there; a key that was dropped and came back may lack up to as much.
    """

    def __init__(self, limit: int, weigh: Callable[[Value], int]) -> None:
        super().__init__()
        self.limit = limit
        self.weigh = weigh
        self.missed = 0
        self.dropped = 0

    def shrink(self) -> list[Value]:
        """Make room where there is none; what was dropped."""
        if len(self) < self.limit:
            return []
        order = sorted(self, key=lambda key: -self.weigh(self[key]))  # stable: of equal ones the first stay
        lost = [self.pop(key) for key in order[self.limit // 2 :]]
        self.missed += max(self.weigh(value) for value in lost)
        self.dropped += len(lost)
        return lost


def earliest(one: int, other: int) -> int:
    """The earlier of two times, of which 0 is none."""
    return min(one, other) if one and other else one or other

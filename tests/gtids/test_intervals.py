"""Sets of numbers as intervals: what is in them is what a plain set says, and their memory can be limited."""

from __future__ import annotations

from binlogcli.gtids.intervals import Intervals

MOST = 1 << 10


def test_intervals_are_the_set_that_was_put_in() -> None:
    numbers = Intervals()
    known: set[int] = set()
    state = 12345
    for _ in range(3000):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        first = state % 4000
        last = first + state // 4096 % 5
        fresh = not known & set(range(first, last + 1))
        assert numbers.add_all(first, last) == fresh
        known |= set(range(first, last + 1))
        assert sum(end - start + 1 for start, end in numbers.pairs()) == len(known)
    assert {n for start, end in numbers.pairs() for n in range(start, end + 1)} == known
    assert all(numbers.contains(n) == (n in known) for n in range(-1, 4010))
    assert all(end + 1 < start for end, start in zip(numbers.ends, numbers.starts[1:], strict=False))


def test_too_many_intervals_become_fewer_and_say_so() -> None:
    numbers = Intervals(MOST)
    for number in range(4 * MOST):
        numbers.add(3 * number)
    assert len(numbers.starts) <= MOST
    assert numbers.cut
    assert numbers.starts[0] == 0
    assert numbers.ends[-1] == 3 * (4 * MOST - 1)

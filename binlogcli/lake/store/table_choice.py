"""Sets of tables as the patterns of `--table` name them; what was added to them since a log was converted."""

from __future__ import annotations

from collections.abc import Sequence

TablePatterns = tuple[str, ...]
ALL: TablePatterns = ("*",)  # without --table


def patterns_of(tables: Sequence[str]) -> TablePatterns:
    """Return what `--table` chooses, in one order for equal options."""
    return tuple(sorted(set(tables))) or ALL


def given_as(patterns: TablePatterns) -> tuple[str, ...]:
    """Return the values of `--table` that choose these tables; none for all."""
    return () if patterns == ALL else patterns


def joined(one: TablePatterns, other: TablePatterns) -> TablePatterns:
    """Return what is in one of the sets."""
    return ALL if ALL in (one, other) else tuple(sorted({*one, *other}))


def common(one: TablePatterns, other: TablePatterns) -> TablePatterns:
    """Return what is known to be in both sets; patterns are compared as texts."""
    if one == ALL:
        return other
    return one if other == ALL else tuple(sorted({*one} & {*other}))


def added(before: TablePatterns, now: TablePatterns) -> TablePatterns:
    """Return the patterns of `now` that `before` does not have."""
    return () if before == ALL else tuple(sorted({*now} - {*before}))

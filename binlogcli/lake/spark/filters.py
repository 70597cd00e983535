"""Filters that Spark hands to the data source: what they exclude for sure is not decoded.

Spark does so where spark.sql.python.filterPushdown.enabled is true. It applies all filters to what is read in any case,
so that only those are used here that leave out whole splits, servers, transactions or events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import (
    DataSourceReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    LessThan,
    LessThanOrEqual,
    Not,
)

from binlogcli.errors import BinlogError
from binlogcli.gtids.parsing import read_gtids
from binlogcli.lake.decode.wanted_rows import ALL_ROWS, WantedRows
from binlogcli.select.gtids import GtidChoice

if TYPE_CHECKING:
    from binlogcli.lake.model import Split
    from binlogcli.select.choice import Choice

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RANGES: dict[type[Filter], Callable[[Split, Any], bool]] = {
    GreaterThan: lambda split, value: split.end is None or split.end > value,
    GreaterThanOrEqual: lambda split, value: split.end is None or split.end > value,
    LessThan: lambda split, value: split.start < value,
    LessThanOrEqual: lambda split, value: split.start <= value,
}


def narrowed(splits: Iterable[Split], filters: Iterable[Filter]) -> list[Split]:
    """Return the splits that may have rows for which all filters on `_file` and `_pos` hold."""
    return [split for split in splits if all(_may_have(split, one) for one in filters)]


def _may_have(split: Split, one: Filter) -> bool:
    """Whether a split may have rows for which a filter holds."""
    column, values = _values_of(one)
    if column == "_file":
        return split.file in values
    if column == "_pos":
        return any(split.start <= value and (split.end is None or value < split.end) for value in values)
    in_range = _RANGES.get(type(one))
    if in_range is not None and one.attribute == ("_pos",):  # type: ignore[attr-defined] # all of them have it
        return in_range(split, one.value)  # type: ignore[attr-defined]
    return True


def chosen_by(choice: Choice, filters: Iterable[Filter]) -> Choice:
    """Return the choice of events without those for which a filter on `_server_id` or `_gtid` does not hold."""
    for one in filters:
        column, values = _values_of(one)
        if column == "_server_id" and not choice.server_ids:
            choice = choice._replace(server_ids=tuple(values))
        elif column == "_gtid" and choice.include_gtids is None:
            try:
                choice = choice._replace(include_gtids=GtidChoice(read_gtids(",".join(values))))
            except BinlogError:
                continue  # no row has such a text, as Spark will find
    return choice


def rows_by(filters: Iterable[Filter]) -> WantedRows:
    """Return the rows for which the filters on `_op` and `_ts` hold, and maybe more."""
    operations, since, until = ALL_ROWS.operations, ALL_ROWS.since, ALL_ROWS.until
    for one in filters:
        column, values = _values_of(one)
        excluded, others = _values_of(one.child) if isinstance(one, Not) else ("", ())
        if column == "_op":
            operations &= frozenset(values)
        elif excluded == "_op":
            operations -= frozenset(others)
        else:
            low, high = _times_of(one)
            since, until = max(since, low), min(until, high)
    return WantedRows(operations=operations, since=since, until=until)


def _times_of(one: Filter) -> tuple[int, int]:
    """Return the least and the greatest `_ts`, in microseconds, for which a filter may hold."""
    low, high = ALL_ROWS.since, ALL_ROWS.until
    column, values = _values_of(one)
    if column == "_ts" and values:
        times = [_micro(value) for value in values]
        return (low, high) if None in times else (min(times), max(times))  # type: ignore[type-var, return-value]
    if not isinstance(one, GreaterThan | GreaterThanOrEqual | LessThan | LessThanOrEqual) or one.attribute != ("_ts",):
        return low, high
    time = _micro(one.value)
    if time is None:
        return low, high
    return (time, high) if isinstance(one, GreaterThan | GreaterThanOrEqual) else (low, time)


def _micro(value: object) -> int | None:
    """Return a point in time in microseconds since 1970; None for what is none."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return None
    return (value - _EPOCH) // timedelta(microseconds=1)


def _values_of(one: Filter) -> tuple[str, Sequence[Any]]:
    """Return the column that a filter compares with certain values, and these; an empty name for other filters."""
    if isinstance(one, EqualTo) and len(one.attribute) == 1 and one.value is not None:
        return one.attribute[0], (one.value,)
    if isinstance(one, In) and len(one.attribute) == 1 and None not in one.value:
        return one.attribute[0], one.value
    return "", ()


class PushedFilters:
    """Takes filters for a reader; to Spark it is the method of a reader that takes none.

    Spark refuses readers that have a method of their own wherever filters are not handed over, which is the default.
    """

    __func__ = staticmethod(DataSourceReader.pushFilters)

    def __init__(self, take: Callable[[Sequence[Filter]], None]) -> None:
        self.take = take

    def __call__(self, filters: Sequence[Filter]) -> Iterable[Filter]:
        """Take filters; return them all, as Spark is to apply them."""
        self.take(filters)
        return filters

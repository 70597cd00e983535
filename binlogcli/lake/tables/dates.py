"""Files by date: the rows of each day (UTC), and the name of its directory."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from binlogcli.lake.tables.parquet_options import are_events

_DAY = 24 * 60 * 60 * 1_000_000  # microseconds
NO_DATE = "__HIVE_DEFAULT_PARTITION__"  # Hive's word for null


def parts_by_date(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield the rows of each day, in their order, with its date; those without a time with NO_DATE."""
    times = table.column("time" if are_events(table.schema) else "_ts")
    days = pc.divide(times.cast(pa.int64()), _DAY).cast(pa.int32()).combine_chunks()
    parts = pc.run_end_encode(days)
    if len(parts.values) > len(pc.unique(days)):  # a day comes back, as a replica's clock is set or logs are mixed
        order = pc.sort_indices(days)  # stable
        table = table.take(order)
        parts = pc.run_end_encode(days.take(order))
    start = 0
    for end, date in zip(parts.run_ends.to_pylist(), parts.values.cast(pa.date32()).cast(pa.string()), strict=True):
        yield date.as_py() or NO_DATE, table.slice(start, end - start)
        start = end

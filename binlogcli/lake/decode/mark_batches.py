"""What statements tell, as batches: that a table was emptied, dropped or renamed, and how XA transactions ended."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa

from binlogcli.lake.decode.arrow_batches import arrow_type
from binlogcli.lake.decode.columns.transaction_columns import OUTCOMES
from binlogcli.lake.decode.xa_ends import XA_COLUMNS, XaEnds
from binlogcli.lake.table_marks import TableMark
from binlogcli.lake.tables.types import readable


def mark_batch(schema: pa.Schema, marks: Sequence[TableMark]) -> pa.RecordBatch:
    """Return a row for each mark with the columns of a table, whose own are null."""
    values = [_values(mark) for mark in marks]
    arrays = [
        pa.array([one[field.name] for one in values]).cast(field.type)
        if field.name in values[0]
        else pa.nulls(len(marks), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _values(mark: TableMark) -> dict[str, object]:
    """Return the columns of a row that are not null."""
    return {
        "_op": mark.op,
        "_ts": mark.time,
        "_commit_ts": mark.commit,
        "_outcome": OUTCOMES[0],
        "_gtid": mark.gtid,
        "_xid": mark.xid,
        "_server_id": mark.server_id,
        "_thread_id": mark.thread_id,
        "_file": mark.file,
        "_pos": mark.position,
        "_row": 0,
        "_seq": Decimal(mark.seq),
        "_absent": [],
    }


def xa_batch(ends: XaEnds, file: str, base: int) -> pa.RecordBatch:
    """Return ends of XA transactions as a batch; `base` is `_seq` at position 0."""
    xas, outcomes, times, gtids, servers, places, numbers = zip(*ends.rows, strict=True)
    files = [readable(file)] * len(xas)
    columns = (xas, outcomes, times, gtids, servers, files, places, [Decimal(base + number) for number in numbers])
    schema = pa.schema([pa.field(name, arrow_type(kind)) for name, kind in XA_COLUMNS])
    arrays = [pa.array(values).cast(field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)

"""A table of a lake, read as one table with all its versions: by Python, and by Spark's data source."""

from __future__ import annotations

import glob
import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from binlogcli.lake.errors import LakeError
from binlogcli.lake.store.descriptions import XA, logical_of, pattern_of
from binlogcli.lake.store.epochs import Store
from binlogcli.lake.tables.duckdb_views import LATEST
from binlogcli.lake.tables.logical import LogicalTable
from binlogcli.lake.tables.spark_schema import spark_struct
from binlogcli.lake.tables.sql_text import quoted

if TYPE_CHECKING:
    import pyarrow as pa

    from binlogcli.lake.store.state import LakeState

_BATCH_ROWS = 1 << 16


@lru_cache(maxsize=1)
def _state_of(output: str, _edition: Hashable) -> LakeState:
    """Return the sum of a lake's commit records: read once for all tables that are read of it."""
    return Store(output).look()[0]


def _no_table(output: str, name: str, state: LakeState) -> LakeError:
    """Return the error for a name that no table has; the view of what is left of a table is duckdb's alone."""
    tables = {f"{table.database}.{table.table}": table for table in state.tables.values()}
    table = tables.get(name.removesuffix(LATEST))
    if table is not None:
        view = f"{quoted(table.database)}.{quoted(table.table + LATEST)}"
        hint = f"run {output}/_binlog/views.sql in duckdb, and query {view}: the result is Arrow, too"
        return LakeError(f"contains {name} only as a view for duckdb", file=output, hint=hint)
    some = ", ".join(sorted(tables)[:10]) + (", ..." if len(tables) > 10 else "")
    return LakeError(f"has no table {name}", file=output, hint=f"it has {some or 'no tables'}")


@dataclass(frozen=True)
class LakeTableView:
    """A table of the lake in a directory; `folders` are those of its versions."""

    output: str
    logical: LogicalTable
    folders: tuple[str, ...]

    @classmethod
    def find(cls, output: str, name: str) -> LakeTableView:
        """Return a table by DATABASE.TABLE. Raises LakeError if there is no such lake or table."""
        if not os.path.isdir(os.path.join(output, "_binlog")):
            raise LakeError(
                "is not an output directory of to-parquet", file=output, hint="specify the output directory"
            )
        state = _state_of(output, Store(output).edition())
        for table in state.tables.values():
            if f"{table.database}.{table.table}" == name:
                folders = [os.path.join(output, "tables", table.folder(at)) for at in range(len(table.versions))]
                return cls(output, logical_of(table.versions, state.orders_for(table.database)), tuple(folders))
        raise _no_table(output, name, state)

    @property
    def struct(self) -> dict[str, Any]:
        """The columns as the JSON of a Spark StructType."""
        logical = self.logical
        return spark_struct(
            logical.types, columns_only=logical.columns_only, unsure=logical.unsure, key=logical.primary_key
        )

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns in Arrow."""
        from binlogcli.lake.decode.arrow_batches import table_arrow_schema  # imports pyarrow

        logical = self.logical
        return table_arrow_schema(logical.types, columns_only=logical.columns_only, key=logical.primary_key)

    def files(self) -> list[tuple[str, int]]:
        """Return all files, each with the index of its version."""
        return [
            (path, number)
            for number, folder in enumerate(self.folders)
            for path in sorted(glob.glob(pattern_of(folder), recursive=True))
        ]

    def batches(self, path: str, number: int, target: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file of a version as batches of the schema `target`; other columns are not read."""
        import pyarrow.parquet as pq

        from binlogcli.lake.tables.casting import fitted

        names = self.logical.names_in(number)
        wanted = {names.get(field.name, field.name) for field in target}
        if "_outcome" in wanted and self.ends:
            wanted |= {"_xa", "_seq"}
        with pq.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in wanted]
            if not columns:
                columns = file.schema_arrow.names[:1]  # so that the rows are counted
            for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
                yield fitted(self._decided(batch), target, self.logical.renamed_in(number))

    @cached_property
    def ends(self) -> dict[str, list[tuple[int, str]]]:
        """The ends of XA transactions: `_seq` and outcome, in order, by `_xa`."""
        import pyarrow.parquet as pq

        found: dict[str, list[tuple[int, str]]] = {}
        for path in glob.glob(os.path.join(glob.escape(self.output), XA, "*.parquet")):
            for row in pq.read_table(path, columns=["_xa", "_seq", "_outcome"]).to_pylist():
                found.setdefault(row["_xa"], []).append((int(row["_seq"]), row["_outcome"]))
        return {xa: sorted(ends) for xa, ends in found.items()}

    def _decided(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return a batch with the outcome of prepared XA transactions, where their end is known."""
        import pyarrow as pa

        if not self.ends or not {"_outcome", "_xa", "_seq"} <= set(batch.schema.names):
            return batch
        outcomes = batch.column("_outcome").to_pylist()
        if "xa_prepared" not in outcomes:
            return batch
        places = zip(batch.column("_xa").to_pylist(), batch.column("_seq").to_pylist(), strict=True)
        for at, (xa, sequence) in enumerate(places):
            if outcomes[at] == "xa_prepared":
                later = (outcome for place, outcome in self.ends.get(xa, ()) if place > sequence)
                outcomes[at] = next(later, "xa_prepared")
        column = batch.schema.get_field_index("_outcome")
        return batch.set_column(column, "_outcome", pa.array(outcomes, pa.string()))


def read_table(output: str | Path, name: str, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
    """Return the rows of a table as a stream of Arrow batches, by DATABASE.TABLE, with these columns or all."""
    import pyarrow as pa

    view = LakeTableView.find(str(output), name)
    schema = view.schema
    if columns is not None:
        missing = [column for column in columns if column not in schema.names]
        if missing:
            raise LakeError(f"{name} has no column {', '.join(missing)}", hint=f"it has {', '.join(schema.names)}")
        schema = pa.schema([schema.field(column) for column in columns])
    batches = (batch for path, number in view.files() for batch in view.batches(path, number, schema))
    return pa.RecordBatchReader.from_batches(schema, batches)

"""A table that `to-parquet` has made, as a data source of Spark: all its versions as one table.

spark.read.format("binlog").option("lake", "/lake").option("table", "shop.orders").load()
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.datasource import DataSourceReader, InputPartition

from binlogcli.lake.errors import LakeError
from binlogcli.lake.lake_table import LakeTableView
from binlogcli.lake.spark.options import listed, read_options
from binlogcli.lake.spark.table_view import chosen

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

_LOT = 64 << 20  # bytes of files that are worth a task
_TAKEN = frozenset(("lake", "table", "columns"))


@dataclass
class FilesPartition(InputPartition):
    """Files of a table, each with the index of its version."""

    files: tuple[tuple[str, int], ...]


def lake_view(options: Mapping[str, str]) -> LakeTableView:
    """Return the table that the options name. Raises LakeError without one, and for options of logs."""
    given = read_options(options)
    others = sorted(given.keys() - _TAKEN)
    if others:
        reason = "takes no path and no option of logs" if {"path", "paths"} & given.keys() else "takes no such option"
        hint = f"leave out {', '.join(others)}; with lake, only table and columns are allowed"
        raise LakeError(f"the option lake {reason}", hint=hint)
    if "table" not in given:
        raise LakeError("the option lake needs a table", hint='.option("table", "DATABASE.TABLE")')
    return LakeTableView.find(os.path.abspath(given["lake"].removeprefix("file://")), given["table"])


def lake_struct(options: Mapping[str, str]) -> dict[str, Any]:
    """Return the columns as the JSON of a StructType. Raises LakeError for what the options name and is not there."""
    return chosen(lake_view(options).struct, listed(read_options(options).get("columns")))


class LakeReader(DataSourceReader):
    """Reads the files that are there when it is made."""

    def __init__(self, view: LakeTableView, schema: StructType) -> None:
        self.view = view
        self.schema = schema

    def partitions(self) -> Sequence[InputPartition]:
        """Return the files, small ones together."""
        found: list[InputPartition] = []
        lot: list[tuple[str, int]] = []
        size = 0
        for file in self.view.files():
            lot.append(file)
            size += os.path.getsize(file[0])
            if size >= _LOT:
                found.append(FilesPartition(tuple(lot)))
                lot, size = [], 0
        return [*found, FilesPartition(tuple(lot))] if lot or not found else found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the files in batches."""
        from pyspark.sql.pandas.types import to_arrow_schema  # imports pyarrow

        target = to_arrow_schema(self.schema, timezone="UTC")
        for path, number in cast("FilesPartition", partition).files:
            yield from self.view.batches(path, number, target)

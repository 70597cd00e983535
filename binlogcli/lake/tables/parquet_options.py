"""How a Parquet file is written: which columns as dictionaries, how positions are packed, what is compressed.

A dictionary saves room where values repeat, and costs time elsewhere: dictionaries on every column cost a third more
than on chosen ones. So the distinct values of each column are counted in the first rows of a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

LEVEL = 1  # of zstd: as cheap as snappy, and 40 % smaller
SAMPLE = 4096  # rows at most that are counted
SMALL_SAMPLE, SHARE = 512, 8  # of a small batch: this many rows, or one in eight
FEW_ROWS = 5000  # in a file whose columns are not counted: that takes as long as to write them
FEW = 8  # times that a value has to occur on average
RISING = frozenset({"_pos", "_row"})  # delta encoded: a byte or two a value
RISING_EVENTS = frozenset({"pos", "end"})
DISTINCT = frozenset({"_seq", "seq"})  # no value stands twice
RANGED = frozenset({"_pos", "_seq", "_ts", "pos", "seq", "time"})
SAME = frozenset({"_op", "_outcome", "_xa", "_file", "_server_id", "_thread_id"})
BODY = "body"  # of events: those of table maps repeat, and a dictionary holds each once
LARGEST_DICTIONARY = 1 << 30  # bytes; more than a row group has
WRITTEN_AT_ONCE = 1 << 16  # rows
SMALL_ROW = 1 << 10  # bytes of a row up to which that many are written at once


def file_arguments(first: pa.Table, *, whole: bool) -> dict[str, Any]:
    """Return the arguments of `pyarrow.parquet.ParquetWriter` for a file that begins with `first`, or is `first`."""
    shape = _shape(first.schema)
    if first.num_rows > FEW_ROWS:
        arguments = writer_arguments(max(first.to_batches(), key=lambda batch: int(batch.num_rows)))
    else:
        arguments = plain_arguments(shape)
    if whole:
        arguments |= compression_of(first, shape)
    return arguments


def writer_arguments(sample: pa.RecordBatch) -> dict[str, Any]:
    """Return the arguments for a file whose values are distributed as in this batch."""
    head = sample.slice(0, min(SAMPLE, max(SMALL_SAMPLE, len(sample) // SHARE)))
    shape = _shape(head.schema)
    arguments = plain_arguments(shape)
    few = [BODY] if shape.events else list(shape.same)
    for index, field in enumerate(head.schema):
        if field.name not in shape.packed and field.name not in DISTINCT and field.name not in few:
            _choose(field.name, head.column(index), few)
    arguments["use_dictionary"] = few
    arguments["write_statistics"] = shape.ranged
    if shape.events:
        arguments["dictionary_pagesize_limit"] = LARGEST_DICTIONARY
    if head.nbytes < SMALL_ROW * len(head):
        arguments["write_batch_size"] = WRITTEN_AT_ONCE
    return arguments


def are_events(schema: pa.Schema) -> bool:
    """Whether the columns are those of events, and not of a table."""
    return "_pos" not in schema.names


@dataclass(frozen=True, slots=True)
class FileShape:
    """What the names and types of a file's columns decide."""

    events: bool
    packed: dict[str, str]
    ranged: list[str]  # columns with statistics in a large file
    distinguishing: list[str]  # of these, the columns whose ranges differ between files
    same: list[str]  # columns with few values in any log
    paths: list[list[str]]  # Parquet's names of each column's leaves


@lru_cache(maxsize=64)
def _shape(schema: pa.Schema) -> FileShape:
    events = are_events(schema)
    rising = RISING_EVENTS if events else RISING
    return FileShape(
        events,
        {name: "DELTA_BINARY_PACKED" for name in schema.names if name in rising},
        [field.name for field in schema if field.name == "_gtid" or not _is_long(field.type)],
        [name for name in schema.names if name in RANGED],
        [] if events else [name for name in schema.names if name in SAME],
        [list(_leaves(field.name, field.type)) for field in schema],
    )


def _leaves(path: str, kind: pa.DataType) -> Iterator[str]:
    """Yield Parquet's names of the leaves of a column."""
    if pa.types.is_struct(kind):
        for field in kind:
            yield from _leaves(f"{path}.{field.name}", field.type)
    elif pa.types.is_list(kind):
        yield f"{path}.list.element"
    else:
        yield path


def plain_arguments(shape: FileShape) -> dict[str, Any]:
    """Return the arguments for a file whose values are not counted."""
    return {
        "compression": "zstd",
        "compression_level": LEVEL,
        "use_dictionary": shape.same,
        "column_encoding": shape.packed,
        "write_statistics": shape.distinguishing,
        "store_schema": False,
    }


def compression_of(table: pa.Table, shape: FileShape) -> dict[str, Any]:
    """Return the compression for a file with only these rows: without columns that are null or repeat one value,
    for which to set up zstd takes longer than to write them.
    """
    there = [
        paths
        for column, paths, name in zip(table.columns, shape.paths, table.schema.names, strict=True)
        if column.null_count < table.num_rows and name not in shape.same
    ]
    packed = [path for paths in there for path in paths]
    if not packed:
        return {}
    return {"compression": dict.fromkeys(packed, "ZSTD"), "compression_level": dict.fromkeys(packed, LEVEL)}


def _is_long(kind: pa.DataType) -> bool:
    """Whether a type is left without statistics, as text, binary and nested types are: minima take long to find."""
    return isinstance(kind, pa.BaseExtensionType) or pa.types.is_nested(kind) or kind in {pa.string(), pa.binary()}


def _choose(path: str, column: pa.Array, few: list[str]) -> None:
    """Add the path of a column, or those of its leaves, to `few` if its values are few."""
    if column.null_count == len(column):
        return
    if pa.types.is_struct(column.type):
        for index in range(column.type.num_fields):
            name = column.type.field(index).name
            _choose(f"{path}.{name}", pc.struct_field(column, index), few)
    elif pa.types.is_list(column.type):
        _choose(f"{path}.list.element", pc.list_flatten(column), few)
    elif pa.types.is_boolean(column.type):
        return
    elif _are_few(column):
        few.append(path)


def _are_few(column: pa.Array) -> bool:
    """Whether the values that are not null repeat often enough for a dictionary."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.indices
    there: int = len(column) - column.null_count
    distinct: int = pc.count_distinct(column).as_py()
    return bool(0 < distinct * FEW <= there)

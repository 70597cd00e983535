"""How a Parquet file is written: which columns as dictionaries, how positions are packed, how all is compressed.

Dictionaries pay for values that come again and cost time for all others, so each column is looked at: in the first
rows of a file its distinct values are counted.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

LEVEL = 1  # of zstd: as cheap as snappy, and 40 % smaller
SAMPLE = 4096  # rows that are looked at
FEW = 8  # as many times must a value come on average
RISING = frozenset({"_pos", "_seq", "_row", "pos", "end", "seq"})  # delta encoding: a byte or two each
NEVER = frozenset({"body", "damage"})  # few only by chance


def writer_arguments(sample: pa.RecordBatch | pa.Table) -> dict[str, Any]:
    """The arguments of `pyarrow.parquet.ParquetWriter` beside the place and the schema."""
    head = sample.slice(0, SAMPLE)
    if isinstance(head, pa.Table):
        head = pa.RecordBatch.from_struct_array(head.to_struct_array().combine_chunks())
    few: list[str] = []
    packed: dict[str, str] = {}
    ranged: list[str] = []
    for index, field in enumerate(head.schema):
        if field.name in RISING:
            packed[field.name] = "DELTA_BINARY_PACKED"
        elif field.name not in NEVER:
            _choose(field.name, head.column(index), few)
        if field.name == "_gtid" or not _is_long(field.type):
            ranged.append(field.name)
    return {
        "compression": "zstd",
        "compression_level": LEVEL,
        "use_dictionary": few,
        "column_encoding": packed,
        "write_statistics": ranged,
        "store_schema": False,
    }


def _is_long(kind: pa.DataType) -> bool:
    """Whether the least and the greatest of values say little, and take long to find: texts, and parts of others."""
    return isinstance(kind, pa.BaseExtensionType) or pa.types.is_nested(kind) or kind in {pa.string(), pa.binary()}


def _choose(path: str, column: pa.Array, few: list[str]) -> None:
    """Put the path of a column, or those of its parts, to the others if its values are few."""
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
    """Whether the values that are there come often enough."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        column = column.indices
    there: int = len(column) - column.null_count
    distinct: int = pc.count_distinct(column).as_py()
    return bool(0 < distinct * FEW <= there)

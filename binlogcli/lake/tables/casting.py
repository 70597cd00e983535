"""Batches of one version of a table cast to the columns that hold all its versions.

Where only text holds the values of all, it is what `duckdb_views` makes of them, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Names = Mapping[str, str]
_SAME: Names = MappingProxyType({})
_BEFORE = "_before."  # before the names of columns that images before an update lack


def fitted(batch: pa.RecordBatch, target: pa.Schema, renamed: Names = _SAME) -> pa.RecordBatch:
    """Return the batch with the target's columns, by name without case; null where the batch has none.

    `renamed` has by names of the batch's columns those that they have in the target.
    """
    names = _places(batch.schema.names, renamed)
    columns = []
    for field in target:
        at = names.get(field.name.lower(), -1)
        if at < 0:
            columns.append(pa.nulls(batch.num_rows, field.type))
        elif field.name == "_absent" and renamed:
            columns.append(_renamed_names(batch.column(at), renamed))
        else:
            columns.append(_cast(batch.column(at), field.type, renamed))
    return pa.RecordBatch.from_arrays(columns, schema=target)


def _places(names: list[str], renamed: Names) -> dict[str, int]:
    """Return the places of columns by their names in the target, in lower case."""
    return {renamed.get(name, name).lower(): at for at, name in enumerate(names)}


def _renamed_names(array: pa.Array, renamed: Names) -> pa.Array:
    """Return the lists of columns that images lack, with the target's names."""
    names = dict(renamed) | {_BEFORE + name: _BEFORE + now for name, now in renamed.items()}
    lists = [None if one is None else [names.get(name, name) for name in one] for one in array.to_pylist()]
    return pa.array(lists, array.type)


def _cast(array: pa.Array, kind: pa.DataType, renamed: Names = _SAME) -> pa.Array:
    """Return the values as the type `kind`."""
    if array.type.equals(kind):
        return array
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, _cast(array, kind.storage_type))
    if isinstance(array, pa.ExtensionArray):
        return _cast(array.storage, kind)
    if pa.types.is_dictionary(array.type):
        return _cast(array.dictionary_decode(), kind)
    if pa.types.is_struct(kind):
        return _cast_struct(array, kind, renamed)
    if pa.types.is_list(kind) and pa.types.is_list(array.type):
        offsets = pa.concat_arrays([array.offsets])
        return pa.ListArray.from_arrays(offsets, _cast(array.values, kind.value_type), type=kind, mask=_nulls_of(array))
    if pa.types.is_string(kind) or (pa.types.is_binary(kind) and not pa.types.is_binary(array.type)):
        return _text(array).cast(kind)
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())  # which any number can be made of
    return array.cast(kind, safe=False) if pa.types.is_floating(kind) else array.cast(kind)


def _text(array: pa.Array) -> pa.Array:
    """Return the values as text."""
    kind = array.type
    if pa.types.is_boolean(kind):
        return array.cast(pa.int8()).cast(pa.string())
    if pa.types.is_timestamp(kind):
        return array.cast(pa.timestamp("us")).cast(pa.string())
    if pa.types.is_decimal(kind):
        return _each(array, lambda value: format(value, "f"))
    if pa.types.is_floating(kind):
        return _each(array.cast(pa.string()), _float_text)  # the shortest text of a number of this width
    if pa.types.is_list(kind):
        if pa.types.is_string(kind.value_type):
            return _each(array, ",".join)
        texts = pa.ListArray.from_arrays(pa.concat_arrays([array.offsets]), _text(array.values), mask=_nulls_of(array))
        return _each(texts, lambda values: f"[{', '.join(values)}]")
    return array.cast(pa.string())


def _each(array: pa.Array, text: Callable[[Any], str]) -> pa.Array:
    """Return the text of each value, null for null."""
    return pa.array([None if value is None else text(value) for value in array.to_pylist()], pa.string())


def _float_text(shortest: str) -> str:
    """Return a floating-point number as Python and duckdb write it."""
    return repr(float(shortest))


def _cast_struct(array: pa.StructArray, kind: pa.StructType, renamed: Names) -> pa.StructArray:
    """Cast a struct field by field, by name without case."""
    names = _places([field.name for field in array.type], renamed)
    columns = []
    for field in kind:
        at = names.get(field.name.lower(), -1)
        columns.append(pa.nulls(len(array), field.type) if at < 0 else _cast(array.field(at), field.type))
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=_nulls_of(array))


def _nulls_of(array: pa.Array) -> pa.Array | None:
    """Return the mask of the nulls; None if there is none."""
    return pc.is_null(array) if array.null_count else None

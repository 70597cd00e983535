"""Batches of one version of a table cast to the columns that hold all its versions."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def fitted(batch: pa.RecordBatch, target: pa.Schema) -> pa.RecordBatch:
    """Return the batch with the target's columns, by name without case; null where the batch has none."""
    names = {name.lower(): at for at, name in enumerate(batch.schema.names)}
    columns = []
    for field in target:
        at = names.get(field.name.lower(), -1)
        columns.append(pa.nulls(batch.num_rows, field.type) if at < 0 else _cast(batch.column(at), field.type))
    return pa.RecordBatch.from_arrays(columns, schema=target)


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return the values as the type `kind`."""
    if array.type.equals(kind):
        return array
    if isinstance(array, pa.ExtensionArray):
        return _cast(array.storage, kind)
    if pa.types.is_dictionary(array.type):
        return _cast(array.dictionary_decode(), kind)
    if pa.types.is_struct(kind):
        return _cast_struct(array, kind)
    if pa.types.is_list(kind) and pa.types.is_list(array.type):
        offsets = pa.concat_arrays([array.offsets])
        return pa.ListArray.from_arrays(offsets, _cast(array.values, kind.value_type), type=kind, mask=_nulls_of(array))
    if pa.types.is_string(kind) and pa.types.is_list(array.type):
        return pa.array([None if value is None else ",".join(value) for value in array.to_pylist()], kind)
    return array.cast(kind, safe=False) if pa.types.is_floating(kind) else array.cast(kind)


def _cast_struct(array: pa.StructArray, kind: pa.StructType) -> pa.StructArray:
    """Cast a struct field by field, by name without case."""
    names = {field.name.lower(): at for at, field in enumerate(array.type)}
    columns = []
    for field in kind:
        at = names.get(field.name.lower(), -1)
        columns.append(pa.nulls(len(array), field.type) if at < 0 else _cast(array.field(at), field.type))
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=_nulls_of(array))


def _nulls_of(array: pa.Array) -> pa.Array | None:
    """Return the mask of the nulls; None where there is none."""
    return pc.is_null(array) if array.null_count else None

"""`_key`: the values of a row's primary key after the change, also where the image after an update leaves them out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from binlogcli.lake.tables.types import TableSchema


def key_type(schema: TableSchema, own: Sequence[pa.Field]) -> pa.DataType:
    """Return the type of `_key` by the fields of the table's columns."""
    fields = {field.name: field for field in own}
    return pa.struct([fields[name] for name in schema.primary_key])


def key_array(
    schema: TableSchema, own: Sequence[pa.Array], before: Callable[[], Sequence[pa.Array]] | None
) -> pa.Array:
    """Return the keys of rows with the columns `own`; `before`, given where images lack columns, those before updates.

    An image before an update always has the key; that after it lacks what the update leaves as it is, if images are
    MINIMAL. Columns of a primary key are never NULL.
    """
    places = {column.name: at for at, column in enumerate(schema.columns)}
    arrays = [own[places[name]] for name in schema.primary_key]
    if before is not None and any(array.null_count for array in arrays):
        earlier = before()
        arrays = [_either(own[places[name]], earlier[places[name]]) for name in schema.primary_key]
    return pa.StructArray.from_arrays(arrays, names=list(schema.primary_key))


def _either(value: pa.Array, other: pa.Array) -> pa.Array:
    """Return the values, in place of nulls those of the other array."""
    if value.null_count == 0:
        return value
    if pa.types.is_dictionary(value.type):
        return pc.coalesce(value.dictionary_decode(), other.dictionary_decode()).dictionary_encode()
    return pc.coalesce(value, other)

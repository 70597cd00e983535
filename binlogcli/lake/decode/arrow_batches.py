"""Tables and events as Arrow record batches, over the memory of the column buffers: nothing is copied."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from binlogcli.lake.decode.columns.key_columns import key_array, key_type
from binlogcli.lake.decode.columns.row_origins import (
    ABSENCE,
    NUMBER,
    OPERATION,
    PLACE,
    SEQUENCE,
    SERVER,
    THREAD,
    TIME,
    TRANSACTION,
)
from binlogcli.lake.decode.columns.transaction_columns import OUTCOMES
from binlogcli.lake.sequence import halves_of
from binlogcli.lake.tables import types
from binlogcli.lake.tables.types import LABEL, METADATA, SEQUENCE_TYPE, UTC, LakeColumn, TableSchema, has_metadata
from binlogcli.names.event_types import event_type_name
from binlogcli.names.flags import flag_names

if TYPE_CHECKING:
    from binlogcli.lake.decode.batches import EventRows, TableRows
    from binlogcli.lake.decode.columns.transaction_columns import TransactionColumns
    from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer

_OUTCOMES = pa.array(OUTCOMES)
_OPERATIONS = pa.array(["insert", "update", "delete"])
UPDATE = 1
_UTC_TYPE = pa.timestamp("us", tz="UTC")
_PLAIN = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
    "float64": pa.float64(),
    "date32": pa.date32(),
    "timestamp[us]": pa.timestamp("us"),
    UTC: _UTC_TYPE,
    "string": pa.string(),
    "binary": pa.binary(),
    "json": pa.json_(),
    LABEL: pa.dictionary(pa.int32(), pa.string()),
}
EVENT_COLUMNS = (
    ("file", LABEL),
    ("pos", "int64"),
    ("end", "int64"),
    ("within", "int64"),
    ("time", UTC),
    ("type", LABEL),
    ("type_code", "int16"),
    ("server_id", "int64"),
    ("flags", "list<string>"),
    ("crc32", "int64"),
    ("gtid", LABEL),
    ("database", LABEL),
    ("table", LABEL),
    ("rows", "int32"),
    ("body", LABEL),
    ("damage", "string"),
    ("seq", SEQUENCE_TYPE),
)


@lru_cache(maxsize=512)
def arrow_type(kind: str) -> pa.DataType:
    """Return the Arrow type for the name of a type (see `tables.types`)."""
    if kind.startswith("list<"):
        return pa.list_(arrow_type(kind[5:-1]))
    if kind.startswith("decimal("):
        precision, scale = kind[8:-1].split(",")
        return pa.decimal128(int(precision), int(scale))
    return _PLAIN[kind]


@lru_cache(maxsize=64)
def arrow_schema(schema: TableSchema | None) -> pa.Schema:
    """Return the Arrow schema of a table's batches, or of those of events (None)."""
    if schema is None:
        return pa.schema([pa.field(name, arrow_type(kind)) for name, kind in EVENT_COLUMNS])
    own = [pa.field(column.name, arrow_type(column.type)) for column in schema.columns]
    structs = {"_before": pa.struct(own), "_key": key_type(schema, own)}
    metadata = [pa.field(name, structs.get(name) or _metadata_type(name, kind)) for name, kind in schema.metadata]
    return pa.schema(own + metadata)


def table_arrow_schema(columns: Sequence[tuple[str, str]], *, columns_only: bool, key: Sequence[str]) -> pa.Schema:
    """Return the Arrow schema of a table with these columns (name, type) as readers see it: without dictionaries.

    `key` are the columns of its primary key.
    """
    own = [pa.field(name, _seen_type(kind)) for name, kind in columns]
    keys = [field for name in key for field in own if field.name == name]
    structs = {"_before": pa.struct(own), "_key": pa.struct(keys)}
    metadata = [
        pa.field(name, structs.get(name) or _seen_type(kind))
        for name, kind in METADATA
        if has_metadata(name, columns_only, key)
    ]
    return pa.schema(own + metadata)


def _seen_type(kind: str) -> pa.DataType:
    """Return the Arrow type for the name of a type, for labels and JSON that of strings."""
    return pa.string() if kind in (LABEL, "json") else arrow_type(kind)


def _metadata_type(name: str, kind: str) -> pa.DataType:
    """Return the Arrow type of a metadata column; GTIDs are a dictionary in memory."""
    return arrow_type(LABEL) if name == "_gtid" else arrow_type(kind)


# columns ------------------------------------------------------------------------------------------------------------


def column_array(buffer: ColumnBuffer, kind: str, count: int) -> pa.Array:
    """Return a buffer as an array of `count` values of a type."""
    target = arrow_type(kind)
    if buffer.count == 0:
        return pa.nulls(count, target)
    buffer.finish(count)
    if kind == "json":
        return pa.ExtensionArray.from_storage(target, _plain_array(buffer, pa.string(), count))
    if kind == "bool":
        return _plain_array(buffer, pa.uint8(), count).cast(target)
    if kind == LABEL:
        return pa.DictionaryArray.from_arrays(_plain_array(buffer, pa.int32(), count), _labels(buffer), safe=False)
    if kind.startswith("list<"):
        return _list_array(buffer, target, count)
    return _plain_array(buffer, target, count)


def _plain_array(buffer: ColumnBuffer, target: pa.DataType, count: int) -> pa.Array:
    parts = [_valid(buffer, count), _part(buffer.data, buffer.size)]
    if buffer.width == 0:
        parts.insert(1, _part(buffer.ends, 4 * (count + 1)))
    return pa.Array.from_buffers(target, count, parts, buffer.nulls)


def _list_array(buffer: ColumnBuffer, target: pa.DataType, count: int) -> pa.Array:
    """Return lists of numbers, or of labels by their numbers."""
    inner = pa.int32() if buffer.labels is not None else target.value_type
    size = buffer.size // buffer.unit
    values = pa.Array.from_buffers(inner, size, [None, _part(buffer.data, buffer.size)], 0)
    if buffer.labels is not None:
        values = _labels(buffer).take(values) if size else _texts(())
    parts = [_valid(buffer, count), _part(buffer.ends, 4 * (count + 1))]
    return pa.Array.from_buffers(target, count, parts, buffer.nulls, children=[values])


def _part(data: bytearray, size: int) -> pa.Buffer:
    return pa.py_buffer(memoryview(data)[:size])


def _valid(buffer: ColumnBuffer, count: int) -> pa.Buffer | None:
    return _part(buffer.valid, (count + 7) // 8) if buffer.nulls else None


def _labels(buffer: ColumnBuffer) -> pa.Array:
    return _texts(tuple(types.readable(label) for label in buffer.labels or []))


def _repeated(value: str, count: int) -> pa.Array:
    """Return a text `count` times, as a dictionary."""
    indices = pa.Array.from_buffers(pa.int32(), count, [None, pa.py_buffer(bytes(4 * count))], 0)
    return pa.DictionaryArray.from_arrays(indices, _texts((value,)), safe=False)


@lru_cache(maxsize=64)
def _texts(values: tuple[str, ...]) -> pa.Array:
    """Return texts as an array, made once for many batches."""
    return pa.array(values, pa.string())


def _chosen(values: Sequence[Any], target: pa.DataType, indices: pa.Array) -> pa.Array:
    """Return the value at each index."""
    return pa.array(values, target).take(indices)


# batches ------------------------------------------------------------------------------------------------------------


def table_batch(
    rows: TableRows, schema: TableSchema, file: str, base: int, names: Collection[str] | None = None
) -> pa.RecordBatch:
    """Return the rows of a table as a batch of the columns `names`, or of all.

    `file` is the value of `_file`, `base` that of `_seq` at position 0.
    """
    count = rows.count
    origins, transactions = rows.origins, rows.transactions
    operations = column_array(origins.column(OPERATION, 4), "int32", count)
    own = _image(schema.columns, rows.sink.columns, count)
    numbers, indices = origins.distinct(TRANSACTION)
    used = column_array(numbers, "int32", numbers.count)
    transaction_at = column_array(indices, "int32", count)

    def shared(buffer: ColumnBuffer, kind: str) -> pa.Array:
        return column_array(buffer, kind, transactions.closed).take(used).take(transaction_at)

    def earlier() -> list[pa.Array]:
        return _image(schema.columns, rows.sink.before, count)

    made: dict[str, Callable[[], pa.Array]] = {
        "_op": lambda: pa.DictionaryArray.from_arrays(operations, _OPERATIONS, safe=False),
        "_before": lambda: _before(schema, rows, operations),
        "_key": lambda: key_array(schema, own, earlier if len(rows.absent) > 1 and rows.sink.before else None),
        "_ts": lambda: column_array(origins.column(TIME, 8), UTC, count),
        "_commit_ts": lambda: shared(transactions.commits, UTC),
        "_gtid": lambda: _gtids(
            column_array(transactions.gtids, "string", transactions.count).take(used), transaction_at
        ),
        "_outcome": lambda: _outcomes(shared(transactions.outcomes, "int32")),
        "_xa": lambda: _xas(transactions, shared) if transactions.xas.count > 0 else pa.nulls(count, arrow_type(LABEL)),
        "_xid": lambda: shared(transactions.xids, "int64"),
        "_server_id": lambda: column_array(origins.column(SERVER, 8), "int64", count),
        "_thread_id": lambda: column_array(origins.column(THREAD, 8), "int64", count),
        "_file": lambda: _repeated(types.readable(file), count),
        "_pos": lambda: column_array(origins.column(PLACE, 8), "int64", count),
        "_row": lambda: column_array(origins.rising(NUMBER, 4), "int32", count),
        "_seq": lambda: _sequence(origins.rising(SEQUENCE, 8), base, count),
        "_absent": lambda: _absences(rows, count),
    }
    if names is None:
        metadata = [made[name]() for name, _ in schema.metadata]
        return pa.RecordBatch.from_arrays(own + metadata, schema=arrow_schema(schema))
    values = {column.name: array for column, array in zip(schema.columns, own, strict=True)}
    fields = [field for field in arrow_schema(schema) if field.name in names]
    arrays = [values[field.name] if field.name in values else made[field.name]() for field in fields]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def _image(columns: Sequence[LakeColumn], buffers: list[ColumnBuffer], count: int) -> list[pa.Array]:
    """Return the columns of rows before or after the change; a companion's buffer hangs on its column's."""
    arrays = []
    at = -1
    for column in columns:
        if column.companion:
            arrays.append(column_array(buffers[at].more, column.type, count))
        else:
            at += 1
            arrays.append(column_array(buffers[at], column.type, count))
    return arrays


def _before(schema: TableSchema, rows: TableRows, operations: pa.Array) -> pa.Array:
    """Return the rows before updates; null for inserts and deletes."""
    count = rows.count
    target = arrow_schema(schema).field("_before").type
    if not rows.sink.before:
        return pa.nulls(count, target)
    updates = pc.equal(operations, UPDATE)
    arrays = _image(schema.columns, rows.sink.before, count)
    return pa.Array.from_buffers(target, count, [updates.buffers()[1]], children=arrays)


def _absences(rows: TableRows, count: int) -> pa.Array:
    """Return the names of the columns that each row's images lack, mostly none."""
    target = arrow_type("list<string>")
    if len(rows.absent) == 1:
        ends = pa.py_buffer(bytes(4 * (count + 1)))
        return pa.Array.from_buffers(target, count, [None, ends], 0, children=[_texts(())])
    return _chosen(rows.absent, target, column_array(rows.origins.column(ABSENCE, 4), "int32", count))


def _outcomes(codes: pa.Array) -> pa.Array:
    """Return what became of transactions by their codes."""
    return pa.DictionaryArray.from_arrays(codes, _OUTCOMES, safe=False)


def _xas(transactions: TransactionColumns, shared: Callable[[ColumnBuffer, str], pa.Array]) -> pa.Array:
    """Return the identifiers of prepared XA transactions, each once in the dictionary."""
    return shared(transactions.xas, "string").dictionary_encode()


def _sequence(numbers: ColumnBuffer, base: int, count: int) -> pa.Array:
    """Return numbers in a log as those over all logs."""
    low, high = halves_of(base)
    return column_array(numbers.lengthened(low, high), SEQUENCE_TYPE, count)


def _gtids(texts: pa.Array, indices: pa.Array) -> pa.Array:
    """Return GTIDs by index."""
    if texts.null_count:  # pyarrow's Parquet writer needs the nulls among the indices
        indices = pc.if_else(texts.is_valid().take(indices), indices, None)
        texts = texts.fill_null("")
    return pa.DictionaryArray.from_arrays(indices, texts, safe=False)


def event_batch(events: EventRows, file: str, base: int) -> pa.RecordBatch:
    """Return events as a batch; `file` is the value of `file`, `base` that of `seq` at position 0."""
    count = events.count
    codes = column_array(events.types, "int16", count)
    transaction_at = column_array(events.transaction_at, "int32", count)
    table_at = column_array(events.table_at, "int32", count)
    gtids = column_array(events.transactions.gtids, "string", events.transactions.count)
    gtids = gtids.slice(max(events.first_transaction, 0), events.transaction_count)
    arrays = [
        _repeated(types.readable(file), count),
        column_array(events.starts, "int64", count),
        column_array(events.ends, "int64", count),
        column_array(events.within, "int64", count),
        column_array(events.times, UTC, count),
        pa.DictionaryArray.from_arrays(codes.cast(pa.int32()), _TYPE_NAMES, safe=False),
        codes,
        column_array(events.servers, "int64", count),
        _flags(column_array(events.flags, "int32", count)),
        column_array(events.checksums, "int64", count),
        _gtids(gtids, transaction_at),
        _labelled(table_at, [types.readable(database) for database, _ in events.tables]),
        _labelled(table_at, [types.readable(table) for _, table in events.tables]),
        column_array(events.rows, "int32", count),
        _bodies(events),
        column_array(events.damages, "string", count),
        _sequence(events.sequence, base, count),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(None))


_TYPE_NAMES = pa.array([event_type_name(code) for code in range(256)])


def _labelled(indices: pa.Array, values: list[str]) -> pa.Array:
    """Return texts by index, each once in the dictionary, as pyarrow's Parquet writer needs them."""
    places = {value: at for at, value in enumerate(dict.fromkeys(values))}
    if len(places) < len(values):
        indices = _chosen([places[value] for value in values], pa.int32(), indices)
        values = list(places)
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.string()), safe=False)


def _flags(numbers: pa.Array) -> pa.Array:
    """Return the names of the header's flags."""
    encoded = numbers.dictionary_encode()
    names = [list(flag_names("header", number)) for number in encoded.dictionary.to_pylist()]
    return _chosen(names, arrow_type("list<string>"), encoded.indices)


def _bodies(events: EventRows) -> pa.Array:
    """Return the bodies as a dictionary; those of table maps repeat."""
    indices = column_array(events.body_at, "int32", events.count)
    bodies = column_array(events.bodies, "string", events.bodies.count)
    if len(bodies):
        once = bodies.dictionary_encode()  # pyarrow's Parquet writer needs each of them once
        indices, bodies = once.indices.take(indices), once.dictionary
    return pa.DictionaryArray.from_arrays(indices, bodies, safe=False)

"""The types of the lake as Spark names them, in the JSON of its StructType."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from types import MappingProxyType

from binlogcli.lake.tables.types import LABEL, METADATA, UTC, has_metadata

_SIGN_UNKNOWN = {"sign_unknown": True, "comment": "treated as signed: the logs do not say whether it is UNSIGNED"}


def spark_struct(
    columns: Iterable[tuple[str, str]],
    *,
    columns_only: bool = False,
    unsure: Container[str] = (),
    key: Sequence[str] = (),
) -> dict[str, object]:
    """Return the StructType of a table with these columns (name, type) and those of METADATA.

    `unsure` are the columns of unknown sign, in lower case: their fields say so. `key` are those of the primary key.
    """
    own = [
        _spark_field(name, spark_type(kind), _SIGN_UNKNOWN if name.lower() in unsure else {}) for name, kind in columns
    ]
    fields = list(own)
    parts = {"_before": own, "_key": [field for one in key for field in own if field["name"] == one]}
    for name, kind in METADATA:
        if has_metadata(name, columns_only, key):
            struct = {"type": "struct", "fields": parts[name]} if name in parts else spark_type(kind)
            fields.append(_spark_field(name, struct))
    return {"type": "struct", "fields": fields}


def _spark_field(name: str, kind: object, metadata: Mapping[str, object] = MappingProxyType({})) -> dict[str, object]:
    return {"name": name, "type": kind, "nullable": True, "metadata": dict(metadata)}


_NAMES = {
    "bool": "boolean",
    "int8": "byte",
    "int16": "short",
    "int32": "integer",
    "int64": "long",
    "float32": "float",
    "float64": "double",
    "date32": "date",
    "timestamp[us]": "timestamp_ntz",
    UTC: "timestamp",
    "string": "string",
    LABEL: "string",
    "json": "string",
    "binary": "binary",
}


def spark_type(kind: str) -> object:
    """Return Spark's type: its name, or the fields of a nested type."""
    if kind.startswith("list<"):
        return {"type": "array", "elementType": spark_type(kind[5:-1]), "containsNull": True}
    return _NAMES.get(kind, kind)  # decimals have one notation

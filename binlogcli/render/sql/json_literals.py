"""JSON documents as SQL: a string, or calls of JSON functions where values have SQL types that JSON text lacks.

A DECIMAL, a time or bytes inside a document equal no number and no string: written as text, such a document would be
found by no WHERE.
"""

from __future__ import annotations

from binlogcli.binary.json_writer import json_bytes
from binlogcli.names import column_types
from binlogcli.render.sql.quoting import hex_literal, text_literal
from binlogcli.rows.readers.jsonb import JsonReader, opaque

_DATE, _TIME, _DATETIME = b"DATE", b"TIME(6)", b"DATETIME(6)"
_TEMPORAL = {
    column_types.TIMESTAMP: _DATETIME,
    column_types.DATE: _DATE,
    column_types.TIME: _TIME,
    column_types.DATETIME: _DATETIME,
    column_types.NEWDATE: _DATE,
}
_TEMPORAL_SIZE = 8


class Typed:
    """A value of an SQL type inside a document, as an SQL expression of that type."""

    def __init__(self, expression: bytes) -> None:
        self.expression = expression


class TypedReader(JsonReader):
    """Reads a document with its values of SQL types as Typed; `typed` says whether there was one."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.typed = False

    def opaque(self, kind: int, raw: bytes) -> object:
        """Return a value of an SQL type as Typed."""
        self.typed = True
        value = opaque(kind, raw)
        if not isinstance(value, str):  # a Decimal
            return Typed(b"CAST(%s AS DECIMAL(%d,%d))" % (format(value, "f").encode("ascii"), raw[0], raw[1]))
        if kind in _TEMPORAL and len(raw) == _TEMPORAL_SIZE:
            return Typed(b"CAST('" + str(value).encode("ascii") + b"' AS " + _TEMPORAL[kind] + b")")
        return Typed(hex_literal(raw))


def document_literal(data: bytes) -> bytes:
    """Return a binary JSON document as an expression that a column or CAST AS JSON takes."""
    if not data:
        return b"'null'"
    reader = TypedReader(data)
    document = reader.value(data[0], 1, 0)
    return expression(document) if reader.typed else _json_literal(document)


def expression(document: object) -> bytes:
    """Return a document with Typed values as calls of JSON_OBJECT, JSON_ARRAY and CAST."""
    if isinstance(document, dict):
        pairs = [text_expression(key) + b", " + _part(value) for key, value in document.items()]
        return b"JSON_OBJECT(" + b", ".join(pairs) + b")"
    if isinstance(document, list):
        return b"JSON_ARRAY(" + b", ".join(_part(value) for value in document) + b")"
    return b"CAST(" + _part(document) + b" AS JSON)"


def _part(value: object) -> bytes:
    """Return a value as an argument of JSON_OBJECT or JSON_ARRAY."""
    if isinstance(value, Typed):
        return value.expression
    if isinstance(value, (dict, list)):
        return expression(value)
    if isinstance(value, str):
        return text_expression(value)
    return b"NULL" if value is None else b"CAST(" + _json_literal(value) + b" AS JSON)"


def _json_literal(document: object) -> bytes:
    """Return a document without Typed values as an SQL string of JSON."""
    return text_expression(json_bytes(document).decode("utf-8"))


def text_expression(text: str) -> bytes:
    """Return text as an SQL string, in hex where it cannot be shown."""
    return text_literal(text) or b"_utf8mb4 " + hex_literal(text.encode("utf-8", "surrogateescape"))

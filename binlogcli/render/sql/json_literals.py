"""JSON documents as SQL: text, or where values have types that JSON lacks, the functions that make such a document.

A DECIMAL, a time or bytes in a document equal no number and no string: as text they would be found again by no WHERE.
"""

from __future__ import annotations

import decimal

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
    """A value of an SQL type, as an expression of that type."""

    def __init__(self, expression: bytes) -> None:
        self.expression = expression


class TypedReader(JsonReader):
    """A document whose values of SQL types keep them."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.typed = False

    def opaque(self, kind: int, raw: bytes) -> object:
        """A value of an SQL type."""
        self.typed = True
        value = opaque(kind, raw)
        if isinstance(value, decimal.Decimal):
            return Typed(b"CAST(%s AS DECIMAL(%d,%d))" % (format(value, "f").encode("ascii"), raw[0], raw[1]))
        if kind in _TEMPORAL and len(raw) == _TEMPORAL_SIZE:
            return Typed(b"CAST('" + str(value).encode("ascii") + b"' AS " + _TEMPORAL[kind] + b")")
        return Typed(hex_literal(raw))


def document_literal(data: bytes) -> bytes:
    """A document as a column or CAST AS JSON takes it."""
    if not data:
        return b"'null'"
    reader = TypedReader(data)
    document = reader.value(data[0], 1, 0)
    return expression(document) if reader.typed else _json_literal(document)


def expression(document: object) -> bytes:
    """A document that values of SQL types stand in."""
    if isinstance(document, dict):
        pairs = [text_expression(key) + b", " + _part(value) for key, value in document.items()]
        return b"JSON_OBJECT(" + b", ".join(pairs) + b")"
    if isinstance(document, list):
        return b"JSON_ARRAY(" + b", ".join(_part(value) for value in document) + b")"
    return b"CAST(" + _part(document) + b" AS JSON)"


def _part(value: object) -> bytes:
    """A value as an argument of JSON_OBJECT or JSON_ARRAY."""
    if isinstance(value, Typed):
        return value.expression
    if isinstance(value, (dict, list)):
        return expression(value)
    if isinstance(value, str):
        return text_expression(value)
    return b"NULL" if value is None else b"CAST(" + _json_literal(value) + b" AS JSON)"


def _json_literal(document: object) -> bytes:
    """A JSON document as an SQL string."""
    return text_expression(json_bytes(document).decode("utf-8"))


def text_expression(text: str) -> bytes:
    """Text as an SQL string."""
    return text_literal(text) or b"_utf8mb4 " + hex_literal(text.encode("utf-8", "surrogateescape"))

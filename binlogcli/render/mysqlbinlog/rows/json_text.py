"""MySQL's JSON as mysqlbinlog prints it: documents as text, partial updates as calls of JSON functions."""

from __future__ import annotations

import decimal
import json
from collections.abc import Iterator

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.render.mysqlbinlog.rows import byte_loops
from binlogcli.rows.readers.jsonb import OPERATIONS, read_document

_FUNCTIONS = {"replace": b"JSON_REPLACE", "insert": b"JSON_INSERT", "remove": b"JSON_REMOVE"}
_BREAK = b"\n###      "


def document_text(data: bytes) -> bytes:
    """Return a document as text; a document that is one string, without its quotes. Raises `DecodeError`."""
    value = read_document(data)
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else canonical(value)


def canonical(value: object) -> bytes:
    """Return a JSON value as the server prints it."""
    return "".join(_pieces(value)).encode("utf-8", "surrogateescape")


def _pieces(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)
    elif isinstance(value, dict):
        separator = "{"
        for key, item in value.items():
            yield f"{separator}{json.dumps(key, ensure_ascii=False)}: "
            yield from _pieces(item)
            separator = ", "
        yield "}" if value else "{}"
    elif isinstance(value, list):
        separator = "["
        for item in value:
            yield separator
            yield from _pieces(item)
            separator = ", "
        yield "]" if value else "[]"
    else:
        yield _scalar(value)


def _scalar(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    return format(value, "f") if isinstance(value, decimal.Decimal) else str(value)


def double_text(value: float) -> str:
    """Return the shortest text of a double in the server's form: 1.0, 1e20, 1e-7."""
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return f"{mantissa}e{int(exponent)}"
    return text


def diff_text(data: bytes, column: int) -> bytes:
    """Return the changes of a partial update of column @N, adjacent ones of a kind in one call.

    Raises `DecodeError`.
    """
    changes = list(_changes(data))
    calls = [name for at, (name, _, _) in enumerate(changes) if at == 0 or name != changes[at - 1][0]]
    text = [name + b"(" + _BREAK for name in calls[:0:-1]]
    text += [calls[0] + b"("] if calls else []
    text.append(b"@%d" % column)
    separator = b", "
    for at, (name, path, value) in enumerate(changes):
        text += (separator, quoted(path)) if value is None else (separator, quoted(path), b", ", value)
        separator = b"," + _BREAK
        if at + 1 == len(changes) or changes[at + 1][0] != name:
            text.append(b")")
    return b"".join(text)


def _changes(data: bytes) -> Iterator[tuple[bytes, bytes, bytes | None]]:
    body = Cursor(data)
    while body.left() > 0:
        operation = body.u1("operation")
        if operation not in OPERATIONS:
            raise DecodeError(f"{operation} is not an operation of a JSON diff")
        path = body.take("path", body.lenenc("path_length"))
        value = None
        if OPERATIONS[operation] != "remove":
            value = _sql_value(read_document(body.take("value", body.lenenc("value_length"))))
        name = _FUNCTIONS[OPERATIONS[operation]]
        if operation == 1 and path.endswith(b"]"):
            name = b"JSON_ARRAY_INSERT"
        yield name, path, value


def _sql_value(value: object) -> bytes:
    if isinstance(value, str):
        return quoted(value.encode("utf-8", "surrogateescape"))
    if isinstance(value, (dict, list)):
        return b"CAST(" + quoted(canonical(value)) + b" AS JSON)"
    return _scalar(value).encode("ascii")


def quoted(raw: bytes) -> bytes:
    """Return bytes in quotes with the escapes of MySQL's row text."""
    target = bytearray(4 * len(raw) + 2)
    return bytes(target[: byte_loops.put_quoted(target, 0, raw, 0, len(raw), True)])

"""MySQL's binary JSON: documents, and the changes of partial updates, as Python objects.

A DECIMAL stays `decimal.Decimal`; dates and times become the text that the server prints. A document may point
anywhere inside itself, so its depth is limited, and how many bytes its keys and values have in all.
"""

from __future__ import annotations

import struct
from binascii import b2a_base64
from collections.abc import Callable

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.names import column_types
from binlogcli.rows.readers.decimal import decimal_text

_SMALL_OBJECT, _LARGE_OBJECT, _SMALL_ARRAY, LARGE_ARRAY, LITERAL = 0, 1, 2, 3, 4
STRING, _OPAQUE = 0x0C, 0x0F
_BASE64_LINE = 76
_MAX_DEPTH = 101  # the server allows 100
# A server writes keys and values side by side, so that together they are no longer than the document. An inlined value
# counts with its entry and as a value; text is then at most 12 times the document (\u0001 for a byte).
_BUDGET = 2
_LITERALS = {0: None, 1: True, 2: False}
NUMBERS = {5: "<h", 6: "<H", 7: "<i", 8: "<I", 9: "<q", 0x0A: "<Q", 0x0B: "<d"}
INLINED_SMALL = frozenset({LITERAL, 5, 6})
INLINED_LARGE = frozenset({LITERAL, 5, 6, 7, 8})
OPERATIONS = {0: "replace", 1: "insert", 2: "remove"}


def read_document(data: bytes) -> object:
    """Return the document: a type byte, then the value. No bytes at all are JSON null."""
    if not data:
        return None
    return JsonReader(data).value(data[0], 1, 0)


def read_diffs(data: bytes, read: Callable[[bytes], object] = read_document) -> list[dict[str, object]]:
    """Return the changes of a partial update in their order; `read` turns the bytes of a new value into an object."""
    body = Cursor(data)
    found = []
    while body.left() > 0:
        operation = body.u1("operation")
        if operation not in OPERATIONS:
            raise DecodeError(f"{operation} is not an operation of a JSON diff")
        change: dict[str, object] = {"op": OPERATIONS[operation], "path": body.text("path", body.lenenc("path_length"))}
        if OPERATIONS[operation] != "remove":
            change["value"] = read(body.take("value", body.lenenc("value_length")))
        found.append(change)
    return found


class JsonReader:
    """Reads one document; subclasses record where its parts are. `budget` counts the bytes it may still read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.budget = _BUDGET * len(data)

    def spend(self, size: int) -> None:
        """Count the bytes of a key, a value or a container's entries against the budget."""
        self.budget -= size
        if self.budget < 0:
            document = counted(len(self.data), "byte")
            raise DecodeError(f"a JSON document of {document} whose keys and values overlap")

    def value(self, kind: int, at: int, depth: int) -> object:
        """Return the value of a type at `at`; `DecodeError` where its bytes are not legal."""
        if depth > _MAX_DEPTH:
            raise DecodeError(f"a JSON document that is nested deeper than {_MAX_DEPTH - 1} levels")
        if kind <= LARGE_ARRAY:
            return self.container(kind, at, depth)
        if kind == LITERAL:
            self.spend(1)
            return self.literal(self.bytes(at, 1)[0])
        if kind in NUMBERS:
            size = struct.calcsize(NUMBERS[kind])
            self.spend(size)
            return struct.unpack(NUMBERS[kind], self.bytes(at, size))[0]
        if kind == STRING:
            size, at = self.length(at)
            self.spend(size + 1)
            raw = self.bytes(at, size)
            try:
                return raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DecodeError(f"a JSON string that is not UTF-8: {error.reason}") from error
        if kind == _OPAQUE:
            size, start = self.length(at + 1)
            self.spend(size + 2)
            return self.opaque(self.bytes(at, 1)[0], self.bytes(start, size))
        raise DecodeError(f"0x{kind:02x} is not a type of a JSON value")

    def opaque(self, kind: int, raw: bytes) -> object:
        """Return a value of an SQL type."""
        return opaque(kind, raw)

    def bytes(self, at: int, size: int) -> bytes:
        """Return `size` bytes; `DecodeError` where the document is shorter."""
        if not 0 <= at <= len(self.data) - size:
            document = counted(len(self.data), "byte")
            raise DecodeError(f"a JSON value at {at} extends past the end of its document of {document}")
        return self.data[at : at + size]

    def number(self, at: int, size: int) -> int:
        """Return an unsigned little-endian number of the document's structure."""
        return int.from_bytes(self.bytes(at, size), "little")

    def literal(self, code: int) -> object:
        """Return None, True or False."""
        if code not in _LITERALS:
            raise DecodeError(f"{code} is not a JSON literal")
        return _LITERALS[code]

    def length(self, at: int) -> tuple[int, int]:
        """Return a length of 7 bits a byte, low bits first, and the place after it."""
        size = 0
        for place in range(5):
            byte = self.bytes(at + place, 1)[0]
            size |= (byte & 0x7F) << (7 * place)
            if not byte & 0x80:
                return size, at + place + 1
        raise DecodeError("a JSON length of more than five bytes")

    def container(self, kind: int, start: int, depth: int) -> object:
        """Return an object or array: count, size, key entries, value entries. Offsets count from `start`."""
        width = 4 if kind in (_LARGE_OBJECT, LARGE_ARRAY) else 2
        count = self.number(start, width)
        size = self.number(start + width, width)
        is_object = kind in (_SMALL_OBJECT, _LARGE_OBJECT)
        entries = start + 2 * width
        key_entry = width + 2 if is_object else 0
        value_entry = width + 1
        if size > len(self.data) - start or entries - start + count * (key_entry + value_entry) > size:
            elements = counted(count, "element")
            raise DecodeError(f"a JSON container of {elements} does not fit its {counted(size, 'byte')}")
        self.spend(2 * width + count * (key_entry + value_entry))
        values_at = entries + count * key_entry
        keys = [self.key(entries + n * key_entry, start, width) for n in range(count if is_object else 0)]
        places = [values_at + n * value_entry for n in range(count)]
        self.see_container(start, width, places, keys if is_object else None)
        values = [self.element(place, start, width, depth) for place in places]
        return dict(zip(keys, values, strict=True)) if is_object else values

    def see_container(self, start: int, width: int, places: list[int], keys: list[str] | None) -> None:
        """Called with the places of a container's value entries before its values are read."""

    def key(self, entry: int, start: int, width: int) -> str:
        """Return the key that an entry points to: offset and length."""
        offset = self.number(entry, width)
        size = self.number(entry + width, 2)
        self.spend(size)
        return self.bytes(start + offset, size).decode("utf-8", "surrogateescape")

    def element(self, entry: int, start: int, width: int, depth: int) -> object:
        """Return the value of an entry: in the entry if it is small enough, else where the entry points."""
        kind = self.bytes(entry, 1)[0]
        if kind in (INLINED_LARGE if width == 4 else INLINED_SMALL):
            return self.value(kind, entry + 1, depth + 1)
        return self.value(kind, start + self.number(entry + 1, width), depth + 1)


def opaque(kind: int, raw: bytes) -> object:
    """Return a value of an SQL type: a Decimal, a date or time as text, else base64 as the server prints it."""
    if kind == column_types.NEWDECIMAL and len(raw) > 2:
        from decimal import Decimal  # takes a millisecond to import, and few documents need it

        return Decimal(decimal_text(Cursor(raw, 2), raw[0], raw[1]))
    temporal = _TEMPORAL.get(kind)
    if temporal is not None and len(raw) == 8:
        return temporal(int.from_bytes(raw, "little", signed=True))
    return f"base64:type{kind}:{_base64_text(raw)}"


def _base64_text(raw: bytes) -> str:
    """Return base64 as the server writes it: a line break after every 76 characters but the last."""
    text = b2a_base64(raw, newline=False).decode("ascii")
    return "\n".join(text[at : at + _BASE64_LINE] for at in range(0, len(text), _BASE64_LINE))


def _packed_date(packed: int) -> str:
    date = packed >> 41
    return f"{(date >> 5) // 13:04d}-{(date >> 5) % 13:02d}-{date & 31:02d}"


def _packed_datetime(packed: int) -> str:
    time = packed >> 24
    return f"{_packed_date(packed)} {time >> 12 & 31:02d}:{time >> 6 & 63:02d}:{time & 63:02d}.{packed & 0xFFFFFF:06d}"


def _packed_time(packed: int) -> str:
    sign = "-" if packed < 0 else ""
    packed = abs(packed)
    time = packed >> 24
    return f"{sign}{time >> 12 & 1023:02d}:{time >> 6 & 63:02d}:{time & 63:02d}.{packed & 0xFFFFFF:06d}"


_TEMPORAL: dict[int, Callable[[int], str]] = {
    column_types.DATE: _packed_date,
    column_types.NEWDATE: _packed_date,
    column_types.DATETIME: _packed_datetime,
    column_types.TIMESTAMP: _packed_datetime,
    column_types.TIME: _packed_time,
}

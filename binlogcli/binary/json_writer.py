"""Values as JSON, alike wherever they are written: the command line promises this form."""

from __future__ import annotations

import math
import struct

from binlogcli.binary.long_text import LongText
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.names.shared import SharedList

_KEYS: dict[str, bytes] = {}  # names of fields and columns as JSON strings
_MAX_KEYS = 10000
_SCRATCH = TextBuffer()  # where texts are made that are kept
_QUOTE = 0x22
_LARGEST = 0x7FFFFFFFFFFFFFFF
_WINDOW = 1 << 16  # of a long text: characters that are written at a time
_LONGEST_KEY = 256  # a JSON document's may be longer, but hardly many


def json_bytes(value: object) -> bytes:
    """Return a value as JSON."""
    begun = _SCRATCH.size  # not always 0: this may be called while a list inside of another is made
    put_json(_SCRATCH, value)
    text = bytes(_SCRATCH.content()[begun:])
    _SCRATCH.size = begun
    return text


def put_json(out: TextBuffer, value: object) -> None:
    """Write any value as JSON: bytes as {"hex": ...}, decimals as numbers with all their digits."""
    if isinstance(value, str):
        put_json_str(out, value)
    elif value is None or isinstance(value, bool):
        out.put(b"null" if value is None else b"true" if value else b"false")
    elif isinstance(value, int):
        _put_integer(out, value)
    elif isinstance(value, SharedList):
        if value.text is None:
            value.text = json_bytes(value.copy())
        out.put(value.text)
    elif isinstance(value, (bytes, memoryview)):
        out.put(b'{"hex": "')
        put_hex(out, value)
        out.put(b'"}')
    elif isinstance(value, float):
        put_number(out, value)
    elif isinstance(value, dict):
        _put_object(out, value)
    elif isinstance(value, (list, tuple)):
        _put_array(out, value)
    elif isinstance(value, LongText):
        _put_long(out, value)
    else:
        _put_other(out, value)


def _put_other(out: TextBuffer, value: object) -> None:
    """Write a decimal as a number, anything else as text."""
    from decimal import Decimal  # takes a millisecond to import, and few logs need it

    if isinstance(value, Decimal):
        out.put(format(value, "f").encode("ascii"))
    else:
        put_json_str(out, str(value))


def _put_integer(out: TextBuffer, value: int) -> None:
    """Write a number of any size."""
    if -_LARGEST <= value <= _LARGEST:
        out.put_int(value)
    else:
        out.put(b"%d" % value)


def _put_object(out: TextBuffer, value: dict[str, object]) -> None:
    """Write a JSON object, keys in their order."""
    separator = b"{"
    for key, item in value.items():
        out.put(separator)
        put_key(out, key)
        put_json(out, item)
        separator = b", "
    out.put(b"}" if value else b"{}")


def _put_array(out: TextBuffer, value: list[object] | tuple[object, ...]) -> None:
    """Write a JSON array."""
    separator = b"["
    for item in value:
        out.put(separator)
        put_json(out, item)
        separator = b", "
    out.put(b"]" if value else b"[]")


def put_number(out: TextBuffer, value: float) -> None:
    """Write the shortest number that is this double; infinity and NaN, which JSON lacks, as bytes."""
    if math.isfinite(value):
        out.put(repr(value).encode("ascii"))
    else:
        put_json(out, struct.pack("<d", value))


def put_json_str(out: TextBuffer, value: str) -> None:
    """Write a JSON string; text that was not UTF-8 in the log as its bytes."""
    if len(value) > _WINDOW and value.isascii():
        out.put_char(_QUOTE)
        for at in range(0, len(value), _WINDOW):
            out.put_json_part(value[at : at + _WINDOW].encode("ascii"))
            out.breathe()
        out.put_char(_QUOTE)
        return
    try:
        raw = value.encode("utf-8")
    except UnicodeEncodeError:
        out.put(b'{"hex": "' + value.encode("utf-8", "surrogateescape").hex().encode("ascii") + b'"}')
    else:
        out.put_json_chars(raw, 0, len(raw), True)


def _put_long(out: TextBuffer, value: LongText) -> None:
    """Write text in windows."""
    out.put_char(_QUOTE)
    for piece in value.pieces():
        out.put_json_part(piece.encode("utf-8"))
        out.breathe()
    out.put_char(_QUOTE)


def put_hex(out: TextBuffer, value: bytes | memoryview) -> None:
    """Write bytes in hex, in windows."""
    for at in range(0, len(value), _WINDOW):
        out.put(value[at : at + _WINDOW].hex().encode("ascii"))
        out.breathe()


def put_key(out: TextBuffer, key: str) -> None:
    """Write a key of a JSON object and its colon; bytes that were not UTF-8 as \\xNN."""
    known = _KEYS.get(key)
    if known is None:
        shown = key.encode("utf-8", "backslashreplace").decode("utf-8")
        known = json_bytes(key if shown == key else shown.replace("\\udc", "\\x")) + b": "
        if len(_KEYS) >= _MAX_KEYS:
            _KEYS.clear()
        if len(key) <= _LONGEST_KEY:
            _KEYS[key] = known
    out.put(known)

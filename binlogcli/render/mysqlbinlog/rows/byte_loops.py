"""The byte loops of mysqlbinlog's text: base64, quoted strings, dates, hex dumps.

The compiled modules take them from `byte_loops.pxd`, in C with each range checked; these run uncompiled. Each writes to
`target` from `at` on, which has room for it, and returns the index after it.
"""

from __future__ import annotations

import binascii
import re
from itertools import pairwise

_LINE = 57  # bytes in a line of base64
_NAMED = {8: b"\\b", 12: b"\\f", 10: b"\\n", 13: b"\\r", 9: b"\\t", 0x5C: b"\\\\", 0x27: b"\\'"}
_PLAIN_ESCAPED = rb"[\0-\x1f]"
_NAMED_ESCAPED = rb"[\0-\x1f\\']"
_ALNUM = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = bytes(byte if byte in _ALNUM else 0x2E for byte in range(256))
_PRINTABLE = bytes(byte if 0x20 <= byte < 0x7F else 0x2E for byte in range(256))


def base64_size(size: int) -> int:
    """Upper limit of the bytes that `size` bytes take in base64 with line ends."""
    return 4 * (size // 3 + 1) + size // _LINE + 2


def hexdump_size(size: int) -> int:
    """Upper limit of the bytes that the dump of `size` bytes takes."""
    return 88 * (size // 16 + 1)


def put_base64(target: bytearray, at: int, data: bytes, start: int, end: int) -> int:
    """Write data[start:end] in base64, in lines of 76 characters."""
    lines = [binascii.b2a_base64(data[place : min(place + _LINE, end)]) for place in range(start, end, _LINE)]
    return _put(target, at, b"".join(lines))


def put_quoted(target: bytearray, at: int, data: bytes, start: int, end: int, escaping: bool) -> int:
    """Write data[start:end] in quotes; bytes below 0x20 as \\xNN, or by name (\\t) where `escaping`."""
    special = _NAMED_ESCAPED if escaping else _PLAIN_ESCAPED
    text = re.sub(special, lambda match: _escape(match.group(), escaping), bytes(data[start:end]))
    return _put(target, at, b"'" + text + b"'")


def put_date(target: bytearray, at: int, year: int, month: int, day: int, separator: int) -> int:
    """Write year, month and day."""
    return _put(target, at, b"%04d%c%02d%c%02d" % (year, separator, month, separator, day))


def put_clock(target: bytearray, at: int, hour: int, minute: int, second: int) -> int:
    """Write hh:mm:ss."""
    return _put(target, at, b"%02d:%02d:%02d" % (hour, minute, second))


def put_commented(target: bytearray, at: int, data: bytes, start: int, end: int) -> int:
    """Write the non-empty lines of data[start:end], each after `#Q> `."""
    lines = data[start:end].replace(b"\r", b"\n").split(b"\n")
    return _put(target, at, b"".join(b"#Q> " + line + b"\n" for line in lines if line))


def put_header(target: bytearray, at: int, data: bytes, start: int, offset: int, mysql: bool) -> int:
    """Write the 19 bytes of an event's header in hex, field by field."""
    header = bytes(data[start : start + 19])
    fields = [header[a:b].hex(" ") for a, b in pairwise((0, 4, 5, 9, 13, 17, 19))]
    if mysql:
        return _put(target, at, (f"# {offset:08x} " + "   ".join(fields) + "\n").encode("ascii"))
    fields[1] += "  "
    return _put(target, at, (f"# {offset:8x}  |" + " |".join(fields) + "\n").encode("ascii"))


def put_hexdump(target: bytearray, at: int, data: bytes, start: int, end: int, offset: int, mysql: bool) -> int:
    """Write data[start:end] in hex and as characters, 16 bytes per line; `offset` is that of `start` in the log."""
    for place in range(start, end, 16):
        piece = bytes(data[place : min(place + 16, end)])
        cells = (piece[:8].hex(" ").ljust(24) + " " + piece[8:].hex(" ")).ljust(48 if mysql else 49)
        where = offset + place - start
        head, shown = (f"# {where:08x} ", _LETTERS) if mysql else (f"# {where:8x}  ", _PRINTABLE)
        at = _put(target, at, f"{head}{cells} |".encode("ascii") + piece.translate(shown) + b"|\n")
    return at


def _escape(byte: bytes, escaping: bool) -> bytes:
    return (_NAMED.get(byte[0]) if escaping else None) or b"\\x%02x" % byte[0]


def _put(target: bytearray, at: int, text: bytes) -> int:
    target[at : at + len(text)] = text
    return at + len(text)

"""Tables and rows as they are stored in events, and what is read of them."""

from __future__ import annotations

import decimal
import json
from typing import Any

from binlogcli.rows.sinks.python_values import Geometry
from support.logs import MYSQL, LogBuilder, json_lines

TINY, SHORT, LONG, FLOAT, DOUBLE, NULL, TIMESTAMP, LONGLONG, INT24, DATE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
TIME, DATETIME, YEAR, VARCHAR, BIT, TIMESTAMP2, DATETIME2, TIME2 = 11, 12, 13, 15, 16, 17, 18, 19
BLOB_COMPRESSED, VARCHAR_COMPRESSED, VECTOR, JSON, NEWDECIMAL, BLOB, VAR_STRING, STRING, GEOMETRY = (
    140,
    141,
    242,
    245,
    246,
    252,
    253,
    254,
    255,
)
WRITE_V1, UPDATE_V1, DELETE_V1, WRITE, UPDATE, PARTIAL_UPDATE = 23, 24, 25, 30, 31, 39
BINARY, LATIN1, UTF8MB4 = 63, 8, 45


def lenenc(value: int) -> bytes:
    return bytes([value]) if value < 251 else b"\xfc" + value.to_bytes(2, "little")


def table_map(types: list[int], metadata: bytes = b"", optional: bytes = b"", table_id: int = 7) -> bytes:
    count = lenenc(len(types))
    nulls = b"\xff" * ((len(types) + 7) // 8)
    head = table_id.to_bytes(6, "little") + b"\1\0" + b"\4shop\0" + b"\1t\0"
    return head + count + bytes(types) + lenenc(len(metadata)) + metadata + nulls + optional


def rows_event(width: int, rows: bytes, *, kind: int = WRITE_V1, present: bytes | None = None) -> bytes:
    bits = b"\xff" * ((width + 7) // 8) if present is None else present
    extra = b"\2\0" if kind in {WRITE, UPDATE, PARTIAL_UPDATE} else b""
    twice = bits if kind in {UPDATE_V1, UPDATE, PARTIAL_UPDATE} else b""
    return (7).to_bytes(6, "little") + b"\1\0" + extra + lenenc(width) + bits + twice + rows


def tlv(kind: int, value: bytes) -> bytes:
    return bytes([kind]) + lenenc(len(value)) + value


UNSIGNED = tlv(1, b"\x80")


def charset(number: int) -> bytes:
    return tlv(2, lenenc(number))


def value_of(code: int, stored: bytes, metadata: bytes = b"", optional: bytes = b"", version: str = MYSQL) -> Any:
    """The one value of a one-column table: as Python has it, and checked to be the same as JSON."""
    log = LogBuilder(version).describe().add(19, table_map([code], metadata, optional))
    log.add(WRITE_V1, rows_event(1, b"\0" + stored))
    (*_, event) = log.read()
    (row,) = event.rows
    (value,) = row.after.values()
    shown = json_value(bytes(log.log))
    if isinstance(value, (str, int, list)) or value is None:
        assert shown == value
    elif isinstance(value, decimal.Decimal):
        assert decimal.Decimal(str(shown)) == value
    elif isinstance(value, bytes):
        assert shown == {"hex": value.hex()}
    elif isinstance(value, Geometry):
        assert shown == {"srid": value.srid, "wkb": value.wkb.hex()}
    return value


def json_value(log: bytes) -> Any:
    (value,) = json_rows(log)[-1]["after"].values()
    return value


def json_rows(log: bytes) -> list[dict[str, Any]]:
    """The rows of the last event of a log, as the JSON output has them."""
    return list(json.loads(json_lines(log)[0][-1])["body"]["rows"])


D2B = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


def pack_decimal(digits: str, precision: int, scale: int) -> bytes:
    """NEWDECIMAL by the description of its layout."""
    negative = digits.startswith("-")
    whole, _, fraction = digits.lstrip("-").partition(".")
    whole, fraction = (
        whole.rjust(precision - scale, "0")[-(precision - scale) or len(whole) :],
        fraction.ljust(scale, "0"),
    )
    whole = whole if precision > scale else ""
    first = len(whole) % 9
    groups = [whole[:first], *(whole[at : at + 9] for at in range(first, len(whole), 9))]
    groups += [fraction[at : at + 9] for at in range(0, len(fraction), 9)]
    data = bytearray(b"".join(int(group).to_bytes(D2B[len(group)], "big") for group in groups if group))
    data[0] ^= 0x80
    return bytes(byte ^ 0xFF for byte in data) if negative else bytes(data)

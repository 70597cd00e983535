"""Values as rows events store them, and what the program reads from them."""

from __future__ import annotations

import decimal
import json
from typing import Any

from binlogcli.rows.sinks.python_values import Geometry
from support.bodies import WRITE_V1, rows_event, table_map
from support.logs import MYSQL, LogBuilder
from support.reading import json_lines


def value_of(code: int, stored: bytes, metadata: bytes = b"", optional: bytes = b"", version: str = MYSQL) -> Any:
    """Return the one value of a table of one column as a Python object, and assert that its JSON is equal."""
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
    """Return the rows of the last event of a log, from its JSON."""
    return list(json.loads(json_lines(log)[0][-1])["body"]["rows"])


D2B = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


def pack_decimal(digits: str, precision: int, scale: int) -> bytes:
    """Return the bytes of a NEWDECIMAL value."""
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

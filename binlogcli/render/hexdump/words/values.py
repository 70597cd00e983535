"""Values as text for the annotated hexdump: short, on one line, without control characters."""

from __future__ import annotations

import json
from decimal import Decimal

from binlogcli.binary.explained import Explained
from binlogcli.errors import counted
from binlogcli.names.charsets import decode as decode_text
from binlogcli.render.escape import visible
from binlogcli.rows.sinks.python_values import Geometry, JsonDiff

_LONGEST_CHARACTER = 4  # bytes in UTF-8; a cut may fall inside one
_BINARY_SHARE = 8  # text with more than one unprintable character in eight is shown as bytes


def quoted(text: str, limit: int, length: int = 0) -> str:
    """Return text in quotes; past `limit` (0: none) it is cut, and the number of characters left out is added.

    `length` is that of the whole text, where `text` is only its beginning.
    """
    shown = text[:limit] if limit else text
    length = length or len(text)
    if not shown.isprintable() and _odd_share(shown):
        return counted(length, "character")
    return f"'{visible(shown)}' ... {length - limit} more" if len(shown) < length else f"'{visible(text)}'"


def bare(text: str, limit: int) -> str:
    """Return text without quotes, for dates, GTIDs and reasons; cut after `limit` characters (0: never)."""
    return visible(text) if not limit or len(text) <= limit else f"{visible(text[:limit])}..."


def _odd_share(text: str) -> bool:
    """Whether so much of the text is unprintable that it is better shown as bytes."""
    odd = sum([not (char.isprintable() or char in "\n\r\t") for char in text])
    return odd > 2 and odd * _BINARY_SHARE > len(text)


def _bytes_text(raw: bytes | memoryview, limit: int) -> str:
    """Return bytes as text if they are some, else their number: the bytes themselves are drawn to the left."""
    count = counted(len(raw), "byte")
    if not raw:
        return "''"
    if not limit or len(raw) <= 2 * limit:
        text = decode_text(bytes(raw), "utf8mb4")
        return count if text is None or _odd_share(text) else quoted(text, limit)
    head = bytes(raw[: 2 * limit])
    found = [decode_text(head[: len(head) - less], "utf8mb4") for less in range(_LONGEST_CHARACTER)]
    text = next((text for text in found if text is not None), None)
    if text is None or _odd_share(text):
        return count
    shown = text[:limit]
    return f"{quoted(shown, 0)} ... {len(raw) - len(shown.encode())} more"


def value_text(value: object, limit: int) -> str:
    """Return any value as text; long ones are cut after `limit` characters (0: never)."""
    if isinstance(value, str):
        return quoted(value, limit)
    if isinstance(value, Explained):
        return value_text(value.value, limit) if value.value is not None else "null"
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes | memoryview):
        return _bytes_text(value, limit)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Geometry):
        return f"SRID {value.srid}, {counted(len(value.wkb), 'byte')} of WKB"
    text = json.dumps(plain(value), ensure_ascii=False, default=repr)
    if limit and len(text) > limit:
        text = f"{text[:limit]}... {len(text) - limit} more"
    return visible(text)


def plain(value: object) -> object:
    """Return a value in terms of JSON, as `dump --format json` writes it."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, Geometry):
        return {"srid": value.srid, "wkb": value.wkb.hex()}
    if isinstance(value, JsonDiff):
        return {"diff": [{key: plain(item) for key, item in change.items()} for change in value.changes]}
    if isinstance(value, Explained):
        return plain(value.value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value

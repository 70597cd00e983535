"""The moments in a report: numbers until the report is complete, then texts in the user's zone."""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from binlogcli.select.times import time_text


class At(int):
    """Seconds since the epoch, to be shown as a time; 0 stands for no time."""

    __slots__ = ()


def dated(value: Any, zone: tzinfo | None) -> Any:
    """Return a report with each `At` as a text as in the JSON of `dump`, or None, and with strings of valid Unicode."""
    if isinstance(value, At):
        return time_text(value, zone) if value else None
    if isinstance(value, dict):
        return {key: dated(inner, zone) for key, inner in value.items()}
    if isinstance(value, list):
        return [dated(inner, zone) for inner in value]
    return clean(value) if isinstance(value, str) else value


def clean(text: str) -> str:
    """Return a text of valid Unicode: bytes that could not be decoded become escapes."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

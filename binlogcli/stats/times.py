"""Moments in a report: numbers while it is made, texts in the user's zone when it leaves."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Any


class At(int):
    """Seconds since the epoch, to be shown as a time; 0 is none."""

    __slots__ = ()


def dated(value: Any, zone: tzinfo | None) -> Any:
    """A report in which each moment is a text as in the JSON of `dump`; None where there is none."""
    if isinstance(value, At):
        return time_text(value, zone) if value else None
    if isinstance(value, dict):
        return {key: dated(inner, zone) for key, inner in value.items()}
    if isinstance(value, list):
        return [dated(inner, zone) for inner in value]
    return clean(value) if isinstance(value, str) else value


def clean(text: str) -> str:
    """Text that is valid Unicode: bytes of a name that are no text are shown."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def time_text(seconds: int, zone: tzinfo | None) -> str:
    """ISO 8601, in UTC where no zone is wanted."""
    text = datetime.fromtimestamp(seconds, zone or UTC).isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text

"""Stretches of a log that hold no event: values in the stream, never exceptions."""

from __future__ import annotations

from typing import NamedTuple


class Damage(NamedTuple):
    """Bytes [start, end) of a log that could not be read as events, and why. `hint` is what to do about it.

    `within` is the place of the event whose decompressed content the offsets count in, or None.
    """

    start: int
    end: int
    reason: str
    hint: str = ""
    within: int | None = None


class Padding(NamedTuple):
    """Zero bytes after the last event: allocated by a file system or storage engine, never written."""

    start: int
    end: int

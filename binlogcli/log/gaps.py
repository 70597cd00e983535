"""Stretches of a log that hold no event: values that stand between events, never exceptions."""

from __future__ import annotations

from typing import NamedTuple

MISMATCH = "checksum mismatch"  # how the reason begins where all that is wrong is a checksum


class Damage(NamedTuple):
    """Bytes [start, end) of a log that could not be read as events, the reason, and in `hint` what a user can do.

    `within` is the file offset of the compressed event in whose content the offsets count; None where they count in the
    file.
    """

    start: int
    end: int
    reason: str
    hint: str = ""
    within: int | None = None


class Padding(NamedTuple):
    """Zero bytes [start, end) after the last event: allocated by a file system or storage engine, never written."""

    start: int
    end: int

"""Texts cut to a number of cells on a terminal, with an ellipsis where something is left out."""

from __future__ import annotations

from collections.abc import Callable

_ELLIPSIS = "…"


def end_of(text: str, width: int, measure: Callable[[str], int]) -> str:
    """Return the end of a path that fits `width` cells: that is the part in which paths differ."""
    if measure(text) <= width:
        return text
    start = max(len(text) - width, 0)
    while start < len(text) and measure(text[start:]) >= width:
        start += 1
    return _ELLIPSIS + text[start:]


def start_of(text: str, width: int, measure: Callable[[str], int]) -> str:
    """Return the beginning of a text that fits `width` cells."""
    if measure(text) <= width:
        return text
    end = min(len(text), width)
    while end > 0 and measure(text[:end]) >= width:
        end -= 1
    return text[:end] + _ELLIPSIS

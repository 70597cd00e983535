"""Single values of a report as text: exact for programs, with units for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.render.report.sheet_columns import BYTES, CODE, COUNT, MICROS, SECONDS, SHARE, TIME, WORDS

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_BLOCKS = " ▏▎▍▌▋▊▉█"
_BAR_WIDTH = 10


def exact(value: Any, kind: str) -> str:
    """Return a value as programs read it: without units, empty for None."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(exact(one, kind) for one in value)
    if kind == SHARE:
        return f"{float(value):.4f}"
    return str(value)


def human(value: Any, kind: str) -> str:
    """Return a value as people read it: with a separator of thousands, and units."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    return _FORMS[kind](value) if kind in _FORMS else str(value)


def size_text(count: float) -> str:
    """Return a number of bytes in the unit in which it has one to four digits."""
    for unit in _UNITS:
        if abs(count) < 1024 or unit == _UNITS[-1]:
            break
        count /= 1024
    return f"{count:,.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def amount(count: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def measured(measure: str, value: int) -> str:
    """Return the value of a measure of the timeline, whose name is a plural: 1.5 KiB, 3 rows."""
    return size_text(value) if measure == "bytes" else amount(value, measure.removesuffix("s"))


def span_text(seconds: int) -> str:
    """Return a number of seconds in the largest unit of which it is a multiple."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def duration_text(seconds: int) -> str:
    """Return seconds as days, hours, minutes and seconds; less than two minutes as seconds alone."""
    if seconds < 120:
        return span_text(seconds)
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts)


def bar(value: float, largest: float) -> str:
    """Return a bar of up to _BAR_WIDTH cells, in steps of an eighth."""
    if value <= 0 or largest <= 0:
        return ""
    eighths = max(round(8 * _BAR_WIDTH * value / largest), 1)
    return _BLOCKS[8] * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else "")


_FORMS: dict[str, Callable[[Any], str]] = {
    BYTES: size_text,
    COUNT: lambda value: f"{value:,}",
    SHARE: lambda value: f"{100 * value:.1f}%",
    SECONDS: duration_text,
    MICROS: lambda value: f"{value / 1000:,.3f} ms" if abs(value) < 1_000_000 else f"{value / 1_000_000:,.3f} s",
    WORDS: lambda value: str(value).removesuffix("_microseconds").replace("_", " "),
    CODE: lambda value: " ".join(str(value).split()),
    TIME: lambda value: str(value).replace("T", " "),
}

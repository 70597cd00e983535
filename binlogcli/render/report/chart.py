"""The timeline as a plot for terminals: bytes as columns over a time axis, other measures as lines below it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from binlogcli.render.report.cells import size_text, span_text
from binlogcli.render.report.ticks import round_above, slot_of, time_ticks

_HEIGHT = 6  # lines
_MARGIN = 14  # cells left of the columns
_TICK = 16  # cells that the label of a time needs
_SECOND = timedelta(seconds=1)
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_OTHERS = ("rows", "transactions")


def chart(rows: list[dict[str, Any]], bucket: int, width: int) -> list[str]:
    """Return the lines of the plot; none where fewer than two buckets have a time."""
    rows = [row for row in rows if row["time"]]
    if len(rows) < 2:
        return []
    times = [datetime.fromisoformat(row["time"]) for row in rows]
    count = slot_of(times[0], times[-1], bucket) + 1
    room = width - _MARGIN - 1
    joined, wide = -(-count // room), max(room // count, 1)
    places = [slot_of(times[0], at, bucket) // joined for at in times]
    columns = -(-count // joined)
    high = _highest(rows, places, columns, "bytes")
    top = round_above(max(high), binary=True)
    each = f"highest of {joined} times {span_text(bucket)}" if joined > 1 else span_text(bucket)
    lines = [f"{'bytes':>{_MARGIN - 2}}   in {each}", *_columns(high, top, wide)]
    lines += _axis(times[0], bucket * joined, columns, wide)
    for key in _OTHERS:
        values = _highest(rows, places, columns, key)
        if max(values):
            drawn = "".join(_cell(value, max(values)) * wide for value in values)
            lines += [f"{key:>{_MARGIN - 2}}   {drawn.rstrip()}", f"{'':{_MARGIN}} up to {max(values):,} in {each}"]
    return lines


def _highest(rows: list[dict[str, Any]], places: list[int], columns: int, key: str) -> list[int]:
    """Return the highest value in each column."""
    found = [0] * columns
    for row, place in zip(rows, places, strict=True):
        found[place] = max(found[place], row[key])
    return found


def _cell(value: int, top: int) -> str:
    """Return a block whose height is the value's share; the lowest one for all that is not zero."""
    return _EIGHTHS[max(round(value * 8 / top), 1)] if value else " "


def _columns(values: list[int], top: int, wide: int) -> list[str]:
    """Return the lines of the columns, with the values of their top and their middle."""
    eighths = [max(round(value * 8 * _HEIGHT / top), 1) if value else 0 for value in values]
    lines = []
    for line in range(_HEIGHT, 0, -1):
        label = size_text(top) if line == _HEIGHT else size_text(top // 2) if line == _HEIGHT // 2 else ""
        blocks = "".join(_EIGHTHS[min(max(one - 8 * (line - 1), 0), 8)] * wide for one in eighths)
        lines.append(f"{label:>{_MARGIN - 2}} {'┤' if label else '│'}{blocks}".rstrip())
    return lines


def _axis(first: datetime, step: int, columns: int, wide: int) -> list[str]:
    """Return the axis with its ticks, and their labels below it."""
    length = columns * wide
    ticks = time_ticks(first, first + step * (columns - 1) * _SECOND, max(length // _TICK, 1))
    places = {int((at - first).total_seconds()) * wide // step: label for at, label in ticks}
    line = "".join("┬" if cell in places else "─" for cell in range(length))
    labels = ""
    for cell, label in places.items():
        labels = labels.ljust(cell) + label
    return [f"{'0 B':>{_MARGIN - 2}} ┴{line}", f"{'':{_MARGIN}}{labels}"]

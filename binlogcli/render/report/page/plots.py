"""The timeline as inline SVG as wide as the page: lengths along the time axis are shares, texts keep their size.

Each measure is a track: a path of its bars, drawn in units of buckets and stretched to the width of the page. Boxes
over the first track have the numbers of each bucket, for a pointer that rests on them and for the script.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from binlogcli.render.report.cells import human, measured, size_text, span_text
from binlogcli.render.report.page.markup import text
from binlogcli.render.report.sheet_columns import TIME
from binlogcli.render.report.ticks import round_above, slot_of, time_ticks

_MOST = 1000  # bars; where there are more buckets, neighbours are added up
_HEIGHT = {"bytes": 160, "rows": 66, "transactions": 66}
_TOP = 8
_UNITS = 1000  # of the height of a track
_TICKS = 9
_FEW_TICKS = 3  # in a narrow window; one less of dates, which are wider
_MEASURES = ("bytes", "rows", "transactions")


class _Bars(NamedTuple):
    """What is drawn: `places` of the bars in units of `step` seconds after `first`, of which there are `slots`."""

    first: datetime
    step: int
    slots: int
    places: list[int]
    times: list[str]
    values: dict[str, list[int]]


def timeline(rows: list[dict[str, Any]], bucket: int) -> str:
    """Return the plot; empty where fewer than two buckets have a time (events may have none)."""
    bars = _bars([row for row in rows if row["time"]], bucket)
    if len(bars.places) < 2:
        return ""
    end = _end(bars, len(bars.places) - 1)
    tracks = [_track(bars, key) for key in _MEASURES if any(bars.values[key])]
    return (
        f'<div class="plot" id="plot" data-count="{bars.slots}" data-end="{end}">{"".join(tracks)}'
        f'<svg class="axis" width="100%" height="20" aria-hidden="true">{_axis(bars)}</svg></div>'
    )


def _bars(rows: list[dict[str, Any]], bucket: int) -> _Bars:
    """Return the buckets as bars, neighbours added up where there are more than _MOST."""
    moments = [datetime.fromisoformat(row["time"]) for row in rows]
    first = moments[0] if moments else datetime.min
    slots = [slot_of(first, moment, bucket) for moment in moments]
    joined = -(-(slots[-1] + 1) // _MOST) if slots else 1
    found: dict[int, tuple[str, list[int]]] = {}
    for row, slot in zip(rows, slots, strict=True):
        _, sums = found.setdefault(slot // joined, (row["time"], [0] * len(_MEASURES)))
        for at, key in enumerate(_MEASURES):
            sums[at] += row[key]
    values = {key: [sums[at] for _, sums in found.values()] for at, key in enumerate(_MEASURES)}
    return _Bars(
        first, bucket * joined, max(found, default=0) + 1, list(found), [time for time, _ in found.values()], values
    )


def _end(bars: _Bars, at: int) -> str:
    """Return the time at which a bar ends, in the form of the report's times."""
    moment = datetime.fromisoformat(bars.times[at]) + timedelta(seconds=bars.step)
    return moment.isoformat().replace("+00:00", "Z")


def _track(bars: _Bars, key: str) -> str:
    """Return the bars of a measure over lines at its half and its whole, with its peak in another colour."""
    values, height = bars.values[key], _HEIGHT[key]
    highest = max(values)
    top = round_above(highest, binary=key == "bytes")
    peak = values.index(highest)
    shown = size_text if key == "bytes" else "{:,.0f}".format
    title = f"{key} in {span_text(bars.step)}"
    most = f"at most {shown(highest)}, from {human(bars.times[peak], TIME)} on"
    others = [(place, value) for at, (place, value) in enumerate(zip(bars.places, values, strict=True)) if at != peak]
    grid = "".join(
        f'<line x1="0" x2="100%" y1="{y}" y2="{y}"/><text x="-8" y="{y + 4}" text-anchor="end">{shown(value)}</text>'
        for y, value in ((_TOP, top), (_TOP + (height - _TOP) // 2, top / 2), (height, 0))
        if value == int(value)
    )
    return (
        f'<p class="measure"><b>{title}</b> <span>{most}</span></p>'
        f'<svg width="100%" height="{height}" role="img" aria-label="{title}: {most}"><g class="grid">{grid}</g>'
        f'<svg class="view" y="{_TOP}" width="100%" height="{height - _TOP}" viewBox="0 0 {bars.slots} {_UNITS}" '
        f'preserveAspectRatio="none"><path class="bar" d="{_path(others, top, bars.slots)}"/>'
        f'<path class="peak" d="{_path([(bars.places[peak], highest)], top, bars.slots)}"/>'
        f"{_boxes(bars) if key == 'bytes' else ''}</svg></svg>"
    )


def _path(pairs: list[tuple[int, int]], top: int, count: int) -> str:
    """Return a path of bars: for each its place, and its height as a share of `top`."""
    wide = 0.86 if count <= 200 else 1
    return "".join(
        f"M{place} {_UNITS}V{_UNITS - max(round(_UNITS * value / top), 6)}h{wide}V{_UNITS}z"
        for place, value in pairs
        if value
    )


def _boxes(bars: _Bars) -> str:
    """Return a transparent box for each bar, with its numbers."""
    found = []
    for at, (place, time) in enumerate(zip(bars.places, bars.times, strict=True)):
        numbers = ", ".join(measured(key, bars.values[key][at]) for key in _MEASURES)
        found.append(
            f'<rect x="{place}" width="1" height="{_UNITS}" data-t="{text(time)}">'
            f"<title>{text(human(time, TIME))}: {numbers}</title></rect>"
        )
    return f'<g class="boxes">{"".join(found)}</g>'


def _axis(bars: _Bars) -> str:
    """Return round times below the tracks; some are left out where the window is narrow."""
    span = bars.step * bars.slots
    last = bars.first + timedelta(seconds=span)
    found = []
    ticks = time_ticks(bars.first, last, _TICKS)
    dates = any(len(label) > len("00:00:00") for _, label in ticks)
    every = -(-len(ticks) // (_FEW_TICKS - dates))
    for at, (moment, label) in enumerate(ticks):
        share = 100 * (moment - bars.first).total_seconds() / span
        anchor = "start" if share < 4 else "end" if share > 96 else "middle"
        minor = ' class="minor"' if at % every else ""
        found.append(
            f'<g{minor}><line x1="{share:.2f}%" x2="{share:.2f}%" y1="0" y2="5"/>'
            f'<text x="{share:.2f}%" y="17" text-anchor="{anchor}">{text(label)}</text></g>'
        )
    return "".join(found)

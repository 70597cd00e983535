"""Plots of a report as inline SVG: the timeline, and the sizes of transactions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from binlogcli.render.report.cells import size_text

_WIDTH, _HEIGHT = 900, 200
_LEFT, _BOTTOM, _TOP = 70, 30, 12
_MOST_BARS = 2000
_MEASURES = (("bytes", "bytes"), ("rows", "rows"), ("transactions", "transactions"))


def timeline(rows: list[dict[str, Any]], width: int) -> str:
    """Return a plot for each measure that is not all zero, one below the other; times without events stay empty.

    Events without a time (their timestamp is 0) are not drawn: they would stand half a century before all others.
    """
    rows = [row for row in rows if row["time"]]
    if not rows:
        return ""
    times = [datetime.fromisoformat(row["time"]).timestamp() for row in rows]
    first, last = times[0], times[-1] + width
    step = (_WIDTH - _LEFT) / max(last - first, 1)
    labels = [(_LEFT + (at - first) * step, row["time"]) for at, row in _ends(times, rows)]
    parts = []
    for key, name in _MEASURES:
        largest = max(row[key] for row in rows)
        if largest <= 0:
            continue
        bars = [
            (_LEFT + (at - first) * step, max(width * step - 0.5, 0.5), row[key], f"{row['time']}: {row[key]:,} {name}")
            for at, row in _thinned(times, rows, key)
        ]
        top = size_text(largest) if key == "bytes" else f"{largest:,}"
        parts.append(_plot(bars, labels, largest, top, f"{name} over time"))
    return "\n".join(parts)


def _ends(times: list[float], rows: list[dict[str, Any]]) -> list[tuple[float, dict[str, Any]]]:
    """Return the rows whose times are written below the plot: the first and the last."""
    return [(times[0], rows[0])] if len(rows) < 2 else [(times[0], rows[0]), (times[-1], rows[-1])]


def _thinned(times: list[float], rows: list[dict[str, Any]], key: str) -> list[tuple[float, dict[str, Any]]]:
    """Return at most _MOST_BARS rows: of neighbours the one with the highest value."""
    pairs = list(zip(times, rows, strict=True))
    size = -(-len(pairs) // _MOST_BARS)
    return [max(pairs[at : at + size], key=lambda pair: pair[1][key]) for at in range(0, len(pairs), size)]


def histogram(rows: list[dict[str, Any]]) -> str:
    """Return a plot of the number of transactions by size."""
    largest = max(row["count"] for row in rows)
    step = (_WIDTH - _LEFT) / len(rows)
    bars = [
        (_LEFT + at * step, step - 2, row["count"], f"{size_text(row['from_bytes'])} and more: {row['count']:,}")
        for at, row in enumerate(rows)
    ]
    every = -(-len(rows) // 12)
    labels = [(_LEFT + at * step, size_text(row["from_bytes"])) for at, row in enumerate(rows) if at % every == 0]
    return _plot(bars, labels, largest, f"{largest:,}", "transactions by size")


def _plot(
    bars: list[tuple[float, float, int, str]], labels: list[tuple[float, str]], largest: int, top: str, title: str
) -> str:
    """Return bars over an axis. No text here comes from a log: times, numbers and units."""
    room = _HEIGHT - _TOP - _BOTTOM
    ground = _HEIGHT - _BOTTOM
    drawn = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{title}">'
    ]
    for x, width, value, hover in bars:
        height = value / largest * room
        drawn.append(
            f'<rect x="{x:.1f}" y="{ground - height:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}">'
            f"<title>{hover}</title></rect>"
        )
    drawn.append(f'<line class="axis" x1="{_LEFT}" y1="{ground}" x2="{_WIDTH}" y2="{ground}"/>')
    drawn.append(f'<text x="{_LEFT - 6}" y="{_TOP + 8}" text-anchor="end">{top}</text>')
    drawn.append(f'<text x="{_LEFT - 6}" y="{ground}" text-anchor="end">0</text>')
    for at, (x, label) in enumerate(labels):
        last = at == len(labels) - 1 and at > 0 and x > _WIDTH - 180
        anchor = "end" if last else "start"
        drawn.append(f'<text x="{_WIDTH if last else x:.1f}" y="{ground + 16}" text-anchor="{anchor}">{label}</text>')
    drawn.append(f'<text x="{_LEFT}" y="{_TOP - 1}">{title}</text>')
    drawn.append("</svg>")
    return "".join(drawn)

"""Plots of a report as inline SVG: the timeline, and the sizes of transactions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from binlogcli.render.report.cells import size_text

WIDTH, HEIGHT = 900, 200
LEFT, BOTTOM, TOP = 70, 30, 12
MOST_BARS = 2000
MEASURES = (("bytes", "bytes"), ("rows", "rows"), ("transactions", "transactions"))


def timeline(rows: list[dict[str, Any]], width: int) -> str:
    """Return a plot for each measure that is not all zero, one below the other; times without events stay empty."""
    times = [datetime.fromisoformat(row["time"]).timestamp() for row in rows]
    first, last = times[0], times[-1] + width
    step = (WIDTH - LEFT) / max(last - first, 1)
    labels = [(LEFT + (at - first) * step, row["time"]) for at, row in ends(times, rows)]
    parts = []
    for key, name in MEASURES:
        largest = max(row[key] for row in rows)
        if largest <= 0:
            continue
        bars = [
            (LEFT + (at - first) * step, max(width * step - 0.5, 0.5), row[key], f"{row['time']}: {row[key]:,} {name}")
            for at, row in thinned(times, rows, key)
        ]
        top = size_text(largest) if key == "bytes" else f"{largest:,}"
        parts.append(plot(bars, labels, largest, top, f"{name} over time"))
    return "\n".join(parts)


def ends(times: list[float], rows: list[dict[str, Any]]) -> list[tuple[float, dict[str, Any]]]:
    """Return the rows whose times are written below the plot: the first and the last."""
    return [(times[0], rows[0])] if len(rows) < 2 else [(times[0], rows[0]), (times[-1], rows[-1])]


def thinned(times: list[float], rows: list[dict[str, Any]], key: str) -> list[tuple[float, dict[str, Any]]]:
    """Return at most MOST_BARS rows: of neighbours the one with the highest value."""
    pairs = list(zip(times, rows, strict=True))
    size = -(-len(pairs) // MOST_BARS)
    return [max(pairs[at : at + size], key=lambda pair: pair[1][key]) for at in range(0, len(pairs), size)]


def histogram(rows: list[dict[str, Any]]) -> str:
    """Return a plot of the number of transactions by size."""
    largest = max(row["count"] for row in rows)
    step = (WIDTH - LEFT) / len(rows)
    bars = [
        (LEFT + at * step, step - 2, row["count"], f"{size_text(row['from_bytes'])} and more: {row['count']:,}")
        for at, row in enumerate(rows)
    ]
    every = -(-len(rows) // 12)
    labels = [(LEFT + at * step, size_text(row["from_bytes"])) for at, row in enumerate(rows) if at % every == 0]
    return plot(bars, labels, largest, f"{largest:,}", "transactions by size")


def plot(
    bars: list[tuple[float, float, int, str]],
    labels: list[tuple[float, str]],
    largest: int,
    top: str,
    title: str,
) -> str:
    """Return bars over an axis. No text here comes from a log: times, numbers and units."""
    room = HEIGHT - TOP - BOTTOM
    ground = HEIGHT - BOTTOM
    drawn = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{title}">']
    for x, width, value, hover in bars:
        height = value / largest * room
        drawn.append(
            f'<rect x="{x:.1f}" y="{ground - height:.1f}" width="{max(width, 0.5):.1f}" height="{height:.1f}">'
            f"<title>{hover}</title></rect>"
        )
    drawn.append(f'<line class="axis" x1="{LEFT}" y1="{ground}" x2="{WIDTH}" y2="{ground}"/>')
    drawn.append(f'<text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end">{top}</text>')
    drawn.append(f'<text x="{LEFT - 6}" y="{ground}" text-anchor="end">0</text>')
    for at, (x, label) in enumerate(labels):
        last = at == len(labels) - 1 and at > 0 and x > WIDTH - 180
        anchor = "end" if last else "start"
        drawn.append(f'<text x="{WIDTH if last else x:.1f}" y="{ground + 16}" text-anchor="{anchor}">{label}</text>')
    drawn.append(f'<text x="{LEFT}" y="{TOP - 1}">{title}</text>')
    drawn.append("</svg>")
    return "".join(drawn)

"""Tables by time as inline SVG: a row for each table, the more bytes in a stretch of time the darker."""

from __future__ import annotations

from typing import Any

from binlogcli.render.report.cells import human, size_text, span_text
from binlogcli.render.report.heat_map import HEATS, heat_map_of
from binlogcli.render.report.page.markup import text
from binlogcli.render.report.sheet_columns import TIME

_TABLES, _CELLS = 40, 300
_WIDTH, _LEFT, _ROW, _FOOT = 1100, 230, 20, 24
_NAME_SIZE = 34  # characters


def heat_map(made: dict[str, Any]) -> str:
    """Return the map with its title; empty where no table has a time."""
    found = heat_map_of(made, _TABLES, _CELLS)
    if found is None:
        return ""
    step = (_WIDTH - _LEFT) / len(found.times)
    drawn = []
    for at, (name, sizes) in enumerate(zip(found.names, found.bytes, strict=True)):
        top = at * _ROW
        label = name if len(name) <= _NAME_SIZE else name[: _NAME_SIZE - 1] + "…"
        drawn.append(f'<text x="{_LEFT - 8}" y="{top + 14}" text-anchor="end">{text(label)}</text>')
        drawn += [
            f'<rect x="{_LEFT + place * step:.1f}" y="{top + 1}" width="{max(step - 0.4, 0.6):.1f}" '
            f'height="{_ROW - 2}" fill-opacity="{found.heat(size) / HEATS:.3f}"><title>{text(name)}, '
            f"{text(human(found.times[place], TIME))}: {size_text(size)}</title></rect>"
            for place, size in enumerate(sizes)
            if size
        ]
    height = len(found.names) * _ROW + _FOOT
    ends = [(_LEFT, "start", found.times[0]), *([(_WIDTH, "end", found.last)] if len(found.times) > 1 else [])]
    drawn += [
        f'<text x="{x}" y="{height - 7}" text-anchor="{anchor}">{text(human(time, TIME))}</text>'
        for x, anchor, time in ends
    ]
    title = f"bytes in {span_text(found.seconds)}"
    return (
        f'<div class="card"><p class="measure"><b>{title}</b> <span>each shade has twice the bytes of the one before, '
        f"the darkest {size_text(found.hottest() // 2 + 1)} and more</span></p>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="Tables by time">'
        f'<svg class="heat" viewBox="0 0 {_WIDTH} {height}" width="100%" role="img" '
        f'aria-label="Tables by time: {title}">'
        f"{''.join(drawn)}</svg></div></div>"
    )

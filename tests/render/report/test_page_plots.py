"""The timeline of the page, as markup."""

from __future__ import annotations

import re
from typing import Any

from binlogcli.render.report.page.plots import timeline


def row(time: str | None, size: int, rows: int = 0) -> dict[str, Any]:
    return {"time": time, "bytes": size, "rows": rows, "transactions": 0}


def test_events_without_a_time_are_not_drawn() -> None:
    drawn = timeline([row(None, 7), row("2026-11-21T00:00:00Z", 5), row("2026-11-21T00:02:00Z", 1, 1)], 60)
    assert "2026-11-21 00:00:00Z: 5 B, 0 rows, 0 transactions" in drawn
    assert "2026-11-21 00:02:00Z: 1 B, 1 row, 0 transactions" in drawn
    assert 'data-count="3" data-end="2026-11-21T00:03:00Z"' in drawn
    assert "None" not in drawn
    assert "transactions in" not in drawn
    assert timeline([row(None, 7), row("2026-11-21T00:00:00Z", 5)], 60) == ""


def test_neighbours_of_many_buckets_are_added_up() -> None:
    rows = [row(f"2026-11-21T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}+01:00", 1) for at in range(5000)]
    drawn = timeline(rows, 1)
    assert drawn.count("<title>") == 1000
    assert "bytes in 5 s" in drawn
    assert 'data-end="2026-11-21T01:23:20+01:00"' in drawn


def test_bars_are_as_high_as_their_shares() -> None:
    drawn = timeline([row("2026-11-21T00:00:00Z", 100), row("2026-11-21T00:01:00Z", 50)], 60)
    assert re.findall(r'class="(?:bar|peak)" d="([^"]*)"', drawn) == ["M1 1000V500h0.86V1000z", "M0 1000V0h0.86V1000z"]


def test_a_day_of_23_hours_has_a_bar_of_its_own() -> None:
    days = ["2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"]
    drawn = timeline([row(day, 1) for day in days], 86400)
    assert 'data-count="3"' in drawn
    assert drawn.count("<title>") == 3

"""Plots of a report."""

from __future__ import annotations

from typing import Any

from binlogcli.render.report.plots import timeline


def row(time: str | None, size: int) -> dict[str, Any]:
    return {"time": time, "bytes": size, "rows": 0, "transactions": 0}


def test_events_without_a_time_are_not_drawn() -> None:
    drawn = timeline([row(None, 7), row("2026-11-21T00:00:00Z", 5)], 60)
    assert "2026-11-21T00:00:00Z: 5 bytes" in drawn
    assert "None" not in drawn
    assert timeline([row(None, 7)], 60) == ""

"""The timeline on a terminal: columns of the right height at the right place, under round numbers and times."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from binlogcli.render.report.chart import chart
from binlogcli.render.report.story import leads
from binlogcli.render.report.ticks import round_above, time_ticks


def row(time: str | None, size: int) -> dict[str, Any]:
    return {"time": time, "bytes": size, "rows": size, "transactions": 0}


def test_columns_stand_over_their_times() -> None:
    rows = [row(None, 9), row("2026-11-21T00:00:00Z", 512), row("2026-11-21T00:03:00Z", 1024)]
    assert chart(rows, 60, 60) == [
        "       bytes   in 1 min",
        "     1.0 KiB ┤                                 ███████████",
        "             │                                 ███████████",
        "             │                                 ███████████",
        "       512 B ┤███████████                      ███████████",
        "             │███████████                      ███████████",
        "             │███████████                      ███████████",
        "         0 B ┴┬─────────────────────┬─────────────────────",
        "              2026-11-21            00:02",
        "        rows   ▄▄▄▄▄▄▄▄▄▄▄                      ███████████",
        "               up to 1,024 in 1 min",
    ]


def test_more_buckets_than_columns_are_joined_to_their_highest() -> None:
    rows = [row(f"2026-11-21T00:{at // 60:02}:{at % 60:02}Z", 1 + (at == 300)) for at in range(600)]
    lines = chart(rows, 1, 80)
    assert lines[0] == "       bytes   in highest of 10 times 1 s"
    assert max(map(len, lines)) <= 80
    assert lines[1].index("█") == 14 + 30


def test_one_bucket_is_no_plot() -> None:
    assert chart([row(None, 7), row("2026-11-21T00:00:00Z", 5)], 60, 80) == []


@pytest.mark.parametrize(
    ("value", "binary", "top"),
    [(0, True, 2), (801, True, 1024), (1025, True, 2048), (22 << 20, True, 25 << 20), (7, False, 8), (199, False, 200)],
)
def test_axes_end_at_round_numbers(value: int, binary: bool, top: int) -> None:
    assert round_above(value, binary=binary) == top


@pytest.mark.parametrize(
    ("first", "last", "labels"),
    [
        ("2026-11-21T00:05:09", "2026-11-21T00:05:13", ["00:05:10", "00:05:12"]),
        ("2026-11-21T22:00:00", "2026-11-22T02:00:00", ["22:00", "2026-11-22", "02:00"]),
        ("2026-01-01T00:00:00", "2026-03-02T00:00:00", ["2026-01-01", "2026-01-31", "2026-03-02"]),
    ],
)
def test_ticks_are_round_times(first: str, last: str, labels: list[str]) -> None:
    assert [label for _, label in time_ticks(datetime.fromisoformat(first), datetime.fromisoformat(last), 3)] == labels


def test_the_worst_problems_are_looked_at_first() -> None:
    problems = [
        {"kind": kind, "position": at, "what": f"it is {kind}", "command": f"binlogcli {kind}"}
        for at, kind in enumerate(("no_primary_key", "checksum", "checksum", "incident"))
    ]
    assert [lead.command for lead in leads({"problems": problems})] == ["binlogcli incident", "binlogcli checksum"]

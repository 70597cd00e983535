"""Tables by time: exact for each table that is shown, bounded in memory, the same for one log and for several."""

from __future__ import annotations

import json
import random
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from binlogcli.render.report.heat_map import heat_map_of
from binlogcli.stats.collector import DELETE, NO_ROWS, UPDATE, WRITE
from binlogcli.stats.sections.table_times import KEPT, MEASURES, TimesByTable
from binlogcli.stats.wanted import Wanted
from support.golden import GOLDEN
from support.logs import TimedLog
from support.program import run
from support.reports import CHAIN, stats

Event = tuple[tuple[str, str], int, int, int, int, int]  # table, time, transaction, bytes, operation, rows


def counted(events: list[Event], width: int, logs: int = 1) -> dict[str, Any]:
    """Return what is reported of events that are in so many logs."""
    wanted = Wanted(width=width, zone=UTC)
    total = TimesByTable(wanted)
    size = -(-len(events) // logs)
    for at in range(0, len(events), size):
        times = TimesByTable(wanted)
        for name, time, work, length, operation, rows in events[at : at + size]:
            times.add(times.of(name), time, work, length, operation, rows)
        total.absorb(times.export())
    assert total.kept <= KEPT
    return total.report()


def by_hand(events: list[Event], width: int) -> dict[tuple[str, str], dict[int, list[int]]]:
    found: dict[tuple[str, str], dict[int, list[int]]] = {}
    for name, time, work, length, operation, rows in events:
        sums = found.setdefault(name, {}).setdefault(time - time % width, [0] * len(MEASURES))
        if operation != NO_ROWS:
            sums[(WRITE, UPDATE, DELETE).index(operation)] += rows
        sums[MEASURES.index("bytes")] += length
        sums[MEASURES.index("transactions")] += work > 0
    return found


def random_events(count: int, tables: int, seconds: int) -> list[Event]:
    chance = random.Random(5)
    events = []
    for work in range(1, count + 1):
        table = min(int(chance.expovariate(3 / tables)), tables)
        time = 1_000_000_020 + work * seconds // count + chance.randrange(-90, 90)
        operation = chance.choice((WRITE, UPDATE, DELETE, NO_ROWS))
        length = chance.randrange(40, 400) + (1000 if table < 3 else 0)
        events.append((("shop", f"t{table}"), time, work, length, operation, chance.randrange(1, 9)))
    return events


@pytest.mark.parametrize("logs", [1, 3])
@pytest.mark.parametrize(("tables", "seconds", "width"), [(5, 3600, 60), (3000, 86_400 * 7, 60), (2, 100_000, 1)])
def test_what_is_shown_of_a_table_is_all_of_it(tables: int, seconds: int, width: int, logs: int) -> None:
    events = random_events(60_000, tables, seconds)
    report = counted(events, width, logs)
    known = by_hand(events, report["bucket_seconds"])
    shown = {(row["database"], row["table"]): row["buckets"] for row in report["tables"]}
    assert shown
    for name, buckets in shown.items():
        times = sorted(known[name])
        assert [[bucket[measure] for measure in MEASURES] for bucket in buckets] == [known[name][at] for at in times]
    others = report.get("other_tables", {"buckets": []})
    for measure in MEASURES:
        rest = sum(sums[MEASURES.index(measure)] for name in known.keys() - shown for sums in known[name].values())
        assert sum(bucket[measure] for bucket in others["buckets"]) == rest
    if others["buckets"]:
        assert 0 < others["tables_at_least"] <= len(known.keys() - shown.keys())
        assert {("shop", "t0"), ("shop", "t1")} <= shown.keys()
    assert ("bucket_wanted_seconds" in report) == (report["bucket_seconds"] != width)


def test_the_counts_are_those_of_the_tables() -> None:
    report = stats("--section", "tables", "--bucket", "1s", CHAIN / "shop-bin.index")
    rows = {row["table"]: row for row in report["tables"]}
    made = report["tables_by_time"]
    assert [row["table"] for row in made["tables"]] == ["parcels", "pad"]
    for row in made["tables"]:
        table = rows[row["table"]]
        for measure in ("inserted", "updated", "deleted", "transactions", "statements"):
            assert sum(bucket[measure] for bucket in row["buckets"]) == table[measure], measure
        size = table["row_bytes"] + table["map_bytes"] + table["statement_bytes"]
        assert sum(bucket["bytes"] for bucket in row["buckets"]) == size


def test_days_are_those_of_the_zone(tmp_path: Path) -> None:
    log = TimedLog(1_795_197_000)
    log.insert(1_795_197_500, 1, 1, 1)  # 23:28 on the 20th in India
    log.insert(1_795_199_500, 2, 1, 1)  # 00:01 on the 21st
    path = tmp_path / "bin.000001"
    log.write(path)
    options = ("--section", "tables", "--section", "timeline", "--bucket", "1d", path)
    report = stats("--timezone", "Asia/Kolkata", *options)
    assert report["timezone"] == "Asia/Kolkata"
    days = ["2026-11-20T00:00:00+05:30", "2026-11-21T00:00:00+05:30"]
    assert [bucket["time"] for bucket in report["tables_by_time"]["tables"][0]["buckets"]] == days
    assert [bucket["time"] for bucket in report["timeline"]["buckets"]] == days
    (bucket,) = stats("--timezone", "UTC", *options)["timeline"]["buckets"]
    assert bucket["time"] == "2026-11-20T00:00:00Z"


def test_without_a_width_tables_are_not_counted_by_time() -> None:
    assert "tables_by_time" not in stats("--section", "tables", CHAIN / "shop-bin.index")


def test_a_width_without_times_is_refused() -> None:
    done = run("stats", "--section", "events", "--bucket", "1m", CHAIN / "shop-bin.index")
    assert done.returncode == 2
    assert b"--bucket" in done.stderr


def made(*sizes: int) -> dict[str, Any]:
    buckets = [{"time": f"2026-11-21T00:{at:02}:00Z", "bytes": size} for at, size in enumerate(sizes) if size]
    return {"bucket_seconds": 60, "tables": [{"database": "a", "table": "b", "buckets": buckets}]}


def test_each_step_of_heat_has_twice_the_bytes() -> None:
    found = heat_map_of(made(1, 64, 65, 128, 0, 256, 100_000), top=1, most=50)
    assert found is not None
    assert [found.heat(size) for size in (0, 1, 390, 50_000, 50_001, 100_000)] == [0, 1, 1, 7, 8, 8]
    assert found.times[4] == ""


def test_a_map_is_never_wider_than_its_room() -> None:
    for most in range(1, 70):
        found = heat_map_of(made(*range(1, 60)), top=1, most=most)
        assert found is not None
        assert len(found.times) <= most
        assert sum(found.bytes[0]) == sum(range(60))
        assert found.times[0] == "2026-11-21T00:00:00Z"


LOG = GOLDEN / "mariadb-11.8" / "rotation" / "shop-bin.index"


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_the_map_fits_the_terminal(width: int) -> None:
    options = ("--section", "tables", "--bucket", "1s", "--width", str(width), LOG)
    plain = run("stats", "--color", "never", *options).stdout.decode()
    drawn = plain[plain.index("Tables by 1 s") :].split("\n\n")[0]
    assert all(len(line) <= max(width, 80) for line in drawn.splitlines())
    assert "▁▂▃▄▅▆▇█" in drawn
    always = ("stats", "--color", "always", *options)
    assert "\x1b[38;5;" in run(*always, environment={"TERM": "xterm-256color"}).stdout.decode()
    few = run(*always, environment={"TERM": "linux", "COLORTERM": ""}).stdout.decode()
    assert "\x1b[38;5;" not in few
    assert "▁▂▃▄▅▆▇█" in few


def test_a_pipe_gets_each_bucket_of_each_table() -> None:
    done = run("stats", "--section", "tables", "--bucket", "1s", "--format", "csv", LOG)
    lines = [line.split(",") for line in done.stdout.decode().split("\n\n")[1].splitlines()]
    assert lines[0] == ["section", "database", "table", "time", *MEASURES]
    assert lines[1][:4] == ["tables.by_time", "shop", "parcels", "2026-11-21T00:33:41Z"]
    report = json.loads(run("stats", "--section", "tables", "--bucket", "1s", "--json", LOG).stdout)
    assert len(lines) - 1 == sum(len(row["buckets"]) for row in report["tables_by_time"]["tables"])


def test_the_page_has_the_map(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert run("stats", "--section", "tables", "--bucket", "1s", "--html", path, LOG).returncode == 0
    page = path.read_text()
    assert page.count('<svg class="heat"') == 1
    assert ">shop.parcels</text>" in page
    assert "<title>shop.parcels, 2026-11-21 00:33:41Z: 2.9 KiB</title>" in page
    assert "Tables by 1 s, in numbers" in page

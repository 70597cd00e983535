"""Memory has an end, whatever a log holds; and what was cut says so.

At full size (BINLOGCLI_STATS_FULL=1) a log of 10,000 tables, a million distinct statements, a million connections and
100 million transactions; a twentieth of it without.
"""

from __future__ import annotations

import json
import os
import struct
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.gtids.intervals import Intervals
from binlogcli.stats.bounded import Top, Weighed
from binlogcli.stats.sections.gtids import INTERVALS_KEPT
from binlogcli.stats.sections.timeline import STRETCHES, TimelineTotal
from binlogcli.stats.wanted import Wanted
from support.logs import TimedLog
from support.program import COMMAND, peak_of

FULL = bool(os.environ.get("BINLOGCLI_STATS_FULL"))
SCALE = 1 if FULL else 20
LIMIT = 128  # MiB


def measured(path: Path) -> tuple[dict[str, Any], float]:
    """The report of a log, and the most memory that it took."""
    report = path.with_suffix(".json")
    memory = peak_of([*COMMAND, "stats", "--format", "json", str(path)], report)
    return json.loads(report.read_bytes()), memory


def test_a_log_of_ten_thousand_tables(tmp_path: Path) -> None:
    count = 10_000 // (1 if FULL else 4)
    log = TimedLog()
    for number in range(count):
        log.insert(1000 + number, number + 1, number + 1, 40)
    path = tmp_path / "tables.000001"
    path.write_bytes(bytes(log.log))
    report, memory = measured(path)
    assert len(report["tables"]) == count
    assert report["summary"]["rows"] == sum(table["inserted"] for table in report["tables"]) == count
    assert memory <= LIMIT


def test_a_million_distinct_statements_and_connections(tmp_path: Path) -> None:
    count = 1_000_000 // SCALE
    log = TimedLog()
    heavy = "UPDATE often SET a = 1 WHERE id = 2 " + "/* padding */" * 20
    for number in range(count):
        log.gtid(1000 + number // 10, number + 1, standalone=True)
        text = heavy if number % 10 == 0 else f"INSERT INTO table_{number} VALUES ({number})"
        body = struct.pack("<IIBHH", number, 0, 4, 0, 0) + b"shop\x00" + text.encode()
        log.place(2, 1000 + number // 10, body)
    path = tmp_path / "statements.000001"
    path.write_bytes(bytes(log.log))
    report, memory = measured(path)
    assert memory <= LIMIT
    first = report["statements"][0]
    assert first["statement"] == "UPDATE often SET a = ? WHERE id = ?"
    assert first["count"] == count // 10
    cut = report["cut"]
    assert cut["statements"]["shown"] == 10
    assert cut["statements"]["dropped"] > 0
    assert cut["servers"]["threads_dropped"] > 0
    assert report["summary"]["transactions"] == count


def test_a_hundred_million_transactions_leave_no_more_behind_than_a_few() -> None:
    """What is kept of a transaction is asked for here directly: a log of so many would have gigabytes."""
    top, numbers, work = Top(10), Intervals(INTERVALS_KEPT), TransactionFacts()
    for number in range(100_000_000 // SCALE // 20):
        work.number += 1
        top.put(number * 7919 % 1_000_003, number)
        numbers.add(number * 2 if number % 1000 == 0 else number)
    assert len(top.heap) == 10
    assert [measure for measure, _ in top.things()] == sorted((measure for measure, _ in top.things()), reverse=True)
    assert len(numbers.starts) <= INTERVALS_KEPT + 1


def test_of_equal_things_the_first_is_the_greatest() -> None:
    top = Top(2)
    for name in "abc":
        top.put(5, name)
    top.put(9, "d")
    assert top.things() == [(9, "d"), (5, "a")]


def test_what_is_dropped_was_light_and_is_owned_up_to() -> None:
    counts: Weighed[int, int] = Weighed(100, lambda value: value)
    for key in range(1000):
        counts.shrink()
        counts[key] = 1_000_000 if key % 50 == 0 else key % 7
    assert all(key in counts for key in range(0, 1000, 50))
    assert len(counts) <= 100
    assert counts.missed > 0
    assert counts.dropped + len(counts) == 1000


@pytest.mark.parametrize("step", [1, 3, 86_400])
def test_a_timeline_of_any_length_is_short(step: int) -> None:
    line = TimelineTotal(Wanted(zone=UTC))
    each = STRETCHES // 2
    for part in range(20):
        stretches = {(part * each + at) * step: [1, 2, 3, 1] for at in range(each)}
        line.absorb("", (1, stretches))
    report, _ = line.report()
    assert len(report["buckets"]) <= 61
    assert sum(bucket["events"] for bucket in report["buckets"]) == 20 * each

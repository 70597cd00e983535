"""Sections count what was chosen, event for event what `dump` shows; what is of the whole logs is said to be."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from binlogcli.cli.main import main
from support.golden import GOLDEN
from support.reports import CHAIN

CHAINED = (CHAIN / "shop-bin.index",)
PAYLOADS = (GOLDEN / "mysql-9.7" / "payload" / "shop-bin.000001",)
XA = (GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001",)
STATEMENTS = (GOLDEN / "mariadb-11.8" / "stmt" / "shop-bin.000001",)
Run = Callable[..., bytes]
CHOICES = [
    (CHAINED, ("-T", "shop.parcels")),
    (CHAINED, ("-d", "shop")),
    (CHAINED, ("--since", "2026-11-21 00:33:42")),
    (CHAINED, ("--until", "2026-11-21 00:33:42")),
    (CHAINED, ("--since", "2026-11-21 00:33:42", "--until", "2026-11-21 00:33:43", "-T", "shop.parcels")),
    (CHAINED, ("-j", "1403")),
    (CHAINED, ("--stop-position", "700")),
    (CHAINED, ("--op", "delete")),
    (CHAINED, ("--op", "update,ddl", "-d", "shop")),
    (CHAINED, ("--thread-id", "7")),
    (CHAINED, ("--min-rows", "2")),
    (CHAINED, ("--min-size", "1000")),
    (CHAINED, ("--xid", "22")),
    (CHAINED, ("--transaction-at", "1700")),
    (CHAINED, ("--include-gtids", "0-101-5,0-101-13")),
    (CHAINED, ("--exclude-gtids", "0-101-5")),
    (CHAINED, ("--server-id", "7")),
    (CHAINED, ("-E", "*ROWS*")),
    (PAYLOADS, ("-T", "shop.orders")),
    (PAYLOADS, ("--op", "delete", "--min-rows", "2")),
    (PAYLOADS, ("--since", "2026-11-21 00:30:04")),
    (XA, ("--op", "update")),
    (XA, ("--min-size", "400")),
    (STATEMENTS, ("--op", "update")),
]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The program as a function from a command line to its stdout."""

    def run(*arguments: str | Path) -> bytes:
        assert main([str(argument) for argument in arguments]) == 0
        return capfdbinary.readouterr().out

    return run


def report_of(run: Run, *arguments: str | Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(run("stats", "--json", *arguments))
    return report


@pytest.mark.parametrize(("logs", "options"), CHOICES, ids=lambda value: " ".join(map(str, value))[-60:])
def test_what_is_counted_is_what_dump_shows(run: Run, logs: tuple[Path, ...], options: tuple[str, ...]) -> None:
    shown = [json.loads(line) for line in run("dump", "--format", "json", *options, *logs).splitlines()]
    report = report_of(run, "--bucket", "1s", *options, *logs)
    outer = [event for event in shown if "within" not in event]
    rows = sum(len(event["body"].get("rows", ())) for event in shown)
    gtids = {event["transaction"]["gtid"] for event in shown if event["transaction"] is not None}
    size = sum(event["end"] - event["pos"] for event in outer)
    summary = report["summary"]
    assert summary["events"] == len(shown)
    assert summary["bytes"] == size == sum(log["bytes"] for log in summary["logs"])
    assert summary["rows"] == rows
    assert summary["transactions"] == report["transactions"]["count"] == len(gtids)
    assert {row["type"]: row["count"] for row in report["events"]} == Counter(event["type"] for event in shown)
    for measure, count in (("events", len(shown)), ("bytes", size), ("rows", rows), ("transactions", len(gtids))):
        assert sum(bucket[measure] for bucket in report["timeline"]["buckets"]) == count, measure
        assert sum(row[measure] for row in report["servers"]["servers"]) == count, measure
    assert report["gtids"]["count"] == sum(event["type"] in GTIDS for event in shown)
    tables = report["tables"]
    assert sum(row["inserted"] + row["updated"] + row["deleted"] for row in tables) == rows
    by_time = [bucket for table in report["tables_by_time"]["tables"] for bucket in table["buckets"]]
    assert sum(bucket["inserted"] + bucket["updated"] + bucket["deleted"] for bucket in by_time) == rows
    assert sum(row["count"] for row in report["transactions"]["histogram"]) == len(gtids)
    assert report["remarks"]


GTIDS = ("GTID_EVENT", "GTID_LOG_EVENT", "GTID_TAGGED_LOG_EVENT")


def test_transactions_that_were_not_chosen_are_no_gap(run: Run) -> None:
    for options in (("-T", "shop.parcels"), ("--op", "update"), ("--exclude-gtids", "0-101-5")):
        report = report_of(run, *options, *CHAINED)
        assert report["gtids"]["gaps"] == []
        assert report["gtids"]["gaps_count"] is None
        assert report["gtids"]["binlog_pos"] is None
        assert report["problems"] == []
        assert len(report["remarks"]) == 2


def test_a_range_has_gaps_within_it(run: Run) -> None:
    logs = [CHAIN / name for name in ("shop-bin.000001", "shop-bin.000005")]
    kinds = [row["kind"] for row in report_of(run, "--since", "2026-11-21 00:33:41", *logs)["problems"]]
    assert "gtid_gaps" in kinds
    report = report_of(run, "--until", "2026-11-21 00:33:42", *CHAINED)
    assert report["gtids"]["binlog_pos"] == "0-101-11"
    assert report_of(run, "--since", "2026-11-21 00:33:42", *CHAINED)["gtids"]["binlog_pos"] is None


def test_how_a_log_ends_is_told_whatever_is_chosen(run: Run) -> None:
    ends = ["rotated", "rotated", "rotated", "server stopped", "server stopped"]
    for options in ((), ("--op", "delete"), ("--include-gtids", "0-101-5"), ("--since", "2026-11-21 00:33:44")):
        assert [log["state"] for log in report_of(run, *options, *CHAINED)["summary"]["logs"]] == ends
    logs = report_of(run, "--until", "2026-11-21 00:33:42", *CHAINED)["summary"]["logs"]
    assert [log["state"] for log in logs] == ["rotated", "rotated", "not read to its end"]


def test_the_end_of_an_xa_transaction_may_not_be_chosen(run: Run) -> None:
    whole = report_of(run, *XA)
    assert whole["transactions"]["prepared_without_end"] == 2
    report = report_of(run, "--op", "update", *XA)
    assert report["transactions"]["prepared_without_end"] is None
    assert report["transactions"]["prepared_list"] == []
    assert not any(row["kind"] == "xa_prepared" for row in report["problems"])


def test_without_a_choice_nothing_is_remarked(run: Run) -> None:
    assert "remarks" not in report_of(run, *CHAINED)

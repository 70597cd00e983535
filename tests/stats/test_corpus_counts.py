"""The figures agree with what others say: the server's list of events, the JSON dump, and one way of reading the other.

In CI the logs of golden/; beside a corpus all of its logs.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.render.ndjson.events import JsonLines
from binlogcli.stats.log_figures import log_figures
from binlogcli.stats.report import StatsReport
from binlogcli.stats.wanted import Wanted
from support.corpus import beside, logs
from support.golden import golden_logs

SHOWN = {
    "Format_desc": "FORMAT_DESCRIPTION",
    "User var": "USER_VAR",
    "Anonymous_Gtid": "ANONYMOUS_GTID",
    "Update_rows_partial": "PARTIAL_UPDATE_ROWS",
    "Gtid_tagged_log_event": "GTID_TAGGED",
}
CHANGES = {"WRITE": "inserted", "UPDATE": "updated", "DELETE": "deleted", "PARTIAL": "updated"}


@cache
def readable_logs() -> list[Path]:
    """All logs that are not encrypted as a whole."""
    return [path for path in logs() or golden_logs() if path.open("rb").read(4) != b"\xfdbin"]


def report_of(path: Path, *sections: str) -> dict[str, Any]:
    wanted = Wanted(sections) if sections else Wanted()
    report = StatsReport(wanted)
    with Log(str(path)) as log:
        report.absorb(log_figures(wanted, log))
    return report.result()


def by_log(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=lambda path: "/".join(path.parts[-3:]))


def plain_name(event_type: str) -> str:
    return event_type.replace("_LOG_EVENT", "").replace("_EVENT", "")


@by_log([path for path in readable_logs() if beside(path, ".events.tsv") is not None])
def test_events_are_counted_as_the_server_lists_them(path: Path) -> None:
    table = beside(path, ".events.tsv")
    assert table is not None
    listed: Counter[str] = Counter()
    for line in table.decode("utf-8", "replace").split("\n")[1:-1]:
        kind = line.split("\t")[2]
        listed[SHOWN.get(kind, kind).upper()] += 1
    report = report_of(path, "events", "problems")
    if any(row["kind"] == "encrypted" for row in report["problems"]):
        pytest.skip("the log's events are encrypted")
    assert {plain_name(row["type"]): row["count"] for row in report["events"]} == listed


@by_log(readable_logs())
def test_rows_bytes_and_damage_are_those_of_the_json_dump(path: Path) -> None:
    changes: Counter[tuple[str, str, str]] = Counter()
    kinds: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    damaged = 0
    for line in json_lines(path):
        if "damage" in line:
            damaged += 0 if "within" in line else line["end"] - line["pos"]
            continue
        kinds[line["type"]] += 1
        sizes[line["type"]] += line["end"] - line["pos"]
        if "_ROWS_" in line["type"] and "ROWS_QUERY" not in line["type"] and "ANNOTATE" not in line["type"]:
            body = line["body"]
            kind = CHANGES[line["type"].removeprefix("PRE_GA_").split("_")[0]]
            if body.get("database") is not None:
                changes[body["database"], body["table"], kind] += sum(1 for row in body["rows"] if "hex" not in row)
    report = report_of(path)
    counted = {
        (row["database"], row["table"], kind): row[kind]
        for row in report["tables"]
        for kind in ("inserted", "updated", "deleted")
        if row[kind]
    }
    assert counted == {key: count for key, count in changes.items() if count}
    assert {row["type"]: (row["count"], row["bytes"]) for row in report["events"]} == {
        kind: (kinds[kind], sizes[kind]) for kind in kinds
    }
    summary = report["summary"]
    assert summary["rows"] == sum(changes.values())
    assert summary["events"] == sum(kinds.values())
    assert summary["bytes_seen"] == summary["bytes"] == path.stat().st_size
    assert summary["bytes_skipped"] == 0
    rows_unread = sum(row["position"] is not None for row in report["problems"] if row["kind"] == "unreadable_rows")
    assert summary["bytes_damaged"] == damaged or rows_unread


def json_lines(path: Path) -> list[dict[str, Any]]:
    written = io.BytesIO()
    with Log(str(path)) as log:
        JsonLines(TextBuffer()).run(log, written.write, lambda damage: None)
    return [json.loads(line) for line in written.getvalue().splitlines()]


@by_log(readable_logs())
def test_headers_alone_give_the_same_figures(path: Path) -> None:
    whole = report_of(path)
    lean = report_of(path, "summary", "events")
    assert lean == {name: whole[name] for name in ("summary", "events", "timezone")}


@by_log(readable_logs())
def test_the_sums_of_all_sections_agree(path: Path) -> None:
    report = report_of(path)
    summary = report["summary"]
    assert report["transactions"]["count"] == summary["transactions"]
    assert sum(row["count"] for row in report["transactions"]["histogram"]) == summary["transactions"]
    assert sum(row["rows"] for row in report["servers"]["servers"]) == summary["rows"]
    assert sum(row["events"] for row in report["servers"]["servers"]) == summary["events"]
    assert sum(row["rows"] for row in report["timeline"]["buckets"]) == summary["rows"]
    tables = report["tables"]
    assert sum(row["inserted"] + row["updated"] + row["deleted"] for row in tables) == summary["rows"]


def test_a_log_that_is_encrypted_as_a_whole_is_an_error_of_its_own() -> None:
    sealed = [path for path in logs() or golden_logs() if path.open("rb").read(4) == b"\xfdbin"]
    for path in sealed:
        with pytest.raises(BinlogError, match="encrypted"):
            report_of(path)

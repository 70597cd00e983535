"""How logs are linked to one another, by what they begin and end with."""

from __future__ import annotations

import pytest

from binlogcli.stats.log_chain import ChainedLog, chain

UUID = "6b1d6b0a-3c1e-11ee-9d2b-0242ac110002"


def log(file: str, gtids: str | None = None, next_log: str | None = None) -> ChainedLog:
    return ChainedLog(file, 1, "8.4.8", 0, 4, 1000, gtids, "rotated" if next_log else "no end", next_log)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (log("a/log.000001", "", "log.000002"), log("b/log.000002.gz"), "follows"),
        (log("log.000001"), log("log.000002"), "follows"),
        (log("log.000001"), log("log.000003"), "gap"),
        (log("log.000001", next_log="log.000002"), log("other.000001"), "gap"),
        (log("log.000001", next_log="log.000002"), log("-"), "unknown"),
        (log("a/log.000001"), log("b/log.000001"), "overlap"),
        (log("x", "0-1-5"), log("y", "0-1-5"), "overlap"),
        (log("log.000002", "0-1-5"), log("log.000003", "0-1-4"), "overlap"),
        (log("log.000002", "0-1-5"), log("log.000003", "0-2-7,0-1-5"), "follows"),
        (log("log.000002", f"{UUID}:1-5"), log("log.000003", f"{UUID}:1-4"), "overlap"),
        (log("log.000002", f"{UUID}:1-5"), log("log.000003", f"{UUID}:1-9"), "follows"),
        (log("x"), log("y"), "unknown"),
    ],
)
def test_two_logs_are_linked(before: ChainedLog, after: ChainedLog, kind: str) -> None:
    first, last = chain([before, after])
    assert (first["link"]["kind"], "link" in last) == (kind, False)


def test_a_link_names_what_is_missing() -> None:
    entries = chain([log("log.000001"), log("log.000004"), log("log.000003", f"{UUID}:1-9"), log("x", f"{UUID}:1-5:7")])
    assert entries[0]["link"]["missing"] == ["log.000002", "log.000003"]
    assert f"lack {UUID}:1-9" in entries[2]["link"]["why"]

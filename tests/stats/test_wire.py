"""What `stats` adds where logs came over a wire: taken from a capture of a real replica."""

from __future__ import annotations

import json

import pytest

from support.golden import GOLDEN
from support.program import run

CAPTURE = GOLDEN / "captures" / "replica.pcap"


def report(*arguments: str) -> dict[str, list[dict[str, object]]]:
    done = run("stats", "--format", "json", *arguments)
    assert (done.returncode, done.stderr) == (0, b"")
    return dict(json.loads(done.stdout))


def test_how_events_came_and_were_acknowledged() -> None:
    [wire] = report(str(CAPTURE))["wire"]
    assert wire["source"] == str(CAPTURE)
    assert (wire["events"], wire["heartbeats"], wire["reconnects"], wire["acknowledgements"]) == (31, 10, 0, 4)
    assert 0 < int(str(wire["ack_mean_microseconds"])) <= int(str(wire["ack_max_microseconds"])) < 1_000_000
    assert 0 < int(str(wire["delay_mean_microseconds"])) <= int(str(wire["delay_max_microseconds"]))


def test_the_other_sections_are_as_of_the_files() -> None:
    of_capture = report("--section", "events", "--section", "tables", str(CAPTURE))
    files = [str(GOLDEN / "captures" / name) for name in ("shop-bin.000001", "shop-bin.000002")]
    of_files = report("--section", "events", "--section", "tables", *files)
    changed = ("inserted", "updated", "deleted")
    # the files continue after the capture was over
    assert [row["table"] for row in of_capture["tables"]] == [row["table"] for row in of_files["tables"]]
    assert [of_capture["tables"][0][name] for name in changed] == [2, 1, 1]
    counts = {str(row["type"]): row["count"] for row in of_files["events"]}
    assert all(int(str(row["count"])) <= int(str(counts[str(row["type"])])) for row in of_capture["events"])


@pytest.mark.parametrize("form", ["table", "markdown", "csv"])
def test_the_wire_has_a_table(form: str) -> None:
    done = run("stats", "--format", form, "--section", "wire", str(CAPTURE))
    assert done.returncode == 0
    assert b"heartbeats" in done.stdout
    assert b"replica.pcap" in done.stdout


def test_a_file_has_no_wire() -> None:
    assert "wire" not in report(str(GOLDEN / "captures" / "shop-bin.000001"))

"""The logs in golden/built, of events that no server at hand writes: each command reads all of them."""

from __future__ import annotations

import json

import pytest

from support.golden import GOLDEN
from support.logs import raw_events
from support.program import run
from support.rare_logs import RARE_LOGS

COMMANDS = (
    ("dump", "-vv"),
    ("dump", "-vv", "--dialect=mariadb"),
    ("dump", "--hexdump"),
    ("dump", "--format=json"),
    ("dump", "--format=sql"),
    ("hexdump",),
    ("hexdump", "--json"),
    ("stats",),
)


@pytest.mark.parametrize("name", sorted(RARE_LOGS))
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_each_command_reads_it_without_damage(name: str, command: tuple[str, ...]) -> None:
    done = run(*command, GOLDEN / "built" / name)
    assert done.returncode == 0
    assert b"not read" not in done.stderr
    assert b"Unknown event" not in done.stdout or name in {"mysql.000001", "mariadb.000001"}  # with types of nobody


@pytest.mark.parametrize("name", sorted(RARE_LOGS))
def test_the_json_has_an_event_for_each_that_was_built(name: str) -> None:
    """None but the type that nobody has is unknown, or has bytes that nobody knows."""
    log = RARE_LOGS[name]()
    found = [json.loads(line) for line in run("dump", "--format=json", GOLDEN / "built" / name).stdout.splitlines()]
    assert [line["pos"] for line in found] == [at for at, _ in raw_events(log)]
    assert {line["type"] for line in found if "unknown" in line["body"]} <= {"UNKNOWN_EVENT_99"}
    assert {line["type_code"] for line in found if line["type"].startswith("UNKNOWN")} <= {99}

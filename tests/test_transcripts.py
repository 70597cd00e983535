"""Screens of the commands as they are, which are documentation too: golden/COMMAND/IDEA.txt.

A transcript's first line is the command, run in golden/; the rest is what a terminal shows, messages last.
BINLOGCLI_REWRITE=1 writes them anew, to be read by eye before they are committed. The screens of hexdump, an event of
each type, have tests of their own.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from support.golden import GOLDEN
from support.program import run

COMMANDS = ("dump", "schema", "stats", "to-parquet")
TRANSCRIPTS = sorted(path for command in COMMANDS for path in (GOLDEN / command).glob("*.txt"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_screen_is_as_it_was(path: Path) -> None:
    command, _, screen = path.read_text().partition("\n")
    program, *arguments = shlex.split(command)
    assert program == "binlogcli"
    done = run(*arguments, cwd=GOLDEN)
    shown = (done.stdout + done.stderr).decode("utf-8", "backslashreplace")
    if os.environ.get("BINLOGCLI_REWRITE"):
        path.write_text(f"{command}\n{shown}")
    else:
        assert shown == screen


def test_there_are_transcripts() -> None:
    assert TRANSCRIPTS

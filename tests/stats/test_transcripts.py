"""What `stats` prints, as it is: on narrow and wide terminals, into pipes, in each format.

A transcript's first line is the command, run in golden/; the rest is its stdout and then its stderr.
BINLOGCLI_REWRITE=1 writes them anew, to be read by eye before they are committed.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from golden import GOLDEN
from program import run

SCREENS = GOLDEN / "stats"


def transcripts() -> list[Path]:
    return sorted(SCREENS.glob("*.txt"))


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_screen_is_as_it_was(path: Path) -> None:
    command, _, screen = path.read_text().partition("\n")
    program, *arguments = shlex.split(command)
    assert program == "binlogcli"
    done = run(*arguments, cwd=GOLDEN)
    drawn = (done.stdout + done.stderr).decode()
    if os.environ.get("BINLOGCLI_REWRITE"):
        path.write_text(f"{command}\n{drawn}")
    else:
        assert drawn == screen


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_tables_fit_the_terminal(path: Path) -> None:
    command, *lines = path.read_text().splitlines()
    found = re.search(r"--width (\d+)", command)
    if found is not None:
        notes = ("binlogcli:", "No room for", "statement_without_key", "clock_backwards")
        assert max(len(line) for line in lines if not line.startswith(notes)) <= int(found[1])

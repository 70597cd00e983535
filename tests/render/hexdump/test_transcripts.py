"""Screens of the annotated hexdump as they are: one event of each type, on a narrow and on a wide terminal.

A transcript's first line is the command, run in golden/; the rest is what it prints. BINLOGCLI_REWRITE=1 writes them
anew, to be read by eye before they are committed.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from support.golden import GOLDEN, golden_logs
from support.program import run

SCREENS = GOLDEN / "hexdump"
WIDTHS = (80, 160)


def transcripts() -> list[Path]:
    return sorted(SCREENS.glob("*.txt"))


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_screen_is_as_it_was(path: Path) -> None:
    """The same bytes as in the transcript."""
    command, _, screen = path.read_text().partition("\n")
    program, *arguments = shlex.split(command)
    assert program == "binlogcli"
    drawn = run(*arguments, cwd=GOLDEN).stdout.decode()
    if os.environ.get("BINLOGCLI_REWRITE"):
        path.write_text(f"{command}\n{drawn}")
    else:
        assert drawn == screen


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_screen_keeps_its_width(path: Path) -> None:
    """No line is wider than the terminal, and all columns stand where the widest line has them."""
    command, *lines = path.read_text().splitlines()
    found = re.search(r"--width (\d+)", command)
    assert found is not None
    width = int(found[1])
    assert max(len(line) for line in lines) <= width
    count = 16 if width >= 112 else 8
    names_at = 8 + 2 + 3 * count - (0 if count == 16 else 1) + 2 + count + 2
    for line in lines[1:]:
        if re.match(r"[+0-9a-f][0-9a-f]{7}  ", line) and len(line) > names_at:
            assert line[names_at - 2 : names_at] == "  ", line


def test_every_type_in_the_logs_has_a_screen() -> None:
    """A type that a new log brings gets its transcript."""
    found = set()
    for path in golden_logs():
        with path.open("rb") as stream:
            if stream.read(4) != b"\xfebin":
                continue
        with Log(str(path)) as log:
            found |= {item.type for item in log if isinstance(item, Event)}
    assert found <= {path.stem.rpartition(".")[0] for path in transcripts()}

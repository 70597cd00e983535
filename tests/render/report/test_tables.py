"""The screens of `stats` in golden/ keep their width; that they are what it prints is tested with the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.golden import GOLDEN

SCREENS = GOLDEN / "stats"


def transcripts() -> list[Path]:
    return sorted(SCREENS.glob("*.txt"))


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_tables_fit_the_terminal(path: Path) -> None:
    command, *lines = path.read_text().splitlines()
    found = re.search(r"--width (\d+)", command)
    if found is not None:
        notes = ("binlogcli:", "Hidden columns", "statement_without_key", "clock_backwards", "    binlogcli ")
        assert max(len(line) for line in lines if not line.startswith(notes)) <= int(found[1])

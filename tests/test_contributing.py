"""What CONTRIBUTING.md names is there. Its commands are run by .ci/run, which fails where the words differ."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from support.golden import ROOT
from support.program import HOME

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"(?:binlogcli|tests|golden|docs)/[\w./-]*", CONTRIBUTING))))
def test_a_file_that_is_named_is_there(name: str) -> None:
    assert (ROOT / name.rstrip(".")).exists()


def test_the_table_of_rooms_has_each_room_and_what_is_in_it() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", CONTRIBUTING, re.MULTILINE))
    package = ROOT / "binlogcli"
    rooms = {path.name: path for path in package.iterdir() if (path / "__init__.py").exists()}
    assert rows.keys() == {"errors", *rooms}
    for name, path in rooms.items():
        folders = {folder.name for folder in path.iterdir() if (folder / "__init__.py").exists()}
        assert folders <= set(re.findall(r"`(\w+)`", rows[name])), name


def test_a_program_of_the_benchmarks_tells_how_it_is_used() -> None:
    programs = re.findall(r"^python (tests/bench/\w+\.py) ", CONTRIBUTING, re.MULTILINE)
    assert programs
    for program in programs:
        done = subprocess.run(
            [sys.executable, str(ROOT / program), "--help"],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(HOME)},
        )
        assert done.stdout

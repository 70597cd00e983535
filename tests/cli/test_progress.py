"""The progress bar, on a terminal that the test holds: there for what takes a while, gone at the end."""

from __future__ import annotations

import os
import pty
import subprocess
import time
from pathlib import Path

import pytest

from golden import GOLDEN
from program import COMMAND, HOME

LOG = (GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001").read_bytes()
BAR = "━"
ERASED = "\x1b[2K"


def seen(
    command: str, tmp_path: Path, *, term: str = "xterm", wait: float = 1.5, stdout: int | None = subprocess.DEVNULL
) -> str:
    """What a terminal on stderr gets while a log comes through a pipe, the second half of it late."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *command.split()],
        stdin=subprocess.PIPE,
        stdout=slave if stdout is None else stdout,
        stderr=slave,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HOME), "TERM": term, "COLUMNS": "100"},
    )
    os.close(slave)
    assert process.stdin is not None
    process.stdin.write(LOG[:40000])
    process.stdin.flush()
    time.sleep(wait)
    process.stdin.write(LOG[40000:])
    process.stdin.close()
    text = b""
    try:
        while more := os.read(master, 65536):
            text += more
    except OSError:  # the other end is closed
        pass
    os.close(master)
    assert process.wait(60) == 0
    return text.decode()


@pytest.mark.parametrize(
    "command", ["dump -", "dump --format json -", "hexdump -", "stats -", "decrypt --allow-plain -o out -"]
)
def test_a_bar_is_shown_and_goes_again(command: str, tmp_path: Path) -> None:
    text = seen(command, tmp_path)
    assert BAR in text
    assert text.rindex(ERASED) > text.rindex(BAR)


def test_there_is_none_for_what_is_soon_done(tmp_path: Path) -> None:
    assert seen("dump -", tmp_path, wait=0) == ""


def test_there_is_none_on_a_terminal_that_cannot_draw(tmp_path: Path) -> None:
    assert seen("dump -", tmp_path, term="dumb") == ""


def test_there_is_none_where_the_output_can_be_watched(tmp_path: Path) -> None:
    assert BAR not in seen("dump -s -", tmp_path, stdout=None)


def test_there_is_none_beside_a_pager(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    assert seen("stats -", tmp_path, stdout=writer) == ""
    os.close(writer)
    os.close(reader)

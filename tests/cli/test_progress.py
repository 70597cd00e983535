"""The progress bar, on a terminal that the test holds: there for what takes a while, gone at the end."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from binlogcli.cli import side_by_side
from binlogcli.cli.main import main
from support.golden import GOLDEN
from support.program import COMMAND, HOME

LOG = (GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001").read_bytes()
BAR = "━"
ERASED = "\x1b[2K"


def begun(
    command: Sequence[str], cwd: Path, *, term: str = "xterm", stdout: int | None = subprocess.DEVNULL
) -> tuple[int, subprocess.Popen[bytes]]:
    """A process, and the other side of the terminal on its stderr, and on its stdout where that is None."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=slave if stdout is None else stdout,
        stderr=slave,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(HOME), "TERM": term, "COLUMNS": "100"},
    )
    os.close(slave)
    return master, process


def all_of(master: int) -> str:
    """What comes to a terminal until its other side is closed."""
    text = b""
    try:
        while more := os.read(master, 65536):
            text += more
    except OSError:  # it is
        pass
    os.close(master)
    return text.decode()


def seen(
    command: str, tmp_path: Path, *, term: str = "xterm", wait: float = 1.5, stdout: int | None = subprocess.DEVNULL
) -> str:
    """What a terminal on stderr gets while a log comes through a pipe, the second half of it late."""
    master, process = begun([*COMMAND, *command.split()], tmp_path, term=term, stdout=stdout)
    assert process.stdin is not None
    process.stdin.write(LOG[:40000])
    process.stdin.flush()
    time.sleep(wait)
    process.stdin.write(LOG[40000:])
    process.stdin.close()
    text = all_of(master)
    assert process.wait(60) == 0
    return text


@pytest.mark.parametrize("command", ["dump -", "dump --format json -", "hexdump -", "stats -"])
def test_a_bar_is_shown_and_goes_again(command: str, tmp_path: Path) -> None:
    text = seen(command, tmp_path)
    assert BAR in text
    assert text.rindex(ERASED) > text.rindex(BAR)


@pytest.mark.parametrize(
    "command",
    [
        "dump -r out -",
        "hexdump -T shop.nokey --export out.svg -",
        "stats --html out -",
        "decrypt --allow-plain -o out -",
    ],
)
def test_there_is_one_on_a_terminal_where_the_output_is_a_file(command: str, tmp_path: Path) -> None:
    assert BAR in seen(command, tmp_path, stdout=None)


def test_there_is_one_for_logs_that_are_read_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    @contextmanager
    def bar(total: Callable[[], int | None], done: Callable[[], int]) -> Iterator[None]:
        try:
            yield
        finally:
            shown.append((done(), total()))

    monkeypatch.setattr(side_by_side, "shows", lambda: True)
    monkeypatch.setattr(side_by_side, "bar", bar)
    for name in ("one", "two", "three", "four"):
        (tmp_path / name).write_bytes(LOG)
    assert main(["stats", "--jobs", "2", "--html", str(tmp_path / "page"), *map(str, tmp_path.iterdir())]) == 0
    assert shown == [(4 * len(LOG), 4 * len(LOG))]


def test_there_is_none_for_what_is_soon_done(tmp_path: Path) -> None:
    assert seen("dump -", tmp_path, wait=0) == ""


def test_there_is_none_on_a_terminal_that_cannot_draw(tmp_path: Path) -> None:
    assert seen("dump -", tmp_path, term="dumb") == ""


def test_there_is_none_where_the_output_can_be_watched(tmp_path: Path) -> None:
    assert BAR not in seen("dump -s -", tmp_path, stdout=None)


@pytest.mark.parametrize("command", ["stats -", "stats --json -"])
def test_there_is_one_on_a_terminal_before_a_report(command: str, tmp_path: Path) -> None:
    text = seen(command, tmp_path, stdout=None)
    assert text.index(BAR) < text.rindex(ERASED) < text.rindex("problems" if "json" in command else "Problems")


def test_there_is_none_beside_a_pager(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    assert seen("stats -", tmp_path, stdout=writer) == ""
    os.close(writer)
    os.close(reader)


def test_what_is_waited_for_is_said_as_long_as_it_is(tmp_path: Path) -> None:
    code = "import time; from binlogcli.cli.progress import waiting\nwith waiting('starting Spark'): time.sleep(2)"
    master, process = begun([sys.executable, "-P", "-c", code], tmp_path)
    text = all_of(master)
    assert process.wait(60) == 0
    assert text.rindex(ERASED) > text.rindex("starting Spark")

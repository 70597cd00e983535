"""Damaged logs are read as damage: no exception, no crash, no hang, no memory beyond the cap.

BINLOGCLI_MUTATIONS says how many damaged copies there are in all, spread over the logs of golden/ (default 1000).
BINLOGCLI_ACCOUNTS says so of those that all commands read, which must call the same damaged (default: three times as
many, MOST_ACCOUNTS at most; a tenth of them where the program is slow).
To see one again: python tests/fuzz/worker.py NUMBER 1 golden/..., or accounts.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.golden import GOLDEN, golden_logs, golden_name
from support.program import HOME

WORKER = Path(__file__).with_name("worker.py")
CAPTURE_WORKER = Path(__file__).with_name("capture_worker.py")
ACCOUNTANT = Path(__file__).with_name("accounts.py")
CAPTURES = sorted((GOLDEN / "captures").glob("*.pcap*"))
MUTATIONS = int(os.environ.get("BINLOGCLI_MUTATIONS", "1000"))
MOST_ACCOUNTS = 4500  # compiled, a second for 20 of them
# Not imported to see it: a build with a sanitizer ends a process that has not loaded its libraries first.
COMPILED = any((HOME / "binlogcli" / "binary").glob("cursor.*.so"))
SLOW = not COMPILED or "BINLOGCLI_PRELOAD" in os.environ
ACCOUNTS = int(os.environ.get("BINLOGCLI_ACCOUNTS") or min(3 * MUTATIONS, MOST_ACCOUNTS) // (10 if SLOW else 1))
FOR_EACH = -(-MUTATIONS // len(golden_logs()))
LOTS = 25  # of logs: a process reads one after another, as its start takes longer than many copies of a small log


def environment() -> dict[str, str]:
    """The worker's; BINLOGCLI_PRELOAD names the libraries that a build with a sanitizer needs to be there first."""
    preload = os.environ.get("BINLOGCLI_PRELOAD")
    return {**os.environ, "PYTHONPATH": str(HOME), **({"LD_PRELOAD": preload} if preload else {})}


def read_copies(worker: Path, count: int, paths: Sequence[Path]) -> None:
    """Let a worker read damaged copies of files, so many of each."""
    done = subprocess.run(
        [sys.executable, "-P", str(worker), "0", str(count), *map(str, paths)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=300 + 10 * count * len(paths),  # more than enough on a busy machine: the worker stops what hangs
    )
    if done.returncode:
        copy = (done.stdout.splitlines() or ["none"])[-1]
        pytest.fail(f"copy {copy} (status {done.returncode}):\n{done.stderr[-3000:]}")


@pytest.mark.parametrize("lot", range(LOTS))
def test_damaged_copies_of_logs_are_read(lot: int) -> None:
    read_copies(WORKER, FOR_EACH, golden_logs()[lot::LOTS])


@pytest.mark.parametrize("lot", range(LOTS))
def test_all_commands_call_the_same_damaged(lot: int) -> None:
    read_copies(ACCOUNTANT, -(-ACCOUNTS // len(golden_logs())), golden_logs()[lot::LOTS])


@pytest.mark.parametrize("path", CAPTURES, ids=golden_name)
def test_damaged_copies_of_a_capture_are_read(path: Path) -> None:
    read_copies(CAPTURE_WORKER, FOR_EACH, [path])

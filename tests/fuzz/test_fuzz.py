"""Damaged logs are read as damage: no exception, no crash, no hang, no memory beyond the cap.

BINLOGCLI_MUTATIONS says how many damaged copies there are in all, spread over the logs of golden/ (default 1000).
BINLOGCLI_ACCOUNTS says so of those that all commands read, which must call the same damaged (default: three times as
many, MOST_ACCOUNTS at most; a tenth of them where the program is slow).
To see one again: python tests/fuzz/worker.py golden/... NUMBER 1, or accounts.py
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.golden import GOLDEN, golden_logs, golden_name
from support.program import HOME

WORKER = Path(__file__).with_name("worker.py")
CAPTURE_WORKER = Path(__file__).with_name("capture_worker.py")
ACCOUNTANT = Path(__file__).with_name("accounts.py")
CAPTURES = sorted((GOLDEN / "captures").glob("*.pcap*"))
MUTATIONS = int(os.environ.get("BINLOGCLI_MUTATIONS", "1000"))
MOST_ACCOUNTS = 6000  # compiled, a second for 15 of them
# Not imported to see it: a build with a sanitizer ends a process that has not loaded its libraries first.
COMPILED = any((HOME / "binlogcli" / "binary").glob("cursor.*.so"))
SLOW = not COMPILED or "BINLOGCLI_PRELOAD" in os.environ
ACCOUNTS = int(os.environ.get("BINLOGCLI_ACCOUNTS") or min(3 * MUTATIONS, MOST_ACCOUNTS) // (10 if SLOW else 1))
FOR_EACH = -(-MUTATIONS // len(golden_logs()))


def environment() -> dict[str, str]:
    """The worker's; BINLOGCLI_PRELOAD names the libraries that a build with a sanitizer needs to be there first."""
    preload = os.environ.get("BINLOGCLI_PRELOAD")
    return {**os.environ, "PYTHONPATH": str(HOME), **({"LD_PRELOAD": preload} if preload else {})}


def read_copies(worker: Path, path: Path, count: int) -> None:
    """Let a worker read damaged copies of a file."""
    done = subprocess.run(
        [sys.executable, "-P", str(worker), str(path), "0", str(count)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=300 + 10 * count,  # more than enough on a busy machine: the worker itself stops what hangs
    )
    if done.returncode:
        number = (done.stdout.split() or ["none"])[-1]
        pytest.fail(f"copy {number} of {golden_name(path)} (status {done.returncode}):\n{done.stderr[-3000:]}")


@pytest.mark.parametrize("path", golden_logs(), ids=golden_name)
def test_damaged_copies_of_a_log_are_read(path: Path) -> None:
    read_copies(WORKER, path, FOR_EACH)


@pytest.mark.parametrize("path", golden_logs(), ids=golden_name)
def test_all_commands_call_the_same_damaged(path: Path) -> None:
    read_copies(ACCOUNTANT, path, -(-ACCOUNTS // len(golden_logs())))


@pytest.mark.parametrize("path", CAPTURES, ids=golden_name)
def test_damaged_copies_of_a_capture_are_read(path: Path) -> None:
    read_copies(CAPTURE_WORKER, path, FOR_EACH)

"""The program as a user runs it: a process of its own, of the same form (compiled or not) as the tests run on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import binlogcli

HOME = Path(binlogcli.__file__).resolve().parents[1]  # the directory that holds the package under test
COMMAND = (
    sys.executable,
    "-P",
    "-m",
    "binlogcli",
)  # -P: not the package that happens to stand in the current directory


def run(
    *arguments: str | Path,
    given: bytes | None = None,
    home: Path | None = HOME,
    environment: dict[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[bytes]:
    """Run `binlogcli` with these arguments; `given` is its stdin, empty where there is none.

    `home` is where the package is taken from; None means the one that this Python finds by itself.
    """
    variables = {**os.environ, "TZ": "UTC", "NO_COLOR": "1", **(environment or {})}
    if home is not None:
        variables["PYTHONPATH"] = str(home)
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=given or b"",
        capture_output=True,
        check=False,
        env=variables,
        cwd=cwd,
        timeout=timeout,
    )


def heed_interrupts() -> None:
    """For `preexec_fn`: what a shell starts in the background ignores them, and so would all that the tests start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def missing(what: str) -> None:
    """Something that a test needs is not on this machine: the test is skipped, but in CI it fails."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}, and CI must not skip this test")
    pytest.skip(what)

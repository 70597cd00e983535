"""The program as a user runs it: a process of its own, of the same form (compiled or not) as the tests run on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import binlogcli

HOME = Path(binlogcli.__file__).resolve().parents[1]  # the directory that holds the package under test
COMMAND = (sys.executable, "-P", "-m", "binlogcli")  # -P: not the package that happens to be in the current directory


def run(
    *arguments: str | Path,
    given: bytes | None = None,
    home: Path | None = HOME,
    environment: dict[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 300,
) -> subprocess.CompletedProcess[bytes]:
    """Run `binlogcli` with these arguments; `given` is its stdin, empty if there is none.

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


def install(folder: Path) -> Path:
    """Write a script `binlogcli` that runs the package under test; for a PATH, with HOME as PYTHONPATH."""
    program = folder / "binlogcli"
    program.write_text('#!/bin/sh\nexec {} "$@"\n'.format(" ".join(f"'{word}'" for word in COMMAND)))
    program.chmod(0o755)
    return program


def heed_interrupts() -> None:
    """Accept interrupts, for `preexec_fn`: a shell's background processes and their children ignore them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup's


def start(*arguments: str | Path) -> subprocess.Popen[bytes]:
    """Start `binlogcli` in the background."""
    variables = {**os.environ, "PYTHONPATH": str(HOME), "TZ": "UTC", "NO_COLOR": "1"}
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - no thread of the tests holds a lock then
    )


def end(
    process: subprocess.Popen[bytes], number: int = signal.SIGTERM, seconds: float = 30
) -> tuple[int, bytes, bytes]:
    """Signal a process of `start`; return its status, stdout and stderr."""
    process.send_signal(number)
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def until(condition: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait for a condition; return False if it did not come in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def missing(what: str) -> None:
    """Skip a test as something that it needs is not installed; in CI, fail it."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}, and CI must not skip this test")
    pytest.skip(what)


# A process of its own starts the program: what starts it counts into the peak, and the tests have large logs in memory.
STARTER = """
import os, subprocess, sys
with open(sys.argv[1], "wb") as output:
    process = subprocess.Popen(sys.argv[2:], stdout=output)
    _, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def peak_of(command: Sequence[str], output: Path) -> float:
    """Return the peak memory of a command in MiB; it must succeed, its stdout goes to a file."""
    environment = {**os.environ, "PYTHONPATH": str(HOME), "TZ": "UTC", "NO_COLOR": "1"}
    starter = [sys.executable, "-c", STARTER, str(output), *command]
    done = subprocess.run(starter, capture_output=True, text=True, check=True, env=environment)
    status, peak = done.stdout.split()
    assert status == "0", done.stderr
    return int(peak) / 1024

"""Completion in real shells: each is given a terminal, and a tab is typed."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shutil
import signal
import time
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from binlogcli.cli.main import COMMANDS, cli
from support.golden import ROOT
from support.program import HOME, install, missing

FILES = ROOT / "binlogcli" / "cli" / "completion"
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"source '{FILES / 'binlogcli'}'"),
    "zsh": (["zsh", "-f", "-i"], f"autoload -U compinit; compinit -u -D; source '{FILES / '_binlogcli'}'"),
    "fish": (["fish", "--no-config", "-i"], f"source '{FILES / 'binlogcli.fish'}'"),
}
WAIT = 60.0


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Where `binlogcli` is the package under test."""
    install(tmp_path)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    return {**os.environ, **home, "PATH": path, "PYTHONPATH": str(HOME), "TERM": "xterm"}


def seen_until(terminal: int, wanted: bytes, answer: bytes = b"") -> bytes:
    """What the shell writes, up to some words; `answer` is typed again and again until they come."""
    seen = b""
    end = time.monotonic() + WAIT
    while wanted not in seen and time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], 1.0)
        if not ready:
            os.write(terminal, answer)
            continue
        with contextlib.suppress(OSError):
            seen += os.read(terminal, 65536)
    return seen


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_of_a_command_is_completed_and_named_by_its_help(name: str) -> None:
    """The shells ask click: what it answers is what a tab shows."""
    complete = ShellComplete(cli, {}, "binlogcli", "_BINLOGCLI_COMPLETE")
    shown = {item.value for item in complete.get_completions([name], "--")}
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    names = {name for option in options for name in (*option.opts, *option.secondary_opts) if name.startswith("--")}
    assert names | {"--help"} == shown
    words = set(re.findall(r"-[-\w]+", command.get_help(click.Context(command, info_name=name))))
    assert names <= words


WANTED = {"binlogcli hexd": "hexdump", "binlogcli dump --flas": "--flashback"}


@pytest.mark.parametrize("typed", WANTED)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_tab_completes_commands_and_options(shell: str, typed: str, environment: dict[str, str]) -> None:
    if shutil.which(shell) is None:
        missing(f"{shell} is not installed")
    command, setup = SHELLS[shell]
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(command[0], command, environment)
    try:
        os.write(terminal, f"{setup}; echo rea''dy\r".encode())
        assert b"ready" in seen_until(terminal, b"ready")
        os.write(terminal, typed.encode())
        assert WANTED[typed].encode() in seen_until(terminal, WANTED[typed].encode(), b"\t")
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)

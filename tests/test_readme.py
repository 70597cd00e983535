"""What README.md shows runs as written, on the logs of golden/."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from binlogcli.cli.main import COMMANDS as COMMANDS_OF_THE_PROGRAM
from binlogcli.cli.main import cli
from golden import ROOT
from program import COMMAND, HOME

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if "binlogcli " in line and "pip install" not in line
]
SCREENS = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A directory with the project's logs in it, and a `binlogcli` that is the package under test."""
    (tmp_path / "golden").symlink_to(ROOT / "golden")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "binlogcli"
    program.write_text('#!/bin/sh\nexec {} "$@"\n'.format(" ".join(f"'{word}'" for word in COMMAND)))
    program.chmod(0o755)
    return tmp_path


def environment(workplace: Path) -> dict[str, str]:
    path = f"{workplace / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(HOME), "TZ": "UTC"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_runs_as_written(command: str, workplace: Path) -> None:
    shell = ["bash", "-o", "pipefail", "-c", command]
    done = subprocess.run(shell, cwd=workplace, env=environment(workplace), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout or (workplace / "plain.000001").exists()


@pytest.mark.parametrize(("command", "screen"), SCREENS)
def test_a_screen_of_the_readme_is_as_shown(command: str, screen: str, workplace: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", command], cwd=workplace, env=environment(workplace), capture_output=True, check=False
    )
    assert (done.stdout + done.stderr).decode() == screen


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_python_of_the_readme_runs_as_written(program: str, workplace: Path) -> None:
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=workplace, env=environment(workplace), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def command_of(name: str) -> click.Command:
    command = getattr(importlib.import_module(f"binlogcli.cli.{name.replace('-', '_')}"), name.replace("-", "_"))
    assert isinstance(command, click.Command)
    return command


def row(option: click.Option) -> str:
    """An option as the README's tables have it: its names, what it takes, and what its help says."""
    names = [*option.opts, *option.secondary_opts]
    if not (option.is_flag or option.count):
        names[-1] += f" {option.metavar or option.type.name.upper()}"
    words = (option.help or "").split("  [default")[0].replace("|", "\\|")
    if isinstance(option.type, click.Choice):
        names[-1] = names[-1].rpartition(" ")[0]
        words += f" {', '.join(f'`{choice}`' for choice in option.type.choices)}."
    shown = ", ".join(f"`{name}`" for name in names).replace("|", "\\|")
    return f"| {shown} | {words} |"


@pytest.mark.parametrize("name", [*COMMANDS_OF_THE_PROGRAM, ""])
def test_each_option_is_in_the_tables_as_its_help_has_it(name: str) -> None:
    lines = README.partition("\n## All options\n")[2].splitlines()
    for option in (command_of(name) if name else cli).params:
        if isinstance(option, click.Option) and not option.hidden:
            assert row(option) in lines

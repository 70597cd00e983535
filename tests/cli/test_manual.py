"""The manual pages: each option of each command is there, and `man` has nothing to complain of."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from binlogcli.cli.main import COMMANDS, cli
from support.golden import ROOT

MANUAL = ROOT / "man"
PAGES = sorted(MANUAL.glob("*.1"))
PARTS = ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO")


def command_of(page: Path) -> click.Command:
    name = page.stem.partition("-")[2].replace("-", "_")
    command = getattr(importlib.import_module(f"binlogcli.cli.commands.{name}"), name) if name else cli
    assert isinstance(command, click.Command)
    return command


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8").replace("\\-", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_option_is_in_the_page_of_its_command(page: Path) -> None:
    text = text_of(page)
    for option in command_of(page).params:
        if isinstance(option, click.Option) and not option.hidden:
            for name in (*option.opts, *option.secondary_opts):
                assert f"\\fB{name}\\fR" in text, name


def words_of(text: str) -> str:
    """A text without fonts, quotes and line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"\\f[BRI]|\\\(aq|\\\(dq|['\"\\]", "", text.replace("\\-", "-")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_the_help_says_of_an_option_is_in_its_page_or_for_shared_ones_in_that_of_dump(page: Path) -> None:
    text = words_of(page.read_text(encoding="utf-8"))
    shared = words_of((MANUAL / "binlogcli-dump.1").read_text(encoding="utf-8"))
    for option in command_of(page).params:
        if isinstance(option, click.Option) and not option.hidden:
            words = words_of((option.help or "").split("  [default")[0]).rstrip(".")
            assert words in text or words in shared, option.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_its_parts(page: Path) -> None:
    headings = [line.removeprefix(".SH ") for line in text_of(page).splitlines() if line.startswith(".SH ")]
    assert [heading for heading in headings if heading in PARTS] == list(PARTS)


def test_the_first_page_names_all_commands() -> None:
    text = text_of(MANUAL / "binlogcli.1")
    for name in COMMANDS:
        assert f".BR binlogcli-{name} (1)" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_man_has_no_complaint(page: Path) -> None:
    if not shutil.which("man") or not shutil.which("groff"):
        pytest.skip("no man")
    command = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page)]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "100"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_pages_are_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["setuptools"]["data-files"]["share/man/man1"] == ["man/*.1"]


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_the_help_has_each_option_once_and_those_of_others_under_their_titles(page: Path) -> None:
    command = command_of(page)
    text = command.get_help(click.Context(command, info_name="x", max_content_width=200))
    parts = text.split("\nOptions:\n")
    assert len(parts) == 2
    heads = [line[2:].partition("  ")[0] for line in parts[1].splitlines() if line[2:3] == "-"]
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            assert sum(option.opts[-1] in head.replace(",", "").split() for head in heads) == 1, option.name
    assert ("--key-file" in text) == ("\nEncrypted logs:\n  --key-file " in text)
    assert ("--start-position" in text.partition("\nOptions of")[0]) == (
        "\nWhich events:\n  -j, --start-position " in text
    )

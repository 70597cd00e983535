"""What the manual page and the help say is what there is."""

from __future__ import annotations

import re

import click
import pytest

from binlogcli.cli.commands.stats import QUESTIONS, stats
from binlogcli.stats.wanted import SECTIONS, WIRE
from support.golden import ROOT

PAGE = (ROOT / "man" / "binlogcli-stats.1").read_text().replace("\\-", "-").replace("\\f", "\f")


@pytest.mark.parametrize("section", [*SECTIONS, WIRE])
def test_each_section_answers_a_question(section: str) -> None:
    assert re.search(rf"^  \S.*\?  +{section}$", QUESTIONS, re.MULTILINE)
    assert re.search(rf"\?\|\fB{section}\fR$", PAGE, re.MULTILINE)


def test_the_questions_of_the_page_are_those_of_the_help() -> None:
    asked = re.findall(r"^(.*\?)\|", PAGE, re.MULTILINE)
    assert asked == re.findall(r"^  (\S.*\?)  ", QUESTIONS, re.MULTILINE)


def test_the_page_knows_the_command_s_own_options() -> None:
    shared = {"verify", "reading"}
    for parameter in stats.params:
        if isinstance(parameter, click.Option) and parameter.name in own_options() - shared:
            assert f"\fB{max(parameter.opts, key=len)}\fR" in PAGE, parameter.name


def own_options() -> set[str]:
    return {"sections", "top", "bucket", "format_", "html", "force", "width", "jobs", "zone"}


@pytest.mark.parametrize("heading", ["NAME", "SYNOPSIS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"])
def test_the_page_has_its_parts(heading: str) -> None:
    assert f".SH {heading}\n" in PAGE

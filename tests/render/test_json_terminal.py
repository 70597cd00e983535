"""JSON on a terminal: coloured, harmless, and still JSON."""

from __future__ import annotations

import io
import json
import re

import pytest

from binlogcli.render.json_terminal import JsonTerminal, painted_json
from binlogcli.render.palette import AZURE, GREEN, GREY, MAGENTA, TEAL
from support.golden import GOLDEN
from support.program import run
from support.terminal import on_a_terminal

LOG = str(GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001")
SHOW_ALWAYS = ("--color", "always")


def test_json_on_a_terminal_stays_json_and_steers_nothing() -> None:
    file = io.BytesIO()
    terminal = JsonTerminal(file, painted=False)
    text = '{"a": "\x9b2J\u202e\x7f\u00e9"}\n'.encode()
    for at in range(len(text)):
        terminal.write(text[at : at + 1])
    assert file.getvalue() == '{"a": "\\u009b2J\\u202e\\u007f\u00e9"}\n'.encode()


def test_keys_strings_numbers_and_literals_have_colours_of_their_own() -> None:
    shown = painted_json(r'{"a\"1": ["b: 2, \\", -3.5e+7, true, null]}')
    parts = re.findall(r"(\x1b[^m]*m)(.*?)\x1b\[0m", shown)
    assert parts == [(AZURE, r'"a\"1"'), (GREEN, r'"b: 2, \\"'), (TEAL, "-3.5e+7"), (MAGENTA, "true"), (GREY, "null")]


@pytest.mark.parametrize("command", ["dump", "hexdump", "stats"])
def test_a_terminal_gets_colours_and_a_pipe_does_not(command: str) -> None:
    json_of = (command, "--format", "json", LOG)
    plain = run(*json_of, environment={"NO_COLOR": "", "FORCE_COLOR": "1"}).stdout
    assert b"\x1b" not in plain
    painted = on_a_terminal(*json_of)
    assert b"\x1b[38;5;32m" in painted
    assert re.sub(rb"\x1b\[[\d;]*m", b"", painted) == plain
    assert on_a_terminal(*json_of, *("--color", "never")) == plain
    assert all(json.loads(one) for one in ([plain] if command == "stats" else plain.splitlines()))
    asked = run(*json_of, *SHOW_ALWAYS, environment={"TERM": "xterm-256color"}).stdout
    assert asked == painted

"""The text on a terminal: coloured, and harmless."""

from __future__ import annotations

import io
import re

from binlogcli.render import palette
from binlogcli.render.mysqlbinlog.terminal import TerminalText
from support.golden import GOLDEN
from support.mysqlbinlog_text import text_of
from support.program import run
from support.terminal import on_a_terminal

MANY = {"TERM": "xterm-256color"}
ROWS = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"


def shown(text: bytes, *, colour: bool = True) -> str:
    file = io.BytesIO()
    terminal = TerminalText(file, colour=colour)
    for at in range(0, len(text), 7):
        terminal.write(text[at : at + 7])
    terminal.flush()
    return file.getvalue().decode()


def test_control_characters_are_shown_and_not_sent() -> None:
    text = shown(b"###   @1='a\x1b[2Jb\x9b\xe2\x80\xae'\n", colour=False)
    assert text == "###   @1='a\\x1b[2Jb\\x9b\\u202e'\n"


def test_comments_keywords_names_and_values_have_styles_of_their_own() -> None:
    text = shown(b"# at 4\n#261121 x\nINSERT INTO `t` VALUES ('a')\n")
    for style, part in (
        (palette.bold(palette.TEAL), "# at 4"),
        (palette.GREY, "#261121 x"),
        (palette.bold(palette.AZURE), "INSERT"),
        (palette.bold(palette.OLIVE), "`t`"),
        (palette.MAGENTA, "'a'"),
    ):
        assert f"{style}{part}{palette.RESET}" in text


def test_colours_change_nothing_but_colours() -> None:
    text = text_of(ROWS, verbose=2, base64_output="decode-rows")
    assert re.sub(r"\x1b\[[\d;]*m", "", shown(text)) == shown(text, colour=False)


def test_without_colours_the_text_is_the_same() -> None:
    text = text_of(ROWS, verbose=2, base64_output="decode-rows")
    assert shown(text, colour=False).encode() == text.replace(b"\x89", b"\\x89")


def test_the_program_colours_on_a_terminal() -> None:
    assert b"\x1b[1;38;5;32m" in on_a_terminal("dump", "-s", str(ROWS))


def test_the_program_colours_where_it_is_told_to() -> None:
    plain = run("dump", "-s", ROWS).stdout
    assert b"\x1b" not in plain
    assert b"\x1b[1;38;5;32m" in run("dump", "--color", "always", "-s", ROWS, environment=MANY).stdout
    assert b"\x1b[1;38;5;32m" in run("--color", "always", "dump", "-s", ROWS, environment=MANY).stdout
    assert on_a_terminal("dump", "--color", "never", "-s", str(ROWS)) == plain

"""Each colour can be read on a dark and on a light background, by xterm's own palette."""

from __future__ import annotations

import importlib
import itertools
import re

import pytest

from binlogcli.render import palette
from binlogcli.render.report.heat_map import COLORS
from support.golden import GOLDEN
from support.program import run

BLACK, WHITE = (0, 0, 0), (255, 255, 255)
BACKGROUNDS = (BLACK, WHITE)
READABLE, SEEN = 3.5, 3.0  # to 1, of text and of areas
XTERM = (  # the first 16 of 256
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229)),
    *((127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255)),
    (255, 255, 255),
)
STEPS = (0, 95, 135, 175, 215, 255)
Color = tuple[int, int, int]


def color_of(number: int) -> Color:
    """One of xterm's 256 colours."""
    if number < 16:
        return XTERM[number]
    if number < 232:
        red, green, blue = (number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6
        return STEPS[red], STEPS[green], STEPS[blue]
    return (8 + (number - 232) * 10,) * 3


def contrast(one: Color, other: Color) -> float:
    """The contrast of two colours as WCAG defines it."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(color: Color) -> float:
    """The relative luminance of a colour."""
    parts = [part / 255 for part in color]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def drawn(sequence: str, background: Color) -> tuple[Color, Color]:
    """The colours of text and background after an escape sequence."""
    text = WHITE if background == BLACK else BLACK
    codes = iter(int(code) for code in re.findall(r"\d+", sequence))
    for code in codes:
        if code in (38, 48):
            next(codes)
            color = color_of(next(codes))
            text, background = (color, background) if code == 38 else (text, color)
        elif 30 <= code < 38 or 90 <= code < 98:
            text = XTERM[code % 10 + (8 if code >= 90 else 0)]
        elif 100 <= code < 108:
            background = XTERM[code % 10 + 8]
        else:
            assert code in (0, 1, 39)  # not faint, of which terminals make what they like
    return text, background


@pytest.mark.parametrize("term", ["xterm-256color", "linux"])
def test_colours_are_readable_on_dark_and_light(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("COLORTERM", raising=False)
    fresh = importlib.util.spec_from_file_location("fresh", palette.__file__)
    assert fresh is not None
    assert fresh.loader is not None
    module = importlib.util.module_from_spec(fresh)
    fresh.loader.exec_module(module)
    colors = {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}
    assert len(colors) > 10
    for (name, sequence), background in itertools.product(colors.items(), BACKGROUNDS):
        assert contrast(*drawn(sequence, background)) >= READABLE, (name, background)


def test_the_heat_map_is_seen_on_dark_and_light() -> None:
    for number, background in itertools.product(COLORS, BACKGROUNDS):
        assert contrast(color_of(number), background) >= SEEN, number


@pytest.mark.parametrize("term", ["xterm-256color", "linux"])
@pytest.mark.parametrize("command", [["dump", "-vv"], ["dump", "--format", "json"], ["hexdump", "--legend"], ["stats"]])
def test_no_command_uses_other_colours(command: list[str], term: str) -> None:
    log = GOLDEN / "mysql-9.7" / "xa" / "shop-bin.000001"
    environment = {"TERM": term, "COLORTERM": "", "NO_COLOR": ""}
    shown = run(*command, "--color", "always", log, environment=environment).stdout.decode()
    found = set(re.findall(r"\x1b\[[\d;]*m", shown))
    assert len(found) > 1
    for sequence, background in itertools.product(found, BACKGROUNDS):
        assert contrast(*drawn(sequence, background)) >= READABLE, sequence

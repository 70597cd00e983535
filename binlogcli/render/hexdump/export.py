"""The hexdump as a picture (SVG) or page (HTML) for a report, without references to other files."""

from __future__ import annotations

import io
import re

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

_FONT_FACE = re.compile(r"@font-face\s*\{\{.*?\}\}\s*", re.DOTALL)
_DARK = TerminalTheme(
    (24, 26, 31),
    (208, 212, 220),
    [
        (36, 38, 45),
        (204, 102, 102),
        (140, 190, 110),
        (222, 180, 90),
        (97, 150, 220),
        (190, 130, 210),
        (90, 185, 190),
        (208, 212, 220),
    ],
    [
        (120, 126, 138),
        (240, 120, 110),
        (160, 215, 130),
        (240, 205, 110),
        (120, 175, 245),
        (215, 155, 235),
        (110, 210, 215),
        (255, 255, 255),
    ],
)


def svg(drawn: str, width: int) -> str:
    """Return the drawing, text with escape sequences for colours, as a picture."""
    from rich._export_format import CONSOLE_SVG_FORMAT  # rich has no public name for it

    code = _FONT_FACE.sub("", CONSOLE_SVG_FORMAT)
    return _recorded(drawn, width).export_svg(title="binlogcli hexdump", theme=_DARK, code_format=code)


def html(drawn: str, width: int) -> str:
    """Return the drawing as a page."""
    return _recorded(drawn, width).export_html(theme=_DARK, inline_styles=True)


def _recorded(drawn: str, width: int) -> Console:
    """Return a console that has recorded the drawing."""
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text.from_ansi(drawn), soft_wrap=True, highlight=False)
    return console

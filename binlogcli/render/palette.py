"""The colours on a terminal: each can be read on a dark and on a light background.

Of the 256 colours, those from 16 on are the same on all terminals; the ones here have a contrast of at least 3.8 to 1
with black and with white. The first 16 are those of the terminal's theme: green, yellow and cyan, and blue on black,
often cannot be read, and are not used where there are no others.
"""

from __future__ import annotations

import os


def _has_many() -> bool:
    """Whether the terminal has 256 colours by what it says, or there is none, as for a picture made by cron."""
    term = os.environ.get("TERM", "dumb")
    return term == "dumb" or "256" in term or "direct" in term or bool(os.environ.get("COLORTERM"))


MANY = _has_many()
RESET = "\x1b[0m"
BOLD = "\x1b[1m"


def _color(many: int, few: str) -> str:
    """Return the escape sequence of a colour: its number among 256, or the parameters for a terminal with 16."""
    return f"\x1b[38;5;{many}m" if MANY else f"\x1b[{few}m"


def bold(color: str) -> str:
    """Return the escape sequence of a colour in bold."""
    return f"\x1b[1;{color[2:]}"


AZURE = _color(32, "94")
GREEN = _color(28, "39")
GREY = _color(243, "90")
MAGENTA = _color(164, "35")
OLIVE = _color(100, "35")
ORANGE = _color(130, "35")
RED = _color(196, "91")
TEAL = _color(30, "94")
VIOLET = _color(99, "94")
MARKED = "\x1b[38;5;16;48;5;220m" if MANY else "\x1b[30;103m"  # black on yellow, on any background

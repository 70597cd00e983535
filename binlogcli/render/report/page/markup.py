"""Text of a report as HTML: escaped, and with control characters made visible."""

from __future__ import annotations

import re
from html import escape

from binlogcli.render.escape import visible

_BREAKS = re.compile(r"(?<=[,:])")  # where a set of GTIDs may be broken; at a hyphen it may not


def text(raw: str) -> str:
    """Return text as one line."""
    return escape(visible(raw))


def lines(raw: str) -> str:
    """Return text with its own line breaks and tabs, for a `pre`."""
    return "\n".join(text(line.removesuffix("\r").replace("\t", "    ")) for line in raw.split("\n"))


def one_line(raw: str) -> str:
    """Return text with each run of blanks and line breaks as one blank."""
    return text(" ".join(raw.split()))


def breakable(raw: str) -> str:
    """Return a list of names or GTIDs that is broken after commas and colons alone."""
    return "<wbr>".join(f'<span class="nb">{text(part)}</span>' for part in _BREAKS.split(raw) if part)


def command_block(command: str | None, label: str = "") -> str:
    """Return a command as code that a click copies; empty for None."""
    if not command:
        return ""
    what = f'<span class="vh">{text(label or "Command that shows it")}: </span>'
    words = " ".join(f"<span>{text(word)}</span>" if word else "" for word in command.split(" "))
    return f'<div class="cmd">{what}<code>{words}</code></div>'

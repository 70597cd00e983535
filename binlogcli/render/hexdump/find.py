"""The search of `--find`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from binlogcli.events.again.noted import EventNoter
from binlogcli.events.event import Event
from binlogcli.log.context import LogContext

_HEX = re.compile(r"(?:0x)?((?:[0-9a-fA-F]{2}[ :]?)+)\Z")
_MAX_HITS = 4096  # hits marked in one event


def needles(text: str) -> list[bytes]:
    """Return the bytes to look for: those of the text, unless it begins with 0x, and those that it gives as hex."""
    found = [] if text.startswith("0x") and _HEX.match(text) else [text.encode("utf-8", "surrogateescape")]
    match = _HEX.match(text)
    if match:
        found.append(bytes.fromhex(re.sub(r"[ :]", "", match[1])))
    return found


def find_all(wanted: Sequence[bytes], data: bytes, start: int, end: int) -> list[tuple[int, int]]:
    """Return start and end of each needle in data[start:end], in order."""
    hits: list[tuple[int, int]] = []
    for needle in wanted:
        at = data.find(needle, start, end)
        while at >= 0 and len(hits) < _MAX_HITS:
            hits.append((at, at + len(needle)))
            at = data.find(needle, at + 1, end)
    return sorted(hits)


def find_in_event(wanted: Sequence[bytes], event: Event) -> list[tuple[int, int]]:
    """Return the hits among the bytes that the event has in its log, as offsets into `event.data`."""
    return find_all(wanted, event.data, event.at, event.at + event.length)


def find_in_contents(wanted: Sequence[bytes], event: Event, context: LogContext) -> bool:
    """Whether any of the needles stands in content that the event holds compressed."""
    noter = EventNoter()
    noter.note(event, context)
    contents = [value for value in noter.notes.values if isinstance(value, bytes)]
    return any(find_all(wanted, content, 0, len(content)) for content in contents)

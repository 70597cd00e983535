"""The search of `--find`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from binlogcli.binary.byte_search import ByteSearch
from binlogcli.events.again.noted import EventNoter
from binlogcli.events.event import Event
from binlogcli.events.tables import Rows
from binlogcli.log.context import LogContext
from binlogcli.names.event_types import COMPRESSED_ROWS_EVENTS, QUERY_COMPRESSED_EVENT
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.strings import CompressedColumn, FixedBytesColumn

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


class Finder:
    """Finds the events that hold any of the needles, in order; `found` tells whether there was one."""

    def __init__(self, wanted: Sequence[bytes]) -> None:
        self._wanted = wanted
        self._search = ByteSearch(wanted)
        self._padded = any(0 in needle for needle in wanted)
        self._noter = EventNoter()
        self._plan: TablePlan | None = None  # of the last rows, and whether its values may be such
        self._plan_has = False
        self.found = False

    def hits(self, event: Event, context: LogContext) -> list[tuple[int, int]] | None:
        """Return the hits among the bytes that the event has in its log, as offsets into `event.data`.

        The list is empty where only content has a needle that the event holds compressed; None if there is none.
        """
        end = event.at + event.length
        hits: list[tuple[int, int]] | None = None
        if self._search.found(event.data, event.at, end):
            hits = find_all(self._wanted, event.data, event.at, end)
        elif self._has_contents(event) and self._in_contents(event, context):
            hits = []
        self.found = self.found or hits is not None
        return hits

    def _has_contents(self, event: Event) -> bool:
        """Return whether the event may have bytes that are not in its log as they are; those of payloads follow it."""
        if event.type_code == QUERY_COMPRESSED_EVENT or event.type_code in COMPRESSED_ROWS_EVENTS:
            return True
        if not isinstance(event, Rows) or event.plan is None:
            return False
        if event.plan is not self._plan:
            self._plan = event.plan
            kinds = (CompressedColumn, FixedBytesColumn) if self._padded else (CompressedColumn,)
            self._plan_has = any(isinstance(column, kinds) for column in event.plan.columns)
        return self._plan_has

    def _in_contents(self, event: Event, context: LogContext) -> bool:
        """Return whether any of the needles is in bytes that the event has decompressed or padded."""
        self._noter.note(event, context)
        contents = [value for value in self._noter.notes.values if isinstance(value, bytes)]
        return any(find_all(self._wanted, content, 0, len(content)) for content in contents)

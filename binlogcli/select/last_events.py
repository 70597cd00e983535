"""Finds the last events that a choice takes, for `--last`: logs are read for that from the last one on, and counted.

The events are read again to be shown, as what an event needs may be anywhere before it: its transaction, its table.
"""

from __future__ import annotations

from binlogcli.events.log import Log
from binlogcli.select.limits import ALL
from binlogcli.select.selection import Selection
from binlogcli.select.transactions import Stretches


class LastEvents:
    """Tells how many of the events that are taken are not shown of each log. Logs are given from the last one on."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._wanted = selection.choice.last or 0
        self._to_drop: dict[str, int] = {}

    @property
    def enough(self) -> bool:
        """Whether all events that are wanted were found."""
        return self._wanted == 0

    def to_drop(self, path: str) -> int:
        """Return how many events at its beginning are not shown of a log: `ALL` of one that was not read."""
        return self._to_drop.get(path, ALL)

    def read(self, log: Log, *, first: bool, last: bool, stretches: Stretches | None) -> None:
        """Count the events of a log that are selected. Gaps are reported when the events are shown."""
        counting = self._selection.without_limits()
        counting.begin_log(log, first=first, last=last, stretches=stretches)
        while log.advance() is not None or log.take_gap() is not None:
            pass
        shown = min(counting.limits.shown, self._wanted)
        self._wanted -= shown
        self._to_drop[log.path] = counting.limits.shown - shown

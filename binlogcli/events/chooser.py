"""What decides which events of a log are given out: the stream asks it, `select.Selection` is the one that there is.

A chooser sees events that are whole and decoded, and never changes how the next ones are.
"""

from __future__ import annotations

from binlogcli.events.event import Event

SKIP, SHOW, HOLD, JUMP, END = range(5)
NO_LIMIT = (1 << 63) - 1


class Chooser:
    """Takes every event. `begun` is false while the beginning of what was asked for is still to come, `limit` its end.

    HOLD keeps an event back until the fate of the one after it is known; JUMP goes on at offset `target`; END stops.
    """

    def __init__(self) -> None:
        self.begun = True
        self.limit = NO_LIMIT
        self.target = -1
        self.held: list[Event] = []

    def verdict(self, event: Event) -> int:
        """SKIP, SHOW, HOLD, JUMP or END."""
        return SHOW

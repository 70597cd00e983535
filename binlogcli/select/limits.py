"""Counts the events that are shown, for `--limit` and `--last`.

A form that shows frames of transactions by itself, or not at all, does not count them: they pass without limits, and
after the last event that counts what ends its transaction does.
"""

from __future__ import annotations

from binlogcli.events.event import Event, Transaction
from binlogcli.events.load import Load
from binlogcli.events.statements import Query
from binlogcli.events.stream import NO_LIMIT
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import ENDING_TYPES, role_of
from binlogcli.log.roles import COMMIT, RELEASE_SAVEPOINT
from binlogcli.select.choice import EVENTS, ROWS, Choice

ALL = NO_LIMIT  # events of a log that are not shown


class Limits:
    """The limits of a run.

    `left` events are still to be shown, -1: all of them; `to_drop` are chosen and not among the last ones of the log.
    """

    def __init__(self, choice: Choice) -> None:
        self.counted = choice.counted
        self.left = -1 if choice.limit is None else choice.limit
        self.to_drop = 0
        self.shown = 0
        self.transaction: Transaction | None = None  # of the last event that was counted and shown
        self.ending = ENDING_TYPES

    def admit(self, event: Event) -> bool:
        """Return whether an event is shown, and count it."""
        if self.counted != EVENTS and not self.counts(event):
            return True
        if self.left == 0:
            return False
        if self.to_drop > 0:
            self.to_drop -= 1
            return False
        self.shown += 1
        self.left -= self.left > 0
        self.transaction = event.transaction
        return True

    def counts(self, event: Event) -> bool:
        """Return whether an event counts: one with rows, or a statement where these are counted."""
        if isinstance(event, Rows):
            return True
        if isinstance(event, Query) and self.counted != ROWS:
            query = event.query
            return role_of(query, 0, len(query)) < RELEASE_SAVEPOINT
        return isinstance(event, Load) and self.counted != ROWS

    def takes_behind(self, event: Event) -> bool:
        """Return whether an event belongs to the transaction of the last one that is shown, whose end is shown, too."""
        transaction = self.transaction
        return self.counted != EVENTS and transaction is not None and event.transaction is transaction

    def ends(self, event: Event) -> bool:
        """Return whether an event ends its transaction."""
        if isinstance(event, Query):
            query = event.query
            return role_of(query, 0, len(query)) >= COMMIT
        return self.ending[event.type_code] != 0

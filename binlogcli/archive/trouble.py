"""What goes wrong again and again: how long to wait before the next try, and what the user is told of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from binlogcli.errors import BinlogError
from binlogcli.sources.server.backoff import Backoff

TOLD_AGAIN = 5  # failures in a row for one reason after which it is told again, and each time they have doubled


class Trouble:
    """Failures in a row, from the first one after some progress on."""

    def __init__(self, tries: int | None, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.asked = ""  # what the server was asked for last
        self._backoff = Backoff(tries=tries)
        self._reason = ""
        self._count = self._next_told = 0
        self._since = 0.0

    def wait_after(self, error: BinlogError, *, passing: bool) -> float:
        """How long to wait after an error; it is raised where there were enough tries, or another one cannot help."""
        if error.reason == self._reason:
            self._count += 1
        else:
            self._reason = error.reason
            self._count, self._next_told = 1, TOLD_AGAIN
            self._since = time.monotonic()
        wait = self._backoff.next() if passing else None
        if wait is None:
            if passing and self._count > 1:
                error.hint = "; ".join(filter(None, (error.hint, self._details())))
            raise error
        if self._count == 1:
            self.tell(f"{error.line()}; trying again")
        elif self._count >= self._next_told:  # in between, the same again is no news
            self._next_told *= 2
            self.tell(f"{error.line()}; {self._details()}")
        return wait

    def over(self, place: str) -> None:
        """There was progress."""
        self._backoff.progress()
        if self._reason:
            self.tell(f"{place}: going on again")
            self._reason = ""

    def _details(self) -> str:
        """What may help whoever looks into it."""
        minutes, seconds = divmod(round(time.monotonic() - self._since), 60)
        passed = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        asked = f", asked for {self.asked}" if self.asked else ""
        return f"{self._count} times in {passed}{asked}"

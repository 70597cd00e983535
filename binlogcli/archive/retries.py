"""Repeated failures: how long to wait before the next try, and which of them are reported."""

from __future__ import annotations

import time
from collections.abc import Callable

from binlogcli.errors import BinlogError
from binlogcli.sources.server.backoff import Backoff

_REPORT_AGAIN = 5  # failures in a row after which a reason is reported again, and each time they have doubled
_MOST_REASONS = 20  # that are remembered as reported


class Retries:
    """Counts failures in a row since the last progress."""

    def __init__(self, tries: int | None, tell: Callable[[str], None]) -> None:
        self.tell = tell
        self.asked = ""  # what the server was asked for last
        self._backoff = Backoff(tries=tries)
        self._reported: set[str] = set()  # reasons
        self._count = self._next_report = 0
        self._since = 0.0

    def wait_after(self, error: BinlogError, *, passing: bool) -> float:
        """Return the seconds to wait after an error; raise it if the tries are used up, or no try can help."""
        if not self._count:
            self._since, self._next_report = time.monotonic(), _REPORT_AGAIN
        self._count += 1
        wait = self._backoff.next() if passing else None
        if wait is None:
            if passing and self._count > 1:
                error.hint = "; ".join(filter(None, (error.hint, self._details())))
            raise error
        if error.reason not in self._reported:
            self._reported = {*self._reported, error.reason} if len(self._reported) < _MOST_REASONS else {error.reason}
            self.tell(f"{error.line()}; retrying")
        elif self._count >= self._next_report:  # in between, a reason that was reported is no news
            self._next_report *= 2
            self.tell(f"{error.line()}; {self._details()}")
        return wait

    def over(self, place: str) -> None:
        """Note progress, and report it where failures came before."""
        self._backoff.progress()
        if self._count:
            self.tell(f"{place}: connected again, continuing")
        self._count = 0
        self._reported = set()

    def _details(self) -> str:
        """Return figures that help to find the cause."""
        minutes, seconds = divmod(round(time.monotonic() - self._since), 60)
        passed = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        asked = f", asked for {self.asked}" if self.asked else ""
        return f"{self._count} failures in a row in {passed}{asked}"

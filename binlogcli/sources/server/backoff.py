"""Waits between tries: longer each time, and of random length, so that clients do not come back all at once."""

from __future__ import annotations

import random


class Backoff:
    """Waits of random length up to a bound that doubles with each failure."""

    def __init__(self, *, first: float = 0.5, longest: float = 30.0, tries: int | None = None) -> None:
        self._first = first
        self._longest = longest
        self._tries = tries
        self._failed = 0

    def progress(self) -> None:
        """Begin anew with the shortest bound."""
        self._failed = 0

    def next(self) -> float | None:
        """Seconds until the next try; None when there were enough."""
        self._failed += 1
        if self._tries is not None and self._failed > self._tries:
            return None
        bound = min(self._longest, self._first * 2 ** min(self._failed - 1, 16))
        return random.uniform(bound / 4, bound)  # noqa: S311 - no secret

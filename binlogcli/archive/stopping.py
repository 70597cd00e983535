"""The wish to end: a signal is noticed at once while waiting, and between two events while logs are written."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StopNow(Exception):  # noqa: N818 - no error
    """Raised out of what can be left at any point."""


class Stopping:
    """Receives signals; `fd` can be read once one has come."""

    def __init__(self) -> None:
        self.signal = 0
        self.fd, self._write_fd = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._at_once = False
        self._before = {number: signal.signal(number, self._received) for number in _SIGNALS}

    def _received(self, number: int, _frame: FrameType | None) -> None:
        first = self.signal == 0
        self.signal = number
        if first:
            os.write(self._write_fd, b"!")
        if self._at_once:
            self._at_once = False
            raise StopNow

    @contextlib.contextmanager
    def at_once(self) -> Iterator[None]:
        """In here nothing is under way that must be brought to an end."""
        self._at_once = True
        try:
            if self.signal:
                raise StopNow
            yield
        finally:
            self._at_once = False

    def wait(self, seconds: float) -> None:
        """Wait, unless a signal comes."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        with self.at_once():
            poll.poll(1000 * seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.fd)
        os.close(self._write_fd)

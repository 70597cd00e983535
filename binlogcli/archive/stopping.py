"""Signals that end a run: at once while it waits, between two events while logs are written."""

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
    """Raised by a signal at points that can be left at any time."""


class Stopping:
    """Receives signals; `fd` becomes readable with the first."""

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
        """Raise `StopNow` inside as soon as a signal comes."""
        self._at_once = True
        try:
            if self.signal:
                raise StopNow
            yield
        finally:
            self._at_once = False

    def wait(self, seconds: float) -> None:
        """Wait for some seconds; raise `StopNow` as soon as a signal comes."""
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

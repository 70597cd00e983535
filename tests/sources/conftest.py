"""A log, and what is read of it, for the tests of captures."""

from __future__ import annotations

import pytest

from support.captures import a_log, places
from support.logs import LogBuilder


@pytest.fixture
def log() -> LogBuilder:
    return a_log()


@pytest.fixture
def whole(log: LogBuilder) -> list[tuple[int, int, bytes]]:
    return places(log.read())

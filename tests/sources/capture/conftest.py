"""A log, and what is read of it, for the tests of captures."""

from __future__ import annotations

import pytest

from support.captures import places
from support.logs import LogBuilder, commit_log


@pytest.fixture
def log() -> LogBuilder:
    return commit_log(60)


@pytest.fixture
def whole(log: LogBuilder) -> list[tuple[int, int, bytes]]:
    return places(log.read())

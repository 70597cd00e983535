"""What all tests share: the helper modules of `support`, and one live server for the whole session."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # importmode=importlib adds no directory of its own
os.environ["TZ"] = "UTC"  # times without a zone are of the machine's
time.tzset()

if TYPE_CHECKING:
    from support.live_mariadb import MariaServer


@pytest.fixture(scope="session")
def maria() -> Iterator[MariaServer]:
    """A private MariaDB server, started with the first test that asks for it."""
    from support.live_mariadb import MariaServer, server_available
    from support.program import missing

    if not server_available():
        missing("no MariaDB server is installed")
    with MariaServer() as server:
        yield server

"""Random sessions as SQL: a second server that runs it has the same tables; their undo leaves them as they were.

BINLOGCLI_SESSIONS and BINLOGCLI_STATEMENTS make it longer; BINLOGCLI_SEED is where it begins.
"""

from __future__ import annotations

import os
import re

import pytest

from support.live_mariadb import MariaServer, server_available
from support.mariadb_sessions import ROWS_ONLY, MariadbSession, contents, feed, run_all
from support.program import missing, run

SESSIONS = int(os.environ.get("BINLOGCLI_SESSIONS", "1"))
STATEMENTS = int(os.environ.get("BINLOGCLI_STATEMENTS", "150"))
SEED = int(os.environ.get("BINLOGCLI_SEED", "1"))
OPTIONS = ["--binlog-format=ROW", "--binlog-row-metadata=FULL", "--sql-mode=", "--character-set-server=utf8mb4"]
XA_RBROLLBACK = b"1402"  # what a server answers to the rollback of a branch that changed nothing

pytestmark = pytest.mark.parametrize("seed", range(SEED, SEED + SESSIONS))


def test_a_session_is_the_same_on_another_server(seed: int) -> None:
    if not server_available():
        missing("no MariaDB server is installed")
    session = MariadbSession(seed, ROWS_ONLY)
    with MariaServer(OPTIONS) as one, MariaServer(OPTIONS) as other:
        log = run_all(one, session.beginning() + session.statements(STATEMENTS))
        done = run("dump", "--format", "sql", log)
        assert done.returncode == 0
        errors = re.findall(rb"^ERROR (\d+)", feed(other, done.stdout), re.MULTILINE)
        assert set(errors) <= {XA_RBROLLBACK}
        assert contents(other) == contents(one)


def test_the_undo_of_changes_leaves_the_tables_as_they_were(seed: int) -> None:
    if not server_available():
        missing("no MariaDB server is installed")
    session = MariadbSession(seed, ROWS_ONLY)
    with MariaServer(OPTIONS) as server:
        run_all(server, session.beginning() + session.statements(20, ("table", "change")))
        run_all(server, [f"ALTER TABLE {name} ADD SYSTEM VERSIONING" for name in list(session.tables)[::2]])
        before = contents(server)
        log = run_all(server, session.statements(STATEMENTS, ("change", "change", "change", "setting", "use")))
        assert contents(server) != before
        done = run("dump", "--format", "sql", "--undo", log)
        assert done.returncode == 0, done.stderr
        assert feed(server, done.stdout) == b""
        assert contents(server) == before

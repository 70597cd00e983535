"""Random sessions of a MySQL server as SQL: a second one that runs it has the same tables; their undo takes it back.

BINLOGCLI_MYSQL names the folder of its programs (tests/support/live_mysql.py), of 8.0 or newer: older logs have
no column names. BINLOGCLI_SESSIONS and BINLOGCLI_STATEMENTS make it longer; BINLOGCLI_SEED is where it begins.
"""

from __future__ import annotations

import os
import re
import subprocess

import pytest

from support.live_mysql import MysqlServer, mysql_available, need_mysql, version
from support.mariadb_sessions import DATABASES, feed, lines_of_dump, run_all
from support.mysql_sessions import ROWS_ONLY, SHAPED, TYPES, MysqlSession
from support.program import run

SESSIONS = int(os.environ.get("BINLOGCLI_SESSIONS", "3"))
STATEMENTS = int(os.environ.get("BINLOGCLI_STATEMENTS", "150"))
SEED = int(os.environ.get("BINLOGCLI_SEED", "1"))
OPTIONS = ["--binlog-format=ROW", "--binlog-row-metadata=FULL", "--sql-mode=", "--character-set-server=utf8mb4"]
GENERATED = re.compile(", gen INT AS .*? (VIRTUAL|STORED)")  # that they are is not in the log
SPELLING = re.compile(r"(CHARACTER SET|CHARSET=)( ?)(?!utf8mb4)(\w+) COLLATE[ =](\3_\w+_ci|binary)")

pytestmark = [
    pytest.mark.parametrize("seed", range(SEED, SEED + SESSIONS)),
    pytest.mark.skipif(not mysql_available() or version() < (8, 0), reason="no MySQL 8 or newer is named"),
]


class Replayed(MysqlSession):
    """Without columns that cannot be replayed, and JSON whose hours the server itself mistakes."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, ROWS_ONLY, (*TYPES, *SHAPED), version=(8, 0))  # with no VECTOR

    def new_table(self) -> list[str]:
        return [GENERATED.sub("", text) for text in super().new_table()]

    def value(self, kind: str) -> str:
        text = super().value(kind)
        return "'{}'" if kind == "JSON" and "838:59:59" in text else text

    def load(self, path: str, name: str, column: str) -> list[str]:
        return [f"DELETE FROM {name} WHERE {column} IS NULL LIMIT 1"]


def contents(server: MysqlServer) -> list[str]:
    """All tables; a collation that a character set has anyway is said or not, as the table was made."""
    program = [need_mysql("mysqldump"), "--no-defaults", f"--socket={server.socket}", "--user=root", "--hex-blob"]
    options = ["--skip-comments", "--skip-extended-insert", "--skip-triggers", "--force", "--no-tablespaces"]
    options += ["--set-gtid-purged=OFF", "--column-statistics=0", "--databases", *DATABASES]
    done = subprocess.run([*program, *options], capture_output=True, check=False)
    return [SPELLING.sub(r"\1\2\3", line) for line in lines_of_dump(done.stdout.decode("utf-8", "replace"))]


def test_a_session_is_the_same_on_another_server(seed: int) -> None:
    session = Replayed(seed)
    with MysqlServer(OPTIONS) as one, MysqlServer(OPTIONS) as other:
        log = run_all(one, session.beginning() + session.statements(STATEMENTS))
        done = run("dump", "--format", "sql", log)
        assert done.returncode == 0
        assert b"ERROR" not in feed(other, done.stdout)
        assert contents(other) == contents(one)


def test_the_undo_of_changes_leaves_the_tables_as_they_were(seed: int) -> None:
    session = Replayed(seed)
    with MysqlServer(OPTIONS) as server:
        run_all(server, session.beginning() + session.statements(20, ("table", "change")))
        before = contents(server)
        log = run_all(server, session.statements(STATEMENTS, ("change", "change", "change", "setting", "use")))
        assert contents(server) != before
        done = run("dump", "--format", "sql", "--undo", log)
        assert done.returncode == 0, done.stderr
        assert b"ERROR" not in feed(server, done.stdout)
        assert contents(server) == before

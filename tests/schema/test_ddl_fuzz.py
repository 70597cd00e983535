"""Spoiled and hostile statements: they cost a warning and an unknown table at most, and no more than their length.

What a live server makes of a spoiled statement is what the definitions say of it, or they say nothing.
BINLOGCLI_DDL_MUTANTS sets how many statements are spoiled.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pymysql
import pytest

from binlogcli.schema.definitions import Definitions
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.charsets import Charset, Collations
from binlogcli.schema.sql.tokens import Dialect, Unreadable
from binlogcli.schema.table import SchemaTable
from schema.test_random_ddl import assert_equal, read_back
from support.hostile_ddl import BASE, DdlMutator
from support.live_mariadb import MariaServer, quoted, server_available

MUTANTS = int(os.environ.get("BINLOGCLI_DDL_MUTANTS", "400"))
SESSION = Session("s", 7, Dialect(mariadb=True, version=101100), Collations(mariadb=True))
NOT_IN_ENGINE = 1932  # ER_NO_SUCH_TABLE_IN_ENGINE
DATABASE = Charset("utf8mb4", "utf8mb4_general_ci")


def base() -> Definitions:
    definitions = Definitions()
    definitions.create_database("s", DATABASE, new=True)
    for statement in BASE:
        replay(statement, definitions, SESSION)
    return definitions


def executed(statement: str | bytes, definitions: Definitions, session: Session = SESSION) -> bool:
    """Replay a statement; return whether it can be read."""
    try:
        replay(statement, definitions, session)
    except Unreadable:
        return False
    return True


@pytest.mark.parametrize("seed", range(4))
def test_a_spoiled_statement_costs_a_warning_and_its_own_tables_at_most(seed: int) -> None:
    mutator = DdlMutator(seed)
    for _ in range(MUTANTS // 4):
        _, mutant = mutator.mutant()
        before, after = base(), base()
        executed(mutant.encode("utf-8", "surrogatepass"), after)
        executed(mutant.encode("latin-1", "replace"), base(), Session())
        for (database, name), table in before.tables.items():
            if (database, name) in after.tables and name.replace("`", "``") not in mutant.lower():
                assert after.tables[database, name] == table, mutant


HUGE = {
    "parentheses": "ALTER TABLE t ADD z INT " + "(" * 1_000_000,
    "closed parentheses": "ALTER TABLE t ADD z INT " + "(" * 150_000 + ")" * 150_000,
    "a name": "ALTER TABLE t ADD `" + "x" * 4_000_000 + "` INT",
    "a comment": "ALTER TABLE t ADD z INT COMMENT '" + "\\'" * 1_000_000 + "'",
    "columns": "CREATE TABLE t (" + ",".join(f"c{number} INT" for number in range(100_000)) + ")",
    "columns behind one another": "ALTER TABLE t " + ",".join(f"ADD c{n} INT AFTER a" for n in range(60_000)),
    "one column again and again": "ALTER TABLE t " + ",".join("ADD z INT, MODIFY z INT" for _ in range(20_000)),
    "columns that go": "ALTER TABLE t " + ",".join(f"DROP IF EXISTS c{number}" for number in range(80_000)),
    "keys": "CREATE TABLE t (a INT" + ",KEY (a)" * 80_000 + ")",
    "a key's columns": "ALTER TABLE t ADD KEY (a" + ",a" * 150_000 + ")",
    "foreign keys": "CREATE TABLE t (a INT" + ",FOREIGN KEY (a) REFERENCES u (a)" * 30_000 + ")",
    "references": "ALTER TABLE t ADD z INT " + "REFERENCES " * 300_000,
    "labels": "CREATE TABLE t (a ENUM(" + ",".join(f"'ü{number}'" for number in range(150_000)) + "))",
    "versioned comments": "ALTER TABLE t " + "/*!50000 " * 300_000,
    "versioned comments for others": "ALTER TABLE t " + "/*!99999 " * 300_000,
    "comments that end": "ALTER TABLE t " + "*/" * 300_000,
    "quotes": "ALTER TABLE t " + "'\"`" * 300_000,
    "renames": "RENAME TABLE " + ",".join(f"t{number} TO t{number + 1}" for number in range(60_000)),
    "tables": "DROP TABLE " + ",".join(f"t{number}" for number in range(150_000)),
    "new names": "ALTER TABLE t " + ",".join("RENAME TO u" for _ in range(90_000)),
    "words": "CREATE " * 300_000,
    "digits": "CREATE TABLE t (a VARCHAR(" + "9" * 1_000_000 + "))",
    "options": "CREATE TABLE t (a INT) " + "COMMENT='x' CHARSET=utf8 " * 60_000,
    "SET STATEMENT": "SET STATEMENT " * 150_000 + "FOR DROP TABLE t",
}


@pytest.mark.parametrize("statement", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("form", ["whole", "cut off", "without escapes"])
def test_a_huge_statement_takes_no_more_than_its_length(statement: str, form: str) -> None:
    definitions = base()
    dialect = Dialect(mariadb=True, version=101100, ansi_quotes=True, no_backslash_escapes=form == "without escapes")
    began = time.process_time()
    executed(statement[: -7 if form == "cut off" else None], definitions, Session("s", 7, dialect, SESSION.collations))
    assert time.process_time() - began < 15


# --- a live server's word


class Oracle:
    """A server that executes spoiled statements on the tables of `BASE`, and shows what became of them."""

    def __init__(self, server: MariaServer) -> None:
        self._server = server
        self._connection = self._connected()

    def _connected(self) -> pymysql.Connection[pymysql.cursors.Cursor]:
        return pymysql.connect(
            unix_socket=str(self._server.socket), user="root", charset="utf8mb4", sql_mode="", autocommit=True
        )

    def reset(self) -> None:
        """Start anew: no database but `s`, with the tables of `BASE`."""
        self._connection.close()
        self._connection = self._connected()
        for database in self._names("SHOW DATABASES"):
            if database not in {"mysql", "information_schema", "performance_schema", "sys"}:
                self.run(f"DROP DATABASE {quoted(database)}")
        for statement in ("CREATE DATABASE s CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "USE s", *BASE):
            self.run(statement)
        self.run("SET system_versioning_alter_history = KEEP")

    def run(self, statement: str) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)

    def accepts(self, statement: bytes) -> bool:
        """Execute a statement; return whether the server did so without an error."""
        try:
            self._connection.query(statement)
        except pymysql.err.Error:
            return False
        return True

    def place(self) -> object:
        """Return where the server's log ends."""
        with self._connection.cursor() as cursor:
            cursor.execute("SHOW MASTER STATUS")
            return cursor.fetchone()

    def tables(self) -> dict[str, SchemaTable | None]:
        """Return the tables as SHOW CREATE TABLE has them on another connection.

        None stands for sequences, views, and what MariaDB's ALTER TABLE ... RENAME left of a table by mistake.
        """
        self._connection.close()
        self._connection = self._connected()
        listed = (
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 's' "
            "AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')"
        )
        found: dict[str, SchemaTable | None] = dict.fromkeys(self._names("SHOW TABLES FROM s"))
        for name in self._names(listed):
            with self._connection.cursor() as cursor:
                try:
                    cursor.execute(f"SHOW CREATE TABLE s.{quoted(name)}")
                except pymysql.err.OperationalError as error:
                    if error.args[0] != NOT_IN_ENGINE:
                        raise
                    continue
                row = cursor.fetchone()
                assert row is not None
                found[name] = read_back(str(row[1]))
        return found

    def _names(self, statement: str) -> list[str]:
        with self._connection.cursor() as cursor:
            cursor.execute(statement)
            return [str(name) for (name,) in cursor.fetchall()]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with MariaServer(["--binlog-format=ROW"]) as running:
        yield Oracle(running)


@pytest.mark.skipif(not server_available(), reason="no MariaDB server here")
@pytest.mark.parametrize("seed", range(8))
def test_a_spoiled_statement_is_what_the_server_makes_of_it_or_unknown(oracle: Oracle, seed: int) -> None:
    mutator = DdlMutator(seed + 100)
    oracle.reset()
    wrong: list[str] = []
    for _ in range(MUTANTS // 8):
        _, mutant = mutator.mutant()
        text = mutant.encode()
        definitions = base()
        before = oracle.place()
        if not oracle.accepts(text):
            if b"DROP" in text.upper() or b"REPLACE" in text.upper():  # a table may be gone all the same
                oracle.reset()
            continue
        if oracle.place() != before:  # of what is not logged, such as ALTER TABLE IF EXISTS without the table
            executed(text, definitions)
        try:
            compare(definitions, oracle.tables())
        except AssertionError as error:
            wrong.append(f"{mutant!r}: {error}")
        oracle.reset()
    assert not wrong


def compare(definitions: Definitions, shown: dict[str, SchemaTable | None]) -> None:
    """Hold all definitions that are known against what the server shows."""
    known = {name: table for (database, name), table in definitions.tables.items() if database == "s" and table}
    assert known.keys() <= shown.keys()
    for name, of_server in shown.items():
        assert of_server is None or not definitions.is_absent(("s", name)), name
        if of_server is not None and name in known:
            assert_equal(known[name], of_server)

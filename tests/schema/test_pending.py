"""Statements that wait until a table is asked for define it as if they had been executed at once."""

from __future__ import annotations

import random

import pytest

from binlogcli.schema.catalog import Catalog
from binlogcli.schema.logged_statement import LoggedStatement, Place, Session
from binlogcli.schema.pending import PendingStatements
from binlogcli.schema.sql.charsets import Collations
from binlogcli.schema.sql.tokens import Dialect
from support.random_ddl import DdlGenerator

SESSION = Session("s", 1, Dialect(mariadb=True, version=101100), Collations(mariadb=True))


def logged(text: str) -> LoggedStatement:
    return LoggedStatement(text, SESSION, Place("binlog.000001", 4, 0, None))


@pytest.mark.parametrize("seed", range(60))
def test_what_waits_defines_the_same(seed: int) -> None:
    choice = random.Random(seed)
    at_once, waiting = Catalog(), Catalog()
    for text in DdlGenerator(seed).session().split(";\n"):
        at_once.execute(logged(text))
        waiting.take(logged(text))
        tables = sorted(name for name, table in at_once.tables.items() if name[0] == "s")
        if tables and choice.random() < 0.3:
            name = choice.choice(tables)
            assert waiting.find(*name) == at_once.tables[name]
    assert waiting.tables == at_once.tables


def test_a_table_gets_the_statements_that_it_depends_on() -> None:
    pending = PendingStatements(4096)
    texts = [
        "CREATE TABLE a (i INT)",
        "CREATE TABLE b (i INT)",
        "ALTER TABLE a ADD j INT",
        "RENAME TABLE `a` TO x.`C`",
        "CREATE TABLE a (k INT)",
        "ALTER TABLE b ADD l INT",
    ]
    for text in texts:
        assert pending.add(logged(text))
    assert [one.text for one in pending.take("c")] == [texts[0], texts[2], texts[3]]
    assert [one.text for one in pending.take("b")] == [texts[1], texts[5]]
    assert [one.text for one in pending.take_all()] == [texts[4]]
    assert not pending.take("a")


@pytest.mark.parametrize(
    "text",
    [
        "CREATE DATABASE d",
        "DROP DATABASE s",
        "CREATE TEMPORARY TABLE t (i INT)",
        "SET STATEMENT max_statement_time=1 FOR ALTER TABLE t ADD i INT",
        "CREATE INDEX i ON t (a)",
        "/* a comment */ ALTER TABLE t ADD i INT",
    ],
)
def test_what_may_concern_other_tables_does_not_wait(text: str) -> None:
    assert not PendingStatements(4096).add(logged(text))

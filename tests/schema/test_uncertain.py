"""Tables that a statement removed by its words alone: rows of the old name show that they are still there."""

from __future__ import annotations

from pathlib import Path

import pytest

import binlogcli
from binlogcli.events.tables import Rows
from binlogcli.schema.catalog import Catalog
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.charsets import Collations
from binlogcli.schema.sql.tokens import Dialect
from support.undescribed_logs import UndescribedLogs

CREATE = "CREATE TABLE t (a INT UNSIGNED, b INT)"
MARIADB = Session("shop", 7, Dialect(mariadb=True, version=101100), Collations(mariadb=True))


def names(path: Path) -> tuple[list[str], list[str]]:
    """Return the names of the columns of each event with rows, and the warnings."""
    catalog = Catalog()
    found = []
    for event in binlogcli.open(str(path), schema=catalog):
        if isinstance(event, Rows) and event.plan is not None:
            definition = event.plan.definition
            found.append(" ".join(column.name or "?" for column in definition.columns))
    return found, catalog.remarks()


def test_rows_show_that_a_rename_was_of_a_temporary_table(tmp_path: Path) -> None:
    log = UndescribedLogs(tmp_path).begin().statement(CREATE).put(1, 2)
    log.statement("RENAME TABLE t TO u").statement("ALTER TABLE IF EXISTS t CHANGE b c INT").put(1, 2)
    found, warnings = names(log.put(1, 2, table="u").write())
    assert found == ["a b", "a c", "? ?"]
    assert len(warnings) == 1
    assert "table shop.t still exists: the statement by which it was renamed to shop.u" in warnings[0]


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE IF EXISTS t",
        "ALTER TABLE u COMMENT 'x'",
        "CREATE INDEX i ON t (a)",
        "ALTER TABLE t DROP nosuch",
        "DROP DATABASE shop",
    ],
)
def test_statements_of_either_name_decide_that_it_was_not(tmp_path: Path, statement: str) -> None:
    log = UndescribedLogs(tmp_path).begin().statement(CREATE).statement("RENAME TABLE t TO u").statement(statement)
    assert names(log.put(1, 2).write())[0] == ["? ?"]


def test_rows_of_the_new_name_decide_that_it_was_not(tmp_path: Path) -> None:
    log = UndescribedLogs(tmp_path).begin().statement(CREATE).statement("RENAME TABLE t TO u").put(1, 2, table="u")
    assert names(log.put(1, 2).write())[0] == ["a b", "? ?"]


def test_rows_of_other_columns_show_nothing(tmp_path: Path) -> None:
    log = UndescribedLogs(tmp_path).begin().statement(CREATE).statement("RENAME TABLE t TO u")
    assert names(log.put(1, "x").put(1, 2, table="u").write())[0] == ["? ?", "a b"]


def after(*statements: str) -> Definitions:
    definitions = Definitions(complete=True)
    for statement in (CREATE, *statements):
        replay(statement, definitions, MARIADB)
    return definitions


@pytest.mark.parametrize(
    ("statement", "known"),
    [
        ("DROP TABLE IF EXISTS T", {}),
        ("CREATE OR REPLACE TABLE T (x INT)", {"t": None, "T": "x"}),
        ("CREATE TABLE IF NOT EXISTS T (x INT)", {"t": "a b"}),
        ("RENAME TABLE IF EXISTS T TO u", {"t": None, "u": None}),
        ("ALTER TABLE IF EXISTS T DROP a", {"t": None}),
        ("ALTER TABLE T DROP a", {"t": "b"}),
        ("DROP TABLE T", {}),
    ],
)
def test_what_may_be_of_a_table_in_other_letters_makes_nothing_of_the_one_that_is_known(
    statement: str, known: dict[str, str | None]
) -> None:
    definitions = after(statement)
    tables = {name: table for (_, name), table in definitions.tables.items()}
    assert {
        name: table and " ".join(column.name for column in table.declared) for name, table in tables.items()
    } == known
    assert definitions.is_absent(("shop", "t")) == (statement == "DROP TABLE T")


def test_a_table_with_a_backtick_in_its_name_may_stay_besides_its_copy() -> None:
    definitions = after("CREATE TABLE `a``b` (x INT)", "ALTER TABLE `a``b` RENAME TO c, ADD y INT")
    assert not definitions.is_absent(("shop", "a`b"))
    assert definitions.bring_back(("shop", "a`b")) == [("shop", "a`b")]
    assert {name for _, name in definitions.tables} == {"t", "a`b", "c"}


def test_few_definitions_are_kept() -> None:
    definitions = after(*(f"CREATE TABLE t{number} LIKE t" for number in range(99)))
    for number in range(99):
        replay(f"RENAME TABLE t{number} TO u{number}", definitions, MARIADB)
    assert definitions.uncertain.get(("shop", "t0")) is None
    assert definitions.uncertain.get(("shop", "t98")) is not None

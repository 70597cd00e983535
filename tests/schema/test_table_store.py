"""Many definitions are kept packed, and are equal when they come back."""

from __future__ import annotations

import pytest

from binlogcli.schema import table_store
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.replay import replay
from binlogcli.schema.table import SchemaTable


@pytest.fixture
def definitions(monkeypatch: pytest.MonkeyPatch) -> Definitions:
    """Thirty tables, of which three are not packed."""
    monkeypatch.setattr(table_store, "_COLUMNS_KEPT", 6)
    made = Definitions()
    for number in range(30):
        keys = f", FOREIGN KEY (b) REFERENCES t{number - 1} (a) ON DELETE CASCADE" if number % 10 == 9 else ""
        replay(f"CREATE TABLE t{number} (a INT UNSIGNED PRIMARY KEY, b ENUM('x','{number}'){keys})", made, session)
    return made


session = Session("s")


def table(definitions: Definitions, number: int) -> SchemaTable:
    found = definitions.tables["s", f"t{number}"]
    assert found is not None
    return found


def test_each_table_is_found_as_it_was_put(definitions: Definitions) -> None:
    for number in (*range(30), 5, 5, 29, 0):
        found = table(definitions, number)
        assert (found.table, found.declared[1].labels, found.primary_key) == (f"t{number}", ("x", str(number)), (0,))
    assert list(definitions.tables) == [("s", f"t{number}") for number in range(30)]
    assert [one.table for one in definitions.tables.with_foreign_keys()] == ["t9", "t19", "t29"]


def test_a_packed_table_can_be_changed_renamed_and_dropped(definitions: Definitions) -> None:
    replay("ALTER TABLE t3 ADD c INT", definitions, session)
    replay("RENAME TABLE t9 TO u", definitions, session)
    replay("DROP TABLE t19, t4", definitions, session)
    replay("ALTER TABLE t5 FROBNICATE (", definitions, Session("s", failed=True))
    for number in (20, 21, 22, 23):
        table(definitions, number)
    assert [column.name for column in table(definitions, 3).declared] == ["a", "b", "c"]
    assert definitions.tables["s", "t5"] is None
    assert definitions.tables.get(("s", "t4")) is None
    assert len(definitions.tables) == 28
    assert sorted(one.table for one in definitions.tables.with_foreign_keys()) == ["t29", "u"]


def test_a_copy_changes_on_its_own(definitions: Definitions) -> None:
    copy = definitions.copy()
    replay("DROP TABLE t1", copy, session)
    replay("ALTER TABLE t2 DROP b", copy, session)
    assert len(table(definitions, 2).declared) == 2
    assert ("s", "t1") in definitions.tables
    assert ("s", "t1") not in copy.tables


def test_what_a_file_has_given_stays_so_until_a_statement_changes_it(definitions: Definitions) -> None:
    definitions.take_as_given()
    replay("ALTER TABLE t1 ADD c INT", definitions, session)
    assert [number for number in range(30) if not table(definitions, number).given] == [1]

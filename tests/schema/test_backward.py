"""Statements undone: what held before them, and what of that fits a table map."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.schema.backward.walk import Past, walk_back
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.fitting import fitted
from binlogcli.schema.logged_statement import LoggedStatement, Place, Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.charsets import Charset, Collations
from binlogcli.schema.sql.tokens import Unreadable
from binlogcli.schema.table import SchemaTable
from support.hostile_ddl import BASE, DdlMutator

MYSQL = Session("shop")
MARIADB = Session("shop", collations=Collations(mariadb=True))
INT, VARCHAR, TEXT, DATE, BIGINT, TIMESTAMP = 3, 15, 252, 10, 8, 17
START = "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9) CHARACTER SET latin1, c TEXT, KEY (b), UNIQUE u (b, c(5)))"


def logged(*statements: str, session: Session = MYSQL) -> list[LoggedStatement]:
    return [LoggedStatement(text, session, Place("", 0, 0, None)) for text in statements]


def replayed(definitions: Definitions, statements: Sequence[LoggedStatement], past: Past | None = None) -> Definitions:
    for index, statement in enumerate(statements):
        try:
            replay(statement.text, definitions, statement.session)
        except Unreadable:
            assert past
        for name, table in (past.after(index) if past else {}).items():
            definitions.put(name, table)
    return definitions


def before(end: str, *statements: str, session: Session = MYSQL) -> Definitions:
    """Return what held before the statements, of the definitions that `end` makes; a replay gives these again."""
    definitions = replayed(Definitions(), logged(*end.split(";"), session=session))
    items = logged(*statements, session=session)
    past = walk_back(definitions, items)
    again = replayed(walk_back(definitions, items).start, items, past)
    for name, table in definitions.tables.items():
        known = again.tables.get(name)
        assert table
        assert known
        assert [column.name.lower() for column in known.columns] == [column.name.lower() for column in table.columns]
    return past.start


def table_before(end: str, *statements: str, session: Session = MYSQL) -> SchemaTable | None:
    return before(end, *statements, session=session).tables.get(("shop", "t"))


def names(table: SchemaTable | None, *codes: int) -> str | None:
    """Return the names of the columns of these types, `?` for those that are not known; None if nothing fits."""
    found = fitted(table, [ColumnInfo(at, code, b"") for at, code in enumerate(codes)]) if table else None
    return None if found is None else " ".join(column.name or "?" for column in found.columns)


@pytest.mark.parametrize(
    ("specifications", "columns"),
    [
        ("ADD c TEXT", "a b"),
        ("ADD b VARCHAR(9) AFTER a", "a c"),
        ("ADD COLUMN (b VARCHAR(9), c TEXT)", "a"),
        ("ADD a INT FIRST, ADD b VARCHAR(9) AFTER a", "c"),
        ("RENAME COLUMN x TO a, RENAME COLUMN y TO b", "x y c"),
        ("RENAME COLUMN b TO a, RENAME COLUMN a TO b", "b a c"),
        ("CHANGE x a INT, CHANGE COLUMN `y``z` b VARCHAR(9)", "x y`z c"),
        ("CHANGE a b VARCHAR(9), CHANGE b a INT", "b a c"),
        ("MODIFY b VARCHAR(9), ALTER COLUMN a SET DEFAULT 5", "a b c"),
        ("MODIFY IF EXISTS x INT FIRST", "a b c"),
        ("ENGINE=InnoDB, DEFAULT CHARSET latin1, ADD INDEX k (a)", "a b c"),
        ("ADD z INT", None),
        ("ADD b VARCHAR(9) FIRST", None),
        ("ADD a INT AFTER b", None),
        ("DROP b", None),
        ("RENAME COLUMN a TO x", None),
        ("MODIFY x INT", None),
        ("CHANGE IF EXISTS x a INT", None),
        ("NOSUCHTHING d INT", None),
        ("ADD d NOSUCHTYPE", None),
    ],
)
def test_columns_before_alter_table(specifications: str, columns: str | None) -> None:
    table = walk_back(
        replayed(Definitions(), logged(START)), logged(f"ALTER TABLE t {specifications}")
    ).start.tables.get(("shop", "t"))
    assert (" ".join(column.name for column in table.columns) if table else None) == columns
    assert table is None or not table.unplaced


@pytest.mark.parametrize(
    ("specifications", "codes", "columns"),
    [
        ("DROP d", (INT, VARCHAR, TEXT, DATE), "a b c d"),
        ("DROP d", (DATE, INT, VARCHAR, TEXT), "d a b c"),
        ("DROP d", (INT, VARCHAR, TEXT), None),
        ("DROP d", (INT, INT, VARCHAR, TEXT), "? ? b c"),
        ("DROP d, DROP e", (INT, VARCHAR, TEXT, DATE, DATE), "a b c ? ?"),
        ("DROP d, ADD a INT FIRST", (VARCHAR, TEXT, BIGINT), "b c d"),
        ("DROP d, ADD c TEXT", (INT, DATE, VARCHAR), "a d b"),
        ("DROP COLUMN IF EXISTS d", (INT, VARCHAR, TEXT), "a b c"),
        ("DROP COLUMN IF EXISTS d", (INT, DATE, VARCHAR, TEXT), "a d b c"),
        ("ADD COLUMN IF NOT EXISTS b VARCHAR(9)", (INT, TEXT), "a c"),
        ("ADD COLUMN IF NOT EXISTS b VARCHAR(9)", (INT, VARCHAR, TEXT), "a b c"),
        ("MODIFY a INT FIRST", (VARCHAR, TEXT, DATE), "b c a"),
        ("MODIFY a INT FIRST", (VARCHAR, VARCHAR, TEXT), "? ? c"),
        ("CHANGE x b VARCHAR(9) AFTER a", (INT, TEXT, DATE), "a c x"),
        ("MODIFY b VARCHAR(9)", (INT, DATE, TEXT), "a b c"),
        ("MODIFY b VARCHAR(9)", (DATE, VARCHAR, TEXT), None),
        ("CONVERT TO CHARACTER SET utf8mb4", (INT, VARCHAR, TEXT), "a b c"),
        ("DROP b, ADD b VARCHAR(9) AFTER a", (INT, TEXT, DATE), "a c b"),
    ],
)
def test_columns_without_a_place_are_found_by_the_table_map(
    specifications: str, codes: tuple[int, ...], columns: str | None
) -> None:
    assert names(table_before(START, f"ALTER TABLE t {specifications}"), *codes) == columns


def test_later_and_earlier_statements_tell_places() -> None:
    end = "CREATE TABLE t (a INT, d INT)"
    table = table_before(end, "ALTER TABLE t ADD d INT AFTER c", "ALTER TABLE t DROP c")
    assert table
    assert not table.unplaced
    assert names(table, INT, INT) == "a c"
    table = table_before(end, "ALTER TABLE t ADD d INT", "ALTER TABLE t DROP c")
    assert names(table, DATE, INT) == "c a"
    assert names(table, INT, INT) == "? ?"
    table = table_before(end, "ALTER TABLE t ADD c INT AFTER a, ADD d INT AFTER c", "ALTER TABLE t DROP c")
    assert names(table, INT) == "a"


def test_what_is_not_known_of_a_column_is_left_open() -> None:
    table = table_before("CREATE TABLE t (a INT UNSIGNED, b INT UNSIGNED)", "ALTER TABLE t MODIFY a INT UNSIGNED")
    assert table
    found = fitted(table, [ColumnInfo(0, INT, b""), ColumnInfo(1, INT, b"")])
    assert found
    assert [column.unsigned for column in found.columns] == [None, True]
    table = table_before("CREATE TABLE t (a INT UNSIGNED, b INT UNSIGNED)", "ALTER TABLE t DROP c")
    found = fitted(table, [ColumnInfo(at, INT, b"") for at in range(3)]) if table else None
    assert found
    assert [(column.name, column.unsigned) for column in found.columns] == [("", None)] * 3


@pytest.mark.parametrize(
    ("statement", "primary", "known"),
    [
        ("ALTER TABLE t ADD PRIMARY KEY (a)", (), True),
        ("ALTER TABLE t ADD UNIQUE u (b, c(5))", (0,), True),
        ("ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (a)", (), False),
        ("ALTER TABLE t DROP KEY x", (0,), False),
        ("ALTER TABLE t ADD KEY IF NOT EXISTS b (b)", (0,), False),
        ("ALTER TABLE t ADD x INT PRIMARY KEY", None, None),
        ("ALTER TABLE t CHANGE x a INT", (0,), True),
        ("ALTER TABLE t CHANGE x a INT PRIMARY KEY", (), True),
        ("ALTER TABLE t RENAME INDEX v TO u", (0,), True),
        ("ALTER TABLE t DROP x", (), False),
        ("CREATE INDEX b ON t (b)", (0,), True),
        ("CREATE UNIQUE INDEX IF NOT EXISTS u ON t (b, c(5))", (0,), False),
        ("DROP INDEX x ON t", (0,), False),
    ],
)
def test_keys_before_a_statement(statement: str, primary: tuple[int, ...] | None, known: bool | None) -> None:
    start = walk_back(replayed(Definitions(), logged(START)), logged(statement)).start
    table = start.tables.get(("shop", "t"))
    assert (table.primary_key if table else None, table.keys_known if table else None) == (primary, known)


def test_unknown_keys_are_not_an_absent_key() -> None:
    table = table_before("CREATE TABLE t (a INT NOT NULL UNIQUE)", "ALTER TABLE t DROP PRIMARY KEY")
    assert table
    assert not table.keys_known
    assert table.primary_key == ()


@pytest.mark.parametrize(
    ("end", "statements", "tables"),
    [
        ("t", ["RENAME TABLE u TO t"], {"u": "a b c"}),
        ("t", ["ALTER TABLE u RENAME TO t, ADD c TEXT"], {"u": "a b"}),
        ("t", ["ALTER TABLE other.t RENAME AS t"], {"other.t": "a b c"}),
        ("t", ["RENAME TABLE u TO t", "DROP TABLE u"], {}),  # of a temporary table whose CREATE is not logged
        ("t u", ["RENAME TABLE u TO t", "CREATE TABLE IF NOT EXISTS u (x INT)"], {}),
        ("t u", ["RENAME TABLE t TO tmp, u TO t, tmp TO u"], {"t": "x", "u": "a b c"}),
        ("t u", ["CREATE TABLE t (x INT)"], {"u": "x"}),
        ("t u", ["CREATE TABLE IF NOT EXISTS t (x INT)"], {"t": "a b c", "u": "x"}),
        ("t u", ["CREATE OR REPLACE TABLE t (x INT)"], {"u": "x"}),
        ("t u", ["CREATE TABLE u LIKE v"], {"t": "a b c", "v": "x"}),
        ("t u", ["CREATE TABLE u LIKE v", "ALTER TABLE u ADD x INT"], {"t": "a b c"}),
        ("t u", ["DROP TABLE t"], {"u": "x"}),
        ("t u", ["DROP DATABASE shop"], {}),
        ("t u", ["CREATE DATABASE shop"], {}),
        ("t u", ["CREATE DATABASE IF NOT EXISTS shop"], {"t": "a b c", "u": "x"}),
        ("t u", ["CREATE TEMPORARY TABLE t (x INT)", "ALTER TABLE t DROP z", "DROP TABLE t"], {"t": "a b c", "u": "x"}),
        ("t u", ["CREATE TEMPORARY TABLE w (x INT)", "RENAME TABLE w TO t"], {"t": "a b c", "u": "x"}),
        ("t u", ["TRUNCATE TABLE t", "CREATE VIEW v AS SELECT 1"], {"t": "a b c", "u": "x"}),
        ("t u", ["ALTER TABLE t 'not closed"], {"u": "x"}),
        ("t u", ["SET STATEMENT max_statement_time=5 FOR ALTER TABLE t ADD c TEXT"], {"t": "a b", "u": "x"}),
    ],
)
def test_tables_before_statements(end: str, statements: list[str], tables: dict[str, str]) -> None:
    definitions = replayed(Definitions(), logged(*(START, "CREATE TABLE u (x INT)")[: len(end.split())]))
    start = walk_back(definitions, logged(*statements, session=MARIADB)).start
    assert {
        table if database == "shop" else f"{database}.{table}": " ".join(column.name for column in known.columns)
        for (database, table), known in start.tables.items()
        if known
    } == tables


def test_only_mariadb_logs_renames_of_temporary_tables() -> None:
    definitions = replayed(Definitions(), logged(START, "CREATE TABLE u (x INT)"))
    statements = ["RENAME TABLE u TO t", "CREATE TABLE IF NOT EXISTS u (x INT)"]
    start = walk_back(definitions, logged(*statements)).start
    assert names(start.tables["shop", "u"], INT, VARCHAR, TEXT) == "a b c"
    assert not walk_back(definitions, logged(*statements, session=MARIADB)).start.tables


def test_a_dump_without_a_database_is_of_the_database_that_statements_name() -> None:
    end = Definitions()
    for table in replayed(Definitions(), logged(START, "CREATE TABLE u (x INT)")).tables.values():
        assert table
        end.put(("", table.table), table)
    start = walk_back(end, logged("ALTER TABLE t ADD c TEXT", "CREATE TABLE other.u (x INT)")).start
    assert names(start.get(("shop", "t")), INT, VARCHAR) == "a b"
    assert names(start.get(("third", "t")), INT, VARCHAR, TEXT) == "a b c"
    assert start.get(("other", "u")) is None
    assert names(start.get(("shop", "u")), INT) == "x"
    assert walk_back(end, logged("DROP DATABASE shop")).start.get(("shop", "t")) is None


def test_a_name_in_other_letters_may_be_that_of_a_table() -> None:
    end = replayed(Definitions(), logged(START))
    assert walk_back(end, logged("ALTER TABLE T ADD c TEXT")).start.tables == {}
    end.case_matters = True
    assert walk_back(end, logged("ALTER TABLE T ADD c TEXT")).start.tables == end.tables


def test_an_online_schema_change_is_walked_back() -> None:
    """The old table is dropped in the end; the new one was made LIKE it, so it tells what that was."""
    statements = logged(
        "CREATE TABLE _t_gho LIKE t",
        "ALTER TABLE _t_gho ADD d INT AFTER a",
        "RENAME TABLE t TO _t_del, _t_gho TO t",
        "DROP TABLE _t_del",
    )
    past = walk_back(replayed(Definitions(), logged("CREATE TABLE t (a INT, d INT, b INT)")), statements)
    assert names(past.start.tables["shop", "t"], INT, INT) == "a b"
    definitions = replayed(past.start, statements[:3], past)
    assert names(definitions.tables["shop", "_t_del"], INT, INT) == "a b"
    assert names(definitions.tables["shop", "t"], INT, INT, INT) == "a d b"


def test_a_statement_that_cannot_be_undone_hides_only_what_was_before_it() -> None:
    statements = logged("ALTER TABLE t ADD b INT", "ALTER TABLE t NOSUCHTHING", "ALTER TABLE t ADD c INT")
    past = walk_back(replayed(Definitions(), logged("CREATE TABLE t (a INT, b INT, c INT)")), statements)
    assert not past.start.tables
    assert names(past.after(1)["shop", "t"], INT, INT) == "a b"
    failed = logged("ALTER TABLE t DROP a", session=Session("shop", failed=True))
    past = walk_back(replayed(Definitions(), logged("CREATE TABLE t (a INT)")), failed)
    assert not past.start.tables
    assert names(past.after(0)["shop", "t"], INT) == "a"


@pytest.mark.parametrize("seed", range(4))
def test_a_spoiled_statement_leaves_other_tables_alone(seed: int) -> None:
    mutator = DdlMutator(seed)
    end = replayed(Definitions(), logged(*BASE, session=MARIADB))
    for _ in range(100):
        _, mutant = mutator.mutant()
        for session in (MYSQL, MARIADB, Session("shop", failed=True)):
            start = walk_back(end, logged(mutant, session=session)).start
            for (database, table), known in end.tables.items():
                if (database, table) in start.tables and table.replace("`", "``") not in mutant:
                    assert start.tables[database, table] == known, mutant


@pytest.mark.parametrize(
    "specification", ["ADD c{} INT", "ADD IF NOT EXISTS c{} INT", "MODIFY c{} INT AFTER a", "DROP d{}"]
)
def test_thousands_of_columns_take_seconds_at_most(specification: str) -> None:
    many = range(4095, 0, -1)
    end = replayed(Definitions(), logged(f"CREATE TABLE t (a INT{''.join(f', c{number} INT' for number in many)})"))
    statement = f"ALTER TABLE t {', '.join(specification.format(number) for number in sorted(many))}"
    began = time.process_time()
    walk_back(end, logged(statement))
    assert time.process_time() - began < 15


def test_character_sets_before_a_change_are_not_known() -> None:
    end = "CREATE TABLE t (a ENUM('x','ü'), b CHAR(5), c VARCHAR(9)) CHARSET latin1"
    table = table_before(end, "ALTER TABLE t CONVERT TO CHARACTER SET latin1")
    assert table
    assert table.charset == Charset()
    assert [column.collation for column in table.columns] == [None] * 3
    assert table.columns[0].labels == ()
    assert names(table, 247, 254, TEXT) == "a b c"
    table = table_before(end, "ALTER TABLE t CHARSET latin1")
    assert table
    assert [column.collation for column in table.columns] == [8] * 3
    definitions = Definitions()
    definitions.charsets["shop"] = Charset("latin1")
    assert walk_back(definitions, logged("ALTER DATABASE CHARSET latin1")).start.charsets == {}


def test_hidden_columns_of_mariadb_come_and_go() -> None:
    end = "CREATE TABLE t (a INT) WITH SYSTEM VERSIONING"
    assert names(table_before(end, "ALTER TABLE t ADD SYSTEM VERSIONING", session=MARIADB), INT) == "a"
    table = table_before("CREATE TABLE t (a INT)", "ALTER TABLE t DROP SYSTEM VERSIONING", session=MARIADB)
    assert names(table, INT, TIMESTAMP, TIMESTAMP) == "a row_start row_end"
    table = table_before("CREATE TABLE t (a INT, UNIQUE u (a))", "ALTER TABLE t FORCE", session=MARIADB)
    assert names(table, INT, BIGINT) == "a DB_ROW_HASH_1"
    assert names(table, INT) == "a"
    table = table_before("CREATE TABLE t (a INT)", "ALTER TABLE t DROP b", session=MARIADB)
    assert names(table, INT, BIGINT, BIGINT) == "a b DB_ROW_HASH_1"


def test_columns_behind_a_statement_know_the_names_that_they_have_had() -> None:
    end = replayed(Definitions(), logged("CREATE TABLE t (b INT, a INT, c INT, d INT)"))
    items = logged(
        "ALTER TABLE t DROP x, RENAME COLUMN a TO b, RENAME COLUMN b TO a",
        "ALTER TABLE t CHANGE e c INT, DROP d, ADD d INT",
    )
    table = replayed(walk_back(end, items).start, items, walk_back(end, items)).tables["shop", "t"]
    assert table
    assert {column.name: column.former for column in table.declared} == {"b": ("a",), "a": ("b",), "c": ("e",), "d": ()}

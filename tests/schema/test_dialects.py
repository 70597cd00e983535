"""Statements in the grammars of both servers' newest versions, and what they leave of a table."""

from __future__ import annotations

import pytest

from binlogcli.schema.definitions import Definitions
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.charsets import Charset, Collations
from binlogcli.schema.sql.show import type_text
from binlogcli.schema.sql.tokens import Dialect, Unreadable
from binlogcli.schema.table import SchemaTable

START = "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9), KEY k (b))"


def after(statement: str, *, mariadb: bool, name: str = "t") -> SchemaTable:
    definitions = Definitions(complete=True)
    definitions.create_database("s", Charset("utf8mb4", "utf8mb4_bin"), new=True)
    session = Session("s", 0, Dialect(mariadb=mariadb, version=0), Collations(mariadb=mariadb))
    replay(START, definitions, session)
    replay(statement, definitions, session)
    table = definitions.tables["s", name]
    assert table is not None
    return table


def columns(table: SchemaTable) -> str:
    return ", ".join(f"{column.name} {type_text(column, mariadb=False)}" for column in table.declared)


def keys(table: SchemaTable) -> str:
    return " ".join(f"{key.kind}:{key.name}" for key in table.keys)


OF_MYSQL = {
    "a INT CHECK (a > 0) NOT ENFORCED, b INT, CONSTRAINT c CHECK (b > 1) ENFORCED": "a int, b int",
    "a VECTOR(3), b INT VISIBLE, c INT NOT NULL SECONDARY": "a vector(3), b int, c int",
    "a INT ENGINE_ATTRIBUTE='{\"x\": 1}' COLUMN_FORMAT DYNAMIC STORAGE DISK": "a int",
    "a POINT NOT NULL SRID 4326, b GEOMETRYCOLLECTION": "a point, b geometrycollection",
    "a INT DEFAULT (1 + 2), b BIT(3) DEFAULT b'101', c CHAR(2) DEFAULT x'4142'": "a int, b bit(3), c char(2)",
    "a CHAR BYTE, b LONG, c LONG VARBINARY": "a binary(1), b mediumtext, c mediumblob",
    "d NCHAR VARYING(5)": "d varchar(5)",
    "a SERIAL, b BOOLEAN, c DOUBLE PRECISION": "a bigint unsigned, b tinyint(1), c double",
    "d NATIONAL CHAR(2)": "d char(2)",
    "a ENUM(N'x', 'y')": "a enum('x','y')",
    "a ENUM(0x61, 'y')": "a enum(/* labels not known */)",
    "a ENUM(x'61', 'y')": "a enum(/* labels not known */)",
}
OF_MARIADB = {
    "a UUID, b INET6, c INET4, d XMLTYPE": "a uuid, b inet6, c inet4, d xmltype",
    "a VARCHAR2(9), b NUMBER(5), c CLOB, d RAW(3)": "a varchar(9), b decimal(5,0), c longtext, d varbinary(3)",
    "a NUMBER, b NUMBER(5,2)": "a double, b decimal(5,2)",
    "a VECTOR(5) NOT NULL, VECTOR INDEX (a) M=8 DISTANCE=cosine": "a vector(5)",
    "a VECTOR(5) NOT NULL, VECTOR (a)": "a vector(5)",
    "a INT, b DATE, c DATE, PERIOD FOR p (b, c), UNIQUE (a, p WITHOUT OVERLAPS)": "a int, b date, c date",
    "a INT, KEY (a) IGNORED, KEY k (a) NOT IGNORED": "a int",
}


@pytest.mark.parametrize(("body", "expected"), OF_MYSQL.items())
def test_columns_of_mysql(body: str, expected: str) -> None:
    table = after(f"CREATE TABLE n ({body}) SECONDARY_ENGINE=x AUTOEXTEND_SIZE=4M", mariadb=False, name="n")
    assert columns(table) == expected


@pytest.mark.parametrize(("body", "expected"), OF_MARIADB.items())
def test_columns_of_mariadb(body: str, expected: str) -> None:
    table = after(f"CREATE OR REPLACE TABLE n ({body}) ietf_quotes=yes ENCRYPTED=yes", mariadb=True, name="n")
    assert columns(table) == expected


@pytest.mark.parametrize(
    "specifications",
    [
        *("ALTER INDEX k INVISIBLE", "ALTER CHECK c NOT ENFORCED", "ALTER CONSTRAINT c ENFORCED", "DROP CHECK c"),
        *(
            "SECONDARY_LOAD",
            "SECONDARY_ENGINE = NULL",
            "AUTOEXTEND_SIZE = 4M",
            "DISCARD TABLESPACE",
            "REMOVE PARTITIONING",
        ),
        *(
            "IMPORT PARTITION p TABLESPACE",
            "EXCHANGE PARTITION p WITH TABLE u WITHOUT VALIDATION",
            "COALESCE PARTITION 1",
        ),
        *(
            "REORGANIZE PARTITION p INTO (PARTITION q VALUES IN (1))",
            "ADD PARTITION (PARTITION p VALUES LESS THAN (5))",
        ),
        *("ALGORITHM=INSTANT, LOCK=DEFAULT, WITH VALIDATION", "ALTER INDEX k NOT IGNORED", "ORDER BY a DESC, b"),
        *("ADD CONSTRAINT c CHECK (a > 0)", "ALTER COLUMN b SET DEFAULT (concat('x', 'y')), ALTER b DROP DEFAULT"),
        *("STATS_PERSISTENT=DEFAULT, MAX_ROWS 5", "TABLESPACE innodb_system", "PARTITION BY KEY (a) PARTITIONS 2"),
    ],
)
def test_specifications_that_change_no_column_and_no_key(specifications: str) -> None:
    table = after(f"ALTER TABLE t {specifications}", mariadb=False)
    assert (columns(table), keys(table)) == ("a int, b varchar(9)", "primary:PRIMARY :k")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("ALTER TABLE t RENAME KEY k TO l", "primary:PRIMARY :l"),
        (
            "ALTER TABLE t ADD UNIQUE ((a + 1)), ADD INDEX f ((lower(b)), a DESC)",
            "primary:PRIMARY unique:functional_index :k :f",
        ),
        ("ALTER TABLE t ADD FULLTEXT INDEX (b) WITH PARSER ngram", "primary:PRIMARY :k fulltext:b"),
        ("CREATE INDEX i USING BTREE ON t (b(3) ASC) COMMENT 'x' ALGORITHM=COPY LOCK=NONE", "primary:PRIMARY :k :i"),
        ("CREATE INDEX IF NOT EXISTS i ON t WAIT 5 (b)", "primary:PRIMARY :k :i"),
        ("DROP INDEX IF EXISTS k ON t NOWAIT", "primary:PRIMARY"),
        ("DROP INDEX `PRIMARY` ON t", ":k"),
        ("ALTER TABLE t ADD FOREIGN KEY f (b) REFERENCES u (b)", "primary:PRIMARY :k"),
        ("ALTER TABLE t ADD COLUMN (c INT, KEY (c), CONSTRAINT q UNIQUE (c))", "primary:PRIMARY unique:q :k :c"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS c INT PRIMARY KEY", "primary:PRIMARY :k"),
    ],
)
def test_keys_of_both(statement: str, expected: str) -> None:
    assert keys(after(statement, mariadb=False)) == expected


@pytest.mark.parametrize(
    "query",
    [
        *(
            "SELECT 1 AS x",
            "AS SELECT 1 AS x",
            "AS (SELECT 1 AS x)",
            "(SELECT 1 AS x)",
            "IGNORE SELECT 1",
            "REPLACE SELECT 1",
        ),
        *("WITH x AS (SELECT 1) SELECT * FROM x", "TABLE u", "VALUES ROW (1)", "ENGINE=InnoDB SELECT 1", "(TABLE u)"),
    ],
)
def test_a_table_with_the_columns_of_a_query_is_not_known(query: str) -> None:
    with pytest.raises(Unreadable):
        after(f"CREATE TABLE n (a INT) {query}", mariadb=False)

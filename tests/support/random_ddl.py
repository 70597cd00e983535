"""Random statements that define and change a few tables, for a MariaDB server to execute or refuse."""

from __future__ import annotations

import random
from typing import Final

TABLES: Final = ("t", "u", "v", "`we``ird`")
COLUMNS: Final = ("a", "b", "c", "d", "e", "`f g`", "A")
TYPES: Final = (
    *("INT", "INT UNSIGNED", "BIGINT UNSIGNED", "TINYINT", "SMALLINT", "MEDIUMINT ZEROFILL", "BOOL", "YEAR", "BIT(5)"),
    *("VARCHAR(20)", "VARCHAR(900)", "CHAR(5)", "NCHAR(3)", "TEXT", "LONGTEXT", "JSON", "ENUM('x','y z','ü')"),
    *("SET('p','q')", "BLOB", "BINARY(4)", "VARBINARY(9)", "UUID", "INET6", "POINT", "FLOAT", "DOUBLE UNSIGNED"),
    *("DECIMAL(9,3) UNSIGNED", "DATE", "TIME(2)", "DATETIME(3)", "TIMESTAMP(6) NULL"),
    *("TINYTEXT", "MEDIUMTEXT", "TEXT(300)", "ENUM('p','q')", "TINYBLOB", "VARCHAR(70)", "LONG VARCHAR", "NUMERIC"),
)
ATTRIBUTES: Final = (
    *("", "", "", "NOT NULL", "NOT NULL", "DEFAULT NULL", "INVISIBLE", "UNIQUE", "PRIMARY KEY", "BINARY"),
    *("CHARACTER SET latin1", "COLLATE utf8mb4_bin", "CHARACTER SET utf8mb3 COLLATE utf8mb3_bin"),
    *("COMMENT 'FIRST, DROP b'", "WITHOUT SYSTEM VERSIONING"),
    *("BINARY", "CHARACTER SET latin2 BINARY", "BINARY ASCII", "UNICODE", "COLLATE latin1_bin", "CHARACTER SET binary"),
)
CHARSETS: Final = (
    *("CHARACTER SET latin1", "CHARACTER SET = utf8mb3", "CHARSET utf8mb4 COLLATE utf8mb4_unicode_ci"),
    *("COLLATE latin1_general_cs", "CHARACTER SET koi8r"),
)
TABLE_OPTIONS: Final = (
    *("ENGINE=InnoDB", "ENGINE=MyISAM", "ENGINE=Aria", "COMMENT='x'", "WITH SYSTEM VERSIONING", "ROW_FORMAT=DYNAMIC"),
    *(f"DEFAULT {charset}" for charset in CHARSETS),
)
OTHER_SPECIFICATIONS: Final = (
    *("DROP PRIMARY KEY", "DROP KEY k1", "DROP INDEX IF EXISTS k2", "DROP KEY IF EXISTS a", "RENAME KEY k1 TO k2"),
    *("DROP CONSTRAINT IF EXISTS b", "ADD SYSTEM VERSIONING", "DROP SYSTEM VERSIONING", "DISABLE KEYS", "FORCE"),
    *("CONVERT TO CHARACTER SET latin1", "CONVERT TO CHARACTER SET utf8mb3 COLLATE utf8mb3_bin", "ALGORITHM=COPY"),
    *("CONVERT TO CHARACTER SET DEFAULT", "ENGINE=MyISAM", "ENGINE=InnoDB ROW_FORMAT=COMPACT", "ORDER BY a"),
    *("COMMENT 'ADD z INT'", "ALTER COLUMN a SET DEFAULT 1", "ALTER b DROP DEFAULT", "ALGORITHM=INSTANT"),
    *("CONVERT TO CHARACTER SET utf8mb4", "CONVERT TO CHARACTER SET ucs2", "CONVERT TO CHARACTER SET binary"),
)


class DdlGenerator:
    """Makes sessions of statements; equal seeds make equal ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def session(self, statements: int = 40) -> str:
        """Return the text of one session in the database `s`: changes of tables, with rows written in between."""
        choice = self._random.choice
        lines = [
            f"DROP DATABASE IF EXISTS s; CREATE DATABASE s {choice(('', *CHARSETS))}; USE s;",
            "SET sql_mode = '', system_versioning_alter_history = KEEP;",
            *(self._create(table) + ";" for table in TABLES * 2),
        ]
        for _ in range(statements):
            table = choice(TABLES)
            lines.append(self.statement() + ";")
            lines.append(f"REPLACE INTO {table} () VALUES (); DELETE FROM {table} LIMIT 1;")
        return "\n".join([*lines, *(f"REPLACE INTO {table} () VALUES ();" for table in TABLES)])

    def statement(self) -> str:
        """Return a statement that changes one of the tables, as far as the server executes it."""
        choice = self._random.choice
        kind = self._random.randrange(20)
        table, other = self._random.sample(TABLES, 2)
        if kind < 2:
            return self._create(table)
        if kind < 15:
            specifications = ", ".join(self.specification() for _ in range(choice((1, 1, 1, 2, 3, 4))))
            words = f"{choice(('', 'ONLINE', 'IGNORE'))} TABLE {choice(('', 'IF EXISTS'))} {table}"
            return f"ALTER {words} {choice(('', '', 'NOWAIT', 'WAIT 5'))} {specifications}"
        others = (
            f"RENAME TABLE {table} TO {other}",
            f"RENAME TABLE {table} TO zz, {other} TO {table}, zz TO {other}",
            f"DROP TABLE IF EXISTS {table}",
            f"CREATE {choice(('', 'UNIQUE'))} INDEX {choice(('k1', 'k2'))} ON {table} ({choice(COLUMNS)})",
            f"DROP INDEX k1 ON {table}",
            f"CREATE TABLE {table} LIKE {other}",
            f"CREATE TABLE {table} SELECT * FROM {other}",
            f"CREATE TABLE {table} ({choice(COLUMNS)} INT UNSIGNED) SELECT 1 AS a, 2 AS b",
            f"CREATE TEMPORARY TABLE {table} (a INT, b VARCHAR(9)) CHARACTER SET koi8r ROW_FORMAT=DYNAMIC",
            f"DROP TEMPORARY TABLE IF EXISTS {table}",
            f"TRUNCATE TABLE {table}",
            f"ALTER DATABASE s DEFAULT {choice(CHARSETS)}",
            "CREATE OR REPLACE SEQUENCE sq",
        )
        return choice(others)

    def _create(self, table: str) -> str:
        choice, sample = self._random.choice, self._random.sample
        items = [f"{column} {self._definition()}" for column in sample(COLUMNS[:6], self._random.randint(1, 5))]
        if self._random.random() < 0.4:
            items.append(self._key())
        options = " ".join(sample(TABLE_OPTIONS, choice((0, 1, 2))))
        words = f"CREATE {choice(('', '', 'OR REPLACE'))} TABLE {choice(('', 'IF NOT EXISTS'))}"
        return f"{words} {table} ({', '.join(items)}) {options}"

    def _definition(self, *, place: bool = False) -> str:
        choice = self._random.choice
        text = f"{choice(TYPES)} {choice(ATTRIBUTES)}"
        if self._random.random() < 0.05:
            text = f"INT GENERATED ALWAYS AS (1+1) {choice(('VIRTUAL', 'STORED', ''))}"
        if place and self._random.random() < 0.4:
            text += choice((" FIRST", f" AFTER {choice(COLUMNS)}"))
        return text

    def _key(self) -> str:
        choice = self._random.choice
        kind = choice(("KEY", "UNIQUE", "UNIQUE KEY", "PRIMARY KEY", "INDEX k1", "UNIQUE KEY k2"))
        columns = ", ".join(self._random.sample(COLUMNS, choice((1, 1, 2))))
        return f"{kind} ({columns}) {choice(('', '', '', 'USING HASH', 'USING BTREE'))}"

    def specification(self) -> str:
        """Return one item of an ALTER TABLE statement."""
        choice = self._random.choice
        kind = self._random.randrange(19)
        column, other = choice(COLUMNS), choice(COLUMNS)
        if kind < 4:
            return f"ADD {choice(('', 'COLUMN', 'COLUMN IF NOT EXISTS'))} {column} {self._definition(place=True)}"
        if kind == 4:
            return f"ADD COLUMN ({column} {self._definition()}, {other} {self._definition()})"
        if kind < 7:
            return f"DROP {choice(('', 'COLUMN', 'COLUMN IF EXISTS'))} {column}"
        if kind < 9:
            return f"MODIFY {choice(('', 'COLUMN', 'COLUMN IF EXISTS'))} {column} {self._definition(place=True)}"
        if kind < 11:
            return f"CHANGE {choice(('', 'COLUMN'))} {column} {other} {self._definition(place=True)}"
        if kind < 13:
            return choice((f"RENAME COLUMN {column} TO {other}", f"ADD {self._key()}"))
        if kind == 14:
            return choice((*CHARSETS, f"RENAME {choice(('', 'TO'))} {choice(TABLES)}"))
        return choice(OTHER_SPECIFICATIONS)

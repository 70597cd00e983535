"""Random sessions for a MariaDB server: what users may do to it, so that its log holds a bit of everything.

Some of the statements fail, which is no harm: the client continues.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from support.live_mariadb import LiveServer, MariaServer, need_program, quoted

DATABASES = ("shop", "we`ird db", "ünï", "CamelCase")
TYPES = (
    *("TINYINT", "TINYINT UNSIGNED", "SMALLINT", "MEDIUMINT", "MEDIUMINT UNSIGNED ZEROFILL", "INT", "INT UNSIGNED"),
    *("BIGINT", "BIGINT UNSIGNED", "FLOAT", "FLOAT(7,3)", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(65,30)", "DECIMAL(5,5)"),
    *("BIT(1)", "BIT(17)", "BIT(64)", "DATE", "TIME", "TIME(3)", "TIME(6)", "DATETIME", "DATETIME(1)", "DATETIME(6)"),
    *("TIMESTAMP NULL", "TIMESTAMP(4) NULL", "YEAR", "CHAR(10)", "CHAR(255) CHARACTER SET utf8mb4", "VARCHAR(20)"),
    *(
        "VARCHAR(300)",
        "VARCHAR(60) CHARACTER SET ucs2",
        "VARCHAR(60) CHARACTER SET sjis",
        "CHAR(8) CHARACTER SET utf32",
    ),
    *("BINARY(5)", "VARBINARY(70)", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "TINYTEXT", "TEXT", "LONGTEXT"),
    *("ENUM('a','b','it''s','ü')", "SET('x','y','z','w')", "JSON", "UUID", "INET6", "INET4", "GEOMETRY", "POINT"),
    *("TEXT COMPRESSED", "VARCHAR(200) COMPRESSED", "BLOB COMPRESSED"),
)
NEWER_TYPES = ("VECTOR(3) NOT NULL", "VECTOR(1)", "UUID", "INET4")  # of 11.8
NAMES = ("id", "b`c", "naïve", "sp ace", "select", "q'uote", 'dq"', "x--y", "tab\\t", "名前")
LETTERS = "abc XYZ'\"\\%_\n\t\r\x1a;/*#-- éüß日本🐬\b"
INTEGERS = (0, 1, -1, 127, -128, 255, 65535, -32768, 8388607, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63))
REALS = ("0", "-0.0", "1.5", "3.14159265", "1e10", "-1e-10", "1.1e30", "2.2250738585072014e-308", "1e15", "1e16")
VALUES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("INET6",), ("'::1'", "'2001:db8::ff00:42:8329'", "'::ffff:1.2.3.4'")),
    (("INET4",), ("'1.2.3.4'", "'255.255.255.255'")),
    (("FLOAT", "DOUBLE"), REALS),
    (("DECIMAL",), ("0.5", "-0.00001", "123456789.987654321", "-99999999.99", "99999.99999")),
    (("BIT",), ("b'1'", "b'0'", "b'10101010101010101'")),
    (("DATETIME", "DATE"), ("'0000-00-00'", "'2024-02-29 12:34:56.5'", "'9999-12-31 23:59:59.999999'", "NOW(6)")),
    (("TIMESTAMP",), ("'1970-01-01 00:00:01'", "'2038-01-18 03:14:07.999'", "NOW(6)", "'0000-00-00 00:00:00'")),
    (("TIME",), ("'00:00:00'", "'-838:59:59'", "'838:59:59.999999'", "'-00:00:01.5'", "'12:34:56.789'")),
    (("YEAR",), ("0", "1901", "2155", "2024")),
    (("ENUM",), ("'a'", "'it''s'", "'ü'", "''", "2")),
    (("SET",), ("'x'", "'x,y'", "''", "7")),
    (("JSON",), ("'{}'", "'[1,2,{\"a\":null}]'", "'\"str\"'")),
    (("UUID",), ("'123e4567-e89b-12d3-a456-426655440000'",)),
    (("VECTOR(3",), ("VEC_FromText('[1,2.5,-3e20]')", "x'000000000000008000007f7f'")),
    (("VECTOR(1",), ("VEC_FromText('[0.1]')",)),
    (("GEOMETRY", "POINT"), ("POINT(1,2)", "ST_GeomFromText('POINT(-1 0.5)',4326)")),
)
SETTINGS = (
    *("binlog_format=ROW", "binlog_format=MIXED", "binlog_format=STATEMENT", "NAMES utf8mb4", "NAMES latin1"),
    *("NAMES cp1251", "sql_mode=''", "sql_mode='ANSI_QUOTES'", "sql_mode='NO_BACKSLASH_ESCAPES'", "time_zone='-08:30'"),
    *("foreign_key_checks=0", "unique_checks=0, foreign_key_checks=1", "lc_time_names='de_DE'", "timestamp=DEFAULT"),
    *("auto_increment_increment=3, auto_increment_offset=2", "timestamp=1000000000.123456", "insert_id=77"),
    *("rand_seed1=5, rand_seed2=7", "gtid_domain_id=3", "gtid_domain_id=0", "server_id=7", "server_id=101"),
    *("collation_database=utf8mb4_general_ci", "check_constraint_checks=0, sql_if_exists=1", "sql_auto_is_null=1"),
    *("explicit_defaults_for_timestamp=0", "binlog_annotate_row_events=0", "binlog_annotate_row_events=1"),
    *("binlog_row_image=MINIMAL", "binlog_row_image=NOBLOB", "binlog_row_image=FULL", "skip_replication=1"),
    *("character_set_client=sjis", "character_set_client=utf8mb4", "pseudo_thread_id=99", "skip_replication=0"),
    *("binlog_alter_two_phase=1", "system_versioning_insert_history=1", "system_versioning_alter_history=KEEP"),
    *("@a=1", "@a=-5", "@a=1.5e0", "@a=1.25", "@a=NULL", "@a=18446744073709551615", "@d=x'00ff27'", "@ü=_utf8mb4'ä'"),
)


KINDS = ("table", *("setting",) * 4, *("change",) * 8, *("definition",) * 4, "use")
ROWS_ONLY = tuple(text for text in SETTINGS if not text.startswith(("binlog_", "skip_", "server_id", "gtid_")))


class MariadbSession:
    """A generator of statements; `tables` maps the tables that were made to their columns."""

    def __init__(
        self,
        seed: int,
        settings: Sequence[str] = SETTINGS,
        types: Sequence[str] = TYPES,
        values: Sequence[tuple[tuple[str, ...], tuple[str, ...]]] = VALUES,
    ) -> None:
        self.settings = settings
        self.types = types
        self.values = values
        self.chance = random.Random(seed)
        self.tables: dict[str, list[tuple[str, str]]] = {}
        self.number = 0

    def literal(self, length: int) -> str:
        text = "".join(self.chance.choice(LETTERS) for _ in range(self.chance.randrange(length)))
        special = {"'": "''", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z"}
        return "'" + "".join(special.get(letter, letter) for letter in text) + "'"

    def value(self, kind: str) -> str:
        chance = self.chance
        if chance.random() < 0.12:
            return "NULL"
        for starts, values in self.values:
            if kind.startswith(starts):
                return chance.choice(values)
        if "INT" in kind:
            return str(chance.choice([*INTEGERS, chance.randrange(-1000, 1000)]))
        if "BLOB" in kind or "BINARY" in kind:
            return f"x'{chance.randbytes(chance.choice([0, 1, 5, 30, 200])).hex()}'"
        return self.literal(chance.choice([3, 10, 40, 200]))

    def new_table(self) -> list[str]:
        chance = self.chance
        self.number += 1
        name = f"{quoted(chance.choice(DATABASES))}.{quoted(f't {self.number}')}"
        columns = self.new_columns()
        self.tables[name] = columns
        key = chance.choice(["", "`the id` INT AUTO_INCREMENT PRIMARY KEY, "])
        engine = chance.choice(["InnoDB", "InnoDB", "MyISAM", "Aria"])
        charset = chance.choice(["utf8mb4", "latin1", "utf8mb3", "ucs2", "cp1251"])
        texts = ", ".join(f"{column} {kind}" for column, kind in columns)
        return [f"CREATE TABLE {name} ({key}{texts}) ENGINE={engine} DEFAULT CHARSET={charset}"]

    def new_columns(self) -> list[tuple[str, str]]:
        """Return the quoted names and the types of new columns."""
        chance = self.chance
        return [
            (quoted(f"{chance.choice(NAMES)}{at}"), chance.choice(self.types)) for at in range(chance.randrange(1, 12))
        ]

    def change(self) -> str:
        chance = self.chance
        name, columns = chance.choice(list(self.tables.items()))
        column, kind = chance.choice(columns)
        used = chance.sample(columns, chance.randrange(1, len(columns) + 1))
        rows = ", ".join(
            "(" + ", ".join(self.value(kind) for _, kind in used) + ")" for _ in range(chance.choice([1, 1, 2, 40]))
        )
        insert = chance.choice(["INSERT INTO", "INSERT INTO", "INSERT IGNORE INTO", "REPLACE INTO"])
        many = f"{insert} {name} ({', '.join(column for column, _ in used)}) VALUES {rows}"
        update = f"UPDATE {name} SET {column}={self.value(kind)} LIMIT {chance.randrange(1, 5)}"
        others = [
            f"DELETE FROM {name} LIMIT {chance.randrange(1, 5)}",
            f"INSERT INTO {name} SELECT * FROM {name} LIMIT 2",
            f"UPDATE {name} SET {column} = RAND() * 3",
            f"INSERT INTO {name} ({column}) VALUES (@a), (LAST_INSERT_ID()), (UUID())",
            f"INSERT INTO {name} ({column}) VALUES ('{'x' * chance.choice([250, 256, 65536, 100_000])}')",
            f"/* {quoted(name)} */ DELETE FROM {name} WHERE {column} IS NOT NULL LIMIT 1 # the end",
        ]
        return chance.choice([many, many, many, update, update, chance.choice(others)])

    def definition(self) -> list[str]:
        self.number += 1
        number = self.number
        name, columns = self.chance.choice(list(self.tables.items()))
        column = columns[0][0]
        branch = f"XA START 'x{number}', 'q', 3"
        makers: Sequence[Callable[[], list[str]]] = (
            lambda: [f"ALTER TABLE {name} ADD COLUMN added{number} INT"],
            lambda: [f"TRUNCATE {name}"],
            lambda: [f"CREATE TEMPORARY TABLE tmp{number} (a INT)", f"DROP TEMPORARY TABLE tmp{number}"],
            lambda: [f"CREATE VIEW v{number} AS SELECT * FROM {name}"],
            lambda: [f"CREATE PROCEDURE p{number}(x INT) UPDATE {name} SET {column}=x LIMIT 1", f"CALL p{number}(3)"],
            lambda: [f"CREATE SEQUENCE s{number}", f"SELECT NEXTVAL(s{number})", f"SELECT SETVAL(s{number}, 100)"],
            lambda: [f"CREATE TABLE c{number} AS SELECT 1 AS a, {self.literal(30)} AS b, 2.5 AS d"],
            lambda: ["BEGIN", self.change(), "SAVEPOINT `s p`", self.change(), "ROLLBACK TO `s p`", "COMMIT"],
            lambda: ["BEGIN", self.change(), self.change(), self.change(), "ROLLBACK"],
            lambda: ["BEGIN", self.change(), self.change(), "COMMIT"],
            lambda: [
                *(branch, self.change(), branch.replace("START", "END"), branch.replace("START", "PREPARE")),
                branch.replace("START", self.chance.choice(["COMMIT", "ROLLBACK"])),
            ],
            lambda: [f"ALTER TABLE {name} ADD SYSTEM VERSIONING"],
            lambda: [f"ALTER TABLE {name} ADD COLUMN made{number} INT AS ({number} + 1) PERSISTENT"],
            lambda: [f"ALTER TABLE {name} ADD COLUMN unseen{number} INT INVISIBLE DEFAULT 3, ALGORITHM=COPY"],
            lambda: [f"SET STATEMENT sql_mode='', max_statement_time=100 FOR {self.change()}"],
            lambda: [
                f"CREATE OR REPLACE TABLE o{number} (a INT PRIMARY KEY)",
                f"INSERT INTO o{number} VALUES (1), (2)",
            ],
            lambda: [f"CREATE EVENT e{number} ON SCHEDULE AT '2099-01-01' DO {self.change()}", f"DROP EVENT e{number}"],
            lambda: [f"{self.change()}; {self.change()}"],
            lambda: [f"CREATE USER u{number}@localhost IDENTIFIED BY 'pw'"],
            lambda: [f"DROP TABLE IF EXISTS nothing{number}, `b``x{number}`"],
            lambda: [f"ANALYZE TABLE {name}", "FLUSH TABLES"],
            lambda: [f"CREATE TRIGGER tr{number} BEFORE INSERT ON {name} FOR EACH ROW SET @t = 1"],
        )
        return self.chance.choice(makers)()

    def beginning(self) -> list[str]:
        """Return statements that make the databases and the first tables."""
        made = [f"CREATE DATABASE {quoted(name)}" for name in DATABASES]
        for _ in range(3):
            made += self.new_table()
        return made

    def statements(self, count: int, kinds: Sequence[str] = KINDS) -> list[str]:
        """Return statements for `count` random choices among these kinds."""
        made = []
        for _ in range(count):
            kind = self.chance.choice(kinds)
            if kind == "table":
                made += self.new_table()
            elif kind == "setting":
                made.append(f"SET {self.chance.choice(self.settings)}")
            elif kind == "use":
                made.append(f"USE {quoted(self.chance.choice(DATABASES))}")
            elif kind == "change":
                made.append(self.change())
            else:
                made += self.definition()
        return made


def run_all(server: LiveServer, statements: Sequence[str]) -> Path:
    """Run a session; return the complete log that it filled."""
    script = "DELIMITER $$\nUSE test$$\n" + "$$\n".join(statements) + "$$\n"
    feed(server, script.encode())
    return server.flush_logs()


def feed(server: LiveServer, script: bytes) -> bytes:
    """Feed statements to the client, which continues after errors; return its messages."""
    return subprocess.run([*server.client(), "--force"], input=script, capture_output=True, check=False).stderr


def contents(server: MariaServer) -> list[str]:
    """Return all tables of the databases with their rows, sorted; views of dropped tables are left out."""
    program = [need_program("mariadb-dump"), "--no-defaults", f"--socket={server.socket}", "--user=root", "--hex-blob"]
    options = ["--skip-comments", "--skip-dump-date", "--skip-extended-insert", "--skip-triggers", "--force"]
    done = subprocess.run([*program, *options, "--databases", *DATABASES], capture_output=True, check=False)
    return lines_of_dump(done.stdout.decode("utf-8", "replace"))


def lines_of_dump(text: str) -> list[str]:
    """Return the lines of a dump with the rows of each table sorted."""
    lines: list[str] = []
    rows: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.startswith("INSERT INTO"):
            rows.append(line)
        else:
            lines += [*sorted(rows), re.sub(r" AUTO_INCREMENT=\d+", "", line)]
            rows.clear()
    return lines

"""Random sessions for a MySQL server: what its users may do that MariaDB's may not, and the other way round."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from support.live_mariadb import quoted
from support.mariadb_sessions import DATABASES, VALUES, MariadbSession

TEXTS = ("utf8mb4", "latin1", "utf8mb3", "ucs2", "cp1251", "utf16le", "gb18030", "ujis", "big5", "binary", "utf32")
TYPES = (
    *("TINYINT", "TINYINT UNSIGNED", "SMALLINT", "MEDIUMINT", "MEDIUMINT UNSIGNED ZEROFILL", "INT", "INT UNSIGNED"),
    *("BIGINT", "BIGINT UNSIGNED", "FLOAT", "FLOAT(7,3)", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(65,30)", "DECIMAL(5,5)"),
    *("BIT(1)", "BIT(17)", "BIT(64)", "DATE", "TIME", "TIME(3)", "TIME(6)", "DATETIME", "DATETIME(1)", "DATETIME(6)"),
    *("TIMESTAMP NULL", "TIMESTAMP(4) NULL", "YEAR", "CHAR(10)", "CHAR(255) CHARACTER SET utf8mb4", "VARCHAR(20)"),
    *("VARCHAR(300)", "CHAR(8) CHARACTER SET utf32", *(f"VARCHAR(60) CHARACTER SET {name}" for name in TEXTS)),
    *("BINARY(5)", "VARBINARY(70)", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB", "TINYTEXT", "TEXT", "LONGTEXT"),
    *("ENUM('a','b','it''s','ü')", "SET('x','y','z','w')", "SET('1','2','3','4','5','6','7','8','9')", "BOOL"),
    *("JSON", "JSON", "JSON"),
)
NEWER_TYPES = ("VECTOR(3)", "VECTOR")
SHAPED = ("GEOMETRY", "POINT", "GEOMETRYCOLLECTION", "LINESTRING")  # mysqlbinlog shows no values of these
VECTORS_SINCE, INVISIBLE_SINCE = (9, 0), (8, 0)
DOCUMENTS = (
    *("'{}'", "'[]'", '\'[1, 2, {"a": null, "b": [true, false]}]\'', "'\"str\"'", "'null'", "'1.5e300'", "'-7'"),
    *("CAST(NOW(6) AS JSON)", "CAST(CURTIME(3) AS JSON)", "CAST(DATE'2024-02-29' AS JSON)", "CAST(1.50 AS JSON)"),
    *("JSON_OBJECT('k', x'00ff27', 'ü', 'it''s \"q\" \\\\ \\n')", "JSON_ARRAY(18446744073709551615, -1, 70000, 1e16)"),
    *(
        "JSON_OBJECT('a', 1, 'b', 'long', 'c', JSON_ARRAY(1,2,3), 'd', REPEAT('x', 300))",
        "JSON_ARRAY(b'101', POINT(1,2))",
    ),
    *("JSON_ARRAY(REPEAT('y', 70000))", "JSON_OBJECT('a', TIME'-838:59:59', 'b', TIMESTAMP'0001-01-01 00:00:00.5')"),
)
PATHS = ("$.a", "$.b", "$.c[1]", '$."ü"', "$[0]", "$[2].b[0]", "$.c", "$.new", "$[5]")
PARTS = (
    "1",
    "'x'",
    "NULL",
    "TRUE",
    "-1.5",
    "CAST('[1,{}]' AS JSON)",
    "'it''s \\\\ \"q\"'",
    "NOW(6)",
    "x'00ff'",
    "1e300",
)
SHAPES = (
    *("POINT(1,2)", "ST_GeomFromText('LINESTRING(0 0,1 1,2 2)')", "ST_GeomFromText('GEOMETRYCOLLECTION EMPTY')"),
    *("ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1),POLYGON((0 0,1 0,1 1,0 0)))')",),
)
VECTORS = ("TO_VECTOR('[1, 2.5, -3e10]')", "TO_VECTOR('[0, -0.0, 1e-40]')", "x'0000803F000000400000404000000000'")
THEIRS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("JSON",), DOCUMENTS),
    (("VECTOR",), VECTORS),
    (("GEOMETRY", "POINT", "LINESTRING"), SHAPES),
    (("BOOL",), ("TRUE", "FALSE")),
    *((kinds, values) for kinds, values in VALUES if kinds[0] not in {"JSON", "GEOMETRY"}),
)
SETTINGS = (
    *("binlog_format=ROW", "binlog_format=MIXED", "binlog_format=STATEMENT", "NAMES utf8mb4", "NAMES latin1"),
    *("NAMES utf8mb4", "NAMES utf8mb4", "NAMES utf8mb4", "sql_mode=''", "sql_mode=''"),
    *("NAMES cp1251", "sql_mode=''", "sql_mode='ANSI_QUOTES'", "sql_mode='NO_BACKSLASH_ESCAPES'", "time_zone='-08:30'"),
    *("NAMES utf8mb4 COLLATE utf8mb4_ja_0900_as_cs", "sql_mode='TIME_TRUNCATE_FRACTIONAL,PAD_CHAR_TO_FULL_LENGTH'"),
    *("foreign_key_checks=0", "unique_checks=0, foreign_key_checks=1", "lc_time_names='de_DE'", "timestamp=DEFAULT"),
    *("unique_checks=1", "time_zone='SYSTEM'", "div_precision_increment=7", "explicit_defaults_for_timestamp=1"),
    *("auto_increment_increment=3, auto_increment_offset=2", "timestamp=1000000000.123456", "insert_id=77"),
    *("rand_seed1=5, rand_seed2=7", "collation_database=utf8mb4_general_ci", "sql_auto_is_null=1"),
    *("explicit_defaults_for_timestamp=0", "binlog_rows_query_log_events=0", "binlog_rows_query_log_events=1"),
    *("binlog_row_image=MINIMAL", "binlog_row_image=NOBLOB", "binlog_row_image=FULL", "gtid_next='AUTOMATIC:returns'"),
    *("binlog_row_value_options=PARTIAL_JSON", "binlog_row_value_options=PARTIAL_JSON", "binlog_row_value_options=''"),
    *("binlog_transaction_compression=1", "binlog_transaction_compression=0", "gtid_next='AUTOMATIC'"),
    *("character_set_client=sjis", "character_set_client=utf8mb4", "pseudo_thread_id=99", "default_table_encryption=0"),
    *("sql_generate_invisible_primary_key=1", "sql_generate_invisible_primary_key=0", "GLOBAL server_id=7"),
    *("default_collation_for_utf8mb4=utf8mb4_general_ci", "GLOBAL server_id=101", "session_track_gtids=OWN_GTID"),
    *("GLOBAL binlog_row_metadata=FULL", "GLOBAL binlog_row_metadata=MINIMAL", "sql_require_primary_key=0"),
    *("original_commit_timestamp=1700000000123456", "print_identified_with_as_hex=1", "binlog_order_commits=0"),
    *("@a=1", "@a=-5", "@a=1.5e0", "@a=1.25", "@a=NULL", "@a=18446744073709551615", "@d=x'00ff27'", "@ü=_utf8mb4'ä'"),
)
ROWS_ONLY = tuple(
    text for text in SETTINGS if not text.startswith(("binlog_format", "GLOBAL", "binlog_row_", "gtid", "sql_generate"))
)
OPTIONS = ("", "", "", " NOT NULL", " COMMENT 'it''s'")
NEWER_OPTIONS = (*OPTIONS, " INVISIBLE")
ANOTHER_SERVER = "11111111-2222-3333-4444-555555555555"
LOADING = ("", " CHARACTER SET latin1 FIELDS TERMINATED BY ',' ENCLOSED BY '\"' IGNORE 1 LINES")
COUNTED = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r WHERE n<200) SELECT n FROM r"


class MysqlSession(MariadbSession):
    """A generator of statements for one version of MySQL; `folder` is for its files."""

    def __init__(
        self,
        seed: int,
        settings: Sequence[str] = SETTINGS,
        types: Sequence[str] = TYPES,
        *,
        version: tuple[int, int],
        folder: str = ".",
    ) -> None:
        newer = NEWER_TYPES if version >= VECTORS_SINCE else ()
        super().__init__(seed, settings, (*types, *newer), THEIRS)
        self.options = NEWER_OPTIONS if version >= INVISIBLE_SINCE else OPTIONS
        self.folder = folder

    def new_table(self) -> list[str]:
        chance = self.chance
        self.number += 1
        name = f"{quoted(chance.choice(DATABASES))}.{quoted(f't {self.number}')}"
        columns = self.new_columns()
        self.tables[name] = columns
        texts = [f"{column} {kind}{chance.choice(self.options)}" for column, kind in columns]
        if chance.random() < 0.2:
            value = chance.choice(["1+1", f"LENGTH({columns[0][0]})"])
            texts.append(f"gen INT AS ({value}) {chance.choice(['VIRTUAL', 'STORED'])}")
        key = chance.choice(["", "`the id` INT AUTO_INCREMENT PRIMARY KEY, "])
        engine = chance.choice(["InnoDB", "InnoDB", "InnoDB", "InnoDB", "MyISAM"])
        parted = key and engine == "InnoDB" and chance.random() < 0.3
        parts = " PARTITION BY KEY (`the id`) PARTITIONS 3" if parted else ""
        charset = chance.choice(TEXTS)
        return [f"CREATE TABLE {name} ({key}{', '.join(texts)}) ENGINE={engine} DEFAULT CHARSET={charset}{parts}"]

    def change(self) -> str:
        chance = self.chance
        known = list(self.tables.items())
        documents = [(name, column) for name, columns in known for column, kind in columns if kind == "JSON"]
        if documents and chance.random() < 0.25:
            name, column = chance.choice(documents)
            return f"UPDATE {name} SET {column}={self.part_of_document(column)} LIMIT {chance.randrange(1, 5)}"
        if chance.random() < 0.1:
            (one, columns), (other, others) = chance.choice(known), chance.choice(known)
            column, (target, kind) = columns[0][0], others[0]
            return f"UPDATE {one} AS a, {other} AS b SET a.{column}=NULL, b.{target}={self.value(kind)}"
        return super().change()

    def part_of_document(self, text: str) -> str:
        """Return an expression that changes parts of a JSON document."""
        for _ in range(self.chance.randrange(1, 4)):
            path, value = self.chance.choice(PATHS), self.chance.choice(PARTS)
            text = self.chance.choice(
                [
                    f"JSON_SET({text}, '{path}', {value})",
                    f"JSON_REPLACE({text}, '{path}', {value})",
                    f"JSON_REMOVE({text}, '{path}')",
                    f"JSON_ARRAY_INSERT({text}, '$[1]', {value})",
                    f"JSON_ARRAY_APPEND({text}, '{path}', {value})",
                ]
            )
        return text

    def definition(self) -> list[str]:
        if self.chance.random() < 0.5:
            return super().definition()
        self.number += 1
        number = self.number
        name, columns = self.chance.choice(list(self.tables.items()))
        column, kind = columns[0]
        into = f"INSERT INTO {name} ({column})"
        makers: Sequence[Callable[[], list[str]]] = (
            lambda: self.one_phase(f"x'00{number:04x}'"),
            lambda: [f"CREATE TABLE cs{number} AS SELECT * FROM {name} LIMIT 3"],
            lambda: [f"CREATE TABLE cl{number} LIKE {name}", f"RENAME TABLE cl{number} TO `r``{number}`"],
            lambda: [f"ALTER DATABASE {quoted(self.chance.choice(DATABASES))} CHARSET {self.chance.choice(TEXTS)}"],
            lambda: [f"CREATE USER 'u''{number}'@'%' IDENTIFIED BY 'pw'", f"GRANT SELECT ON *.* TO 'u''{number}'@'%'"],
            lambda: [f"ALTER USER root@localhost COMMENT 'number {number}'", f"CREATE ROLE r{number}"],
            lambda: [f"CREATE EVENT e{number} ON SCHEDULE EVERY 9 HOUR DISABLE DO SET @x = 1", f"DROP EVENT e{number}"],
            lambda: [f"CREATE FUNCTION f{number}() RETURNS INT DETERMINISTIC RETURN {number}", f"DO f{number}()"],
            lambda: [f"PREPARE s FROM '{into} VALUES (?)'", "EXECUTE s USING @a", "DEALLOCATE PREPARE s"],
            lambda: [f"{into} VALUES ({self.value(kind)}) ON DUPLICATE KEY UPDATE {column}=NULL"],
            lambda: self.load(f"{self.folder}/out{number}.txt", name, column),
            lambda: self.named(f"{ANOTHER_SERVER}:{number}"),
            lambda: self.named(f"{ANOTHER_SERVER}:tag:{number}"),
            lambda: self.named(f"AUTOMATIC:tag_{number % 3}"),
            lambda: ["BEGIN", *(self.change() for _ in range(12)), "COMMIT"],
            lambda: [f"ALTER TABLE {name} ADD INDEX i{number} ({column}), ALGORITHM=INPLACE", f"OPTIMIZE TABLE {name}"],
            lambda: [f"CREATE TABLE g{number} (a INT) AUTOEXTEND_SIZE=4M SECONDARY_ENGINE_ATTRIBUTE='{{}}'"],
            lambda: [f"{into} {COUNTED}"],
        )
        return self.chance.choice(makers)()

    def one_phase(self, branch: str) -> list[str]:
        """Return an XA transaction that is committed in one phase."""
        return [f"XA START {branch}", self.change(), f"XA END {branch}", f"XA COMMIT {branch} ONE PHASE"]

    def named(self, name: str) -> list[str]:
        """Return a transaction with this GTID; it is empty where its change fails."""
        return [f"SET gtid_next='{name}'", "BEGIN", self.change(), "COMMIT", "SET gtid_next='AUTOMATIC'"]

    def load(self, path: str, name: str, column: str) -> list[str]:
        """Return statements that write a column to a file and load it again."""
        way = self.chance.choice(LOADING)
        return [
            f"SELECT {column} FROM {name} LIMIT 3 INTO OUTFILE '{path}'",
            f"LOAD DATA {self.chance.choice(['', 'LOCAL '])}INFILE '{path}' IGNORE INTO TABLE {name}{way} ({column})",
        ]

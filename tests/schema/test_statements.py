"""Schema files as text: statements, delimiters, INSERTs, compression, and what is no SQL at all."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from binlogcli.errors import SchemaError
from binlogcli.schema.catalog import Catalog
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.dump_file import read_definitions, read_schema
from binlogcli.schema.sql import statements as schema_statements
from binlogcli.schema.table import SchemaTable


def read(tmp_path: Path, text: str | bytes, warnings: list[str] | None = None) -> list[SchemaTable]:
    path = tmp_path / "schema.sql"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_schema(str(path), warnings)


def defined(tmp_path: Path, text: str) -> Definitions:
    path = tmp_path / "schema.sql"
    path.write_text(text)
    return read_definitions([str(path)], [])


def test_the_database_is_the_qualifier_or_the_last_use(tmp_path: Path) -> None:
    tables = read(
        tmp_path,
        "CREATE TABLE a (i int); USE `x``y`;\nCREATE TABLE b (i int); use z\nCREATE TABLE q.c (i int);"
        "CREATE DATABASE w; CREATE TABLE `d` (i int)",
    )
    assert [(table.database, table.table) for table in tables] == [("", "a"), ("x`y", "b"), ("q", "c"), ("z", "d")]


def test_a_table_without_a_database_is_found_in_any(tmp_path: Path) -> None:
    schema = Catalog(defined(tmp_path, "CREATE TABLE a (i int); CREATE TABLE d.a (i int, j int);"))
    assert len(found.columns if (found := schema.find("d", "a")) else ()) == 2
    assert len(found.columns if (found := schema.find("other", "a")) else ()) == 1
    assert schema.find("d", "b") is None


def test_the_last_statement_of_a_name_counts_unless_it_says_if_not_exists(tmp_path: Path) -> None:
    text = "CREATE TABLE a (i int); CREATE TABLE a (j int); CREATE TABLE IF NOT EXISTS a (k int);"
    table = Catalog(defined(tmp_path, text)).find("", "a")
    assert table
    assert table.columns[0].name == "j"


def test_like_copies_a_table_of_the_same_file(tmp_path: Path) -> None:
    first, second, third = read(
        tmp_path, "create table a (i int, j text); create table b like a; create table c (like b)"
    )
    assert first.columns == second.columns == third.columns
    assert third.table == "c"


def test_versioned_comments_count_and_others_do_not(tmp_path: Path) -> None:
    text = """/*!50001 CREATE /* plain */ TABLE /*!32312 IF NOT EXISTS*/ `t` (
      `a` int /* b int, */ NOT NULL -- , c int
      # , d int
      ,`e` int /*!80023 INVISIBLE */, `f` varchar(9) /*M!100301 COMPRESSED*/,
      `g--h/*i*/` int COMMENT '/*!1 */'
    ) ENGINE=InnoDB /*!50100 PARTITION BY HASH (a) */ */;"""
    (table,) = read(tmp_path, text)
    assert [column.name for column in table.columns] == ["a", "e", "f", "g--h/*i*/"]
    assert [column.visible for column in table.columns] == [True, False, True, True]
    assert table.columns[2].kinds == {141}


def test_other_delimiters_hide_the_statements_inside_of_routines(tmp_path: Path) -> None:
    text = """DELIMITER ;;
      CREATE PROCEDURE p() BEGIN CREATE TABLE no (i int); END ;;
      DELIMITER ;
      CREATE TABLE yes (i int);"""
    assert [table.table for table in read(tmp_path, text)] == ["yes"]
    text = "delimiter //\ncreate table a (i int)//\ncreate table b (i int comment '//') // delimiter ;\n"
    assert [table.table for table in read(tmp_path, text)] == ["a", "b"]


@pytest.mark.parametrize(
    "insert",
    [
        "INSERT INTO a VALUES (1,'it\\'s; CREATE TABLE no (i int);\\\\'),(2,'''');",
        "INSERT INTO a VALUES (1,'x');\nINSERT INTO a VALUES (1,'y;\nCREATE TABLE no (i int);\n');",
        'INSERT INTO a VALUES (1,"it\'s;\nCREATE TABLE no (i int);\n"),(2,"\\"");',
        "INSERT INTO a VALUES (1,'\"',\"'\"); /* it's */ INSERT INTO a VALUES ('`',\"`\"); # it's\n-- it's\n",
        "INSERT INTO `it's` (`a\"b`,`c;\n`) VALUES (1,'/* '),(--1,'*/ -- #');",
        "REPLACE INTO a VALUES (0x00,_binary '\0\\0\\Z\xff;\n');\r\nINSERT INTO a VALUES (1);",
        "INSERT INTO a VALUES (1,'x'); UNLOCK TABLES; SET x = 'CREATE TABLE no (i int);';",
    ],
)
@pytest.mark.parametrize("window", [16, 61, 1 << 20])
def test_inserts_are_passed_over_whatever_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, insert: str, window: int
) -> None:
    monkeypatch.setattr(schema_statements, "WINDOW", window)
    for count in (1, 2, 300):
        text = f"CREATE TABLE a (i int);\n{(insert + chr(10)) * count}CREATE TABLE z (i int);\n"
        assert [table.table for table in read(tmp_path, text)] == ["a", "z"]


def test_a_statement_cut_off_by_the_end_of_the_file_is_a_warning(tmp_path: Path) -> None:
    for rest in ("CREATE TABLE b (i int", "CREATE TABLE b (i enum('x", "CREATE TABLE b", "CREATE TABLE b (`i"):
        warnings: list[str] = []
        tables = read(tmp_path, f"CREATE TABLE a (i int);\n{rest}", warnings)
        assert [table.table for table in tables] == ["a"]
        assert len(warnings) == 1
        assert "at 24" in warnings[0]
        assert "\n" not in warnings[0]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE b (i nosuchtype)",
        "CREATE TABLE b (i)",
        "CREATE TABLE b AS SELECT 1",
        "CREATE TABLE b ()",
        "CREATE TABLE (i int)",
        "CREATE TABLE b LIKE c",
        "CREATE TABLE b (i int, primary key (i)",
        "CREATE TABLE b (i int, I int)",
    ],
)
def test_a_statement_that_cannot_be_read_is_a_warning(tmp_path: Path, statement: str) -> None:
    warnings: list[str] = []
    assert [table.table for table in read(tmp_path, f"{statement}; CREATE TABLE a (i int);", warnings)] == ["a"]
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "compress",
    [
        bytes,
        gzip.compress,
        bz2.compress,
        lzma.compress,
        zstandard.compress,
        lambda data: zstandard.compress(data[:9]) + zstandard.compress(data[9:]),
    ],
)
def test_compressed_files_are_known_by_their_first_bytes(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    (table,) = read(tmp_path, compress(b"\xef\xbb\xbfCREATE TABLE t (a int);"))
    assert table.table == "t"


def test_a_file_that_gives_no_table_is_an_error_of_one_line(tmp_path: Path) -> None:
    damaged = gzip.compress(b"CREATE TABLE t (a int);" * 99)[:-20]
    for content in (b"", b"SELECT 1;", b"\0" * 99, b"-- CREATE TABLE t (a int);", damaged, b"\x1f\x8bno gzip", b"BZh"):
        with pytest.raises(SchemaError) as caught:
            read(tmp_path, content)
        assert "schema.sql: " in caught.value.line()
        assert "; " in caught.value.line()
        assert "\n" not in caught.value.line()
    for path in (tmp_path, tmp_path / "missing.sql"):
        with pytest.raises(SchemaError, match="cannot be opened"):
            read_schema(str(path))


def test_a_dump_of_an_empty_database_is_a_dump(tmp_path: Path) -> None:
    empty = "CREATE DATABASE /*!32312 IF NOT EXISTS*/ `s` /*!40100 DEFAULT CHARACTER SET latin1 */;\nUSE `s`;"
    assert read(tmp_path, empty) == []
    assert defined(tmp_path, empty).charsets["s"].name == "latin1"


WORDS = ["CREATE TABLE t (", "a int", "b enum('x')", "PRIMARY KEY", "LIKE", "COLLATE ", "CHARACTER SET ", "USE "]
MARKS = [",", ")", ";", ";\n", "'", "''", "\\'", '"', "`", "\\", "#", "\n", " ", "\0", ".", "é", "@", "1e", "-1,"]
COMMENTS = ["/*", "/*!50100 ", "/*M!100301 ", "*/", "--", "-- ", "{#", "x'", "DELIMITER ", "$$"]
INSERTS = ["INSERT INTO t VALUES (1,'x');\n", "INSERT INTO t VALUES ('", 'REPLACE INTO `t` VALUES ("']
FRAGMENTS = st.sampled_from([*WORDS, *MARKS, *COMMENTS, *INSERTS, "CREATE DATABASE ", "ALTER DATABASE "])


@settings(max_examples=400, deadline=None)
@given(parts=st.lists(FRAGMENTS, max_size=120), window=st.integers(1, 300))
def test_hostile_text_is_read_alike_whatever_the_windows_and_shortcuts(parts: list[str], window: int) -> None:
    data = "".join(parts).encode()

    def statements(size: int) -> list[schema_statements.SqlStatement]:
        source = io.BytesIO(data)
        return list(schema_statements.StatementReader(lambda _: source.read(size), "x"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_statements, "LOOKAHEAD", 200)
        expected = statements(1 << 20)
        assert statements(window) == expected
        patch.setattr(schema_statements, "_PLAIN", re.compile(b"(?!)"))
        assert statements(window) == expected


@settings(max_examples=400, deadline=None)
@given(parts=st.lists(FRAGMENTS, max_size=40))
def test_hostile_text_gives_tables_or_warnings_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    warnings: list[str] = []
    with contextlib.suppress(SchemaError):
        read(tmp_path_factory.mktemp("hostile"), "CREATE TABLE t (" + "".join(parts), warnings)
    assert all("\n" not in warning for warning in warnings)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t ("
        + ",".join(f"`c{i}` varchar(10) COLLATE utf8mb4_bin DEFAULT 'x'" for i in range(10_000))
        + ");",
        "CREATE TABLE t (a int " + "(" * 100_000 + ")" * 100_000 + ");",
        "CREATE TABLE t (a enum(" + "'it''s'," * 100_000 + "'x'));",
        "CREATE TABLE t (a int);" + "/*" * 500_000,
        "CREATE TABLE t (a int);" + "CREATE TABLE u (" + "/*!1 " * 200_000,
        "CREATE TABLE t (a int);" + "CREATE TABLE u ('" + "\\'" * 500_000 + "\\",
        "CREATE TABLE t (a int);" + "INSERT INTO t VALUES (" + "'\"`" * 500_000,
        "CREATE TABLE t (a int);" + "INSERT INTO t VALUES ('" + ";\n" * 300_000,
        "CREATE TABLE t (a int);" + "INSERT INTO t VALUES (" + "?" * 3_000_000,
        "CREATE TABLE t (a int);" + "DELIMITER x\n" * 100_000,
        "CREATE TABLE t (a int);" + " \n\0" * 1_000_000,
        "CREATE TABLE t (a int);" + "CREATE " * 300_000,
        "CREATE TABLE t (a int);" + "CREATE PROCEDURE " + "x " * 12_000_000,
    ],
    ids=lambda text: text[:16] + text[23:45] + text[-9:],
)
def test_hostile_text_takes_no_quadratic_time(tmp_path: Path, text: str) -> None:
    began = time.monotonic()
    assert read(tmp_path, text)[0].table == "t"
    assert time.monotonic() - began < 20


def test_a_statement_too_long_to_be_kept_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_statements, "LONGEST", 1000)
    warnings: list[str] = []
    long = "CREATE TABLE u (a int COMMENT '" + "x" * 2000 + "');"
    assert [table.table for table in read(tmp_path, f"CREATE TABLE t (a int);{long}", warnings)] == ["t"]
    assert "too long" in warnings[0]

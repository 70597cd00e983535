"""Schema files: the columns they give, against what real servers list and log."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from binlogcli.events.log import Log
from binlogcli.events.tables import TableMap
from binlogcli.names.collations import collation
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.schema.catalog import Catalog
from binlogcli.schema.dump_file import read_schema
from binlogcli.schema.evidence import fitting
from binlogcli.schema.fitting import fitted
from binlogcli.schema.sql.show import type_text as shown_type
from binlogcli.schema.table import SchemaColumn, SchemaTable
from support.corpus import CORPUS

DUMPS = sorted(CORPUS.glob("*/*/dump.sql*"))
SCRIPTS = sorted(CORPUS.glob("generate/sql/*.sql"))


def read(tmp_path: Path, text: str | bytes, warnings: list[str] | None = None) -> list[SchemaTable]:
    path = tmp_path / "schema.sql"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_schema(str(path), warnings)


def fits(table: SchemaTable, kinds: list[int]) -> bool:
    return fitted(table, [ColumnInfo(index, code, b"") for index, code in enumerate(kinds)]) is not None


def columns(tmp_path: Path, body: str, options: str = "") -> dict[str, SchemaColumn]:
    (table,) = read(tmp_path, f"-- MySQL dump\nCREATE TABLE t ({body}) {options};")
    return {column.name: column for column in table.columns}


def unzipped(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def server_tables(dump: Path) -> Iterator[dict[str, object]]:
    (rows,) = dump.parent.glob("rows.jsonl*")
    for line in unzipped(rows).splitlines():
        if line.startswith('{"db"'):
            yield json.loads(line)


@pytest.mark.skipif(not DUMPS, reason="no corpus here")
@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: f"{path.parent.parent.name}-{path.parent.name}")
def test_a_dump_gives_the_columns_that_its_server_lists(dump: Path) -> None:
    mariadb = dump.parent.parent.name.startswith("mariadb")
    schema = Catalog.read([str(dump)])
    assert not schema.warnings
    for listed in server_tables(dump):
        if listed["table"] == "m_seq":  # a sequence, which is no CREATE TABLE
            continue
        table = schema.find(str(listed["db"]), str(listed["table"]))
        assert table, listed
        shown = [column for column in table.columns if column.name not in {"row_start", "row_end"}]
        expected = listed["columns"]
        assert isinstance(expected, list)
        assert [column.name for column in shown] == [column["name"] for column in expected]
        for column, server in zip(shown, expected, strict=True):
            check_against_server(column, server, mariadb=mariadb)


# The display widths of MySQL before 8.0.19 are left out
_WIDTH = re.compile(r"^((?:small|medium|big)?int|tinyint(?!\(1\))|year)\(\d+\)(?!.*zerofill)")


def check_against_server(column: SchemaColumn, server: dict[str, str], *, mariadb: bool) -> None:
    type_text = server["type"].partition(" /*")[0]
    assert column.type_name == type_text.split("(")[0].split()[0]
    assert column.unsigned == ("unsigned" in type_text or type_text.startswith("year"))
    shown = type_text if mariadb else _WIDTH.sub(r"\1", type_text)
    assert shown_type(column, mariadb=mariadb).replace("''", "'") == shown.replace("''", "'").replace("\\", "\\\\")
    if column.type_name != "json" and server["charset"] is not None:
        assert column.collation is not None
        entry = collation(column.collation, mariadb=mariadb)
        assert entry
        assert entry.charset.replace("utf8mb3", "utf8") == server["charset"].replace("utf8mb3", "utf8")


@pytest.mark.skipif(not DUMPS, reason="no corpus here")
@pytest.mark.parametrize("scenario", ["types-full", "rows", "names-wide", "image-minimal", "temporal-old-plain"])
def test_the_tables_of_a_dump_fit_the_table_maps_of_its_log(scenario: str) -> None:
    dumps = [dump for dump in DUMPS if dump.parent.name == scenario]
    assert dumps
    for dump in dumps:
        schema = Catalog.read([str(dump)])
        with Log(str(dump.parent / "shop-bin.000001")) as log:
            for event in log:
                # other tables were dropped before the dump
                if isinstance(event, TableMap) and (table := schema.find(event.database, event.table)):
                    found, reason = fitting(table, event.definition)
                    assert found, (dump, event.table, reason)


@pytest.mark.skipif(not SCRIPTS, reason="no corpus here")
def test_every_create_table_of_hand_written_scripts_is_read() -> None:
    names: set[str] = set()
    warnings: list[str] = []
    for script in SCRIPTS:
        if b"CREATE TABLE" in script.read_bytes():
            names |= {table.table for table in read_schema(str(script), warnings)}
    assert {"t_int", "m_uuid", "y_vec", "order", "ta`ble", 'it\'s "odd"', "semi;colon\\n", "caf\xe9"} <= names
    # what is left needs a SELECT or a table that no statement of its file creates
    reasons = (
        "no list of columns",
        "is not known",
        "several columns have the same name",
    )  # the last failed on the server
    assert all(any(reason in warning for reason in reasons) for warning in warnings)


def test_aliases_are_resolved_to_the_servers_own_names(tmp_path: Path) -> None:
    body = """a bool, b real, c national char(3), d integer, e dec(5), f fixed(3,1), g long, h long varchar,
      i character varying(9), j double precision, k float(53), l year(4), m bit, n char, o char byte,
      p nchar varchar(6),
      q long varbinary, r char(5) character set binary, s serial, t text(30), u int4 zerofill, v nvarchar(2),
      w float(10),      x numeric, y time(3), z datetime"""
    found = {name: (c.type_name, c.length, c.scale, c.unsigned) for name, c in columns(tmp_path, body).items()}
    assert found == {
        "a": ("tinyint", 1, None, False),
        "b": ("double", None, None, False),
        "c": ("char", 3, None, False),
        "d": ("int", None, None, False),
        "e": ("decimal", 5, 0, False),
        "f": ("decimal", 3, 1, False),
        "g": ("mediumtext", None, None, False),
        "h": ("mediumtext", None, None, False),
        "i": ("varchar", 9, None, False),
        "j": ("double", None, None, False),
        "k": ("double", None, None, False),
        "l": ("year", None, None, True),
        "m": ("bit", 1, None, False),
        "n": ("char", 1, None, False),
        "o": ("binary", 1, None, False),
        "p": ("varchar", 6, None, False),
        "q": ("mediumblob", None, None, False),
        "r": ("binary", 5, None, False),
        "s": ("bigint", None, None, True),
        "t": ("tinytext", None, None, False),
        "u": ("int", None, None, True),
        "v": ("varchar", 2, None, False),
        "w": ("float", None, None, False),
        "x": ("decimal", 10, 0, False),
        "y": ("time", 3, None, False),
        "z": ("datetime", 0, None, False),
    }


def test_a_column_has_its_own_collation_or_the_tables_or_the_databases(tmp_path: Path) -> None:
    text = """CREATE DATABASE `d` /*!40100 DEFAULT CHARACTER SET latin2 */; USE d; CREATE TABLE t (
      a char(1), b char(1) CHARACTER SET latin1, c char(1) COLLATE utf8mb4_bin, d char(1) charset utf8,
      e int, f blob, g char(1) ascii, h char(1) unicode,
      i char(1) CHARACTER SET latin1 binary, j nchar(1), k json,
      l geometry, m enum('x') CHARACTER SET binary,
      n char(1) DEFAULT (_utf8mb4'x' COLLATE utf8mb4_bin) COMMENT 'COLLATE latin1_bin'
    )"""
    expected = [9, 8, 46, 33, None, 63, 8, 35, 47, 33, 46, None, 63]
    (table,) = read(tmp_path, text)
    assert [column.collation for column in table.columns] == [*expected, 9]
    (table,) = read(tmp_path, text + " DEFAULT CHARSET=cp1251 COMMENT='CHARSET=latin1';")
    assert [column.collation for column in table.columns] == [51, *expected[1:], 51]
    (table,) = read(tmp_path, "CREATE TABLE t (a char(1), b text)")
    assert [column.collation for column in table.columns] == [None, None]


def test_a_collation_without_its_character_set_is_of_the_one_named_before_it(tmp_path: Path) -> None:
    body = """a char(1) CHARACTER SET utf8mb4 COLLATE uca1400_ai_ci, b char(1) COLLATE uca1400_ai_ci,
      c char(1) binary"""
    found = columns(tmp_path, body, "DEFAULT CHARSET=utf8mb3")
    assert [column.collation for column in found.values()] == [2304, 2048, 83]


def test_labels_are_unescaped_as_the_server_does(tmp_path: Path) -> None:
    found = columns(
        tmp_path, r"""a enum('x ','it''s','\'''','\\n','a\nb','\%\q\Z','',"d""''",'é,)('), b set('a,b','c')"""
    )
    assert found["a"].labels == ("x", "it's", "''", "\\n", "a\nb", "\\%q\x1a", "", "d\"''", "é,)(")
    assert found["b"].labels == ("a,b", "c")
    assert columns(tmp_path, "a enum('x ') character set binary")["a"].labels == ("x ",)


def test_attributes_that_only_look_like_others_are_passed_over(tmp_path: Path) -> None:
    body = """a int DEFAULT (1 + abs(-2)) CHECK (`a` > 0 and `unsigned` > 0),
      b int COMMENT 'unsigned, invisible)',
      c int REFERENCES `key` (`primary`) ON DELETE SET NULL, d int UNIQUE KEY,
      e bigint DEFAULT nextval(`s`.`q`),
      f varchar(5) COLUMN_FORMAT COMPRESSED, g int GENERATED ALWAYS AS (`a` * 2) VIRTUAL,
      h int AS (a+1) PERSISTENT,
      i int GENERATED ALWAYS AS (a) STORED INVISIBLE,
      j timestamp ON UPDATE current_timestamp(), k point SRID 4326,
      l varchar(3) WITHOUT SYSTEM VERSIONING"""
    found = columns(tmp_path, body)
    assert list(found) == list("abcdefghijkl")
    assert not any(column.unsigned for column in found.values())
    assert [name for name, column in found.items() if not column.visible] == ["i"]
    assert [name for name, column in found.items() if not column.stored] == ["g"]
    assert found["f"].kinds == {15, 253}


def test_keys_and_periods_are_no_columns_but_columns_of_these_names_are(tmp_path: Path) -> None:
    (table,) = read(
        tmp_path,
        """CREATE TABLE t (period int, vector int, `key` int, a date, b date, v vector(3),
          PERIOD FOR p (a, b),
          VECTOR INDEX (v) M=8, KEY ((cast(`a` as char(3) array))), INDEX x (a DESC), FULLTEXT KEY f (b),
          SPATIAL KEY (c),
          CONSTRAINT `c` CHECK (a > 0), CONSTRAINT FOREIGN KEY (a) REFERENCES o (b),
          UNIQUE (period, p WITHOUT OVERLAPS),
          CONSTRAINT pk PRIMARY KEY USING BTREE (`KEY`, b(10) DESC))
          PARTITION BY KEY (a) (PARTITION p0 ENGINE=InnoDB)""",
    )
    assert [column.name for column in table.columns] == ["period", "vector", "key", "a", "b", "v"]
    assert table.primary_key == (2, 4)


def test_a_column_can_be_the_primary_key_by_itself(tmp_path: Path) -> None:
    assert read(tmp_path, "CREATE TABLE t (a int UNIQUE KEY, b int PRIMARY KEY, c int)")[0].primary_key == (1,)
    assert read(tmp_path, "CREATE TABLE t (a int UNIQUE, b int KEY COMMENT 'x')")[0].primary_key == (1,)
    assert read(tmp_path, "CREATE TABLE t (a int UNIQUE KEY)")[0].primary_key == ()


def test_hidden_columns_of_mariadb_are_part_of_the_table(tmp_path: Path) -> None:
    text = """-- MariaDB dump
      CREATE TABLE t (id int, v text, PRIMARY KEY (id), UNIQUE KEY v (v) USING HASH)
      ENGINE=InnoDB WITH SYSTEM VERSIONING"""
    (table,) = read(tmp_path, text)
    assert [column.name for column in table.columns] == ["id", "v", "row_start", "row_end", "DB_ROW_HASH_1"]
    assert [column.visible for column in table.columns] == [True, True, False, False, False]
    assert table.primary_key == (0, 3)
    assert fits(table, [3, 252, 17, 17, 8])
    (table,) = read(tmp_path, text.replace("InnoDB WITH SYSTEM VERSIONING", "MEMORY"))
    assert len(table.columns) == 2
    (table,) = read(
        tmp_path,
        """CREATE TABLE t (a int, s timestamp(6) GENERATED ALWAYS AS ROW START,
          e timestamp(6) GENERATED ALWAYS AS ROW END,
          PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING""",
    )
    assert [column.name for column in table.columns] == ["a", "s", "e"]
    assert all(column.stored for column in table.columns)


def test_a_table_fits_the_types_of_both_families_and_of_old_formats(tmp_path: Path) -> None:
    (table,) = read(tmp_path, "CREATE TABLE t (j json, v vector(4), d datetime(3), e enum('a'), u uuid)")
    assert fits(table, [245, 242, 18, 247, 254])
    assert fits(table, [252, 15, 12, 247, 254])
    assert not fits(table, [245, 242, 18, 247])
    assert not fits(table, [245, 242, 18, 247, 254, 3])
    assert not fits(table, [245, 242, 18, 248, 254])

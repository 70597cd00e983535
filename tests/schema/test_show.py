"""Definitions written as statements: what they say, that they are read back equal, and what a live server says."""

from __future__ import annotations

import json
import string
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binlogcli.names.collations import default_collation
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.charsets import Charset, Collations
from binlogcli.schema.sql.keys import settled, with_key
from binlogcli.schema.sql.show import create_table_statement, table_data
from binlogcli.schema.sql.types import TYPES, kinds_of
from binlogcli.schema.table import ForeignKey, SchemaColumn, SchemaKey, SchemaTable, UnplacedColumn


def defined(*statements: str, mariadb: bool) -> SchemaTable:
    """Return the table that statements leave as the only one."""
    definitions = Definitions(complete=True)
    collations = Collations(mariadb=mariadb)
    for statement in statements:
        replay(statement, definitions, Session("", collations=collations))
    (table,) = definitions.tables.values()
    assert table is not None
    return table


MARIADB_TABLE = """CREATE TABLE `shop`.`odd``name` (
  `id` int(10) unsigned NOT NULL,
  `flag` tinyint(1),
  `amount` decimal(9,2) unsigned zerofill,
  `ratio` float(7,3),
  `at` timestamp(6) NULL,
  `until` datetime NOT NULL,
  `kind` enum('a,b','it''s','c\\\\d\\n') CHARACTER SET latin1 COLLATE latin1_bin,
  `text` mediumtext /*M!100301 COMPRESSED*/,
  `hash` binary(16) NOT NULL,
  `sum` int(11) GENERATED ALWAYS AS (/* expression not known */) STORED,
  `hidden` bigint(20) INVISIBLE,
  `row` uuid,
  `since` timestamp(6) GENERATED ALWAYS AS ROW START,
  `to` timestamp(6) GENERATED ALWAYS AS ROW END,
  PERIOD FOR SYSTEM_TIME (`since`, `to`),
  PRIMARY KEY (`id`,`to`),
  UNIQUE KEY `kind` (`kind`,`to`),
  UNIQUE KEY `text` (`text`,`to`) USING HASH,
  KEY `until` (`until`),
  FULLTEXT KEY `words` (`text`),
  CONSTRAINT `f` FOREIGN KEY (`until`) REFERENCES `other`.`days` (`day`) ON DELETE CASCADE ON UPDATE SET NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci WITH SYSTEM VERSIONING"""

MYSQL_TABLE = """CREATE TABLE `t` (
  `id` int unsigned NOT NULL,
  `flag` tinyint(1),
  `number` int(10) unsigned zerofill,
  `year` year,
  `data` json,
  `vector` vector(8) NOT NULL,
  `code` char(3) CHARACTER SET latin1 COLLATE latin1_swedish_ci,
  `hidden` set('x','y') /*!80023 INVISIBLE */,
  PRIMARY KEY (`id`),
  KEY `part` (`code`(2),`flag`),
  KEY `functional_index` ((/* expression not known */))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"""


@pytest.mark.parametrize(("statement", "mariadb"), [(MARIADB_TABLE, True), (MYSQL_TABLE, False)])
def test_a_statement_is_written_as_it_was_read(statement: str, mariadb: bool) -> None:
    assert create_table_statement(defined(statement, mariadb=mariadb)) == statement


def test_what_is_not_known_stands_in_comments_that_end_where_they_should() -> None:
    unknown = SchemaColumn("a*/`\n/*", "", None, None, False, None, (), frozenset(), True, True, False)
    known = defined("CREATE TABLE t (a ENUM('é') CHARACTER SET latin1, b VARCHAR, c TEXT)", mariadb=True)
    (label, length, text) = known.declared
    unsure = replace(text, name="d", type_name="int", unsigned=None, nullable=None)
    columns = (unknown, *(replace(one, labels=()) for one in (label, length, text, unsure, replace(text, name=""))))
    places = (UnplacedColumn(replace(text, name="e"), 3), UnplacedColumn(replace(text, name="f"), 3, optional=True))
    table = SchemaTable("", "t", columns, unplaced=places, keys_known=False)
    statement = create_table_statement(table)
    assert statement == (
        "CREATE TABLE `t` (\n"
        "  /* column 1, `a* /``?/ *`: its type is not known */\n"
        "  /* column 6: its name is not known */\n"
        "  /* column `e`: its place is not known */\n"
        "  /* column `f`: it may be missing */\n"
        "  /* there may be more keys */\n"
        "  `a` enum(/* labels not known */) CHARACTER SET latin1 COLLATE latin1_swedish_ci,\n"
        "  `b` varchar(/* length not known */) /* character set not known */,\n"
        "  `c` text /* character set not known */,\n"
        "  `d` int /* unsigned or not is not known */ /* NULL or NOT NULL is not known */\n)"
    )
    assert defined(statement, mariadb=False).declared[:3] == table.declared[1:4]
    assert [column["name"] for column in table_data(table)["columns_of_unknown_place"]] == ["e", "f"]  # type: ignore[attr-defined]


def test_plain_data_has_what_the_statement_has() -> None:
    data = table_data(defined(MARIADB_TABLE, mariadb=True))
    assert json.loads(json.dumps(data)) == data
    columns = {column["name"]: column for column in data["columns"]}  # type: ignore[attr-defined]
    assert columns["id"] == {"name": "id", "type": "int(10) unsigned", "nullable": False, "unsigned": True}
    assert columns["sum"] == {"name": "sum", "type": "int(11)", "nullable": True, "generated": "stored"}
    assert columns["hidden"] == {"name": "hidden", "type": "bigint(20)", "nullable": True, "visible": False}
    assert columns["kind"]["labels"] == ["a,b", "it's", "c\\d\n"]
    assert columns["kind"]["collation"] == "latin1_bin"
    assert data["keys"][0] == {"kind": "primary", "name": "PRIMARY", "parts": [{"column": "id"}]}  # type: ignore[index]
    assert data["foreign_keys"] == [
        {
            "name": "f",
            "columns": ["until"],
            "references": {"database": "other", "table": "days", "columns": ["day"]},
            "on_delete": "CASCADE",
            "on_update": "SET NULL",
        }
    ]
    assert (data["charset"], data["collation"]) == ("utf8mb4", "utf8mb4_unicode_ci")
    assert (data["system_versioning"], data["period"]) == (True, ["since", "to"])


# --- any definition is read back equal

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
LABELS = st.text(st.sampled_from(string.printable + "é€𝄞"), max_size=6).map(lambda text: text.rstrip(" "))
SIZES = {
    "decimal": st.tuples(st.integers(1, 65), st.integers(0, 30)),
    "float": st.none() | st.tuples(st.integers(1, 24), st.integers(0, 9)),
    "double": st.none() | st.tuples(st.integers(1, 53), st.integers(0, 9)),
    "char": st.integers(0, 255),
    "binary": st.integers(0, 255),
    "varchar": st.integers(0, 16000),
    "varbinary": st.integers(0, 65000),
    "vector": st.integers(1, 2048),
    "bit": st.integers(1, 64),
    **dict.fromkeys(("time", "datetime", "timestamp"), st.integers(0, 6)),
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint"), st.none() | st.integers(12, 19)),
}
UNSIGNED = ("tinyint", "smallint", "mediumint", "int", "bigint", "float", "double", "decimal")
TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "xmltype", "enum", "set")
BINARIES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "uuid", "inet6", "inet4", "vector")
GEOMETRIES = [name for name, kind in TYPES.items() if 255 in kind.kinds]


@st.composite
def columns(draw: st.DrawFn, name: str, *, mariadb: bool) -> SchemaColumn:
    kind = draw(st.sampled_from([one for one in TYPES if one != "json" or not mariadb]))
    size = draw(SIZES.get(kind, st.none()))
    length, scale = size if isinstance(size, tuple) else (size, None)
    collation = None
    if kind in TEXTS:
        collation = draw(st.sampled_from([45, 46, 224, 33]))
    elif kind in BINARIES or (mariadb and kind in GEOMETRIES):
        collation = 63
    elif kind == "json":
        collation = 46
    labels = draw(st.lists(LABELS, min_size=1, max_size=4)) if kind in {"enum", "set"} else []
    if collation == 33:  # utf8mb3 has no characters of four bytes, and no server such a label
        labels = [label.replace("𝄞", "") for label in labels]
    zerofill = kind in UNSIGNED and draw(st.booleans())
    generated = draw(st.booleans())
    compressed = mariadb and kind in {"varchar", "text", "longblob"} and draw(st.booleans())
    return SchemaColumn(
        *(name, kind, length, scale),
        unsigned=zerofill or kind == "year" or (kind in UNSIGNED and draw(st.booleans())),
        collation=collation,
        labels=tuple(labels),
        kinds=kinds_of(kind, compressed=compressed),
        visible=draw(st.booleans()),
        stored=not generated or draw(st.booleans()),
        generated=generated,
        nullable=draw(st.booleans()),
        zerofill=zerofill,
    )


@st.composite
def tables(draw: st.DrawFn) -> SchemaTable:
    mariadb = draw(st.booleans())
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique_by=str.lower))
    declared = tuple(draw(columns(name, mariadb=mariadb)) for name in names)
    parts = st.lists(st.tuples(st.sampled_from(names), st.sampled_from([0, 0, 5])), min_size=1, max_size=3).map(tuple)
    kinds = st.sampled_from(["", "unique", "fulltext", "spatial", "vector"])
    keys = [
        SchemaKey(draw(kinds), name, draw(parts), draw(st.booleans()))
        for name in draw(st.lists(NAMES, max_size=3, unique_by=str.lower))
    ]
    if draw(st.booleans()):
        keys.append(SchemaKey("primary", "PRIMARY", draw(parts)))
    charset = draw(st.sampled_from(["utf8mb4", "utf8mb3"]))
    actions = st.sampled_from(["", "CASCADE", "SET NULL", "SET DEFAULT"])
    chosen = st.lists(st.sampled_from(names), min_size=1, max_size=2).map(tuple)
    foreign = [
        ForeignKey(
            name, draw(chosen), draw(st.just("") | NAMES), draw(NAMES), draw(chosen), draw(actions), draw(actions)
        )
        for name in draw(st.lists(NAMES, max_size=2, unique=True))
    ]
    table = SchemaTable(
        *(draw(st.just("") | NAMES), draw(NAMES), declared, tuple(keys)),
        Collations(mariadb=mariadb).resolved(Charset(charset)),
        engine=draw(st.sampled_from(["innodb", "rocksdb", ""])),
        mariadb=mariadb,
        versioned=mariadb and draw(st.booleans()),
        foreign_keys=tuple(foreign),
    )
    assert default_collation(charset, mariadb=mariadb)
    return as_settled(table)


def as_settled(table: SchemaTable) -> SchemaTable:
    """Return the table as statements leave tables: foreign keys with keys of their own."""
    for key in table.foreign_keys:
        table = with_key(table, "", key.name, tuple((name, 0) for name in key.own_columns), generated=True)
    return settled(table)


@given(tables())
@settings(max_examples=150, deadline=None)
def test_any_definition_is_read_back_equal(table: SchemaTable) -> None:
    assert defined(create_table_statement(table), mariadb=table.mariadb) == table

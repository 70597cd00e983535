"""One table across ALTERs: which columns are one, which versions are a generation, and what `schema.json` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from binlogcli.lake.tables.logical import LogicalTable, logical_table
from binlogcli.lake.tables.types import LABEL, LakeColumn, TableSchema
from binlogcli.lake.tables.widening import generation_of, widen
from support.lake_runs import job
from support.undescribed_logs import UndescribedLogs


def version(*columns: tuple[str, ...], kind: str = "int32", key: tuple[str, ...] = ()) -> TableSchema:
    """A version whose columns have these names, the last of each its own."""
    found = tuple(LakeColumn(names[-1], names[-1], "INT", kind, former=names[:-1]) for names in columns)
    return TableSchema("shop", "t", found, primary_key=key)


def sources(table: LogicalTable) -> dict[str, list[str | None]]:
    """The name of each column in each version."""
    numbers = range(len(table.versions))
    return {one.name: [one.sources[at].name if at in one.sources else None for at in numbers] for one in table.columns}


def test_a_renamed_column_is_one() -> None:
    table = logical_table([version(("a",), ("b",), key=("a",)), version(("a", "c"), ("b",), key=("c",))])
    assert sources(table) == {"c": ["a", "c"], "b": ["b", "b"]}
    assert table.primary_key == ("c",)
    assert table.renamed_in(0) == {"a": "c"}


def test_names_that_change_places_are_told_apart() -> None:
    table = logical_table([version(("a",), ("b",)), version(("a", "b"), ("b", "a"))])
    assert sources(table) == {"b": ["a", "b"], "a": ["b", "a"]}


def test_a_name_that_a_new_column_takes_over_is_that_of_the_new_one() -> None:
    table = logical_table([version(("a",)), version(("a", "b")), version(("a", "b"), ("a",))])
    assert sources(table) == {"b": ["a", "b", "b"], "a": [None, None, "a"]}


def test_a_dropped_column_leaves_its_name_to_one_that_is_renamed() -> None:
    table = logical_table([version(("a",), ("b",)), version(("b", "a"))])
    assert sources(table) == {"a_2": ["a", None], "a": ["b", "a"]}


def test_a_column_that_comes_back_is_one() -> None:
    table = logical_table([version(("a",), ("b",)), version(("a",)), version(("a",), ("b",))])
    assert sources(table) == {"a": ["a", "a", "a"], "b": ["b", None, "b"]}


def test_versions_are_taken_in_the_order_of_the_logs() -> None:
    table = logical_table([version(("a", "b")), version(("a",))], [1, 0])
    assert sources(table) == {"b": ["b", "a"]}


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ("int32", "string", None),
        ("int32", "binary", "binary"),
        ("label", "json", "string"),
        ("bool", "decimal(20,0)", "decimal(20,0)"),
        ("decimal(38,0)", "decimal(10,5)", None),
    ],
)
def test_a_type_holds_the_values_of_both(first: str, second: str, found: str | None) -> None:
    assert widen(first, second) == found
    assert widen(second, first) == found


@pytest.mark.parametrize(
    ("old", "new", "generation"),
    [
        (version(("a",)), version(("a",), kind="int64"), 0),
        (version(("a",)), version(("a",), ("b",), kind="int8"), 0),
        (version(("a",), kind="decimal(10,2)"), version(("a",), kind="decimal(20,2)"), 0),
        (version(("a",), kind="decimal(10,2)"), version(("a",), kind="decimal(20,3)"), 1),
        (version(("a",)), version(("a",), kind="string"), 1),
        (version(("a",)), version(("a", "b")), 1),
        (version(("a",), ("b",)), version(("a", "b"), ("b", "a")), 1),
    ],
)
def test_a_generation_is_what_any_reader_reads_as_one_table(
    old: TableSchema, new: TableSchema, generation: int
) -> None:
    assert generation_of(new, [old], [0]) == generation_of(old, [new], [0]) == generation


def described(output: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((output / "_binlog/tables/shop/t/schema.json").read_text())
    return found


def test_schema_json_tells_keys_and_the_statements_that_made_the_versions(tmp_path: Path) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    logs.put(1, "no definition is known here")
    logs.statement("CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(60)) CHARSET latin1").put(1, "x")
    logs.statement("ALTER TABLE t RENAME COLUMN a TO b").statement("ALTER TABLE t CHANGE b c VARCHAR(60)").put(2, "y")
    logs.statement("ALTER TABLE t MODIFY c INT, RENAME COLUMN id TO number").put(3, 5)
    report = job(tmp_path / "lake", logs.write(), final=True)
    assert not report.gaps
    found = described(tmp_path / "lake")
    assert found["primary_key"] == ["number"]
    versions = found["versions"]
    assert [one["primary_key"] for one in versions] == [[], ["id"], ["id"], ["number"]]
    assert [one["generation"] for one in versions] == [0, 0, 1, 2]
    assert [one["file"] for one in versions] == ["bin.000001"] * 4
    assert [one["statement"] for one in versions] == [
        None,
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(60)) CHARSET latin1",
        "ALTER TABLE t CHANGE b c VARCHAR(60)",
        "ALTER TABLE t MODIFY c INT, RENAME COLUMN id TO number",
    ]
    places = [one["pos"] for one in versions]
    assert places == sorted(places)
    assert places[0] > 4
    names = {one["name"]: one["names"] for one in found["columns"]}
    assert names["number"] == {"1": "id", "2": "id", "3": "number"}
    assert names["c"] == {"1": "a", "2": "c", "3": "c"}
    for one in versions:
        assert list((tmp_path / "lake" / one["directory"]).glob("*.parquet"))


def test_a_later_run_goes_on_with_the_versions_that_are_there(tmp_path: Path) -> None:
    logs = UndescribedLogs(tmp_path).begin()
    logs.statement("CREATE TABLE t (id INT PRIMARY KEY, a INT)").put(1, 2)
    first = logs.write()
    job(tmp_path / "lake", first, final=True)
    logs.begin()
    logs.put(2, 3).statement("ALTER TABLE t RENAME COLUMN a TO b, MODIFY id INT UNSIGNED").put(3, 4)
    job(tmp_path / "lake", first, logs.write(), final=True)
    found = described(tmp_path / "lake")
    assert [(one["file"], one["generation"]) for one in found["versions"]] == [("bin.000001", 0), ("bin.000002", 1)]
    assert {one["name"]: one["names"] for one in found["columns"]} == {
        "id": {"0": "id", "1": "id"},
        "b": {"0": "a", "1": "b"},
    }


def nameless(*columns: tuple[str, str]) -> TableSchema:
    """A version whose columns have no names, given by the server's types and the lake's."""
    integers = ("TINYINT", "INT", "BIGINT")
    found = [LakeColumn(f"c{at}", f"@{at}", *one, sign_unknown=one[0] in integers) for at, one in enumerate(columns, 1)]
    return TableSchema("shop", "t", tuple(found))


def named(*columns: tuple[str, str, str]) -> TableSchema:
    return TableSchema("shop", "t", tuple(LakeColumn(one[0], *one) for one in columns), primary_key=(columns[0][0],))


def test_columns_without_names_are_those_of_the_nearest_version_that_fits() -> None:
    first = named(("id", "INT UNSIGNED", "int64"), ("a", "VARCHAR latin1", "string"), ("b", "BLOB", "binary"))
    second = named(("id", "INT", "int32"), ("b", "VARCHAR", "string"), ("c", "TEXT utf8", "string"))
    other = named(("id", "BIGINT", "int64"), ("d", "VARCHAR", "string"), ("e", "TEXT utf8", "string"))
    unnamed = nameless(("INT", "int32"), ("VARCHAR", "string"), ("BLOB", "string"))
    assert sources(logical_table([first, unnamed, other])) == {
        "id": ["id", "c1", "id"],
        "a": ["a", "c2", None],
        "b": ["b", "c3", None],
        "d": [None, None, "d"],
        "e": [None, None, "e"],
    }
    after = logical_table([other, unnamed, second])
    assert after.primary_key == ("id",)
    assert [one[1] for one in sources(after).values()] == ["c1", None, None, "c2", "c3"]
    last = logical_table([other, first, unnamed])
    assert last.last == 1
    assert last.primary_key == ("id",)
    assert last.lacking_in(2) == []


def test_columns_whose_values_are_others_without_a_definition_are_not_matched() -> None:
    known = named(
        ("id", "INT", "int32"), ("kind", "ENUM", LABEL), ("mark", "UUID", "string"), ("f", "FLOAT", "float32")
    )
    unnamed = nameless(("INT", "int32"), ("ENUM", "int32"), ("STRING", "binary"), ("FLOAT", "float32"))
    table = logical_table([known, unnamed])
    assert [one[1] for one in sources(table).values()] == ["c1", None, None, "c4"]
    assert table.lacking_in(1) == ["kind", "mark"]
    unlike = nameless(("INT", "int32"), ("ENUM", "int32"), ("STRING", "binary"), ("DOUBLE", "float64"))
    assert [one[1] for one in sources(logical_table([known, unlike])).values()] == [None] * 4 + ["c1", "c2", "c3", "c4"]


def test_columns_that_were_dropped_and_added_again_are_those_of_later_versions() -> None:
    table = logical_table([version(("a",), ("b",)), version(("a",)), version(("a",), ("b",))])
    assert [table.lacking_in(at) for at in range(3)] == [["b"], ["b"], []]
    assert [one.name for one in table.current] == ["a", "b"]


def test_versions_of_logs_that_have_one_name_are_in_the_order_of_the_logs(tmp_path: Path) -> None:
    """The numbers of the logs began anew, and the later log defines the table at an earlier place."""
    for folder, names, created in (("old", ("x", "a", "b"), 1_700_000_000), ("new", ("b", "c"), 1_700_000_900)):
        (tmp_path / folder).mkdir()
        logs = UndescribedLogs(tmp_path / folder).begin(created)
        for name in names:
            logs.statement(f"CREATE OR REPLACE TABLE t ({name} INT PRIMARY KEY)").put(1)
        logs.write()
    for number, order in enumerate((("old", "new"), ("new", "old"))):
        for folder in order:
            job(tmp_path / str(number), tmp_path / folder / "bin.000001", final=True)
        assert described(tmp_path / str(number))["primary_key"] == ["c"]

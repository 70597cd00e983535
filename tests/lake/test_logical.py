"""One table across ALTERs: which columns are one, which versions are a generation, and what `schema.json` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from binlogcli.lake.tables.logical import LogicalTable, logical_table
from binlogcli.lake.tables.types import LakeColumn, TableSchema
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

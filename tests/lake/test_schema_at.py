"""`to-parquet --schema-at`: schema files of a later place are walked back through all logs that were converted."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from pyspark.sql.types import StructType

import binlogcli
from binlogcli.cli.commands import to_parquet
from binlogcli.cli.environment import Environment
from binlogcli.errors import BinlogError
from binlogcli.lake.errors import LakeError
from binlogcli.lake.model import BEHIND_ALL, LakeOptions
from binlogcli.lake.spark.source import DefaultSource
from binlogcli.select.places import PlaceError
from support.lake_runs import job, serial, table_rows
from support.program import run
from support.undescribed_logs import UndescribedLogs

DUMP = "USE shop; CREATE TABLE t (p INT UNSIGNED, kept INT UNSIGNED, last INT UNSIGNED);"
FIRST = "USE shop; CREATE TABLE t (a INT UNSIGNED, gone VARCHAR(60), kept INT UNSIGNED);"
STATEMENTS = (
    "ALTER TABLE t RENAME COLUMN a TO p",
    "ALTER TABLE t DROP COLUMN gone, ADD last INT UNSIGNED",
    "RENAME TABLE t TO u",
    "RENAME TABLE u TO t",
)


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "today.sql"
    path.write_text(DUMP)
    return path


OLD, NEW = (1, "x", 2), (1, 2, 3)  # rows before and behind the second statement


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """Logs with rows before and behind each statement; the first one has no statement."""
    history = UndescribedLogs(tmp_path).begin().put(*OLD)
    found = [history.write()]
    history.begin().put(*OLD).statement(STATEMENTS[0]).put(*OLD).statement(STATEMENTS[1]).put(*NEW)
    found.append(history.write())
    history.time += 10
    history.begin().put(*NEW).statement(STATEMENTS[2]).statement(STATEMENTS[3]).put(*NEW)
    return [*found, history.write()]


def names(output: Path) -> list[list[str]]:
    """Return the names of the table's own columns in each row, in the order of the logs."""
    rows = [row for row in table_rows(output, "tables/shop/t/**/*.parquet") if row["_op"] == "insert"]
    return [[name for name in row if not name.startswith("_")] for row in rows]


def dumped(schema: Path, place: str, *logs: Path) -> list[list[str]]:
    """Return the same as `dump` has it; a name that it does not know as the lake has it."""
    done = run("dump", "--format", "json", "--schema", schema, "--schema-at", place, *logs)
    assert done.returncode == 0, done.stderr
    bodies = [json.loads(line)["body"] for line in done.stdout.splitlines()]
    rows = [row["after"] for body in bodies for row in body.get("rows", ())]
    return [[name.replace("@", "c") for name in row] for row in rows]


def options(schema: Path, at: tuple[str, int] | None) -> LakeOptions:
    return LakeOptions(schemas=(str(schema),), schema_at=at)


@pytest.mark.parametrize("settings", [{}, {"split_size": 1}, {"epoch_size": 1}], ids=str)
def test_a_dump_of_the_end_names_the_columns_that_dump_does(
    logs: Sequence[Path], schema: Path, tmp_path: Path, settings: dict[str, Any]
) -> None:
    expected = dumped(schema, "end", *logs)
    assert expected[0] == ["a", "gone", "kept"]
    assert expected[-1] == ["p", "kept", "last"]
    job(tmp_path / "lake", *logs, lake=options(schema, BEHIND_ALL), final=True, **settings)
    assert names(tmp_path / "lake") == expected


def test_renamed_columns_are_one_and_versions_have_their_statements(
    logs: Sequence[Path], schema: Path, tmp_path: Path
) -> None:
    job(tmp_path / "lake", *logs, lake=options(schema, BEHIND_ALL), final=True)
    described = json.loads((tmp_path / "lake/_binlog/tables/shop/t/schema.json").read_text())
    assert [column["name"] for column in described["columns"]] == ["p", "gone", "kept", "last"]
    assert [version["statement"] for version in described["versions"]] == [None, *STATEMENTS[:2]]


def test_each_run_has_a_dump_of_its_own_end(logs: Sequence[Path], schema: Path, tmp_path: Path) -> None:
    first = tmp_path / "first.sql"
    first.write_text(FIRST)
    job(tmp_path / "lake", logs[0], lake=options(first, BEHIND_ALL), final=True)
    for known in (logs[1:2], logs[1:]):
        job(tmp_path / "lake", *known, lake=options(schema, BEHIND_ALL), final=True)
    assert names(tmp_path / "lake") == dumped(schema, "end", *logs)


def converted(
    monkeypatch: pytest.MonkeyPatch, output: Path, schema: Path, place: str, *arguments: Path | str
) -> list[list[str]]:
    """Return the names after a run of the command, without Spark."""
    monkeypatch.setattr(to_parquet, "runner", lambda _spark, lock: serial(lock))
    words = ["-o", output, "--final", "--schema", schema, "--schema-at", place, *arguments]
    to_parquet.to_parquet.main(list(map(str, words)), obj=Environment(), standalone_mode=False)
    return names(output)


@pytest.mark.parametrize(
    ("place", "dump"), [("end", DUMP), ("1970-01-01T00:00:15Z", DUMP), ("bin.000002:256", FIRST), ("0-101-2", FIRST)]
)
def test_a_place_is_that_of_dump(
    logs: Sequence[Path], tmp_path: Path, place: str, dump: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = tmp_path / "schema.sql"
    schema.write_text(dump)
    expected = dumped(schema, place, *logs)
    assert expected[0] == ["a", "gone", "kept"]
    assert converted(monkeypatch, tmp_path / "lake", schema, place, *logs) == expected
    if "T" not in place:  # the first two logs have it
        converted(monkeypatch, tmp_path / "runs", schema, place, *logs[:2])
        assert converted(monkeypatch, tmp_path / "runs", schema, place, *logs) == expected


def source_of(schema: Path, place: str, *logs: Path, **others: str) -> DefaultSource:
    """The data source of a table, with schema files of a place."""
    paths = json.dumps(list(map(str, logs)))
    return DefaultSource({"paths": paths, "table": "shop.t", "schema": str(schema), "schemaAt": place, **others})


PLACES = [
    ("start", FIRST),
    ("end", DUMP),
    ("1970-01-01T00:00:15Z", DUMP),
    ("bin.000002:256", FIRST),
    ("0-101-2", FIRST),
]


@pytest.mark.parametrize(("place", "dump"), PLACES)
def test_a_place_for_the_data_source_is_that_of_to_parquet(
    logs: Sequence[Path], tmp_path: Path, place: str, dump: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = tmp_path / "schema.sql"
    schema.write_text(dump)
    converted(monkeypatch, tmp_path / "lake", schema, place, *logs)
    lake = binlogcli.read_lake(str(tmp_path / "lake"), "shop.t").read_all()
    own = [name for name in lake.column_names if not name.startswith("_")]
    assert own == ["p", "gone", "kept", "last"]
    source = source_of(schema, place, *logs)
    struct = source.schema()
    assert [name for name in struct.names if not name.startswith("_")] == own
    reader = pickle.loads(pickle.dumps(source.reader(struct)))
    rows = [
        row for one in source.reader(struct).partitions() for batch in reader.read(one) for row in batch.to_pylist()
    ]
    found = [[row[name] for name in own] for row in rows if row["_op"] == "insert"]
    assert found == [[row[name] for name in own] for row in lake.to_pylist() if row["_op"] == "insert"]
    assert found[0] == [1, "x", 2, None]
    assert found[-1] == [1, None, 2, 3]


def test_a_place_for_the_data_source_is_refused_in_the_words_of_the_command(
    logs: Sequence[Path], schema: Path, tmp_path: Path
) -> None:
    def refused(place: str, *paths: Path, **others: str) -> str:
        with pytest.raises(BinlogError) as error:
            source_of(schema, place, *(paths or logs), **others).schema()
        return error.value.line()

    done = run("dump", "--schema", schema, "--schema-at", "bin.000002:4", logs[0])
    reason = "none of the logs has this name; pass also the log that contains this point"
    assert done.stderr.decode().endswith(f"--schema-at bin.000002:4: {reason}\n")
    assert refused("bin.000002:4", logs[0]) == f"the option schemaAt bin.000002:4: {reason}"
    assert "the option schemaAt: 'then' is not a time, FILE:POSITION or GTID; write a time" in refused("then")
    without = "the option schemaAt cannot be combined with until: later statements are not read then"
    assert refused("end", until="2020-01-01") == without
    (tmp_path / "other").mkdir()
    other = UndescribedLogs(tmp_path / "other").begin().statement("CREATE TABLE t (x INT, y INT)").row().write()
    told = refused("bin.000002:4", *logs, other)
    assert told.startswith(
        f"{other}: the option schemaAt specifies a point in bin.000002, which is a log of another server"
    )
    needed = "the option schemaAt requires the option schema: it specifies the point that those files belong to"
    with pytest.raises(LakeError, match=needed):
        DefaultSource({"path": str(logs[0]), "schemaAt": "end"}).schema()
    with pytest.raises(LakeError, match="the option schemaAt cannot be used with streams"):
        source_of(schema, "end", *logs).streamReader(StructType())


def test_a_statement_that_does_not_fit_the_schema_files_names_the_option(logs: Sequence[Path], tmp_path: Path) -> None:
    schema = tmp_path / "today.sql"
    schema.write_text(DUMP)
    with warnings.catch_warnings(record=True) as told:
        source_of(schema, "start", *logs).schema()
    assert any("set the option schemaAt to end" in str(one.message) for one in told)


def test_a_place_is_refused_that_is_not_in_the_logs_or_in_one_of_several_servers(
    logs: Sequence[Path], schema: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "bin.000002:4"
    with pytest.raises(PlaceError, match="none of the logs has this name"):
        converted(monkeypatch, tmp_path / "lake", schema, place, logs[0])
    with pytest.raises(click.UsageError, match="--schema-at cannot be combined with --stop-"):
        converted(monkeypatch, tmp_path / "lake", schema, "end", "--stop-position", "300", *logs)
    (tmp_path / "other").mkdir()
    other = UndescribedLogs(tmp_path / "other").begin().statement("CREATE TABLE t (x INT, y INT)").row().write()
    at = (str(logs[1]), 4)
    with pytest.raises(
        LakeError, match=r"a point in bin\.000002, which is a log of another server or directory"
    ) as refused:
        job(tmp_path / "lake", *logs, other, lake=options(schema, at), final=True)
    assert refused.value.file == str(other)
    with pytest.raises(LakeError, match="--schema-at specifies a position in it, but it is not converted"):
        job(tmp_path / "lake", logs[0], lake=options(schema, at), final=True)
    assert not list(tmp_path.glob("lake/tables/**/*.parquet"))

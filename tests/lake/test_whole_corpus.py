"""Parquet holds what `dump --format json` shows, over every log there is: plain, compressed, damaged, encrypted.

One run of the program on Spark takes all logs that need no key, one those of a key file with a password; a job without
Spark those of each other key.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from binlogcli.crypto.key_options import KeyOptions
from binlogcli.lake.decode import collector
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions
from binlogcli.schema.catalog import Catalog
from binlogcli.sources.log_names import read_log_name
from support.corpus import logs
from support.lake_runs import Quiet, serial
from support.lake_values import OPERATIONS, check_log, json_of, logs_by_keys, plain_numbers
from support.program import missing, run

ALL_OR_DAMAGED = (0, 1)
NO_KEY, PASSWORD = (False, False, False), (True, True, False)
ON_SPARK = {NO_KEY, PASSWORD}
KINDS = {NO_KEY, PASSWORD, (True, False, False), (False, False, True)}
compiled = pytest.mark.skipif(str(collector.__file__).endswith(".py"), reason="runs once, on the compiled form")


def kind_of(keys: KeyOptions) -> tuple[bool, bool, bool]:
    """Whether there is a key file, its password, a keyring."""
    return keys.key_file is not None, keys.password_file is not None, keys.keyring is not None


def convert_on_spark(output: Path, keys: KeyOptions, paths: list[Path]) -> None:
    """A run of the program that takes these logs to their ends."""
    words = ("--key-file", keys.key_file, "--key-file-password-file", keys.password_file) if keys.key_file else ()
    done = run("to-parquet", "--final", "-o", output, *filter(None, words), *paths)
    assert done.returncode in ALL_OR_DAMAGED, done.stderr


def convert(output: Path, keys: KeyOptions, paths: list[Path]) -> None:
    """The same without Spark."""
    options = JobOptions(str(output), LakeOptions(keys=keys), final=True)
    assert not Job(options, serial).run(list(map(str, paths)), Quiet()).errors


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file, points in time as numbers."""
    table = pq.ParquetFile(path).read()
    columns = [plain_numbers(column.combine_chunks(), pa).to_pylist() for column in table.columns]
    for values in zip(*columns, strict=True):
        yield dict(zip(table.column_names, values, strict=True))


def events_of(output: Path) -> dict[str, list[dict[str, Any]]]:
    """All events by their logs, in order."""
    found = defaultdict(list)
    for path in (output / "events").iterdir():
        for event in pq.ParquetFile(path).read().to_pylist():
            found[event["file"]].append(event)
    return {file: sorted(events, key=lambda one: one["seq"]) for file, events in found.items()}


def changes_of(output: Path) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables by their logs, in order, each with its table and the types of its columns."""
    found = defaultdict(list)
    state, _ = Job(JobOptions(str(output), LakeOptions()), serial).store.look()
    for key, table in state.tables.items():
        for number, version in enumerate(table.versions):
            for path in (output / "tables" / table.folder(number)).iterdir():
                for row in read(path):
                    if row["_op"] in OPERATIONS.values():  # TRUNCATE, DROP and RENAME are no rows of events
                        found[row["_file"]].append(row | {"table": key, "types": version})
    return {file: sorted(changes, key=lambda one: one["_seq"]) for file, changes in found.items()}


@compiled
def test_parquet_holds_what_json_shows_of_every_log(tmp_path: Path) -> None:
    if shutil.which("java") is None:
        missing("Java is not installed")
    kinds = set()
    for number, (keys, paths) in enumerate(logs_by_keys().items()):
        output = tmp_path / str(number)
        new_kind = kind_of(keys) not in kinds
        kinds.add(kind_of(keys))
        (convert_on_spark if new_kind and kind_of(keys) in ON_SPARK else convert)(output, keys, paths)
        events, changes = events_of(output), changes_of(output)
        assert sorted(events) == sorted(map(str, paths))
        assert changes.keys() <= events.keys()
        catalogs: dict[tuple[Path, str], Catalog] = defaultdict(Catalog)
        for path in paths:
            parts = read_log_name(path.name)
            catalog = catalogs[path.parent, path.name if parts is None else parts.base]
            check_log(events[str(path)], changes.get(str(path), []), json_of(path, keys, catalog))
        check_order(paths, events, "seq")
        check_order(paths, changes, "_seq")
    assert kinds == KINDS or not logs()


def check_order(paths: list[Path], found: dict[str, list[dict[str, Any]]], name: str) -> None:
    """The numbers of a log rise, and those of a server's next log of the same base follow."""
    series: dict[tuple[Path, str], list[Any]] = defaultdict(list)
    for path in paths:
        parts = read_log_name(path.name)
        series[path.parent, "" if parts is None else parts.base] += [one[name] for one in found.get(str(path), [])]
    for numbers in series.values():
        assert all(first < second for first, second in pairwise(numbers))

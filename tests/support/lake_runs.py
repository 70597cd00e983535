"""Runs of `to-parquet` without Spark, in this process."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.report import JobReport
from binlogcli.lake.job.run import Job
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.spark.table_view import TableView


class Serial:
    """A runner that works here, through the same pickles as Spark."""

    parallelism = 2

    def run(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        return [pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(item))))) for item in items]


class Quiet:
    """Nobody watches."""

    shows = False

    @contextmanager
    def begin(self, size: int, stage: Path) -> Iterator[None]:
        yield


@contextmanager
def serial(_lock: int) -> Iterator[Serial]:
    yield Serial()


def job(output: Path, *logs: Path, lake: LakeOptions | None = None, **settings: Any) -> JobReport:
    """Run a job to its end; `settings` are those of JobOptions."""
    options = JobOptions(str(output), lake or LakeOptions(), **settings)
    return Job(options, serial).run([str(path) for path in logs], Quiet())


def table_rows(output: Path, pattern: str = "tables/**/*.parquet") -> list[dict[str, Any]]:
    """Return the rows of all tables, or of the files of a pattern, in the order of `_seq`."""
    import pyarrow.parquet as pq

    rows = [row for path in sorted(output.glob(pattern)) for row in pq.ParquetFile(path).read().to_pylist()]
    return sorted(rows, key=lambda row: row["seq" if "seq" in row else "_seq"])


def columns_of(options: dict[str, str]) -> dict[str, Any]:
    """Return what the data source tells Spark of its columns."""
    view = TableView.from_options(options)
    return view.struct(view.logical(view.planned()))

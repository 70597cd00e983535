"""What runs on an executor: `convert` makes files and pieces of splits, `merge` makes files of pieces.

A task writes into staging under random names, so that files of an attempt which was killed, or ran twice, belong to no
epoch and are removed with the staging folder. Its answers can be pickled. A full disk and an unusable input are answers
and not exceptions: Spark repeats a task that raises, and a repeated attempt would fail again.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from binlogcli.errors import BinlogError, counted
from binlogcli.lake.decode.split_decoder import decode_split
from binlogcli.lake.errors import JobError, LogChangedError
from binlogcli.lake.model import XA_KEY, Batch, CatalogRemark, LakeOptions, LogGap, Split, UnsureColumn
from binlogcli.lake.store.epochs import NO_ROOM, no_room
from binlogcli.lake.store.fsync import sync_all
from binlogcli.lake.table_marks import TableMark
from binlogcli.lake.tables.files import ArrowPiece, ArrowPieceFile, TableFiles, WrittenFile, read_pieces
from binlogcli.lake.tables.types import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

    from binlogcli.lake.history import LogHistory

AFTER_ALL = -1  # in place of a task's number
_HELD = 64 << 20  # Arrow bytes of all tables of a task together
_RARELY = 1 << 17  # objects between two garbage collections: a task makes next to no cycles
_LARGE = 8 << 20  # bytes of a table from which on it is written as a file of its own

Key = tuple[str, str, str] | None  # database, table, version; None for events, XA_KEY for ends of XA transactions


def _this_host() -> str:
    """Return the name of the host that this runs on."""
    return os.uname().nodename


@dataclass(frozen=True, slots=True)
class MapTask:
    """Splits to convert, one after another. `alone` says that it is the only task: its small tables become files.

    `host` is the driver's.
    """

    ordinal: int
    splits: tuple[Split, ...]
    options: LakeOptions
    stage: str
    alone: bool = False
    progress: bool = False
    host: str = field(default_factory=_this_host)

    @property
    def about(self) -> str:
        """What it converts, in words."""
        first, *more = self.splits
        others = f" and {counted(len(more), 'more part')}" if more else ""
        return f"{first.file} from {first.start} to {first.end}{others}"


@dataclass(frozen=True, slots=True)
class MergeTask:
    """Small tables to write, each with its pieces in order."""

    stage: str
    tables: tuple[tuple[Key, tuple[ArrowPiece, ...]], ...]
    by_date: bool = False
    host: str = field(default_factory=_this_host)

    @property
    def about(self) -> str:
        """What it merges, in words."""
        others = {None: "the events", XA_KEY: "the ends of XA transactions"}
        return ", ".join(others.get(key) or ".".join((key or ())[:2]) for key, _ in self.tables)


@dataclass(frozen=True, slots=True)
class MarkTask:
    """Rows to write for TRUNCATE, DROP and RENAME of a table, as of a version of it."""

    stage: str
    version: TableSchema
    marks: tuple[TableMark, ...]
    by_date: bool = False
    host: str = field(default_factory=_this_host)


Task = MapTask | MergeTask | MarkTask


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """What a task made of one version of a table: a file, or a piece to merge with those of other tasks."""

    key: Key
    ordinal: int
    made: WrittenFile | ArrowPiece


Answer = TaskOutput | TableSchema | TableMark | UnsureColumn | CatalogRemark | LogGap | BinlogError


class ProgressFile:
    """Reports the bytes that a task has converted in a file that the driver reads, if the task is to report at all."""

    def __init__(self, task: MapTask) -> None:
        self.file = -1
        if task.progress:
            path = os.path.join(task.stage, f"{task.ordinal}.progress")
            self.file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        self.done = 0  # bytes of the splits that are finished

    def reach(self, data: pa.RecordBatch, split: Split) -> None:
        """Report that a split is converted up to the last row of a batch."""
        name = next((name for name in ("_pos", "pos") if name in data.schema.names), None)
        if self.file >= 0 and name is not None and data.num_rows:
            self._report(max(data.column(name)[-1].as_py() - split.start, 0))

    def end(self, split: Split) -> None:
        """Report that a split is finished."""
        self.done += split.size
        self._report(0)

    def _report(self, more: int) -> None:
        """Write the bytes of the finished splits plus `more` of the next one."""
        if self.file >= 0:
            os.pwrite(self.file, (self.done + more).to_bytes(8, "little"), 0)

    def close(self) -> None:
        """Close the file."""
        if self.file >= 0:
            os.close(self.file)


class SplitConverter:
    """Runs a MapTask: batches are added to the files of their tables."""

    def __init__(self, task: MapTask, history: LogHistory) -> None:
        self.task = task
        self.history = history
        self.tables: dict[Key, TableFiles] = {}
        self.schemas: set[Key] = set()
        self.unsure: set[UnsureColumn] = set()
        self.of_server: dict[TableSchema, TableSchema] = {}
        self.held = 0
        self.pieces = ArrowPieceFile(task.stage)

    def run(self) -> Iterator[Answer]:
        """Convert all splits; yield what is finished."""
        progress = ProgressFile(self.task)
        try:
            for split in self.task.splits:
                try:
                    yield from self._convert(split, progress)
                except LogChangedError as error:
                    yield error  # the epoch is converted again, without all logs that have changed
                progress.end(split)
            for key in sorted(self.tables, key=key_order):
                yield from self._finish(key)
        finally:
            progress.close()
            self.pieces.close()

    def _convert(self, split: Split, progress: ProgressFile) -> Iterator[Answer]:
        """Convert a split."""
        is_last = split is self.task.splits[-1]
        server = self.task.options.server
        for one in decode_split(split, self.task.options, self.history):
            if isinstance(one, TableMark):
                yield one.of_server(server)
                continue
            if isinstance(one, LogGap | CatalogRemark):
                yield one
                continue
            if server and one.schema is not None:
                one = replace(one, schema=self._schema_of_server(one.schema, server))  # noqa: PLW2901
            yield from self._add(one)
            if one.last and is_last and one.key in self.tables:
                yield from self._finish(one.key)
            progress.reach(one.data, split)

    def _schema_of_server(self, schema: TableSchema, server: str) -> TableSchema:
        """Return a version as one of the server's table."""
        found = self.of_server.get(schema)
        if found is None:
            found = self.of_server[schema] = replace(schema, database=f"{server}.{schema.database}")
        return found

    def _add(self, batch: Batch) -> Iterator[Answer]:
        """Add a batch to its table; yield the schema of a table, and columns of unknown sign, new to the task."""
        key = batch.key
        if batch.schema is not None and key not in self.schemas:
            self.schemas.add(key)
            yield batch.schema
        if batch.schema is not None and batch.unsure:
            database = batch.schema.database.removeprefix(f"{self.task.options.server}.")  # as options have it
            found = {UnsureColumn(database, batch.schema.table, name) for name in batch.unsure}
            yield from found - self.unsure
            self.unsure |= found
        if batch.data.num_rows == 0:
            return
        table = self.tables.get(key)
        if table is None:
            table = self.tables[key] = _files_of(key, self.task.stage, by_date=self.task.options.by_date)
        self.held -= table.size
        for written in table.add(batch.data):
            yield TaskOutput(key, self.task.ordinal, written)
        self.held += table.size
        if self.held > _HELD:
            yield from self._relieve()

    def _relieve(self) -> Iterator[Answer]:
        """Write the largest table to disk."""
        key = max(self.tables, key=lambda key: self.tables[key].size)
        table = self.tables[key]
        self.held -= table.size
        if table.size >= _LARGE or table.files:
            for written in table.flush():
                yield TaskOutput(key, self.task.ordinal, written)
        else:
            yield self._write_piece(key, table)

    def _write_piece(self, key: Key, table: TableFiles) -> TaskOutput:
        """Write what a table holds as a piece."""
        size = table.size
        return TaskOutput(key, self.task.ordinal, self.pieces.write(table.taken(), size))

    def _finish(self, key: Key) -> Iterator[Answer]:
        """Write what a table still holds."""
        table = self.tables.pop(key)
        self.held -= table.size
        if not table.files and table.batches and not self.task.alone and table.size < _LARGE:
            yield self._write_piece(key, table)
            return
        for written in table.finish():
            yield TaskOutput(key, self.task.ordinal, written)


def _files_of(key: Key, stage: str, *, by_date: bool) -> TableFiles:
    """Return the files of a data set; ends of XA transactions are never by date, as they are joined to older rows."""
    return TableFiles(stage, by_date=by_date and key != XA_KEY)


def key_order(key: Key) -> tuple[str, str, str]:
    """Return the sort key of a table: by name, the events first."""
    return key or ("", "", "")


def convert(task: MapTask, history: LogHistory) -> list[Answer]:
    """Run a MapTask; return its files, pieces, schemas, gaps and the logs that changed, or its error alone."""
    return _answered(SplitConverter(task, history).run, task)


def merge(task: MergeTask) -> list[Answer]:
    """Run a MergeTask; return its files, or its error alone."""

    def run() -> Iterator[Answer]:
        for key, pieces in task.tables:
            table = _files_of(key, task.stage, by_date=task.by_date)
            for batch in read_pieces(task.stage, pieces):
                for written in table.add(batch):
                    yield TaskOutput(key, AFTER_ALL, written)
            for written in table.finish():
                yield TaskOutput(key, AFTER_ALL, written)

    return _answered(run, task)


def write_marks(task: MarkTask) -> list[Answer]:
    """Run a MarkTask; return its file, or its error alone."""
    from binlogcli.lake.decode.arrow_batches import arrow_schema  # imports pyarrow
    from binlogcli.lake.decode.mark_batches import mark_batch

    def run() -> Iterator[Answer]:
        table = TableFiles(task.stage, by_date=task.by_date)
        for written in (*table.add(mark_batch(arrow_schema(task.version), task.marks)), *table.finish()):
            yield TaskOutput(task.version.key, AFTER_ALL, written)

    return _answered(run, task)


def _answered(run: Callable[[], Iterator[Answer]], task: Task) -> list[Answer]:
    """Return all answers with their files synced; or the error that ended the task, alone.

    Raises JobError for what another attempt, on another host, may be spared.
    """
    gc.set_threshold(_RARELY)
    try:
        answers = list(run())
        made = [one.made for one in answers if isinstance(one, TaskOutput)]
        sync_all([os.path.join(task.stage, one.staged) for one in made if isinstance(one, WrittenFile)])
    except BinlogError as error:
        error.reason = _there(error.reason, task)
        return [error]
    except OSError as error:
        reason = _there((error.strerror or str(error)).lower(), task)
        if error.errno not in NO_ROOM:
            raise JobError(reason, file=str(error.filename or task.stage)) from error
        return [no_room(task.stage, reason)]
    return answers


def _there(reason: str, task: Task) -> str:
    """Return a reason with the host that it is of, unless that is the driver's."""
    here = _this_host()
    return reason if here == task.host else f"on {here}: {reason}"

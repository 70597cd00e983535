"""What runs on an executor: a piece of a log to files and pieces, and pieces of many tasks to files.

A task writes into staging under names of its own, so an attempt that was killed, or ran twice, leaves nothing that
anybody takes for more than rubbish. What it answers can be pickled. A full disk and an unusable input are answers too:
another attempt would meet them again.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from binlogcli.errors import BinlogError
from binlogcli.lake.decode.split_decoder import decode_split
from binlogcli.lake.model import Batch, LakeOptions, LogGap, Split
from binlogcli.lake.store.epochs import NO_ROOM, no_room
from binlogcli.lake.store.fsync import sync_all
from binlogcli.lake.tables.files import ArrowPiece, ArrowPieceFile, TableFiles, WrittenFile, read_pieces
from binlogcli.lake.tables.types import TableSchema

if TYPE_CHECKING:
    import pyarrow as pa

HELD = 64 << 20  # Arrow bytes of all tables of a task together
RARELY = 1 << 17  # objects made between two searches for garbage, of which a task makes next to none
LARGE = 8 << 20  # of one table, to make a row group before it has the full size

Key = tuple[str, str, str] | None  # database, table, version; None for events


@dataclass(frozen=True, slots=True)
class MapTask:
    """Splits to convert, one after another. `alone` is one whose small tables need not wait for those of others."""

    ordinal: int
    splits: tuple[Split, ...]
    options: LakeOptions
    stage: str
    alone: bool = False
    progress: bool = False


@dataclass(frozen=True, slots=True)
class MergeTask:
    """Small tables: their pieces in order."""

    stage: str
    tables: tuple[tuple[Key, tuple[ArrowPiece, ...]], ...]


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """What a task made of one version of a table: a file, or a piece that waits for others."""

    key: Key
    ordinal: int
    made: WrittenFile | ArrowPiece


Answer = TaskOutput | TableSchema | LogGap | BinlogError


class ProgressFile:
    """How far a task is, in a file of its own that the driver looks at; without one, nothing."""

    def __init__(self, task: MapTask) -> None:
        self.file = -1
        if task.progress:
            path = os.path.join(task.stage, f"{task.ordinal}.progress")
            self.file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        self.done = 0  # bytes of the splits that are converted

    def reach(self, data: pa.RecordBatch, split: Split) -> None:
        """A split is converted up to the last row of a batch."""
        name = next((name for name in ("_pos", "pos") if name in data.schema.names), None)
        if self.file >= 0 and name is not None and data.num_rows:
            self.tell(max(data.column(name)[-1].as_py() - split.start, 0))

    def end(self, split: Split) -> None:
        """A split is converted."""
        self.done += split.size
        self.tell(0)

    def tell(self, more: int) -> None:
        """So many bytes of the next one are converted."""
        if self.file >= 0:
            os.pwrite(self.file, (self.done + more).to_bytes(8, "little"), 0)

    def close(self) -> None:
        """No more."""
        if self.file >= 0:
            os.close(self.file)


class SplitConverter:
    """Splits: rows go to their tables, and what a table holds goes to disk when it is enough."""

    def __init__(self, task: MapTask) -> None:
        self.task = task
        self.tables: dict[Key, TableFiles] = {}
        self.schemas: set[Key] = set()
        self.held = 0
        self.pieces = ArrowPieceFile(task.stage)

    def run(self) -> Iterator[Answer]:
        """Convert it all."""
        progress = ProgressFile(self.task)
        try:
            for split in self.task.splits:
                yield from self.convert(split, progress)
                progress.end(split)
            for key in sorted(self.tables, key=key_order):
                yield from self.finish(key)
        finally:
            progress.close()
            self.pieces.close()

    def convert(self, split: Split, progress: ProgressFile) -> Iterator[Answer]:
        """Convert one."""
        is_last = split is self.task.splits[-1]
        for one in decode_split(split, self.task.options):
            if isinstance(one, LogGap):
                yield one
                continue
            yield from self.add(one)
            if one.last and is_last and one.key in self.tables:
                yield from self.finish(one.key)
            progress.reach(one.data, split)

    def add(self, batch: Batch) -> Iterator[Answer]:
        """Another batch of a table."""
        key = batch.key
        if batch.schema is not None and key not in self.schemas:
            self.schemas.add(key)
            yield batch.schema
        if batch.data.num_rows == 0:
            return
        table = self.tables.get(key)
        if table is None:
            table = self.tables[key] = TableFiles(self.task.stage)
        self.held -= table.size
        for written in table.add(batch.data):
            yield TaskOutput(key, self.task.ordinal, written)
        self.held += table.size
        if self.held > HELD:
            yield from self.relieve()

    def relieve(self) -> Iterator[Answer]:
        """Too much is held: the largest table goes to disk."""
        key = max(self.tables, key=lambda key: self.tables[key].size)
        table = self.tables[key]
        self.held -= table.size
        if table.size >= LARGE or table.file is not None:
            for written in table.flush():
                yield TaskOutput(key, self.task.ordinal, written)
        else:
            yield self.put_by(key, table)

    def put_by(self, key: Key, table: TableFiles) -> TaskOutput:
        """As a piece."""
        size = table.size
        return TaskOutput(key, self.task.ordinal, self.pieces.write(table.taken(), size))

    def finish(self, key: Key) -> Iterator[Answer]:
        """No more rows of that table come."""
        table = self.tables.pop(key)
        self.held -= table.size
        if table.file is None and table.batches and not self.task.alone and table.size < LARGE:
            yield self.put_by(key, table)
            return
        for written in table.finish():
            yield TaskOutput(key, self.task.ordinal, written)


def key_order(key: Key) -> tuple[str, str, str]:
    """Tables by name, the events first."""
    return key or ("", "", "")


def convert(task: MapTask) -> list[Answer]:
    """Splits to files and pieces."""
    return answered(SplitConverter(task).run, task.stage)


def merge(task: MergeTask) -> list[Answer]:
    """Pieces to files."""

    def run() -> Iterator[Answer]:
        for key, pieces in task.tables:
            table = TableFiles(task.stage)
            for batch in read_pieces(task.stage, pieces):
                for written in table.add(batch):
                    yield TaskOutput(key, -1, written)
            for written in table.finish():
                yield TaskOutput(key, -1, written)

    return answered(run, task.stage)


def answered(run: Callable[[], Iterator[Answer]], stage: str) -> list[Answer]:
    """All answers, or the one that says why there are none."""
    gc.set_threshold(RARELY)
    try:
        answers = list(run())
        made = [one.made for one in answers if isinstance(one, TaskOutput)]
        sync_all([os.path.join(stage, one.staged) for one in made if isinstance(one, WrittenFile)])
    except BinlogError as error:
        return [error]
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        return [no_room(stage, (error.strerror or str(error)).lower())]
    return answers

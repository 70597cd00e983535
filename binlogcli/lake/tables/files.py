"""Batches to Parquet files, and for a while to pieces: what is too small for a file of its own waits as Arrow IPC.

A file is whole when its name is told, and synced with the task's others. Memory is bounded by a row group of each file
that is open.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from binlogcli.lake.tables.parquet_options import are_events, file_arguments

ROW_GROUP = 32 << 20  # Arrow bytes
EVENTS_GROUP = 8 << 20  # of events, which repeat more: a full batch is one, with its dictionary of bodies
FILE_SIZE = 128 << 20  # bytes of a file on the disk; the last row group goes beyond
BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file in staging."""

    staged: str
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class ArrowPiece:
    """A stretch of a file of pieces."""

    staged: str
    start: int
    end: int
    rows: int
    size: int  # in memory


class ParquetFile:
    """One file in the making."""

    def __init__(self, stage: str, first: pa.Table, *, whole: bool) -> None:
        self.name = f"{uuid.uuid4().hex}.parquet"
        self.rows = 0
        self.file: BinaryIO = open(os.path.join(stage, self.name), "xb", buffering=BUFFER)  # noqa: PTH118, PTH123, SIM115
        self.writer = pq.ParquetWriter(self.file, first.schema, **file_arguments(first, whole=whole))

    def write(self, table: pa.Table) -> int:
        """Another row group; the file's size then."""
        self.writer.write_table(table, row_group_size=max(table.num_rows, 1))
        self.rows += table.num_rows
        return self.file.tell()

    def close(self) -> WrittenFile:
        """Finish it; to sync it is left to who makes many."""
        self.writer.close()
        self.file.flush()
        size = self.file.tell()
        self.file.close()
        return WrittenFile(self.name, self.rows, size)


class TableFiles:
    """The files of one version of a table, one after another."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.batches: list[pa.RecordBatch] = []
        self.size = 0
        self.file: ParquetFile | None = None

    def add(self, batch: pa.RecordBatch) -> Iterator[WrittenFile]:
        """Take a batch; the files that are finished by it."""
        self.batches.append(batch)
        self.size += batch.nbytes
        if self.size >= (EVENTS_GROUP if are_events(batch.schema) else ROW_GROUP):
            yield from self.flush()

    def flush(self, *, last: bool = False) -> Iterator[WrittenFile]:
        """Write what is held as a row group."""
        if not self.batches:
            return
        table = self.taken()
        if self.file is None:
            self.file = ParquetFile(self.stage, table, whole=last)
        if self.file.write(table) >= FILE_SIZE:
            yield from self.finish()

    def taken(self) -> pa.Table:
        """What is held, which is held no more."""
        table = pa.Table.from_batches(self.batches)
        if are_events(table.schema):
            table = table.unify_dictionaries()
        self.batches = []
        self.size = 0
        return table

    def finish(self) -> Iterator[WrittenFile]:
        """Write what is held, and close the file."""
        yield from self.flush(last=True)
        if self.file is not None:
            yield self.file.close()
            self.file = None


class ArrowPieceFile:
    """A file of pieces, one for a task."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.name = f"{uuid.uuid4().hex}.pieces"
        self.file: BinaryIO | None = None

    def write(self, table: pa.Table, size: int) -> ArrowPiece:
        """Put a piece by."""
        if self.file is None:
            self.file = open(os.path.join(self.stage, self.name), "xb", buffering=BUFFER)  # noqa: PTH118, PTH123, SIM115
        start = self.file.tell()
        table = table.combine_chunks().unify_dictionaries()
        with pa.ipc.new_stream(self.file, table.schema) as stream:  # compressed, small tables took five times as long
            stream.write_table(table)
        return ArrowPiece(self.name, start, self.file.tell(), table.num_rows, size)

    def close(self) -> None:
        """All pieces can be read."""
        if self.file is not None:
            self.file.close()


def read_pieces(stage: str, pieces: Iterable[ArrowPiece]) -> Iterator[pa.RecordBatch]:
    """The batches of the pieces, one piece in memory at a time."""
    for piece in pieces:
        with open(os.path.join(stage, piece.staged), "rb") as file:  # noqa: PTH118, PTH123
            file.seek(piece.start)
            yield from pa.ipc.open_stream(file.read(piece.end - piece.start))

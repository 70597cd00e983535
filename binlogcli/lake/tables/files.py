"""Batches to Parquet files; tables too small for a file of their own to pieces in Arrow's IPC format, merged later.

A file is whole when it is handed out as a `WrittenFile`; the task syncs it with its others. Memory is bounded by a row
group of each open file. Files by date hold rows of one day each: rows are parted when they are written, as the days of
a log follow one another, and few of its files are open at once.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from binlogcli.lake.tables.dates import parts_by_date
from binlogcli.lake.tables.parquet_options import are_events, file_arguments

_ROW_GROUP = 32 << 20  # Arrow bytes
_EVENTS_GROUP = 8 << 20  # of events: a full batch is a row group, with its dictionary of bodies
_FILE_SIZE = 128 << 20  # bytes on the disk that a file is closed at; its last row group may exceed it
_BUFFER = 1 << 20
_OPEN = 4  # files of a table, each of another day


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A whole Parquet file in staging; `size` in bytes. `date` is the day of its rows; "" where they are of any."""

    staged: str
    rows: int
    size: int
    date: str = ""


@dataclass(frozen=True, slots=True)
class ArrowPiece:
    """Rows of a small table: bytes [start, end) of a file of pieces in staging."""

    staged: str
    start: int
    end: int
    rows: int
    size: int  # in memory


class ParquetFileWriter:
    """A Parquet file that is being written. `whole` says that `first` is all of it, `date` the day of its rows."""

    def __init__(self, stage: str, first: pa.Table, *, whole: bool, date: str = "") -> None:
        self.name = f"{uuid.uuid4().hex}.parquet"
        self.date = date
        self.rows = 0
        self.file: BinaryIO = open(os.path.join(stage, self.name), "xb", buffering=_BUFFER)  # noqa: SIM115
        self.writer = pq.ParquetWriter(self.file, first.schema, **file_arguments(first, whole=whole))

    def write(self, table: pa.Table) -> int:
        """Write a row group; return the size of the file in bytes."""
        self.writer.write_table(table, row_group_size=max(table.num_rows, 1))
        self.rows += table.num_rows
        return self.file.tell()

    def close(self) -> WrittenFile:
        """Finish the file; it is not synced yet."""
        self.writer.close()
        self.file.flush()
        size = self.file.tell()
        self.file.close()
        return WrittenFile(self.name, self.rows, size, self.date)


class TableFiles:
    """Writes one version of a table into file after file, and holds back what is less than a row group.

    `by_date` makes the files be of one day each.
    """

    def __init__(self, stage: str, *, by_date: bool) -> None:
        self.stage = stage
        self.by_date = by_date
        self.batches: list[pa.RecordBatch] = []
        self.size = 0
        self.files: dict[str, ParquetFileWriter] = {}  # by day; the last one written to comes last

    def add(self, batch: pa.RecordBatch) -> Iterator[WrittenFile]:
        """Take a batch; yield the files that are finished by it."""
        self.batches.append(batch)
        self.size += batch.nbytes
        if self.size >= (_EVENTS_GROUP if are_events(batch.schema) else _ROW_GROUP):
            yield from self.flush()

    def flush(self, *, last: bool = False) -> Iterator[WrittenFile]:
        """Write what is held as a row group, one of each day; yield the files that are finished by that."""
        if not self.batches:
            return
        table = self.taken()
        for date, rows in parts_by_date(table) if self.by_date else (("", table),):
            file = self.files.pop(date, None) or ParquetFileWriter(self.stage, rows, whole=last, date=date)
            size = file.write(rows)
            self.files[date] = file
            if size >= _FILE_SIZE:
                yield self.files.pop(date).close()
            elif len(self.files) > _OPEN:
                yield self.files.pop(next(iter(self.files))).close()

    def taken(self) -> pa.Table:
        """Return what is held, and hold it no longer."""
        table = pa.Table.from_batches(self.batches)
        if are_events(table.schema):
            table = table.unify_dictionaries()
        self.batches = []
        self.size = 0
        return table

    def finish(self) -> Iterator[WrittenFile]:
        """Write what is held, and yield the last files."""
        yield from self.flush(last=True)
        while self.files:
            yield self.files.pop(next(iter(self.files))).close()


class ArrowPieceFile:
    """The file that a task writes its pieces to, one after the other."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.name = f"{uuid.uuid4().hex}.pieces"
        self.file: BinaryIO | None = None

    def write(self, table: pa.Table, size: int) -> ArrowPiece:
        """Write a table of `size` bytes in memory; return the piece."""
        if self.file is None:
            self.file = open(os.path.join(self.stage, self.name), "xb", buffering=_BUFFER)  # noqa: SIM115
        start = self.file.tell()
        table = table.combine_chunks().unify_dictionaries()
        with pa.ipc.new_stream(self.file, table.schema) as stream:  # compressed, small tables took five times as long
            stream.write_table(table)
        return ArrowPiece(self.name, start, self.file.tell(), table.num_rows, size)

    def close(self) -> None:
        """Close the file; its pieces can be read then."""
        if self.file is not None:
            self.file.close()


def read_pieces(stage: str, pieces: Iterable[ArrowPiece]) -> Iterator[pa.RecordBatch]:
    """Yield the batches of pieces, with one piece in memory at a time."""
    for piece in pieces:
        with open(os.path.join(stage, piece.staged), "rb") as file:
            file.seek(piece.start)
            yield from pa.ipc.open_stream(file.read(piece.end - piece.start))

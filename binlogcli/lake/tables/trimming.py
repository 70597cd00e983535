"""Published files without the rows of a part of a log: what replaces them when that part is converted again."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from binlogcli.lake.tables.files import ParquetFileWriter, WrittenFile
from binlogcli.lake.tables.parquet_options import are_events
from binlogcli.lake.tables.types import readable


@dataclass(frozen=True, slots=True)
class LogPart:
    """The bytes [start, end) of a log, by the name that its rows have."""

    file: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TrimTask:
    """A published file to copy into staging without the rows of some parts of logs."""

    stage: str
    output: str
    path: str  # of the file, below the output
    parts: tuple[LogPart, ...]
    expires: bool = False  # it may be gone: the user has removed its day

    @property
    def about(self) -> str:
        """What it copies, in words."""
        return self.path


@dataclass(frozen=True, slots=True)
class TrimmedFile:
    """A file in staging that replaces the published one at `path`."""

    path: str
    made: WrittenFile


def trimmed(task: TrimTask) -> TrimmedFile | None:
    """Write the copy of a file; return None where it has no such row. Raises OSError."""
    if task.expires and not os.path.exists(f"{task.output}/{task.path}"):
        return None
    with pq.ParquetFile(f"{task.output}/{task.path}", arrow_extensions_enabled=True) as file:
        names = ["file", "pos", "within"] if are_events(file.schema_arrow) else ["_file", "_pos"]
        masks = [_kept(file.read_row_group(at, columns=names), task.parts) for at in range(file.num_row_groups)]
        if all(pc.all(mask).as_py() is not False for mask in masks):
            return None
        written: ParquetFileWriter | None = None
        for at, mask in enumerate(masks):
            rows = file.read_row_group(at).filter(mask)
            if written is None:
                written = ParquetFileWriter(task.stage, rows, whole=False)
            written.write(rows)
    return None if written is None else TrimmedFile(task.path, written.close())


def _kept(rows: pa.Table, parts: tuple[LogPart, ...]) -> pa.ChunkedArray:
    """Return for each row, given by its file and position, whether it is in none of the parts."""
    if "within" in rows.column_names:  # the place of the payload that an event comes from
        files, places = rows.column("file"), pc.coalesce(rows.column("within"), rows.column("pos"))
    else:
        files, places = rows.column("_file"), rows.column("_pos")
    kept = pa.chunked_array([pa.repeat(True, rows.num_rows)])
    for part in parts:
        inside = pc.and_(pc.greater_equal(places, part.start), pc.less(places, part.end))
        kept = pc.and_not(kept, pc.and_(pc.equal(files, readable(part.file)), inside))
    return kept

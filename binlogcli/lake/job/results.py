"""The tasks of an epoch and their results: files, pieces of small tables, versions of tables, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from binlogcli.errors import BinlogError
from binlogcli.lake.errors import LogChangedError
from binlogcli.lake.job.tasks import (
    AFTER_ALL,
    Answer,
    Key,
    MapTask,
    MarkTask,
    MergeTask,
    TaskOutput,
    convert,
    key_order,
    merge,
    write_marks,
)
from binlogcli.lake.model import CatalogRemark, LakeOptions, LogGap, Split, UnsureColumn
from binlogcli.lake.table_marks import TableMark
from binlogcli.lake.tables.files import ArrowPiece, WrittenFile
from binlogcli.lake.tables.types import TableSchema

if TYPE_CHECKING:
    from binlogcli.lake.history import LogHistory
    from binlogcli.lake.job.runner import Runner

_MERGED = 16 << 20  # bytes of pieces that are worth a merge task
LOT = 16 << 20  # bytes of logs that are worth a convert task: small logs share one


class EpochResults:
    """Runs the tasks of an epoch and collects what they return."""

    def __init__(self, stage: str, runner: Runner, *, by_date: bool) -> None:
        self.stage = stage
        self.by_date = by_date
        self.runner = runner
        self.gaps: list[LogGap] = []
        self.unsure: set[UnsureColumn] = set()
        self.remarks: list[CatalogRemark] = []
        self.marks: list[TableMark] = []
        self.changed: dict[str, LogChangedError] = {}  # by log; the results are incomplete then
        self.outputs: list[TaskOutput] = []
        self.pieces: dict[Key, list[TaskOutput]] = {}
        self.versions: dict[Key, tuple[int, TableSchema]] = {}

    def convert(
        self, splits: Sequence[Split], options: LakeOptions, history: LogHistory, *, lot: int = LOT, progress: bool
    ) -> None:
        """Convert the splits, small ones together up to `lot` bytes a task. Raises a task's BinlogError."""
        lots = list(lots_of(splits, lot))
        alone = len(lots) == 1
        tasks = [MapTask(at, lot, options, self.stage, alone=alone, progress=progress) for at, lot in enumerate(lots)]
        for at, answers in enumerate(self.runner.run(partial(convert, history=history), tasks)):
            self._take(at, answers)

    def merge(self) -> None:
        """Merge the pieces of small tables: each table by one task, the tasks of about equal size."""
        if not self.pieces:
            return
        sizes = {key: sum(one.made.size for one in outputs) for key, outputs in self.pieces.items()}
        count = max(1, min(self.runner.parallelism * 2, sum(sizes.values()) // _MERGED, len(sizes)))
        lots: list[list[Key]] = [[] for _ in range(count)]
        loads = [0] * count
        for key in sorted(sizes, key=lambda key: (-sizes[key], key_order(key))):
            lightest = loads.index(min(loads))
            lots[lightest].append(key)
            loads[lightest] += sizes[key]
        tasks = [MergeTask(self.stage, tuple((key, self._in_order(key)) for key in lot), self.by_date) for lot in lots]
        for answers in self.runner.run(merge, tasks):
            self._take(len(tasks), answers)

    def _in_order(self, key: Key) -> tuple[ArrowPiece, ...]:
        """Return a table's pieces in the order of the logs."""
        outputs = sorted(self.pieces[key], key=lambda one: one.ordinal)
        return tuple(one.made for one in outputs if isinstance(one.made, ArrowPiece))

    def _take(self, ordinal: int, answers: Iterable[Answer]) -> None:
        """Sort the answers of a task; raise one that is an error."""
        for one in answers:
            if isinstance(one, LogChangedError):
                self.changed.setdefault(one.file, one)
            elif isinstance(one, BinlogError):
                raise one
            elif isinstance(one, LogGap):
                self.gaps.append(one)
            elif isinstance(one, UnsureColumn):
                self.unsure.add(one)
            elif isinstance(one, CatalogRemark):
                self.remarks.append(one)
            elif isinstance(one, TableMark):
                self.marks.append(one)
            elif isinstance(one, TableSchema):
                self.versions.setdefault(one.key, (ordinal, one))
            elif isinstance(one.made, ArrowPiece):
                self.pieces.setdefault(one.key, []).append(one)
            else:
                self.outputs.append(one)

    def write_marks(self, version: TableSchema, marks: Sequence[TableMark]) -> None:
        """Write a row for each mark into a file of a version of its table. Raises JobError."""
        self._take(AFTER_ALL, write_marks(MarkTask(self.stage, version, tuple(marks), self.by_date)))

    @property
    def schemas(self) -> list[TableSchema]:
        """The versions of tables that were found, in the order of the logs."""
        return [schema for _, schema in self.versions.values()]

    def files(self) -> list[tuple[Key, WrittenFile]]:
        """Return every file in an order that depends on the logs alone: by table, then in the order of the logs."""
        files = [(one.key, one.ordinal, at, one.made) for at, one in enumerate(self.outputs)]
        files.sort(key=lambda one: (key_order(one[0]), one[1] if one[1] >= 0 else 1 << 62, one[2]))
        return [(key, made) for key, _, _, made in files if isinstance(made, WrittenFile)]


def lots_of(splits: Iterable[Split], most: int) -> Iterator[tuple[Split, ...]]:
    """Yield the splits of each task: one of the usual size, or many small ones up to `most` bytes."""
    lot: list[Split] = []
    size = 0
    for split in splits:
        if lot and size + split.size > most:
            yield tuple(lot)
            lot, size = [], 0
        lot.append(split)
        size += split.size
    if lot:
        yield tuple(lot)

"""The data source `binlog`: tables and events of logs in a session of Spark, as a batch and as a stream.

    spark.read.format("binlog").option("table", "shop.orders").load("/logs/*.0*")

Options: `lake` (see `lake_source`), `table` (the events without it), `columns`, `since`, `until`, `schema`, `schemaAt`,
`keyFile`, `keyFilePasswordFile`, `keyAlgorithm`, `keyring`, `zeroDates`, `onDamage`; of a stream `maxBytesPerTrigger`.
This module is imported by every session that uses any data source in Python, so heavy modules are imported where they
are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, Filter, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes, SupportsTriggerAvailableNow

from binlogcli.lake.errors import LakeError
from binlogcli.lake.spark.options import MAX_BYTES, read_options, refuse_batch_options, refuse_stream_options

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from binlogcli.lake.decode.wanted_rows import WantedRows
    from binlogcli.lake.history import LogHistory
    from binlogcli.lake.model import Split
    from binlogcli.lake.plan.log_plan import LogPlan
    from binlogcli.lake.spark.log_versions import PlannedLogs
    from binlogcli.lake.spark.table_view import TableView

_OFFSET = {"log": str, "pos": int}


@dataclass
class SplitsPartition(InputPartition):
    """Splits that a task reads one after another."""

    splits: tuple[Split, ...]


@dataclass
class SplitPartition(InputPartition):
    """A split of a log in a stream, and what is known of definitions."""

    split: Split
    history: LogHistory | None = None


class DefaultSource(DataSource):
    """The data source of `format("binlog")`; Spark finds it by the name of the class."""

    _planned: PlannedLogs | None = None

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "binlog"

    def _view(self) -> TableView:
        """Return the table that the options name."""
        from binlogcli.lake.spark.table_view import TableView  # not in every session

        return TableView.from_options(self.options)

    def _logs(self) -> PlannedLogs:
        """Return the logs, planned once: Spark keeps the data source that has found its columns."""
        if self._planned is None:
            self._planned = self._view().planned()
        return self._planned

    def _is_of_lake(self) -> bool:
        """Whether the table is one that `to-parquet` has made."""
        return "lake" in read_options(self.options)

    def schema(self) -> StructType:
        """Return the columns of the table, or of the events."""
        from pyspark.sql.types import StructType

        if self._is_of_lake():
            from binlogcli.lake.spark.lake_source import lake_struct

            return StructType.fromJson(lake_struct(self.options))
        view = self._view()
        return StructType.fromJson(view.struct(view.logical(self._logs())))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of a batch."""
        refuse_stream_options(self.options)
        if self._is_of_lake():
            from binlogcli.lake.spark.lake_source import LakeReader, lake_view

            return LakeReader(lake_view(self.options), schema)
        return BinlogReader(self._view(), schema, self._logs())

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        """Return the reader of a stream. Raises LakeError for a table of a lake."""
        if self._is_of_lake():
            raise LakeError(
                "a table of a lake cannot be read as a stream", hint="use read, or readStream over the logs"
            )
        refuse_batch_options(self.options)
        max_bytes = int(read_options(self.options).get(MAX_BYTES, "0"))
        return BinlogStream(self._view(), schema, max_bytes)


def _arrow_schema(schema: StructType) -> pa.Schema:
    """Return the Arrow schema that batches for these columns must have."""
    from pyspark.sql.pandas.types import to_arrow_schema  # imports pyarrow

    return to_arrow_schema(schema, timezone="UTC")


class BinlogReader(DataSourceReader):
    """Reads all that is in the logs. They are planned at once, as tasks get the reader as it is when it was made."""

    def __init__(self, view: TableView, schema: StructType, logs: PlannedLogs) -> None:
        self.view = view
        self.schema = schema
        self.history = logs.history
        self.splits = logs.splits
        self.rows: WantedRows | None = None  # by filters; None: all
        if view.table is not None:
            from binlogcli.lake.spark.filters import PushedFilters

            self.pushFilters = PushedFilters(self._narrow)  # type: ignore[method-assign]

    def _narrow(self, filters: Sequence[Filter]) -> None:
        """Leave out what no row is in for which these filters hold."""
        from binlogcli.lake.spark.filters import chosen_by, narrowed, rows_by

        self.splits = narrowed(self.splits, filters)
        self.rows = rows_by(filters)
        lake = self.view.lake
        self.view = replace(self.view, lake=replace(lake, choice=chosen_by(lake.choice, filters)))

    def __getstate__(self) -> dict[str, Any]:
        """Return what a task needs: its splits come with its partition."""
        return {name: value for name, value in self.__dict__.items() if name != "pushFilters"} | {"splits": []}

    def partitions(self) -> Sequence[InputPartition]:
        """Return the splits of the logs, small ones together."""
        from binlogcli.lake.job.results import LOT, lots_of  # imports pyarrow

        return [SplitsPartition(lot) for lot in lots_of(self.splits, LOT)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of the splits in batches."""
        from binlogcli.lake.decode.wanted_rows import ALL_ROWS
        from binlogcli.lake.spark.table_view import renames_in

        target, renames = _arrow_schema(self.schema), renames_in(self.schema.jsonValue())
        for split in cast("SplitsPartition", partition).splits:
            yield from self.view.batches(split, self.history, target, renames, self.rows or ALL_ROWS)


class BinlogStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads logs as they grow. An offset is a log and a position in it; earlier logs are finished."""

    def __init__(self, view: TableView, schema: StructType, max_bytes: int) -> None:
        self.view = view
        self.schema = schema
        self.max_bytes = max_bytes
        self.target: dict[str, Any] | None = None
        self.planned: dict[tuple[str, int, str, int], list[Split]] = {}
        self.plans: dict[str, LogPlan] = {}  # the last of each log

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the offset before the first log."""
        return {"log": "", "pos": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """Return the limit of the option `maxBytesPerTrigger`."""
        return ReadMaxBytes(self.max_bytes) if self.max_bytes > 0 else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Set the end of what is there now as the last offset."""
        self.target = self._reach(self.initialOffset(), 0, None)[0]

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Return the end of the last whole transaction, or of the split that reaches the limit."""
        size = limit.max_bytes if isinstance(limit, ReadMaxBytes) else 0
        end, splits = self._reach(start, size, self.target)
        self.planned = {_key_of(start, end): splits}
        return end

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the splits between two offsets; their rows and `_seq` are equal at each call."""
        from binlogcli.lake.plan.log_plan import defined_by, known_to

        splits = self.planned.get(_key_of(start, end))
        if splits is None:
            splits = self._reach(start, 0, end)[1]
        plans = [self.plans[log] for log in dict.fromkeys(split.file for split in splits)]
        history = known_to(plans, defined_by(self.plans.values()))
        return [SplitPartition(split, history) for split in splits]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a split in batches."""
        from binlogcli.lake.spark.table_view import renames_in

        one = cast("SplitPartition", partition)
        return self.view.batches(
            one.split, one.history, _arrow_schema(self.schema), renames_in(self.schema.jsonValue())
        )

    def commit(self, end: dict[str, Any]) -> None:
        """Do nothing: nothing is kept for what was read."""

    def stop(self) -> None:
        """Do nothing: nothing is open."""

    def _reach(
        self, start: dict[str, Any], size: int, end: dict[str, Any] | None
    ) -> tuple[dict[str, Any], list[Split]]:
        """Return an offset after `start`, at most `end`, and the splits up to it: as many as reach `size` bytes.

        Raises SourceError for what a checkpoint may hold that is not an offset.
        """
        from binlogcli.binary.json_reader import check_form
        from binlogcli.errors import SourceError

        try:
            check_form([start, end or start], [_OFFSET])
        except ValueError as error:
            raise SourceError(
                f"the offset in the checkpoint is damaged: {error}", hint="start with a new checkpoint"
            ) from error
        found: list[Split] = []
        offset = start
        for split in self._splits(start, size, end):
            found.append(split)
            offset = {"log": split.name, "pos": split.end}
            if 0 < size <= sum((one.end or 0) - one.start for one in found):
                break
        return offset, found

    def _splits(self, start: dict[str, Any], size: int, end: dict[str, Any] | None) -> Iterator[Split]:
        """Yield the splits between two offsets. Raises SourceError if a log ends before what was read of it."""
        from binlogcli.errors import SourceError
        from binlogcli.lake.plan.cut_points import NOWHERE
        from binlogcli.lake.plan.log_plan import LogTask, plan_log
        from binlogcli.lake.plan.planner import LARGEST, SMALLEST
        from binlogcli.lake.spark.table_view import told_as_option

        logs = self.view.logs()
        choice = self.view.lake.choice
        for at, log in enumerate(logs):
            if end is not None and log > end["log"]:
                continue
            if log < start["log"]:
                self._learn(log)
                continue
            task = LogTask(
                log,
                replace(self.view.lake, choice=choice._replace(start_time=None, stop_time=None)),
                min(size or SMALLEST, LARGEST),
                low=start["pos"] if log == start["log"] else 0,
                limit=end["pos"] if end is not None and log == end["log"] else NOWHERE,
                since=choice.start_time or 0,
                until=NOWHERE if choice.stop_time is None else choice.stop_time,
                final=at + 1 < len(logs),
            )
            plan = plan_log(task)
            if plan.error is not None:
                raise told_as_option(plan.error)
            self.plans[log] = plan
            known = task.low if task.limit == NOWHERE else task.limit
            if plan.end < known:
                hint = "restore it, or start with a new checkpoint"
                raise SourceError(f"has shrunk: {known} bytes of it were read before", file=log, hint=hint)
            yield from plan.splits
            if plan.over:
                return

    def _learn(self, log: str) -> None:
        """Plan a log before those that are read, once, for what it tells of definitions."""
        from binlogcli.lake.plan.cut_points import NOWHERE
        from binlogcli.lake.plan.log_plan import LogTask, plan_log

        if log not in self.plans:
            self.plans[log] = plan_log(LogTask(log, self.view.lake, NOWHERE, final=True))


def _key_of(start: dict[str, Any], end: dict[str, Any]) -> tuple[str, int, str, int]:
    """Return a key for the range between two offsets."""
    return (start["log"], start["pos"], end["log"], end["pos"])

"""The data source `binlog`: tables and events of logs in a session of Spark, as a batch and as a stream.

    spark.read.format("binlog").option("table", "shop.orders").load("/logs/*.0*")

Options: `table` (without it the events), `columns`, `since`, `until`, `schema`, `keyFile`, `keyFilePasswordFile`,
`keyAlgorithm`, `keyring`, `zeroDates`, `onDamage`; of a stream `maxBytesPerTrigger`. This module is imported by every
session that uses any data source in Python: whatever is heavy is imported later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes, SupportsTriggerAvailableNow

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from binlogcli.lake.model import Split
    from binlogcli.lake.spark.table_view import TableView

MAX_BYTES = "maxbytespertrigger"


@dataclass
class SplitPartition(InputPartition):
    """A piece of a log."""

    split: Split


class DefaultSource(DataSource):
    """What `format("binlog")` stands for."""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return "binlog"

    def asked(self) -> TableView:
        """The options, read."""
        from binlogcli.lake.spark.table_view import TableView  # not in every session

        return TableView.from_options(self.options)

    def schema(self) -> StructType:
        """The columns of the table, or of the events."""
        from pyspark.sql.types import StructType

        return StructType.fromJson(self.asked().struct())

    def reader(self, schema: StructType) -> DataSourceReader:
        """Who reads it once."""
        return BinlogReader(self.asked(), schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        """Who reads it as it grows."""
        return BinlogStream(self.asked(), schema, int(self.options.get(MAX_BYTES, "0")))


def arrow_schema(schema: StructType) -> pa.Schema:
    """The columns as Spark takes them from Arrow."""
    from pyspark.sql.pandas.types import to_arrow_schema  # imports pyarrow

    return to_arrow_schema(schema, timezone="UTC")


class BinlogReader(DataSourceReader):
    """All that is in the logs."""

    def __init__(self, reading: TableView, schema: StructType) -> None:
        self.reading = reading
        self.schema = schema

    def partitions(self) -> Sequence[InputPartition]:
        """The pieces of the logs."""
        from binlogcli.lake.plan.log_plan import numbered
        from binlogcli.lake.plan.planner import Planner
        from binlogcli.lake.store.state import LakeState

        planner = Planner(self.reading.lake, LakeState(), self.reading.logs(), final=True, split_size=None)
        plans = planner.plan(None)
        for plan in plans:
            if plan.error is not None:
                raise plan.error
        splits, _ = numbered([split for plan in plans for split in plan.splits], 0)
        return [SplitPartition(split) for split in splits]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """A piece as batches."""
        split = cast("SplitPartition", partition).split
        return self.reading.batches(split, arrow_schema(self.schema))


class BinlogStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The logs as they grow. An offset is a log, a place in it, and where `_seq` goes on; logs before it are done."""

    def __init__(self, reading: TableView, schema: StructType, max_bytes: int) -> None:
        self.reading = reading
        self.schema = schema
        self.max_bytes = max_bytes
        self.target: dict[str, Any] | None = None
        self.planned: dict[tuple[str, int, str, int], list[Split]] = {}

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Before the first log."""
        return {"log": "", "pos": 0, "seq": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """What `maxBytesPerTrigger` says."""
        return ReadMaxBytes(self.max_bytes) if self.max_bytes > 0 else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Go no further than what is there now."""
        self.target = self.reach(self.initialOffset(), 0, None)[0]

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """The end of the last whole transaction, or of what the limit lets through."""
        size = limit.max_bytes if isinstance(limit, ReadMaxBytes) else 0
        end, splits = self.reach(start, size, self.target)
        self.planned = {key_of(start, end): splits}
        return end

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The pieces between two offsets, the same whenever they are asked for."""
        splits = self.planned.get(key_of(start, end))
        if splits is None:
            splits = self.reach(start, 0, end)[1]
        return [SplitPartition(split) for split in splits]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """A piece as batches."""
        split = cast("SplitPartition", partition).split
        return self.reading.batches(split, arrow_schema(self.schema))

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing is kept for what is done."""

    def stop(self) -> None:
        """Nothing is open."""

    def reach(self, start: dict[str, Any], size: int, end: dict[str, Any] | None) -> tuple[dict[str, Any], list[Split]]:
        """How far one can read from `start`, at most to `end`, with no more than one piece over `size` bytes."""
        from binlogcli.lake.plan.log_plan import numbered

        found: list[Split] = []
        offset = start
        for split in self.pieces(start, size, end):
            (piece,), seq = numbered([split], offset["seq"])
            found.append(piece)
            offset = {"log": split.name, "pos": split.end, "seq": seq}
            if 0 < size <= sum((one.end or 0) - one.start for one in found):
                break
        return offset, found

    def pieces(self, start: dict[str, Any], size: int, end: dict[str, Any] | None) -> Iterator[Split]:
        """What stands between two offsets, piece by piece."""
        from binlogcli.lake.plan.cut_points import NOWHERE
        from binlogcli.lake.plan.log_plan import LogTask, plan_log
        from binlogcli.lake.plan.planner import LARGEST, SMALLEST

        logs = self.reading.logs()
        choice = self.reading.lake.choice
        for at, log in enumerate(logs):
            if log < start["log"] or (end is not None and log > end["log"]):
                continue
            task = LogTask(
                log,
                replace(self.reading.lake, choice=choice._replace(start_time=None, stop_time=None)),
                min(size or SMALLEST, LARGEST),
                low=start["pos"] if log == start["log"] else 0,
                limit=end["pos"] if end is not None and log == end["log"] else NOWHERE,
                since=choice.start_time or 0,
                until=NOWHERE if choice.stop_time is None else choice.stop_time,
                final=at + 1 < len(logs),
            )
            plan = plan_log(task)
            if plan.error is not None:
                raise plan.error
            yield from plan.splits
            if plan.over:
                return


def key_of(start: dict[str, Any], end: dict[str, Any]) -> tuple[str, int, str, int]:
    """What tells a stretch from others."""
    return (start["log"], start["pos"], end["log"], end["pos"])

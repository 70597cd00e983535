"""A run from sources to published epochs. Where the work is done is a `Runner`'s business: Spark's, or a test's own.

Lock, repair, plan; then epoch after epoch: convert the splits, merge what is small, commit. Without anything new it
ends before a runner is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from binlogcli.errors import BinlogError, counted
from binlogcli.lake.decode.split_decoder import Gap, LakeOptions, Split
from binlogcli.lake.errors import DamagedInputError, LakeError
from binlogcli.lake.plan.log_plan import LogPlan, numbered
from binlogcli.lake.plan.planner import Planner
from binlogcli.lake.store.epochs import FULL_EVERY, Store
from binlogcli.lake.store.state import State
from binlogcli.lake.tables.types import TableSchema

Item = TypeVar("Item")
Result = TypeVar("Result")
DIGITS = 8


class Runner(Protocol):
    """Whoever calls a function on each item, somewhere, at the same time."""

    parallelism: int

    def run(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """The results in the order of the items."""


class Watcher(Protocol):
    """Who wants to know how far a run is."""

    shows: bool

    def begin(self, size: int, stage: Path) -> AbstractContextManager[None]:
        """So many bytes are about to be converted."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """What a run is to do."""

    output: str
    lake: LakeOptions
    stop_on_damage: bool = False
    final: bool = False
    epoch_size: int = 8 << 30
    split_size: int | None = None


@dataclass(slots=True)
class Report:
    """What a run did, or would do."""

    plans: list[LogPlan] = field(default_factory=list)
    epochs: int = 0
    files: int = 0
    rows: int = 0
    events: int = 0
    input_size: int = 0
    output_size: int = 0
    tables: set[tuple[str, str]] = field(default_factory=set)
    gaps: list[Gap] = field(default_factory=list)
    errors: list[BinlogError] = field(default_factory=list)
    waiting: list[tuple[str, int, int]] = field(default_factory=list)  # log, place, bytes


def fingerprint(options: LakeOptions) -> str:
    """What must be the same in all runs on one output: which events, in which shape."""
    choice = options.choice
    return json.dumps(
        {
            "columns_only": options.columns_only,
            "zero_dates": options.zero_dates,
            "invalid_text": options.invalid_text,
            "databases": sorted(choice.databases),
            "tables": sorted(choice.tables),
            "server_ids": sorted(choice.server_ids),
            "include_gtids": repr(choice.include_gtids),
            "exclude_gtids": repr(choice.exclude_gtids),
            "events": sorted(choice.events),
        },
        sort_keys=True,
    )


class Job:
    """One run."""

    def __init__(self, options: JobOptions, start: Callable[[int], AbstractContextManager[Runner]]) -> None:
        self.options = options
        self.start = start
        self.store = Store(options.output)
        self.report = Report()

    def look(self, paths: Sequence[str]) -> Report:
        """What a run would do; nothing is written."""
        state, _ = self.store.look()
        self.check(state)
        self.plan(state, paths, None)
        return self.report

    def run(self, paths: Sequence[str], watcher: Watcher) -> Report:
        """Take what is new."""
        self.store.lock()
        try:
            state, last = self.store.look()
            self.store.recover(last, state)
            self.check(state)
            planner = self.planner(state, paths)
            if planner.quick:
                self.plan(state, paths, None)
                if any(plan.splits for plan in self.report.plans):
                    with self.start(self.store.descriptor) as runner:
                        self.convert(state, runner, watcher)
            else:
                with self.start(self.store.descriptor) as runner:
                    self.plan(state, paths, runner)
                    self.convert(state, runner, watcher)
        finally:
            self.store.close()
        return self.report

    def check(self, state: State) -> None:
        """One output holds one choice of events, in one shape."""
        if state.options is not None and state.options != fingerprint(self.options.lake):
            raise LakeError(
                "was begun with another choice of events or columns",
                file=self.options.output,
                hint="use the same options, or another --output",
            )

    def planner(self, state: State, paths: Sequence[str]) -> Planner:
        """Who plans these logs."""
        return Planner(self.options.lake, state, paths, final=self.options.final, split_size=self.options.split_size)

    def plan(self, state: State, paths: Sequence[str], runner: Runner | None) -> None:
        """What is new."""
        planner = self.planner(state, paths)
        self.report.plans = planner.plan(None if runner is None else runner.run)
        for plan in self.report.plans:
            if plan.error is not None:
                self.report.errors.append(plan.error)
            elif plan.waiting:
                self.report.waiting.append((plan.path, plan.end, plan.waiting))

    def convert(self, state: State, runner: Runner, watcher: Watcher) -> None:
        """Epoch after epoch."""
        for plans in self.epochs():
            EpochRun(self, state, plans, runner).run(watcher)

    def epochs(self) -> Iterator[list[LogPlan]]:
        """The logs in lots; a log larger than one is cut where its splits end between transactions."""
        lot: list[LogPlan] = []
        size = 0
        for plan in self.report.plans:
            if not plan.splits:
                continue
            if lot and size + plan.size > self.options.epoch_size:
                yield lot
                lot, size = [], 0
            lot.append(plan)
            size += plan.size
        if lot:
            yield lot


class EpochRun:
    """One epoch."""

    def __init__(self, job: Job, state: State, plans: list[LogPlan], runner: Runner) -> None:
        self.job = job
        self.state = state
        self.plans = plans
        self.runner = runner
        self.gaps: list[Gap] = []
        self.stage = job.store.stage()

    def run(self, watcher: Watcher) -> None:
        """Convert and commit, or leave nothing."""
        from binlogcli.lake.job.results import LOT, Collected  # noqa: PLC0415 - imports pyarrow

        splits, seq = numbered([split for plan in self.plans for split in plan.splits], self.state.seq)
        try:
            collected = Collected(str(self.stage), self.runner)
            size = sum(plan.size for plan in self.plans)
            with watcher.begin(size, self.stage):
                lot = min(self.job.options.split_size or LOT, LOT)
                collected.convert(splits, self.job.options.lake, lot=lot, progress=watcher.shows)
            self.gaps = collected.gaps
            if self.gaps and self.job.options.stop_on_damage:
                refuse(self.gaps)
            collected.merge()
        except BaseException:
            self.job.store.discard(self.stage)
            raise
        self.commit(collected.schemas, collected.files(), seq)
        self.count(splits, collected.files())

    def commit(self, schemas: Sequence[TableSchema], files: Sequence[Any], seq: int) -> None:
        """Make it so."""
        state = self.state
        epoch = state.epoch
        tables = self.versions(schemas)
        for plan in self.plans:
            if plan.taken is not None:
                state.take(plan.taken)
        state.epoch = epoch + 1
        state.seq = seq
        state.options = fingerprint(self.job.options.lake)
        record: dict[str, Any] = {
            "format": 1,
            "epoch": epoch,
            "options": state.options,
            "seq": seq,
            "staging": self.stage.name,
            "sources": [asdict(plan.taken) for plan in self.plans if plan.taken is not None],
            "tables": tables,
            "files": [
                {"staged": made.staged, "path": self.path(key, epoch, at), "rows": made.rows, "bytes": made.size}
                for at, (key, made) in enumerate(files)
            ],
            "gaps": [asdict(gap) for gap in self.gaps],
        }
        if epoch % FULL_EVERY == 0:
            record["state"] = state.as_record()
        self.job.store.commit(record, state)

    def versions(self, schemas: Sequence[TableSchema]) -> list[dict[str, Any]]:
        """Number the versions that are new; what a record says of them."""
        known: dict[tuple[str, str], int] = {}
        for schema in schemas:
            table = self.state.table(schema)
            known.setdefault((schema.database, schema.table), len(table.versions))
            if table.number(schema.fingerprint) < 0:
                table.versions.append(schema)
        return [
            self.state.tables[key].as_record(since)
            for key, since in known.items()
            if since < len(self.state.tables[key].versions)
        ]

    def path(self, key: tuple[str, str, str] | None, epoch: int, number: int) -> str:
        """Where a file goes, below the output."""
        name = f"{epoch:0{DIGITS}}-{number:05}.parquet"
        if key is None:
            return f"events/{name}"
        table = self.state.tables[key[:2]]
        return f"tables/{table.directory}/schema={table.number(key[2])}/{name}"

    def count(self, splits: Sequence[Split], files: Sequence[Any]) -> None:
        """For the summary."""
        report = self.job.report
        report.epochs += 1
        report.files += len(files)
        report.gaps += self.gaps
        report.input_size += sum(split.size for split in splits)
        for key, made in files:
            report.output_size += made.size
            if key is None:
                report.events += made.rows
            else:
                report.rows += made.rows
                report.tables.add(key[:2])


def refuse(gaps: Sequence[Gap]) -> NoReturn:
    """A log is damaged, and nothing is wanted then."""
    first = min(gaps, key=lambda gap: (gap.file, gap.start))
    more = f" (and {counted(len(gaps) - 1, 'more place')})" if len(gaps) > 1 else ""
    raise DamagedInputError(
        f"{first.reason}{more}", file=first.file, offset=first.start, hint="nothing of this epoch was published"
    )

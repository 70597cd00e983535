"""A run from sources to published epochs.

Lock, repair, plan; then epoch after epoch: convert the splits, merge what is small, commit. A run without anything new
ends before it starts a runner, that is, before Spark is started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from binlogcli.lake.errors import LakeError
from binlogcli.lake.job.epoch import EpochRun
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.overtaken import left_overtaken, overtaken_tasks
from binlogcli.lake.job.report import JobReport
from binlogcli.lake.job.retry import RetryRun
from binlogcli.lake.job.runner import Runner, Watcher
from binlogcli.lake.model import LogGap
from binlogcli.lake.plan.gap_retry import plan_retry
from binlogcli.lake.plan.log_plan import LogPlan
from binlogcli.lake.plan.planner import Planner, RunAll
from binlogcli.lake.store.epochs import Store
from binlogcli.lake.store.state import LakeState


class Job:
    """One run. `start` starts a runner, whose processes inherit the file descriptor of the output's lock."""

    def __init__(self, options: JobOptions, start: Callable[[int], AbstractContextManager[Runner]]) -> None:
        self.options = options
        self.start = start
        self.store = Store(options.output, private=options.lake.keys.given)
        self.report = JobReport()

    def look(self, paths: Sequence[str]) -> JobReport:
        """Report what a run would do; nothing is written."""
        state, _ = self.store.look()
        self._check(state)
        self._plan(self._planner(state, paths), None)
        return self.report

    def run(self, paths: Sequence[str], watcher: Watcher) -> JobReport:
        """Convert and publish what is new in these logs."""
        self.store.lock()
        try:
            state, last = self.store.look()
            self.store.recover(last, state)
            self._check(state)
            servers = state.unnamed_servers()
            added = self.options.added_tables(state.options)
            planner = self._planner(state, paths)
            if planner.quick:
                self._plan(planner, None)
                plans = (*self.report.retries, *self.report.plans)
                if any(plan.splits for plan in plans) or overtaken_tasks(state, self.options, paths):
                    with self.start(self.store.descriptor) as runner:
                        self._convert(state, runner, watcher, paths)
            else:
                with self.start(self.store.descriptor) as runner:
                    self._plan(planner, runner.run)
                    self._convert(state, runner, watcher, paths)
            self.report.moved += left_overtaken(state)
            if self.report.epochs:
                self.report.added = [line for pattern in added for line in state.reach_of(pattern, self.options.zone)]
                self.report.mixed = sorted(state.unnamed_servers()) if state.unnamed_servers() - servers else []
                self.report.vain = [line for name in self.options.lake.unsigned for line in state.in_vain(name)]
        finally:
            self.store.close()
        return self.report

    def _check(self, state: LakeState) -> None:
        """Refuse an output that was begun with options which select or shape rows differently."""
        if state.options is None:
            return
        if not self.options.as_partitioned(state.options):
            by_date = self.options.lake.by_date
            raise LakeError(
                f"was begun with{'out' if by_date else ''} --partition-by date",
                file=self.options.output,
                hint=f"{'omit it' if by_date else 'pass it again'}, or use another --output",
            )
        if not self.options.fits(state.options):
            raise LakeError(
                "was created with another selection of events or columns",
                file=self.options.output,
                hint="use the same options, or another --output",
            )

    def _planner(self, state: LakeState, paths: Sequence[str]) -> Planner:
        """Return the planner of these logs; it reads the head of each."""
        options = self.options
        return Planner(
            options.lake,
            state,
            paths,
            final=options.final,
            split_size=options.split_size,
            retry_gaps=options.retry_gaps,
        )

    def _plan(self, planner: Planner, run_all: RunAll | None) -> None:
        """Plan what is new and what is read again; `run_all` runs the tasks, without it they run here."""
        self.report.add_plans(planner.plan(run_all), planner.plan_retries(run_all))
        for one in planner.found:
            self.report.due += [LogGap(one.path, *gap.where()) for gap in one.due]

    def _convert(self, state: LakeState, runner: Runner, watcher: Watcher, paths: Sequence[str]) -> None:
        """Convert and publish epoch after epoch: first what is read again, last what earlier logs have overtaken."""
        self._retry(self.report.retries, state, runner, watcher)
        for plans in self._epochs(self.report.plans):
            EpochRun(self.options, self.store, state, plans, self.report).run(runner, watcher)
        again = [plan_retry(task) for task in overtaken_tasks(state, self.options, paths)]
        self._retry([plan for plan in again if plan.error is None], state, runner, watcher)

    def _retry(self, retries: Sequence[LogPlan], state: LakeState, runner: Runner, watcher: Watcher) -> None:
        """Convert what is read again; it replaces what was published of it."""
        for tables in dict.fromkeys(plan.tables for plan in retries):
            for plans in self._epochs(plan for plan in retries if plan.tables == tables):
                RetryRun(self.options.with_tables(tables), self.store, state, plans, self.report).run(runner, watcher)

    def _epochs(self, planned: Iterable[LogPlan]) -> Iterator[list[LogPlan]]:
        """Yield the logs of each epoch: whole logs, as many as fit into its size, at least one."""
        epoch: list[LogPlan] = []
        size = 0
        for plan in planned:
            if not plan.splits:
                continue
            if epoch and size + plan.size > self.options.epoch_size:
                yield epoch
                epoch, size = [], 0
            epoch.append(plan)
            size += plan.size
        if epoch:
            yield epoch

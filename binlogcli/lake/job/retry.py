"""An epoch that converts parts of logs again: its rows replace those that were published of these parts.

Files that hold some of them are written anew without them, and take the place of the old ones when the epoch is
published, before its new files appear: a reader sees no row twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from binlogcli.lake.history import History
from binlogcli.lake.job.epoch import EpochRun
from binlogcli.lake.job.runner import Runner, Watcher
from binlogcli.lake.model import Split
from binlogcli.lake.plan.log_plan import LogPlan
from binlogcli.lake.store.state import TakenLog
from binlogcli.lake.store.table_choice import TablePatterns, joined

if TYPE_CHECKING:
    from binlogcli.lake.job.results import EpochResults
    from binlogcli.lake.tables.trimming import LogPart, TrimTask


class RetryRun(EpochRun):
    """An epoch of what is read again. Its plans are those of `plan.gap_retry`."""

    def run(self, runner: Runner, watcher: Watcher) -> None:
        """Convert and commit, with what is known of a log whose head was repaired under its new checksum."""
        for plan in self.plans:
            known = None if plan.taken is None else self.state.current(plan.taken)
            if known is not None and plan.key is not None:
                self.state.history = self.state.history.renamed((known.name, known.head_sha256), plan.key)
                for file in self._names_of(plan):
                    self.state.marks.forget(file, plan.start, plan.end)
        self.forgets = True
        super().run(runner, watcher)

    def _converted(self, splits: Sequence[Split], history: History, runner: Runner, watcher: Watcher) -> EpochResults:
        """Run the tasks, and write anew the files that hold rows of the same parts of the logs."""
        from binlogcli.lake.tables.trimming import trimmed  # imports pyarrow

        results = super()._converted(splits, history, runner, watcher)
        if not results.changed:
            found = runner.run(trimmed, list(self._trims(marks=bool(results.marks))))
            self.replaced = [one for one in found if one is not None]
        return results

    def _names_of(self, plan: LogPlan) -> set[str]:
        """Return the names that a log was given under so far."""
        sources = (source for record in self.store.all_records() for source in record["sources"])
        logs = map(TakenLog.from_record, sources)
        return {log.file for log in logs if plan.taken is not None and plan.taken.is_same(log)}

    def _trims(self, *, marks: bool) -> Iterator[TrimTask]:
        """Yield a task for each published file that may hold rows of the logs.

        With `marks` that is every file from the log's first epoch on: a mark waits for its table, which may come later.
        """
        from binlogcli.lake.tables.trimming import LogPart, TrimTask

        parts: dict[str, set[LogPart]] = {}
        known: set[LogPart] = set()
        for record in self.store.all_records():
            here = {
                LogPart(source.file, plan.start, plan.end)
                for source in map(TakenLog.from_record, record["sources"])
                for plan in self.plans
                if plan.taken is not None and plan.taken.is_same(source)
            }
            known |= here
            for entry in record["files"] if here or (marks and known) else ():
                parts.setdefault(entry["path"], set()).update(known)
        for path, some in parts.items():
            yield TrimTask(str(self.stage), str(self.store.output), path, tuple(some), self.options.lake.by_date)

    def _tables_of(self, plan: LogPlan, before: TakenLog | None) -> tuple[TablePatterns, TablePatterns]:
        """Return the tables whose rows are there of all of a log, and of some part of it."""
        if before is None or (plan.start, plan.end) == (0, before.end):
            return plan.tables, plan.tables
        return before.tables, joined(before.some_tables, plan.tables)

"""The plans of a run's logs, in their order: small logs are planned in this process, large ones by the runner."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from binlogcli.errors import BinlogError, SourceError
from binlogcli.lake.log_stamp import stamp_of
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.plan.cut_points import NOWHERE
from binlogcli.lake.plan.gap_retry import checksum_of_schemas, gaps_to_retry, plan_retry
from binlogcli.lake.plan.log_plan import LogPlan, LogTask, plan_log, read_head
from binlogcli.lake.store.state import LakeState, TakenGap, TakenLog, checksum, finished_logs, plain_name
from binlogcli.lake.store.table_choice import added, given_as, joined, patterns_of
from binlogcli.sources.files import STDIN, is_pipe
from binlogcli.sources.log_names import PACKED_ENDINGS
from binlogcli.sources.opening import is_server
from binlogcli.sources.server.address import without_secret

_QUICK = 4 << 30  # bytes whose headers are walked in about the time that Spark takes to start
SMALLEST, LARGEST = 128 << 20, 512 << 20  # bytes of a split
_SPLITS = 4  # for each processor, within the sizes above

Plan = Callable[[LogTask], LogPlan]
RunAll = Callable[[Plan, Sequence[LogTask]], list[LogPlan]]


@dataclass(frozen=True, slots=True)
class LogCandidate:
    """A log given to the run: its task (None where nothing is new), about how many bytes are new, or its error.

    `retry` is the task of reading its gaps again; `due` are gaps that wait for a schema.
    """

    path: str
    task: LogTask | None
    size: int = 0
    error: BinlogError | None = None
    retry: LogTask | None = None
    due: tuple[TakenGap, ...] = ()


class Planner:
    """Plans the logs of a run. Their heads and sizes are read when it is made; `quick` says that the rest is little."""

    def __init__(
        self,
        options: LakeOptions,
        state: LakeState,
        paths: Sequence[str],
        *,
        final: bool,
        split_size: int | None,
        retry_gaps: bool = False,
    ) -> None:
        self.options = options
        self.state = state
        self.retry_gaps = retry_gaps
        self.tables = patterns_of(options.choice.tables)
        self.schema = checksum_of_schemas(options)
        self.final = final
        finished = finished_logs(paths)
        self.found = []
        seen: set[tuple[str, str]] = set()
        for path in paths:
            self.found.append(self._look(path, seen, final=final or path in finished))
        size = sum(one.size for one in self.found)
        self.size = size  # bytes that may be new
        self.quick = size <= _QUICK
        wanted = split_size or min(max(size // (_SPLITS * (os.cpu_count() or 1)), SMALLEST), LARGEST)
        self.tasks = [replace(one.task, split_size=wanted) for one in self.found if one.task is not None]
        self.retries = [replace(one.retry, split_size=wanted) for one in self.found if one.retry is not None]

    def _look(self, path: str, seen: set[tuple[str, str]], *, final: bool) -> LogCandidate:
        """Decide from a log's name, head and size whether there may be something new in it."""
        try:
            _refuse_stream(path)
            return self._candidate(path, seen, final=final)
        except BinlogError as error:
            return LogCandidate(path, None, error=error)
        except OSError as error:
            reason = str(error.strerror).lower()
            return LogCandidate(
                path, None, error=SourceError(reason, file=path, hint="check the name and its permissions")
            )

    def _candidate(self, path: str, seen: set[tuple[str, str]], *, final: bool) -> LogCandidate:
        """Return the task for a log; None as its task where nothing is new or the log was in `paths` before."""
        stamp = stamp_of(path)
        head = read_head(path)
        identity = (plain_name(path), checksum(head, len(head)))
        if identity in seen:
            return LogCandidate(path, None)
        seen.add(identity)
        taken = self.state.find(path, head, repaired=self.retry_gaps)
        size = stamp.size
        task = LogTask(path, self.options, NOWHERE, taken, final=final, stamp=stamp)
        if taken is None:
            return LogCandidate(path, task, size)
        if taken.server != self.options.server:
            before = f"with --server-name {taken.server}" if taken.server else "without --server-name"
            hint = f"pass --server-name {taken.server}" if taken.server else "omit --server-name"
            raise SourceError(f"was converted {before}", file=path, hint=hint)
        return self._with_gaps(self._continued(path, task, taken, size, final=final), task, taken)

    def _with_gaps(self, found: LogCandidate, task: LogTask, taken: TakenLog) -> LogCandidate:
        """Add what is to be read again of a log, or which of its gaps are still due."""
        gaps = gaps_to_retry(taken, self.schema, damage=self.retry_gaps)
        again = bool(added(taken.tables, self.tables))
        if (gaps or again) and not self.options.columns_only:
            tables = given_as(joined(taken.some_tables, self.tables))
            options = replace(self.options, choice=self.options.choice._replace(tables=tables))
            retry = replace(task, options=options, taken=replace(taken, gaps=gaps), again=again)
            return replace(found, retry=retry)
        return replace(found, due=tuple(gap for gap in taken.gaps if gap.needs_schema))

    def _continued(self, path: str, task: LogTask, taken: TakenLog, size: int, *, final: bool) -> LogCandidate:
        """Return the task for a log that was read before. Raises SourceError if it has shrunk since."""
        packed = path.endswith(PACKED_ENDINGS)
        if not packed and size < taken.end:
            hint = "restore it, or use another --output"
            raise SourceError(f"has shrunk: {taken.end} bytes of it were read before", file=path, hint=hint)
        same = size == taken.size and not taken.stopped
        if same and (taken.packed if packed else taken.end == size or not final):
            return LogCandidate(path, None)
        return LogCandidate(path, task, size if packed else size - taken.end)

    def plan(self, run_all: RunAll | None) -> list[LogPlan]:
        """Return a plan for each log in the order of `paths`; `run_all` runs the tasks, without it they run here."""
        tasks = self._ranged_tasks()
        plans = [plan_log(task) for task in tasks] if run_all is None else run_all(plan_log, tasks)
        planned = iter(self._in_time(tasks, plans))
        nothing = [LogPlan(one.path, error=one.error) for one in self.found]
        return [
            next(planned, empty) if one.task is not None else empty
            for one, empty in zip(self.found, nothing, strict=True)
        ]

    def plan_retries(self, run_all: RunAll | None) -> list[LogPlan]:
        """Return the plans of what is read again."""
        return [plan_retry(task) for task in self.retries] if run_all is None else run_all(plan_retry, self.retries)

    def _ranged_tasks(self) -> list[LogTask]:
        """Return the tasks with the user's times, and positions (begin in the first source, end in the last)."""
        choice = self.options.choice
        tasks = []
        for task in self.tasks:
            low = choice.start_position if task.path == self.found[0].path else 0
            limit = NOWHERE
            if task.path == self.found[-1].path and choice.stop_position is not None:
                limit = choice.stop_position
            until = NOWHERE if choice.stop_time is None else choice.stop_time
            tasks.append(replace(task, low=low, limit=limit, since=choice.start_time or 0, until=until))
        return tasks

    def _in_time(self, tasks: Sequence[LogTask], plans: Sequence[LogPlan]) -> list[LogPlan]:
        """Apply the times across logs: after the first event at `since` all are taken, after one at `until` none."""
        found = []
        late = False
        for task, plan in zip(tasks, plans, strict=True):
            one = plan_log(replace(task, since=0)) if late and task.since > 0 else plan
            late = late or one.late
            found.append(one)
            if one.over:
                break
        return found


def _refuse_stream(path: str) -> None:
    """Raise SourceError for a server and for a pipe: a log is read twice, for the plan and by its splits."""
    if is_server(path):
        hint = "copy its logs with binlogcli pull, and convert the copies"
        raise SourceError("a live server's logs grow while they are read", file=without_secret(path), hint=hint)
    if is_pipe(path):
        reason = f"logs are read more than once, but {'stdin' if path == STDIN else 'a pipe'} can be read only once"
        raise SourceError(reason, file=path, hint="write it to a file first")

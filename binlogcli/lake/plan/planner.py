"""What is new in many logs, in their order. Small amounts are planned here and now, large ones by the runner."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from binlogcli.errors import BinlogError, SourceError
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.plan.cut_points import NOWHERE
from binlogcli.lake.plan.log_plan import LogPlan, LogTask, plan_log, read_head
from binlogcli.lake.store.state import LakeState, checksum, finished_logs, plain_name
from binlogcli.sources.files import STDIN, is_pipe
from binlogcli.sources.log_names import PACKED_ENDINGS
from binlogcli.sources.opening import is_server
from binlogcli.sources.server.address import without_secret

QUICK = 4 << 30  # bytes whose headers are walked sooner than Spark starts, or nearly so
SMALLEST, LARGEST = 128 << 20, 512 << 20  # of a split
SPLITS = 4  # a run's splits for each processor, if they do not become too small or too large

Plan = Callable[[LogTask], LogPlan]
RunAll = Callable[[Plan, Sequence[LogTask]], list[LogPlan]]


@dataclass(frozen=True, slots=True)
class LogCandidate:
    """A log of this run: its task, or what is wrong with it, and how many bytes are new."""

    path: str
    task: LogTask | None
    size: int = 0
    error: BinlogError | None = None


class Planner:
    """The logs of a run, looked at from outside."""

    def __init__(
        self, options: LakeOptions, state: LakeState, paths: Sequence[str], *, final: bool, split_size: int | None
    ) -> None:
        self.options = options
        self.state = state
        self.final = final
        finished = finished_logs(paths)
        self.found = []
        seen: set[tuple[str, str]] = set()
        for path in paths:
            self.found.append(self.look(path, seen, final=final or path in finished))
        size = sum(one.size for one in self.found)
        self.quick = size <= QUICK
        wanted = split_size or min(max(size // (SPLITS * (os.cpu_count() or 1)), SMALLEST), LARGEST)
        self.tasks = [replace(one.task, split_size=wanted) for one in self.found if one.task is not None]

    def look(self, path: str, seen: set[tuple[str, str]], *, final: bool) -> LogCandidate:
        """Whether there may be something new in a log."""
        if is_server(path):
            reason = "a live server's logs go on while they are read"
            hint = "keep its logs with binlogcli pull, and convert those"
            return LogCandidate(path, None, error=SourceError(reason, file=without_secret(path), hint=hint))
        if is_pipe(path):
            reason = f"a log is read more than once, and {'stdin' if path == STDIN else 'a pipe'} only once"
            return LogCandidate(path, None, error=SourceError(reason, file=path, hint="write it to a file first"))
        try:
            head = read_head(path)
            identity = (plain_name(path), checksum(head, len(head)))
            if identity in seen:
                return LogCandidate(path, None)
            seen.add(identity)
            taken = self.state.find(path, head)
            size = os.stat(path).st_size  # noqa: PTH116 - a name as it was given
            packed = path.endswith(PACKED_ENDINGS)
            if taken is not None and not packed:
                if size < taken.end:
                    hint = "restore it, or convert into another --output"
                    raise SourceError(f"has shrunk: {taken.end} bytes of it were read before", file=path, hint=hint)
                if size == taken.size and not taken.stopped and (taken.end == size or not final):
                    return LogCandidate(path, None)
            if taken is not None and packed and taken.packed and size == taken.size and not taken.stopped:
                return LogCandidate(path, None)
        except (BinlogError, OSError) as error:
            if not isinstance(error, BinlogError):
                error = SourceError(str(error.strerror).lower(), file=path, hint="check the name and its permissions")
            return LogCandidate(path, None, error=error)
        task = LogTask(path, self.options, NOWHERE, taken, final=final)
        return LogCandidate(path, task, size - (taken.end if taken is not None and not packed else 0))

    def plan(self, run_all: RunAll | None) -> list[LogPlan]:
        """All plans, in the order of the sources."""
        tasks = self.ranged()
        plans = [plan_log(task) for task in tasks] if run_all is None else run_all(plan_log, tasks)
        planned = iter(self.in_time(tasks, plans))
        nothing = [LogPlan(one.path, error=one.error) for one in self.found]
        return [
            next(planned, empty) if one.task is not None else empty
            for one, empty in zip(self.found, nothing, strict=True)
        ]

    def ranged(self) -> list[LogTask]:
        """With the user's positions, which are those of the first and the last source, and times."""
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

    def in_time(self, tasks: Sequence[LogTask], plans: Sequence[LogPlan]) -> list[LogPlan]:
        """Once an event is late enough all after it are; once one is too late none after it is taken."""
        found = []
        late = False
        for task, plan in zip(tasks, plans, strict=True):
            one = plan_log(replace(task, since=0)) if late and task.since > 0 else plan
            late = late or one.late
            found.append(one)
            if one.over:
                break
        return found

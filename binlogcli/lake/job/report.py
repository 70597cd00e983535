"""What a run did, for its summary and its exit status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from binlogcli.errors import BinlogError, KeyNeededError
from binlogcli.lake.errors import LakeError, LogChangedError
from binlogcli.lake.model import LogGap, UnsureColumn
from binlogcli.lake.plan.log_plan import LogPlan


@dataclass(slots=True)
class JobReport:
    """What a run did, or would do: counts, and what was left out. Sizes are bytes."""

    plans: list[LogPlan] = field(default_factory=list)
    epochs: int = 0
    files: int = 0
    rows: int = 0
    events: int = 0
    input_size: int = 0
    output_size: int = 0
    published: list[str] = field(default_factory=list)  # data files, as seen from the output directory
    tables: set[tuple[str, str]] = field(default_factory=set)
    gaps: list[LogGap] = field(default_factory=list)
    unsure: set[UnsureColumn] = field(default_factory=set)
    remarks: dict[str, str] = field(default_factory=dict)  # on definitions, one for each cause
    added: list[str] = field(default_factory=list)  # from which log on the tables are there that --table got
    mixed: list[int] = field(default_factory=list)  # servers whose tables of equal names are one, if there is a new one
    vain: list[str] = field(default_factory=list)  # columns that were taken to be UNSIGNED and are not there, or signed
    errors: list[BinlogError] = field(default_factory=list)
    retries: list[LogPlan] = field(default_factory=list)  # what is read again
    due: list[LogGap] = field(default_factory=list)  # gaps of earlier runs that wait for a schema
    locked: list[KeyNeededError] = field(default_factory=list)  # logs that are left until their key is given
    changed: list[LogChangedError] = field(default_factory=list)  # logs that were left for the next run
    moved: list[LakeError] = field(default_factory=list)  # logs to be converted again that are not there any more
    waiting: list[tuple[str, int, int]] = field(default_factory=list)  # log, position, bytes of an open transaction

    def add_plans(self, plans: Sequence[LogPlan], retries: Sequence[LogPlan] = ()) -> None:
        """Take over the plans of all logs, their errors and the transactions that have not ended yet."""
        self.plans = list(plans)
        self.retries = list(retries)
        for plan in (*retries, *plans):
            if isinstance(plan.error, LogChangedError):
                self.changed.append(plan.error)
            elif isinstance(plan.error, KeyNeededError):
                self.locked.append(plan.error)
            elif plan.error is not None:
                self.errors.append(plan.error)
            elif plan.waiting:
                self.waiting.append((plan.path, plan.end, plan.waiting))

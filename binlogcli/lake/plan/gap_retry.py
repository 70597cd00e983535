"""The part of a log that is read again: all of it for tables that were added, else from its first gap to its last.

Whole transactions are read, as what a gap has swallowed (a GTID, a table map, a COMMIT) changes the rows around it.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from binlogcli.crypto.opening import open_keys
from binlogcli.errors import BinlogError
from binlogcli.lake.decode.log_source import open_log
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.plan.cut_points import NOWHERE, CutFinder
from binlogcli.lake.plan.log_plan import LogPlan, LogTask, plan_log, read_head
from binlogcli.lake.store.state import TakenGap, TakenLog, checksum
from binlogcli.lake.store.table_choice import patterns_of

_FIRST_EVENT = 4  # the size of a log's magic


def gaps_to_retry(taken: TakenLog, schema: str, *, damage: bool) -> tuple[TakenGap, ...]:
    """Return the gaps of a log that are to be read again: all of them, or those that lack a schema, if it is new.

    `schema` is the checksum of the schema files that are given, "" without any.
    """
    if damage:
        return taken.gaps
    lacking = tuple(gap for gap in taken.gaps if gap.needs_schema)
    return lacking if schema and any(gap.tried != schema for gap in lacking) else ()


def checksum_of_schemas(options: LakeOptions) -> str:
    """Return a checksum of the schema files; "" without any, or where one cannot be read, which is reported later."""
    digest = hashlib.sha256(repr(options.schema_at or "").encode())
    try:
        for path in options.schemas:
            digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    except OSError:
        return ""
    return digest.hexdigest() if options.schemas else ""


def plan_retry(task: LogTask) -> LogPlan:
    """Plan the part that holds the gaps of a log, of which `task.taken` was taken; all of it if it is so wanted.

    What makes the log unusable is returned as the plan's `error`.
    """
    taken = task.taken
    if taken is None:
        return LogPlan(task.path)
    try:
        start, end = (0, taken.end) if task.again else _transactions_around(task, taken)
        head = read_head(task.path)
    except BinlogError as error:
        return LogPlan(task.path, error=error)
    plan = plan_log(replace(task, taken=None, low=start, limit=end, final=True))
    if plan.defining is not None and plan.defining.within(start, end).has_statements():
        end = taken.end  # what may define a table may have been missed by all rows after it
        plan = plan_log(replace(task, taken=None, low=start, limit=end, final=True))
    size = min(taken.head_size, len(head))
    overtaken = taken.overtaken and (start, end) != (0, taken.end)
    kept = replace(taken, head_size=size, head_sha256=checksum(head, size), overtaken=overtaken)
    if plan.error is not None or plan.defining is None:
        return plan
    defining = plan.defining.repaired(
        gap.start for gap in taken.gaps if gap.within is None and start <= gap.start < end
    )
    return replace(
        plan,
        defining=defining,
        taken=kept,
        start=start,
        end=end,
        waiting=0,
        tables=patterns_of(task.options.choice.tables),
    )


def _transactions_around(task: LogTask, taken: TakenLog) -> tuple[int, int]:
    """Return [start, end) of the whole transactions that hold the gaps of a log."""
    first, last = min(gap.place for gap in taken.gaps), max(gap.last for gap in taken.gaps)
    with open_keys(task.options.keys) as keys:
        with open_log(task.path, keys) as source:
            finder = CutFinder(source, task.options.max_event_size, verify=False)
            finder.choose(0, first, 0, NOWHERE)
            finder.run(NOWHERE)
            start = min(finder.whole, first)
        with open_log(task.path, keys) as source:
            finder = CutFinder(source, task.options.max_event_size, verify=False)
            finder.choose(start, taken.end, 0, NOWHERE)
            finder.run(max(last - start, 1))
            ends = (cut.start for cut in finder.cuts if cut.start >= last and not cut.ranges)
            return (start if start > _FIRST_EVENT else 0), min(next(ends, taken.end), taken.end)

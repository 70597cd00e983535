"""Logs that were converted before an earlier log of their series, whose statements define tables.

Their rows have been given the names and types that were known by then. When the earlier log comes, they are noted in
the record of its epoch, and are converted again, by that run or by the next one that finds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from binlogcli.errors import BinlogError
from binlogcli.lake.errors import LakeError
from binlogcli.lake.history import DefiningEvents, History, LogKey
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.model import LakeOptions
from binlogcli.lake.plan.log_plan import LogPlan, LogTask, read_head
from binlogcli.lake.plan.planner import LARGEST
from binlogcli.lake.store.state import LakeState, TakenLog, plain_name
from binlogcli.lake.store.table_choice import given_as

_REASON = (
    "must be converted again, because an earlier log of its server with table definitions was added, but it is no "
    "longer there"
)
_HINT = "pass it from its new place"


def with_overtaken(
    sources: Sequence[TakenLog], plans: Sequence[LogPlan], options: LakeOptions, history: History, state: LakeState
) -> list[TakenLog]:
    """Return the entries of an epoch's logs, and those of logs that they overtake; `state` is that before the epoch.

    Nothing is read again where the user has chosen a range of positions or times, or --columns-only.
    """
    choice = options.choice
    if options.columns_only or choice.start_position or choice.stop_position or choice.start_time or choice.stop_time:
        return list(sources)
    new = [history.logs[key] for key in _telling(plans, state.history)]
    whole = {plan.key for plan in plans if plan.start == 0}  # they know the others of the epoch
    found = {(one.name, one.head_sha256): one for one in sources}
    for key, log in history.logs.items() if new else ():
        if key in whole or not any(_is_before(one, log) for one in new):
            continue
        taken = found.get(key) or next((one for one in state.taken.get(key[0], ()) if one.head_sha256 == key[1]), None)
        if taken is not None:
            found[key] = replace(taken, overtaken=True)
    return list(found.values())


def _telling(plans: Sequence[LogPlan], before: History) -> Iterator[LogKey]:
    """Yield the logs that tell of definitions what was not known."""
    for plan in plans:
        if plan.key is None or plan.defining is None:
            continue
        if plan.defining.without(before.logs.get(plan.key)).has_statements():
            yield plan.key


def _is_before(one: DefiningEvents, other: DefiningEvents) -> bool:
    return one.series() == other.series() and one.order() < other.order()


def overtaken_tasks(state: LakeState, options: JobOptions, paths: Sequence[str]) -> list[LogTask]:
    """Return the tasks of converting logs again that were overtaken, as far as they are there."""
    lake = options.lake
    tasks = []
    for taken in _overtaken(state):
        tables = given_as(taken.some_tables)
        chosen = replace(lake, choice=lake.choice._replace(tables=tables), server=taken.server)
        given = (path for path in paths if plain_name(path) == taken.name)
        path = next((path for path in (*given, taken.path) if _is_there(path, taken, state)), None)
        if path is not None:
            size = options.split_size or LARGEST
            tasks.append(LogTask(path, chosen, size, taken, again=True))
    return tasks


def _overtaken(state: LakeState) -> list[TakenLog]:
    return [one for same_name in state.taken.values() for one in same_name if one.overtaken]


def _is_there(path: str, taken: TakenLog, state: LakeState) -> bool:
    """Whether a path is that of a log that was taken."""
    try:
        return state.find(path, read_head(path)) == taken
    except BinlogError:
        return False


def left_overtaken(state: LakeState) -> Iterator[LakeError]:
    """Yield an error for each log that is still to be converted again."""
    for taken in _overtaken(state):
        yield LakeError(_REASON, file=taken.file, hint=_HINT)

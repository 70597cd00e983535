"""The logs of a data source, planned once, and the versions of a table that they have."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from binlogcli.crypto.opening import open_keys
from binlogcli.events.ddl import DdlFollower
from binlogcli.events.log import Log
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.events.tables import TableMap
from binlogcli.lake.decode.split_catalog import NoBytes, follower_of
from binlogcli.lake.history import LogHistory
from binlogcli.lake.model import CatalogRemark, LakeOptions, Split
from binlogcli.lake.plan.log_plan import LogPlan, LogTask
from binlogcli.lake.plan.planner import Plan
from binlogcli.lake.spark.schema_place import in_options
from binlogcli.lake.tables.types import TableSchema, describe
from binlogcli.select.selection import Selection

_TABLE_MAPS = ("TABLE_MAP_EVENT",)


@dataclass(frozen=True)
class PlannedLogs:
    """The plans of all logs, and what they tell of definitions."""

    plans: tuple[LogPlan, ...]
    history: LogHistory

    @property
    def splits(self) -> list[Split]:
        """The splits of all logs."""
        return [split for plan in self.plans for split in plan.splits]


def plan_in_processes(plan: Plan, tasks: Sequence[LogTask]) -> list[LogPlan]:
    """Plan logs in as many processes as there are processors."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        return list(pool.map(plan, tasks))


def versions_of(planned: PlannedLogs, options: LakeOptions) -> list[TableSchema]:
    """Return every version of the table that `options` choose, in the order of the logs."""
    found: dict[str, TableSchema] = {}
    remarks: list[str] = []
    for plan in planned.plans:
        if plan.defining is None or plan.maps == ():
            continue
        follower = follower_of(Split(plan.path), options, planned.history)
        for event in _maps_in(plan, options, follower):
            definition = event.plan.definition
            one = describe(definition, columns_only=False, raw_dates=options.zero_dates == "raw")
            found.setdefault(one.fingerprint, one)
        remarks += [] if follower is None else follower.catalog.warnings
    for text in {CatalogRemark(text).cause: text for text in reversed(remarks)}.values():
        warnings.warn(in_options(text), stacklevel=2)
    return list(found.values())


def _maps_in(plan: LogPlan, options: LakeOptions, follower: DdlFollower | None) -> list[TableMap]:
    """Return the different maps of the table in a log: those that its plan has found, or else all."""
    if plan.maps is None or plan.defining is None:
        return _all_maps(plan.path, options, follower)
    stream = EventStream(NoBytes(plan.path), ReadOptions(verify=False), follower)
    events = sorted({*plan.defining.events, *plan.maps})
    return [event for event in stream.resume(events, 0) if isinstance(event, TableMap)]


def _all_maps(path: str, options: LakeOptions, follower: DdlFollower | None) -> list[TableMap]:
    """Return the different maps of the table in a log, which is read from end to end."""
    choice = options.choice._replace(events=_TABLE_MAPS, start_time=None, stop_time=None)
    found = {}
    with open_keys(options.keys) as keys:
        reading = ReadOptions(verify=options.verify, max_event_size=options.max_event_size, keys=keys)
        with Log(path, reading) as log:
            log.follow(follower)
            Selection(choice).begin_log(log, first=True, last=True)
            for event in log:
                if isinstance(event, TableMap):
                    found[id(event.plan)] = event
    return list(found.values())

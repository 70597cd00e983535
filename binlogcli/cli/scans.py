"""Logs read for their statistics, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from binlogcli.cli.environment import STDOUT, Environment
from binlogcli.cli.inputs import FirstReading, openings
from binlogcli.cli.options.shared import ReadingOptions
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.schema.catalog import Catalog
from binlogcli.sources.source import Source, WireSource
from binlogcli.stats.log_figures import log_figures
from binlogcli.stats.wanted import Wanted

if TYPE_CHECKING:
    from binlogcli.select.selection import Selection

Found = dict[str, Any] | BinlogError  # what was counted in a log, or why it could not be read


@dataclass(frozen=True, slots=True)
class ScanTask:
    """The logs to scan, and what for."""

    paths: list[str]
    reading: ReadingOptions
    options: ReadOptions
    catalog: Catalog  # without schema files each log is read on its own, as several may be at once
    wanted: Wanted
    selection: Selection | None
    output: str = STDOUT  # where the figures go


class Scanned(NamedTuple):
    """The outcome of one log."""

    name: str
    found: Found
    wire: WireSource | None = None  # what the log came over, if it was no file


def scan_one(task: ScanTask, name: str, source: Source) -> Found:
    """Count what is in a plain log, from its first byte to its last."""
    try:
        catalog = Catalog()
        with Log(name, task.options, catalog, source) as log:
            return log_figures(task.wanted, log) | {"remarks": catalog.remarks()}
    except BinlogError as error:
        return error


def scan_in_turn(environment: Environment, task: ScanTask) -> Iterator[Scanned]:
    """Yield the outcome of each log, in order, up to the last one that the choice of events wants."""
    first = True
    selection = task.selection
    before = None if selection is None else FirstReading(environment, task.paths, task.reading, selection)
    for opening in openings(environment, task.paths, task.reading):
        wire = None
        try:
            catalog = task.catalog if task.catalog.has_files else task.catalog.afresh()
            with Log(opening.name, task.options, catalog, opening.source()) as log:
                if isinstance(log.source, WireSource):
                    wire = log.source
                if selection is not None and before is not None:
                    stretches = before.stretches_of(opening.name)
                    selection.begin_log(log, first=first, last=opening.last, stretches=stretches)
                found: Found = log_figures(task.wanted, log) | {"remarks": catalog.remarks()}
        except BinlogError as error:
            found = error
        yield Scanned(opening.name, found, wire)
        first = False
        if selection is not None and selection.over:
            return

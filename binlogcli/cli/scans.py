"""Logs read for their statistics, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from binlogcli.cli.environment import STDOUT, Environment
from binlogcli.cli.inputs import FirstReading, openings, recorded_log
from binlogcli.cli.options.shared import ReadingOptions
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.schema.catalog import Catalog
from binlogcli.sources.opening import is_plain_file
from binlogcli.sources.source import Source, WireSource
from binlogcli.stats.key_history import keys_at_end
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
    catalog: Catalog
    wanted: Wanted
    selection: Selection | None
    output: str = STDOUT  # where the figures go

    @property
    def in_turn(self) -> bool:
        """Whether one process reads the logs in their order, and the definitions of one hold in the next.

        A stream comes once; a choice of events goes from log to log, as do the definitions of schema files.
        """
        chosen = self.selection is not None or self.catalog.has_files or self.reading.remote or self.reading.carve
        return chosen or not all(map(is_plain_file, self.paths))

    def read(self, log: Log, catalog: Catalog) -> dict[str, Any]:
        """Count what is in a log; return its figures with what the catalog remarks, and knows at the end."""
        found = log_figures(self.wanted, log) | {"remarks": catalog.remarks()}
        if len(self.paths) > 1 and not self.in_turn and self.wanted.needs("problems"):
            found["keys"] = keys_at_end(catalog)
        return found


class Scanned(NamedTuple):
    """The outcome of one log."""

    name: str
    found: Found
    wire: WireSource | None = None  # what the log came over, if it was no file


def scan_one(environment: Environment, task: ScanTask, name: str, source: Source) -> Found:
    """Count what is in a plain log, from its first byte to its last."""
    try:
        catalog = Catalog()
        with Log(name, task.options, catalog, source) as log, recorded_log(environment, log):
            return task.read(log, catalog)
    except BinlogError as error:
        return error


def scan_in_turn(environment: Environment, task: ScanTask) -> Iterator[Scanned]:
    """Yield the outcome of each log, in order, up to the last one that the choice of events wants."""
    first = True
    selection, in_turn = task.selection, task.in_turn
    before = None if selection is None else FirstReading(environment, task.paths, task.reading, selection)
    for opening in openings(environment, task.paths, task.reading):
        wire = None
        try:
            catalog = task.catalog if in_turn else task.catalog.afresh()
            with Log(opening.name, task.options, catalog, opening.source()) as log, recorded_log(environment, log):
                if isinstance(log.source, WireSource):
                    wire = log.source
                if selection is not None and before is not None:
                    stretches = before.stretches_of(opening.name)
                    selection.begin_log(log, first=first, last=opening.last, stretches=stretches)
                found: Found = task.read(log, catalog)
        except BinlogError as error:
            found = error
        yield Scanned(opening.name, found, wire)
        first = False
        if selection is not None and selection.over:
            return

"""Logs that come over a wire, read for their figures: a server's, or those in a capture. One may stand for several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from binlogcli.cli.environment import Environment
from binlogcli.cli.inputs import openings
from binlogcli.cli.options.shared import Reading
from binlogcli.cli.side_by_side import Found, Task
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.names.magics import CAPTURE_MAGICS, PCAPNG_MAGIC
from binlogcli.sources import is_server, open_source
from binlogcli.sources.files import is_pipe
from binlogcli.sources.wire_figures import WireFigures
from binlogcli.stats.scan import Scan


class Wire(NamedTuple):
    """What a log came over, with figures that all of its logs have in common; None of a file."""

    name: str = ""
    figures: WireFigures | None = None


def come_over_wires(paths: Sequence[str], reading: Reading) -> bool:
    """Whether some of these are no plain logs; of stdin and other pipes that is known only when they are read."""
    return reading.remote or any(is_server(path) or is_pipe(path) or is_capture(path) for path in paths)


def is_capture(path: str) -> bool:
    """Whether a file is a network capture; what cannot be read is told of when it is its turn."""
    try:
        with open_source(path) as source:
            return source.head(len(PCAPNG_MAGIC)) in CAPTURE_MAGICS
    except BinlogError:
        return False


def read_wires(environment: Environment, task: Task, reading: Reading) -> Iterator[tuple[str, Found, Wire]]:
    """For each log its name, what is found in it, and how it came."""
    first = True
    selection = task.selection
    for opening in openings(environment, task.paths, reading):
        wire = Wire()
        try:
            with Log(opening.name, task.options, task.schema, opening.source()) as log:
                name = getattr(log.source, "wire_name", opening.name)
                wire = Wire(name, getattr(log.source, "figures", None))
                if selection is not None:
                    selection.begin_log(log, first=first, last=opening.last)
                found: Found = Scan(task.wanted).run(log)
        except BinlogError as error:
            found = error
        yield opening.name, found, wire
        first = False
        if selection is not None and selection.over:
            return

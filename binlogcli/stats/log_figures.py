"""Counts what is in one log: by the headers of its events where they suffice, else by the decoded events."""

from __future__ import annotations

from typing import Any

from binlogcli.events.log import Log
from binlogcli.sources.source import PiecedSource
from binlogcli.stats.scan import Scan
from binlogcli.stats.wanted import Wanted


def log_figures(wanted: Wanted, log: Log) -> dict[str, Any]:
    """Read a log to its end; return its figures as plain data, for `StatsReport.absorb`."""
    scan = Scan(wanted, log)
    if wanted.by_headers and log.stream.chooser is None and not isinstance(log.source, PiecedSource):
        from binlogcli.stats.header_scan import HeaderScan  # for two sections alone

        HeaderScan(scan).run(log)
    else:
        scan.read(log)
    return scan.figures(log)

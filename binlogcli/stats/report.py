"""The report: the sections of a run, joined from what was found in each log, log by log.

It is plain data, as the JSON shows it; `render` draws it. What was cut from a list, and what it lacks then, stands
under `cut`, by section.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

from binlogcli.sources.figures import WireFigures
from binlogcli.stats.gtid_history import Gtids
from binlogcli.stats.history import missing
from binlogcli.stats.problems import Problems
from binlogcli.stats.sections import WIRE, Wanted
from binlogcli.stats.servers import Servers
from binlogcli.stats.statements import Statements
from binlogcli.stats.summary import Summary
from binlogcli.stats.tables import Tables
from binlogcli.stats.timeline import Timeline
from binlogcli.stats.times import dated
from binlogcli.stats.transactions import Transactions
from binlogcli.stats.types import Types


class Report:
    """Fed with what `Scan.run` gives, log by log."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.summary = Summary()
        self.types = Types()
        self.tables = Tables()
        self.transactions = Transactions(wanted.top)
        self.timeline = Timeline(wanted.width)
        self.servers = Servers()
        self.gtids = Gtids(wanted.top)
        self.statements = Statements()
        self.problems = Problems()
        self.wires: dict[int, tuple[str, WireFigures]] = {}
        self.logs: list[dict[str, Any]] = []

    def absorb(self, log: dict[str, Any]) -> None:
        """Another log."""
        found, file = log["sections"], log["file"]
        self.logs.append({"file": file, "rotate_to": log["rotate_to"], "state": log["state"]})
        self.summary.absorb(log, found["summary"])
        self.types.absorb(found["events"])
        if "tables" in found:
            self.tables.absorb(found["tables"])
        if "transactions" in found:
            self.transactions.absorb(file, found["transactions"])
        if "timeline" in found:
            self.timeline.absorb(found["timeline"])
        if "servers" in found:
            self.servers.absorb(found["servers"])
        if "gtids" in found:
            self.gtids.absorb(file, found["gtids"])
        if "statements" in found:
            self.statements.absorb(file, found["statements"])
        if "problems" in found:
            self.problems.absorb(file, found["problems"])
            if log["in_use"]:
                self.tell_in_use(file, log["seen"])

    def absorb_wire(self, source: str, figures: WireFigures) -> None:
        """How the logs of a server or capture came; they have their figures in common."""
        self.wires.setdefault(id(figures), (source, figures))

    def tell_in_use(self, file: str, seen: int) -> None:
        """The server had not closed the log."""
        what = "the log is marked as in use: the server still wrote it, or crashed"
        self.problems.add("in_use", file, 4, what, f"what follows {seen} may be in the next log, or not be written yet")

    def unreadable(self, file: str, reason: str) -> None:
        """A log could not be read at all."""
        self.problems.add("unreadable_file", file, None, reason, "its events are missing from all figures here")

    def reordered(self, given: Sequence[str], order: Sequence[str]) -> None:
        """The logs were not given in the order of their history."""
        if list(given) != list(order):
            at = next(place for place, path in enumerate(order) if given[place] != path)
            what = "given out of order; read in the order of their ROTATE events and numbers"
            self.problems.add("file_order", order[at], None, what, "the figures are those of the right order")

    def result(self, zone: tzinfo | None) -> dict[str, Any]:
        """All sections that were wanted, in their order; then what was cut."""
        made: dict[str, Any] = {}
        cut: dict[str, Any] = {}
        top = self.wanted.top
        if self.wanted.needs("tables"):
            made["tables"], cut["tables"] = self.tables.report()
        if self.wanted.needs("transactions", "problems"):
            made["transactions"] = self.transactions.report()
        if self.wanted.needs("servers"):
            made["servers"], cut["servers"] = self.servers.report(top)
        if self.wanted.needs("gtids", "problems"):
            made["gtids"] = self.gtids.report()
            if self.gtids.cut:
                cut["gtids"] = {"sets": "small gaps are closed: more intervals than are kept"}
        if self.wanted.needs("statements"):
            made["statements"], cut["statements"] = self.statements.report(top)
        if self.wanted.needs("timeline"):
            made["timeline"] = self.timeline.report()
        if self.wanted.needs("problems"):
            made["problems"], cut["problems"] = self.oddities(made)
        made["summary"] = self.summary.report()
        made["events"] = self.types.report()
        report = {section: made[section] for section in self.wanted.sections}
        cut = {section: what for section, what in cut.items() if what and section in report}
        if self.wires:
            report[WIRE] = [{"source": source, **figures.report()} for source, figures in self.wires.values()]
        if cut:
            report["cut"] = cut
        whole: dict[str, Any] = dated(report, zone)
        return whole

    def oddities(self, made: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """The problems, those between logs included."""
        for name, after in missing(self.logs):
            advice = "pass it too: its events are missing from all figures here"
            self.problems.add("missing_file", name, None, f"is missing before {after}", advice)
        self.problems.absorb_gtids(made["gtids"])
        self.problems.absorb_transactions(made["transactions"])
        return self.problems.report()

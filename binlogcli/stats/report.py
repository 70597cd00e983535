"""The report: the sections of a run, joined from the figures of each log.

It is plain data, as the JSON shows it; `render.report` draws it. `cut` has for each section what was left out of lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from binlogcli.select.times import zone_name
from binlogcli.sources.wire_figures import WireFigures
from binlogcli.stats.sections.event_types import EventTypesTotal
from binlogcli.stats.sections.registry import totals
from binlogcli.stats.sections.summary import SummaryTotal
from binlogcli.stats.times import dated
from binlogcli.stats.wanted import TABLES_BY_TIME, WIRE, Scope, Wanted

if TYPE_CHECKING:
    from binlogcli.stats.sections.problems import ProblemsTotal
    from binlogcli.stats.sections.tables import TablesTotal
    from binlogcli.stats.witnesses.reading import Witness


NOT_REPORTED = (
    "Missing GTIDs and unfinished XA transactions are not reported: the events between the selected ones are not "
    "counted."
)


def remarks_on(scope: Scope) -> list[str]:
    """Return in sentences what of a report on chosen events is not about these."""
    found = [
        "Only the selected events are counted. These figures are of the whole logs: bytes seen, skipped and damaged, "
        "how logs end, missing logs, damage, and the arrival times of events."
    ]
    if not scope.continuous:
        found.append(NOT_REPORTED)
    return found


class StatsReport:
    """Joins what `log_figures` returns, log by log, and the problems that no log has by itself."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.summary = SummaryTotal(wanted)
        self.types = EventTypesTotal()
        self.totals = totals(wanted)
        self.problems = cast("ProblemsTotal | None", self.totals.get("problems"))
        self.tables = cast("TablesTotal | None", self.totals.get("tables"))
        self.wires: dict[int, tuple[str, WireFigures]] = {}
        self.logs: list[dict[str, Any]] = []
        self.witnesses: list[Witness] = []  # files beside the logs

    def absorb(self, log: dict[str, Any]) -> None:
        """Add the figures of a log."""
        found, file = log["sections"], log["file"]
        self.logs.append({"file": file, "rotate_to": log["rotate_to"], "state": log["state"]})
        self.summary.absorb(log, found["summary"])
        self.types.absorb(found["events"])
        for section, total in self.totals.items():
            total.absorb(file, found[section])
        if self.problems is not None and "keys" in log:
            self.problems.absorb_keys(log)
        if log["in_use"]:
            what = "the log is marked as in use: the server was still writing it, or crashed"
            advice = f"events after {log['seen']} may be in the next log, or not be written yet"
            self.tell("in_use", file, 4, what, advice)

    def absorb_wire(self, source: str, figures: WireFigures) -> None:
        """Add how the logs of a server or capture arrived; logs of one source share their figures."""
        self.wires.setdefault(id(figures), (source, figures))

    def tell(self, kind: str, file: str, position: int | None, what: str, advice: str) -> None:
        """Add a problem that no log has by itself, if problems are wanted."""
        if self.problems is not None:
            self.problems.add(kind, file, position, what, advice)

    def unreadable(self, file: str, reason: str) -> None:
        """Add a log that could not be read at all."""
        self.tell("unreadable_file", file, None, reason, "its events are missing from all figures in this report")

    def reordered(self, given: Sequence[str], order: Sequence[str]) -> None:
        """Add a problem where the logs were not given in the order of their history."""
        if list(given) != list(order):
            at = next(place for place, path in enumerate(order) if given[place] != path)
            what = "given out of order; read in the order of their ROTATE events and numbers"
            self.tell("file_order", order[at], None, what, "the figures are correct for that order")

    def result(self) -> dict[str, Any]:
        """Return the sections that are wanted, in their order, the zone of all times, then what was cut."""
        made: dict[str, Any] = {"summary": self.summary.report(), "events": self.types.report()}
        cut: dict[str, Any] = {}
        for section, total in self.totals.items():
            if section == "problems" and self.problems is not None:
                self.tell_of_history(self.problems, made)
            made[section], cut[section] = total.report()
            if found := [one.row() for one in self.witnesses if one.section == section]:
                made[section]["witnesses"] = found
        report = {}
        for section in self.wanted.sections:
            report[section] = made[section]
            if section == "tables" and self.tables is not None and self.tables.by_time is not None:
                report[TABLES_BY_TIME] = None  # its place
        cut = {section: what for section, what in cut.items() if what and section in report}
        if self.wires:
            report[WIRE] = [{"source": source, **figures.report()} for source, figures in self.wires.values()]
        if self.wanted.scope.chosen:
            report["remarks"] = remarks_on(self.wanted.scope)
        report["timezone"] = zone_name(self.wanted.zone)
        if cut:
            report["cut"] = cut
        whole: dict[str, Any] = dated(report, self.wanted.zone)
        if TABLES_BY_TIME in whole and self.tables is not None and self.tables.by_time is not None:
            whole[TABLES_BY_TIME] = self.tables.by_time.report()
        return whole

    def tell_of_history(self, problems: ProblemsTotal, made: dict[str, Any]) -> None:
        """Add the problems between logs, and those that the sections `gtids` and `transactions` found."""
        from binlogcli.stats.log_order import missing  # for this section alone

        for name, after in missing(self.logs):
            advice = "pass it as well: its events are missing from all figures in this report"
            self.tell("missing_file", name, None, f"is missing before {after}", advice)
        problems.absorb_gtids(made["gtids"])
        problems.absorb_transactions(made["transactions"])

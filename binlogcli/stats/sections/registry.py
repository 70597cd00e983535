"""The sections of the report: the two classes of each, imported when a run needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from binlogcli.stats.collector import SectionCollector
from binlogcli.stats.wanted import Wanted


class SectionTotal(Protocol):
    """Joins what a section's collectors exported, log by log, and makes the section of the report."""

    def absorb(self, file: str, found: Any) -> None:
        """Add the figures of a log, in the order of the logs."""

    def report(self) -> tuple[Any, dict[str, Any] | None]:
        """Return the section as plain data, and what was cut from it (None: nothing)."""


class SectionClasses(NamedTuple):
    """The class that counts in one log, and the one that joins logs."""

    collector: Callable[[Wanted], SectionCollector]
    total: Callable[[Wanted], SectionTotal]


def _statements() -> SectionClasses:
    from binlogcli.stats.sections.statements import StatementsCollector, StatementsTotal

    return SectionClasses(StatementsCollector, StatementsTotal)


def _tables() -> SectionClasses:
    from binlogcli.stats.sections.tables import TablesCollector, TablesTotal

    return SectionClasses(TablesCollector, TablesTotal)


def _transactions() -> SectionClasses:
    from binlogcli.stats.sections.transactions import TransactionsCollector, TransactionsTotal

    return SectionClasses(TransactionsCollector, TransactionsTotal)


def _timeline() -> SectionClasses:
    from binlogcli.stats.sections.timeline import TimelineCollector, TimelineTotal

    return SectionClasses(TimelineCollector, TimelineTotal)


def _servers() -> SectionClasses:
    from binlogcli.stats.sections.servers import ServersCollector, ServersTotal

    return SectionClasses(ServersCollector, ServersTotal)


def _gtids() -> SectionClasses:
    from binlogcli.stats.sections.gtid_totals import GtidsTotal
    from binlogcli.stats.sections.gtids import GtidsCollector

    return SectionClasses(GtidsCollector, GtidsTotal)


def _problems() -> SectionClasses:
    from binlogcli.stats.sections.problems import ProblemsCollector, ProblemsTotal

    return SectionClasses(ProblemsCollector, ProblemsTotal)


# A section, its classes, and the sections that need its figures. `statements` comes first: it names the statement at
# hand for the collectors after it. `problems` comes last: its total reads the other sections' reports.
_SECTIONS: tuple[tuple[str, Callable[[], SectionClasses], tuple[str, ...]], ...] = (
    ("statements", _statements, ("statements", "tables", "problems")),
    ("tables", _tables, ("tables",)),
    ("transactions", _transactions, ("transactions", "problems")),
    ("timeline", _timeline, ("timeline",)),
    ("servers", _servers, ("servers",)),
    ("gtids", _gtids, ("gtids", "problems")),
    ("problems", _problems, ("problems",)),
)


def collectors(wanted: Wanted) -> dict[str, SectionCollector]:
    """Return a collector for each section needed, by name; those of `summary` and `events` are not among them."""
    return {name: classes().collector(wanted) for name, classes, users in _SECTIONS if wanted.needs(*users)}


def totals(wanted: Wanted) -> dict[str, SectionTotal]:
    """Return a total for each section needed, by name; those of `summary` and `events` are not among them."""
    return {name: classes().total(wanted) for name, classes, users in _SECTIONS if wanted.needs(*users)}

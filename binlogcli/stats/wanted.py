"""The names of the report's sections, and the options of a run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import NamedTuple

SECTIONS = ("summary", "events", "tables", "transactions", "timeline", "servers", "gtids", "statements", "problems")
TABLES_BY_TIME = "tables_by_time"  # beside `tables`, with a width of buckets
WIRE = "wire"  # only in the report of logs from a server or out of a capture
FRAGMENTS = "fragments"  # only with --carve
_FROM_HEADERS = frozenset(("summary", "events"))
_OF_ROWS = frozenset(SECTIONS) - {"events", "gtids"}


class Scope(NamedTuple):
    """Which events are counted: whether some are chosen, all within a range, and whether this has the first ones."""

    chosen: bool = False
    continuous: bool = True
    from_start: bool = True


WHOLE = Scope()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The sections of a run, the length of top lists, the width of buckets of time, and the zone that they are of.

    A width is in seconds; 0 has it chosen for the timeline, and tables are not counted by time.
    """

    sections: tuple[str, ...] = SECTIONS
    top: int = 10
    width: int = 0
    zone: tzinfo | None = None  # the machine's
    scope: Scope = WHOLE

    def needs(self, *sections: str) -> bool:
        """Return whether any of these sections is wanted."""
        return any(section in self.sections for section in sections)

    @property
    def by_headers(self) -> bool:
        """Whether headers hold nearly all that the sections need."""
        return _FROM_HEADERS.issuperset(self.sections)

    @property
    def rows(self) -> bool:
        """Whether a section needs the numbers of rows."""
        return not _OF_ROWS.isdisjoint(self.sections)

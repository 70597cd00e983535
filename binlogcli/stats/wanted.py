"""The sections of a report, and what of them a run is about."""

from __future__ import annotations

from dataclasses import dataclass

SECTIONS = ("summary", "events", "tables", "transactions", "timeline", "servers", "gtids", "statements", "problems")
WIRE = "wire"  # there only where a log came from a server or out of a capture
LEAN = frozenset(("summary", "events"))
OF_ROWS = frozenset(SECTIONS) - {"events", "gtids"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sections, how long their lists are, and how wide the stretches of the timeline (0: as it fits)."""

    sections: tuple[str, ...] = SECTIONS
    top: int = 10
    width: int = 0

    def needs(self, *sections: str) -> bool:
        """Whether any of these is wanted."""
        return any(section in self.sections for section in sections)

    @property
    def lean(self) -> bool:
        """Whether headers tell nearly all that is wanted."""
        return LEAN.issuperset(self.sections)

    @property
    def rows(self) -> bool:
        """Whether rows are to be counted."""
        return not OF_ROWS.isdisjoint(self.sections)

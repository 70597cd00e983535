"""An event of which a part could not be read, as damage of its log."""

from __future__ import annotations

from binlogcli.events.event import Event
from binlogcli.log.gaps import Damage


def damage_in(event: Event, reason: str) -> Damage:
    """Return the damage that covers the whole event, its type named before the reason."""
    return Damage(event.start, event.end, f"{event.type}: {reason}", within=event.within)

"""Places in a history as text and as plain data, with their times in the zone that the user chose."""

from __future__ import annotations

from datetime import tzinfo

from binlogcli.render.escape import visible
from binlogcli.schema.logged_statement import Place
from binlogcli.select.times import time_text


def place_text(place: Place, zone: tzinfo | None) -> str:
    """Return file, position, time and GTID on one line that is safe to look at."""
    parts = [f"{place.file}:{place.position}", time_text(place.time, zone), place.gtid or ""]
    return visible(", ".join(part for part in parts if part))


def place_data(place: Place, zone: tzinfo | None) -> dict[str, object]:
    """Return the same under the keys that other commands have for it."""
    return {"file": place.file, "pos": place.position, "time": time_text(place.time, zone), "gtid": place.gtid}

"""Lines of `dump --format json`, compared where names may be known from different statements."""

from __future__ import annotations

from typing import Any


def without_names(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line without the body of an event that names columns: its checksum stands for its bytes.

    Which names are known depends on the statements that came before, and so on where a stream begins.
    """
    named = line["type"] == "TABLE_MAP_EVENT" or "ROWS_EVENT" in line["type"]
    return {name: value for name, value in line.items() if name != "body" or not named}

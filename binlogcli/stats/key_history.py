"""Which tables have no primary key by the statements of earlier logs, where each log is read on its own.

Several processes read logs at once, so that a log knows the definitions of its own statements alone. What it knows at
its end is joined here in the order of the logs. Behind a missing or damaged log nothing is known any more.
"""

from __future__ import annotations

from typing import Any

from binlogcli.schema.catalog import Catalog
from binlogcli.sources.log_names import follows

_KEPT = 1 << 14  # tables
_HAS_KEY = -1
Name = tuple[str, str]  # database and table


def keys_at_end(catalog: Catalog) -> dict[Name, int | None]:
    """Return for each table that a log's statements name its number of columns if it has no key, else _HAS_KEY.

    None stands for a table of which not all is known.
    """
    found: dict[Name, int | None] = {}
    for name, table in catalog.tables.items():
        if len(found) >= _KEPT:
            break
        if table is None or not table.keys_known:
            found[name] = None
        else:
            key = table.row_key_parts([bool(column.nullable) for column in table.columns])
            found[name] = _HAS_KEY if key else len(table.columns)
    return found


class KeyHistory:
    """What is known of tables' keys before the next log."""

    def __init__(self) -> None:
        self.before = ""  # the log that was read last
        self.tables: dict[Name, int | None] = {}

    def keyless(self, log: dict[str, Any], changed: dict[Name, tuple[int, int]] | None) -> list[tuple[Name, int]]:
        """Take in the next log; return the tables without a key among those whose keys it does not tell.

        `changed` has these tables with the position of their first change, which is returned, too, and their number of
        columns; None where a statement of the log may have added keys.
        """
        keys: dict[Name, int | None] = log["keys"]
        sound = changed is not None and not log["gaps"]
        if self.before and not follows(log["file"], self.before):
            self.tables.clear()
        found = [
            (name, position)
            for name, (position, columns) in (changed or {}).items()
            if sound and name not in keys and self.tables.get(name) == columns
        ]
        self.before = log["file"]
        self.tables = {**self.tables, **keys} if sound else {}
        if len(self.tables) > _KEPT:
            self.tables.clear()
        return found

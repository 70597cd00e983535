"""Table maps of the logs, for rows whose own is lost.

A server numbers a table when it opens it, and gives the number to no other table while it runs. A map fits rows of the
same number, written between the same two starts of the server, if it is of as many columns and the rows can be read by
it to their last byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from binlogcli.errors import UNDECODABLE, counted
from binlogcli.events.control import FormatDescription
from binlogcli.events.log import Log
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, TABLE_MAP_EVENT, TRANSACTION_PAYLOAD_EVENT, type_table
from binlogcli.rows.count import RowSkipper
from binlogcli.rows.plan import TablePlan

_WANTED = type_table((FORMAT_DESCRIPTION_EVENT, TABLE_MAP_EVENT, TRANSACTION_PAYLOAD_EVENT))


class KnownMap(NamedTuple):
    """A table map, and where it is."""

    plan: TablePlan
    data: bytes  # of the event, without a checksum
    file: str
    start: int


class KnownMaps:
    """The table maps between each two starts of the server."""

    def __init__(self) -> None:
        self._maps: dict[tuple[int, int], list[KnownMap]] = {}
        self._run = 0  # which start of the server the events at hand come after

    def read(self, logs: Iterable[Log]) -> None:
        """Learn all maps of some logs, and go back to the first of them."""
        for log in logs:
            while True:
                event = log.stream.next_of(_WANTED)
                if isinstance(event, FormatDescription):
                    self.see_start(event)
                elif isinstance(event, TableMap):
                    self.see(log.path, event)
                elif event is None and log.take_gap() is None:
                    break
        self._run = 0

    def see_start(self, event: FormatDescription) -> None:
        """Take a format description, which tells that the server has started if it has a time of creation."""
        self._run += event.created != 0

    def see(self, file: str, event: TableMap) -> None:
        """Take a table map."""
        known = self._maps.setdefault((self._run, event.table_id), [])
        if all(one.plan.key != event.plan.key for one in known):
            known.append(KnownMap(event.plan, event.data[event.at : event.body_end], file, event.start))

    def find(self, rows: Rows) -> tuple[KnownMap | None, str]:
        """Return the map for rows whose own is lost, and what proves it; or None, and why there is none."""
        known = self._maps.get((self._run, rows.table_id), [])
        if not known:
            return None, f"no other table map has the id {rows.table_id}"
        fitting = [one for one in known if _fits(rows, one.plan)]
        if not fitting:
            return None, f"the table maps with the id {rows.table_id} do not fit these rows"
        if len(fitting) > 1:
            return None, f"{len(fitting)} different table maps with the id {rows.table_id} fit these rows"
        columns = counted(rows.width, "column")
        return fitting[0], f"same table id {rows.table_id}, {columns}, rows readable to their last byte"


def _fits(rows: Rows, plan: TablePlan) -> bool:
    """Return whether rows can be read by a plan to their last byte."""
    if plan.width != rows.width or plan.reason or plan.ambiguous:
        return False
    try:
        RowSkipper().count(rows.images(plan))
    except UNDECODABLE:
        return False
    return True

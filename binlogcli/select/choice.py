"""The options for choosing events as plain data, parsed and checked; made once for a run."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from binlogcli.select.gtids import GtidChoice
    from binlogcli.select.transactions import TransactionChoice
    from binlogcli.select.values.grep import Grep
    from binlogcli.select.values.where import Where

EVENTS, CHANGES, ROWS = range(3)  # what limits count: all events, those with rows and statements, those with rows alone


class Choice(NamedTuple):
    """The options for choosing events. Positions are file offsets, times whole seconds since the epoch.

    The start position applies to the first log, the stop position to the last; the times apply to every log.
    """

    start_position: int = 0
    stop_position: int | None = None
    start_time: int | None = None
    stop_time: int | None = None
    zone: tzinfo | None = None  # in which messages name these times
    since: str = "--start-datetime"  # what messages call the option of the start time
    databases: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    server_ids: tuple[int, ...] = ()
    include_gtids: GtidChoice | None = None
    exclude_gtids: GtidChoice | None = None
    events: tuple[str, ...] = ()
    where: Where | None = None
    grep: Grep | None = None
    operations: tuple[str, ...] = ()
    transactions: TransactionChoice | None = None
    whole: bool = False  # all events of the transactions in which others are chosen
    limit: int | None = None  # of events
    last: int | None = None  # so many events at the end
    counted: int = EVENTS  # which events these two count

    def without_range(self) -> Choice:
        """Return the choice without positions and times, and what messages say of these."""
        return self._replace(
            start_position=0, stop_position=None, start_time=None, stop_time=None, zone=None, since=Choice().since
        )

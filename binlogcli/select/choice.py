"""What the options for choosing events say, read and checked; plain data, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from binlogcli.select.gtids import GtidChoice
    from binlogcli.select.where import Condition


class Choice(NamedTuple):
    """All options for choosing. Positions are file offsets, times whole seconds since the epoch.

    The start belongs to the first log and the end to the last one; both times are compared in every log.
    """

    start_position: int = 0
    stop_position: int | None = None
    start_time: int | None = None
    stop_time: int | None = None
    databases: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    server_ids: tuple[int, ...] = ()
    include_gtids: GtidChoice | None = None
    exclude_gtids: GtidChoice | None = None
    events: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()

"""Reads the statements of logs up to the place that schema files are of, to walk back from there to the logs' start."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from binlogcli.errors import BinlogError
from binlogcli.events.control import FormatDescription, StartV3
from binlogcli.events.ddl import FOLLOWED, WALKED, DdlFollower
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.statements import Query
from binlogcli.events.stream import NO_LIMIT
from binlogcli.log.boundaries import may_define
from binlogcli.log.context import LogContext
from binlogcli.log.gaps import Damage
from binlogcli.names.event_types import TRANSACTION_PAYLOAD_EVENT, XID_EVENT
from binlogcli.schema.catalog import Catalog
from binlogcli.schema.logged_statement import LoggedStatement
from binlogcli.select.places import LogPlace, PlaceWatch

# a payload may hold statements, an XID event has a time
_READ = bytes(code in (TRANSACTION_PAYLOAD_EVENT, XID_EVENT) or WALKED[code] for code in range(256))


def scan_logs(logs: Iterable[Log], place: LogPlace | None, option: str) -> BaselineScan:
    """Return what logs tell up to the place that an option names, or to their end.

    Raises PlaceError if they do not have the place.
    """
    watch = None if place is None else PlaceWatch(place, option)
    scan = BaselineScan(watch)
    for log in logs:
        with suppress(BinlogError):
            scan.read(log)
        if scan.over:
            break
    if watch is not None and (problem := watch.problem()) is not None:
        raise problem
    return scan


class BaselineScan:
    """A run over logs in their order, up to a place or to their end."""

    def __init__(self, watch: PlaceWatch | None) -> None:
        self.statements: list[LoggedStatement] = []
        self.restarts: set[int] = set()  # statements before which the server was started anew
        self.end = ("", 0)  # the log and the position in it up to which logs were read
        self._watch = watch

    @property
    def over(self) -> bool:
        """Whether later logs are not to be read."""
        return self._watch is not None and self._watch.over

    def read(self, log: Log) -> None:
        """Take the statements of a log, damaged ones as such that have failed; other damage is passed over."""
        follower = DdlFollower(Catalog(), log.path)
        stream = log.stream
        limit = NO_LIMIT if self._watch is None else self._watch.limit(log.path)
        while True:
            event = stream.next_of(_READ, limit)
            if event is None:
                gap = log.take_gap()
                if gap is None:
                    break
                if isinstance(gap, Damage):
                    lost = follower.damaged_statement(stream.lost_event(gap), stream.context)
                    self.statements += [lost] if lost is not None else []
                continue
            if self._watch is not None and not self._watch.passes(event):
                self.end = log.path, event.start if event.within_at < 0 else event.within_at
                return
            self.take(event, stream.context, follower)
        self.end = log.path, min(limit, stream.framer.end)
        if self._watch is not None:
            self._watch.end_log(log.path, stream.framer.start, stream.framer.end)

    def take(self, event: Event, context: LogContext, follower: DdlFollower) -> None:
        """Take an event, if it is a statement that may define tables or the beginning of a log."""
        if isinstance(event, FormatDescription | StartV3) and event.created:
            self.restarts.add(len(self.statements))
        if isinstance(event, Query) and FOLLOWED[event.type_code] and may_define(event.query, 0, len(event.query)):
            statement = follower.statement_of(event, context)
            self.statements += [statement] if statement is not None else []

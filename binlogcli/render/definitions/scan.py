"""Reads of logs what tells of definitions, up to a place, without decoding their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from binlogcli.events.ddl import FOLLOWED, WALKED, DdlFollower
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.statements import Query
from binlogcli.events.stream import NO_LIMIT
from binlogcli.events.tables import TableMap
from binlogcli.log.boundaries import may_define
from binlogcli.log.gaps import Damage
from binlogcli.names.event_types import ROTATE_EVENT, STOP_EVENT, TABLE_MAP_EVENT, TRANSACTION_PAYLOAD_EVENT, XID_EVENT
from binlogcli.schema.catalog import Catalog
from binlogcli.schema.definitions import Name
from binlogcli.schema.history import Change, DefinitionHistory
from binlogcli.schema.logged_statement import Place
from binlogcli.select.places import PlaceWatch

# The first may hold statements, the second contradict them, the others are read for their times
_OTHERS = (TRANSACTION_PAYLOAD_EVENT, TABLE_MAP_EVENT, XID_EVENT, ROTATE_EVENT, STOP_EVENT)
_READ = bytes(code in _OTHERS or WALKED[code] for code in range(256))


_TRUNCATE = b"TRUNCATE"
_HEAD = 32  # bytes of a statement in which it is looked for


class DefinitionScan:
    """A run over logs in their order; `mariadb` is the family of the last one.

    `gaps` say where statements may be missing; those of them that are missing logs are in `missing_logs`.
    """

    def __init__(self, catalog: Catalog, watch: PlaceWatch | None = None) -> None:
        self.catalog = catalog
        self.history = DefinitionHistory(catalog)
        self.mariadb = False
        self.gaps: list[str] = []
        self.missing_logs: list[str] = []
        self._watch = watch
        self._last: tuple[str, Event] | None = None
        self._compared: dict[Name, bytes] = {}  # the table map that was compared with the definition that holds

    @property
    def end(self) -> Place | None:
        """The last event that was read; None if there was none."""
        return None if self._last is None else _place_of(self._last[1], self._last[0])

    @property
    def over(self) -> bool:
        """Whether later logs are not to be read."""
        return self._watch is not None and self._watch.over

    def changes(self, log: Log, report: Callable[[Damage], object]) -> Iterator[Change]:
        """Yield the changes of definitions in a log, which must have no catalog of its own; report its damage."""
        follower = DdlFollower(self.catalog, log.path)
        limit = NO_LIMIT if self._watch is None else self._watch.limit(log.path)
        stream = log.stream
        while True:
            event = stream.next_of(_READ, limit)
            if event is not None:
                if self._watch is not None and not self._watch.passes(event):
                    return
                change = self._see(event, follower, log)
                if change is not None:
                    yield change
                continue
            gap = log.take_gap()
            if gap is None:
                break
            if isinstance(gap, Damage):
                lost = self._lose(gap, follower, log)
                report(gap)
                if lost is not None:
                    yield lost
        if self._watch is not None:
            self._watch.end_log(log.path, stream.framer.start, stream.framer.end)

    def _see(self, event: Event, follower: DdlFollower, log: Log) -> Change | None:
        """Take the next event; return what it has changed."""
        if event.timestamp or self._last is None:
            self._last = log.path, event
        if isinstance(event, TableMap):
            self._see_table(event, log.path)
            return None
        if not FOLLOWED[event.type_code]:
            return None
        if not isinstance(event, Query):
            follower.see(event, log.stream.context)
            self.mariadb = log.stream.context.mariadb
            self._compared.clear()
            self.history.take_over()
            if self.catalog.gap and self.catalog.gap not in self.gaps:
                self.gaps.append(self.catalog.gap)
                self.missing_logs.append(self.catalog.gap)
            return None
        if event.query[:_HEAD].lstrip()[: len(_TRUNCATE)].upper() == _TRUNCATE:
            return self._truncation(event, follower, log)
        if not may_define(event.query, 0, len(event.query)):
            return None
        statement = follower.statement_of(event, log.stream.context)
        if statement is None:
            return None
        names = self.catalog.execute(statement)
        for name in names:
            self._compared.pop(_folded(name), None)
        return self.history.record(statement, names)

    def _truncation(self, event: Query, follower: DdlFollower, log: Log) -> Change | None:
        statement = follower.statement_of(event, log.stream.context)
        if statement is None or statement.session.failed:
            return None
        names = self.catalog.execute(statement)
        return self.history.record_truncation(statement, names) if names else None

    def _lose(self, damage: Damage, follower: DdlFollower, log: Log) -> Change | None:
        """Take in a damaged stretch; return what it has changed if it is a statement."""
        context = log.stream.context
        event = log.stream.lost_event(damage)
        where = f"{log.path} is damaged at {damage.start}"
        self.gaps.append(where)
        self.catalog.doubt()
        if not follower.may_lose(event):
            return None
        statement = follower.damaged_statement(event, context)
        if statement is None:
            return None
        self._compared.clear()
        return self.history.record(statement, self.catalog.lose_statement(where, statement))

    def _see_table(self, event: TableMap, path: str) -> None:
        """Compare a table map with what is known of its table, once for each definition of the two."""
        name = _folded((event.definition.database, event.definition.table))
        if self._compared.get(name) != event.plan.key:
            self._compared[name] = event.plan.key
            self.history.see_rows(event.definition, _place_of(event, path))


def _folded(name: Name) -> Name:
    return name[0].lower(), name[1].lower()


def _place_of(event: Event, path: str) -> Place:
    position = event.start if event.within_at < 0 else event.within_at
    gtid = event.transaction.gtid if event.transaction is not None else None
    return Place(path, position, event.timestamp, gtid)

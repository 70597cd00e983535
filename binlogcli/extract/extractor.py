"""Reads logs, decides about each transaction at its end, and writes the chosen ones.

Each transaction is read into a `Unit`. Chosen is one of which the selection shows an event and which meets `--xid` and
its like; of the chosen ones all is written, or the rows and statements of some tables. A transaction without an end is
never written: whether it was committed is unknown. XA PREPARE and what ends it go together: one that is not chosen
itself is kept until then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from binlogcli.errors import BinlogError, SourceError
from binlogcli.events.control import FormatDescription, Incident, StartV3
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.mysql import MysqlGtid
from binlogcli.events.statements import Query, StatementText, XaPrepare, Xid
from binlogcli.events.tables import Rows, TableMap
from binlogcli.events.transactions import xa_text
from binlogcli.extract.destination import Before, Destination
from binlogcli.extract.gtid_length import find_length_fields
from binlogcli.extract.history import HeadEvent, History
from binlogcli.extract.known_maps import KnownMaps
from binlogcli.extract.layout import Layout, assumed_layout, layout_of
from binlogcli.extract.reading import UnitReader
from binlogcli.extract.unit import FRAME, Table, Unit
from binlogcli.log.boundaries import role_of
from binlogcli.log.format import LogFormat
from binlogcli.log.gaps import Damage
from binlogcli.log.roles import BEGIN, COMMIT, ROLLBACK
from binlogcli.names.event_types import LARGE_TRANSACTION_HEADER_EVENT
from binlogcli.names.verdicts import END, RELEASE, SHOW
from binlogcli.select.by_name import NameChoice
from binlogcli.select.selection import Selection
from binlogcli.select.transactions import TransactionChoice, TransactionScan

_RELAY_LOG = 0x40  # LOG_EVENT_RELAY_LOG_F
_AT_END, _BEFORE_END = "the log ends before the transaction does", "the next transaction begins before it ends"


class Reporter(NamedTuple):
    """How what happens is told: damage, and other things that are left out or made up, each at a place in a file."""

    damage: Callable[[str, Damage], None]
    left_out: Callable[[BinlogError], None]
    remark: Callable[[str, int, str], None]


class Wanted(NamedTuple):
    """What is extracted. `selection` is None for all; `tables` are those of which rows and statements are written."""

    selection: Selection | None = None
    transactions: TransactionChoice | None = None
    tables: NameChoice | None = None
    limit: int = -1  # transactions, -1: all
    skip: int = 0  # so many of the chosen ones


class Extractor:
    """A run over all logs in their order."""

    def __init__(self, wanted: Wanted, destination: Destination, tell: Reporter, maps: KnownMaps | None = None) -> None:
        self.wanted = wanted
        self.destination = destination
        self.tell = tell
        self.maps = maps
        self.reader = UnitReader(wanted.tables, maps, by_table=destination.by_table)
        self.scan = None if wanted.transactions is None else TransactionScan(wanted.transactions)
        self.history = History()
        self.layout: Layout | None = None  # as the log describes it
        self.assumed: tuple[LogFormat, Layout] | None = None  # made for a format that the log does not describe
        self.unit: Unit | None = None
        self.in_relay_log = False
        self.carried: Layout | None = None  # of the relay log that ended with the transaction at hand
        self.damaged = False  # whether there was damage after the last transaction
        self.gtid: Event | None = None  # of the transaction at hand
        self.chosen = 0  # transactions
        self.prepared: dict[str, tuple[Unit, Before]] = {}  # by XA: those not chosen themselves
        self.taken_xa: dict[str, list[Table]] = {}  # prepared ones that were written, and their tables

    @property
    def over(self) -> bool:
        """Whether all that is wanted was found."""
        return 0 <= self.wanted.limit <= self.chosen - self.wanted.skip

    # events -----------------------------------------------------------------------------------------------------

    def run(self, log: Log) -> None:
        """Read a log to its end, or to where nothing more is wanted, and write its transactions."""
        self.history.begin_log()
        self.destination.begin_log(log.path)
        self.carried = self.layout if self.in_relay_log else None
        self.layout = self.assumed = None
        self.damaged = self.in_relay_log = False
        log.stream.chooser = None  # events that are not chosen count as well: for GTIDs, and whole transactions
        try:
            self._read(log)
        except BaseException:
            self._forget()
            raise
        if self.scan is not None:
            self.scan.is_first = False

    def _read(self, log: Log) -> None:
        """Read a log to its end, or to where nothing more is wanted."""
        while not self.over:
            event = log.advance()
            if event is not None:
                if not self._see(log, event):
                    self._drop_unfinished(_AT_END)
                    break
                continue
            gap = log.take_gap()
            if gap is None:
                break
            if isinstance(gap, Damage):
                self.tell.damage(log.path, gap)
                self.damaged = True
                if self.unit is not None:
                    self.unit.damaged = self.unit.left_out = True

    def _forget(self) -> None:
        """Forget the transaction at hand."""
        unit, self.unit = self.unit, None
        if unit is not None:
            unit.close()

    def finish(self) -> None:
        """Report a last transaction without an end; release what was kept for the ends of XA transactions."""
        self._drop_unfinished(_AT_END)
        for unit, _ in self.prepared.values():
            unit.close()
        self.prepared.clear()

    def _see(self, log: Log, event: Event) -> bool:
        """Take an event; return False where nothing that follows is wanted."""
        context = log.stream.context
        if isinstance(event, (FormatDescription, StartV3)):
            self.in_relay_log = self.in_relay_log or event.flags & _RELAY_LOG != 0
            self.layout = layout_of(event, context.format)
            if self.maps is not None and isinstance(event, FormatDescription):
                self.maps.see_start(event)
        self.history.see(event)
        selection = self.wanted.selection
        verdict = SHOW if selection is None else selection.verdict(event)
        transaction = event.transaction
        going_on = self.unit is not None and self.unit.transaction is transaction
        if verdict == END and not going_on:
            return False
        if event.type_code == LARGE_TRANSACTION_HEADER_EVENT:
            return True  # it tells at which offset of its own log a transaction ends
        if transaction is None:
            self._see_outside(log, event, chosen=verdict == SHOW)
            return True
        unit = self._unit_of(log, event)
        unit.touched = unit.touched or verdict in (SHOW, RELEASE)
        if isinstance(event, (MysqlGtid, MariadbGtid)):
            self.gtid = event
        if self.scan is not None:
            self.scan.see(event)
        self.reader.add(unit, event, context)
        self._tell_lost(log.path)
        if transaction.outcome:
            self._end(log, event, unit)
        return True

    def _unit_of(self, log: Log, event: Event) -> Unit:
        """Return the transaction at hand, which may begin with this event."""
        unit = self.unit
        if unit is not None and unit.transaction is event.transaction and not _begins_again(unit, event):
            return unit
        if unit is not None and self._continues(unit, log, event):
            unit.continue_in(log.path, event)
            return unit
        self._drop_unfinished(_AT_END if unit is not None and unit.log != log.path else _BEFORE_END)
        self.unit = unit = self.reader.open(log.path, event)
        unit.damaged = unit.left_out = self.damaged and _lacks_beginning(event)
        self.damaged = False
        self.gtid = None
        return unit

    def _continues(self, unit: Unit, log: Log, event: Event) -> bool:
        """Return whether the first transaction of a relay log is the rest of the one that the log before began."""
        before, self.carried = self.carried, None
        if before is None or unit.log == log.path or not self.in_relay_log or self.layout is None:
            return False
        return self.layout.same_as(before) and _lacks_beginning(event) and not self.damaged

    def _see_outside(self, log: Log, event: Event, *, chosen: bool) -> None:
        """Take an event that is part of no transaction: of these, only an incident is more than its log's own."""
        if not isinstance(event, Incident):
            return
        if self.unit is not None and self.unit.is_gtid_alone:  # MySQL gives it a GTID
            self.unit.touched = self.unit.touched or chosen
            self.unit.add(event, FRAME)
            self._end(log, event, self.unit)
        elif chosen and self.scan is None:
            self.gtid = None
            unit = self.reader.open(log.path, event)
            unit.add(event, FRAME)
            self._write(unit, self._layout(log, event), partial(self._before, log))
            unit.close()

    def _tell_lost(self, path: str) -> None:
        """Report rows that are left out."""
        for start, reason, hint in self.reader.lost:
            self.tell.left_out(SourceError(reason, file=path, offset=start, hint=hint))
        self.reader.lost.clear()

    # transactions -----------------------------------------------------------------------------------------------

    def _drop_unfinished(self, why: str) -> None:
        """Leave out the transaction at hand, which has no end."""
        unit, self.unit = self.unit, None
        if unit is None:
            return
        if unit.touched or self.wanted.selection is None:
            reason = f"the transaction that starts here is left out: {why}, and it may not have been committed"
            self.tell.left_out(SourceError(reason, file=unit.log, offset=unit.start, hint="dump shows its events"))
        unit.close()

    def _end(self, log: Log, event: Event, unit: Unit) -> None:
        """Decide about the transaction at hand, which has ended with this event."""
        self.unit = None
        chosen = self._chooses(unit)
        before = partial(self._before, log)
        layout = self._layout(log, event)
        self.damaged = False
        if isinstance(self.gtid, MysqlGtid) and (unit.left_out or self.destination.by_table):
            unit.length_fields = find_length_fields(self.gtid, log.stream.context)
        try:
            if not self._keep_for_end(unit, before, chosen=chosen):
                self._write_chosen(unit, layout, before, chosen=chosen)
        finally:
            if self.gtid is not None:
                self.history.add(self.gtid)

    def _chooses(self, unit: Unit) -> bool:
        """Return whether a transaction is chosen."""
        if self.scan is None:
            return unit.touched
        found = self.scan.found
        self.scan.close()
        self.scan.begin(None)
        return unit.touched and self.scan.found > found

    def _keep_for_end(self, unit: Unit, before: Before, *, chosen: bool) -> bool:
        """Keep an XA transaction that is prepared and not chosen; return whether it was kept."""
        prepared = None if unit.transaction is None else unit.transaction.prepared
        if prepared is None:
            return False
        name = xa_text(*prepared)
        if chosen:
            self.taken_xa[name] = unit.tables
            return False
        self._forget_prepared(name)
        found = before()
        self.prepared[name] = (unit, lambda: found)
        return True

    def _forget_prepared(self, name: str) -> tuple[Unit, Before] | None:
        kept = self.prepared.pop(name, None)
        if kept is not None:
            kept[0].close()
        return kept

    def _write_chosen(self, unit: Unit, layout: Layout, before: Before, *, chosen: bool) -> None:
        """Write a transaction if it is chosen, or ends one that was; with it the one that it ends."""
        name = unit.ends_xa
        if name is not None and name in self.taken_xa:
            chosen = True
            for table in self.taken_xa.pop(name):
                unit.number_of(table)
        elif name is not None and name in self.prepared:
            kept, kept_before = self.prepared.pop(name)
            if chosen:
                for table in kept.tables:
                    unit.number_of(table)
                self._write(kept, layout, kept_before)
            kept.close()
        if chosen:
            self._write(unit, layout, before)
        unit.close()

    def _write(self, unit: Unit, layout: Layout, before: Before) -> None:
        """Write a chosen transaction, and tell which of its table maps are not its own."""
        self.chosen += 1
        if self.chosen <= self.wanted.skip:
            return
        if unit.damaged:
            reason = "parts of the transaction that starts here are damaged: it is written without them"
            self.tell.left_out(SourceError(reason, file=unit.log, offset=unit.start))
        for one in unit.inferred:
            what = f"the rows of {one.database}.{one.table} were given the table map at {one.found_at} of {one.file}"
            self.tell.remark(unit.log, one.position, f"{what} ({one.proof}), as their own is lost")
        self.destination.write(unit, layout, before)

    def _before(self, log: Log) -> HeadEvent | None:
        """Return the event that says which GTIDs came before the transaction at hand; None in logs without GTIDs."""
        if not self.history.has_gtids and self.gtid is None:
            return None
        return self.history.encoded(mariadb=log.stream.context.mariadb)

    def _layout(self, log: Log, event: Event) -> Layout:
        """Return the layout of the events at hand; one that is made up if the log's own is lost."""
        found = log.stream.outer.format
        if self.layout is None or self.layout.format != found:
            if self.assumed is None or self.assumed[0] != found:
                what = "the log has no format description that can be read: one that fits its events is written instead"
                self.tell.remark(log.path, 0, what)
                self.assumed = (found, assumed_layout(found, event))
            return self.assumed[1]
        return self.layout


def _lacks_beginning(event: Event) -> bool:
    """Return whether the first event of a transaction cannot be that: the one before it is lost."""
    if isinstance(event, Query):
        return role_of(event.query, 0, len(event.query)) in (COMMIT, ROLLBACK)
    return isinstance(event, (Rows, TableMap, StatementText, Xid, XaPrepare))


def _begins_again(unit: Unit, event: Event) -> bool:
    """Return whether an event is a second BEGIN, after the end of the transaction was lost in damage."""
    if not unit.damaged or not unit.begun or not isinstance(event, Query):
        return False
    return role_of(event.query, 0, len(event.query)) == BEGIN

"""From the events of logs to units: each event with its role, and the table that it is about."""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.errors import counted
from binlogcli.events.event import Event
from binlogcli.events.load import CreateFile, ExecuteLoadQuery, FileBlock, FileEnd, Load
from binlogcli.events.mariadb import PartialRowData
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.statements import Query, StatementText
from binlogcli.events.tables import Rows, TableMap
from binlogcli.events.transactions import ended_xa
from binlogcli.extract.history import add_gtid
from binlogcli.extract.known_maps import KnownMaps
from binlogcli.extract.unit import (
    BLOCK,
    FRAME,
    LAST_ROWS,
    LEFT_OUT,
    PAYLOAD,
    ROWS,
    STATEMENT,
    STATEMENT_END,
    TABLE_MAP,
    TEXT,
    VARIABLE,
    Entry,
    InferredMap,
    Table,
    Unit,
)
from binlogcli.log.boundaries import may_define, may_truncate, role_of
from binlogcli.log.context import LogContext
from binlogcli.log.roles import BEGIN, RELEASE_SAVEPOINT, XA_COMMIT, XA_ROLLBACK
from binlogcli.names.event_types import VARIABLE_EVENTS
from binlogcli.select.by_name import NameChoice

_SHORT_ID_HEADER = 6  # a post-header of this size has a table id of four bytes
_HEADER_SIZE = 19


class Lost(NamedTuple):
    """Rows that are left out as their table map is lost."""

    start: int
    reason: str
    hint: str


class UnitReader:
    """Adds events to units. `names` are the tables of which rows are taken, None for all of them."""

    def __init__(self, names: NameChoice | None, maps: KnownMaps | None, *, by_table: bool) -> None:
        self.names = names
        self.maps = maps
        self.by_table = by_table
        self.mapped: dict[int, int] = {}  # tables by the ids that the statement at hand has maps of
        self.fragmented = LEFT_OUT  # the table of PARTIAL_ROW_DATA
        self.lost: list[Lost] = []

    def open(self, log: str, event: Event) -> Unit:
        """Return the unit of the transaction that an event begins."""
        self.mapped.clear()
        return Unit(log, event)

    def add(self, unit: Unit, event: Event, context: LogContext) -> None:
        """Add an event to its transaction."""
        if isinstance(event, TableMap):
            self._add_map(unit, event, context)
        elif isinstance(event, Rows):
            self._add_rows(unit, event, context)
        elif isinstance(event, StatementText):
            unit.add(event, TEXT)
        elif event.type_code in VARIABLE_EVENTS:
            unit.add(event, VARIABLE)
        elif isinstance(event, (Query, Load)):
            self._add_statement(unit, event, context)
        elif isinstance(event, (FileBlock, FileEnd)):
            unit.add(event, BLOCK, detail=event.file_id)
        elif isinstance(event, TransactionPayload):
            unit.add(event, PAYLOAD)
        elif isinstance(event, PartialRowData):
            self._add_fragment(unit, event)
        else:
            self._add_frame(unit, event)

    def _add_frame(self, unit: Unit, event: Event) -> None:
        """Add an event that is of no table."""
        add_gtid(unit.gtids, event)
        self.mapped.clear()
        unit.add(event, FRAME)

    def _table_of(self, unit: Unit, table: Table, *, taken: bool) -> int:
        """Return the number of a table, or that it is left out."""
        if not taken:
            unit.left_out = True
            return LEFT_OUT
        return unit.number_of(table if self.by_table else Table())

    def _takes(self, event: Event, context: LogContext) -> bool:
        return self.names is None or self.names.takes(event, context)

    def _add_map(self, unit: Unit, event: TableMap, context: LogContext) -> None:
        """Add a table map."""
        if self.maps is not None:
            self.maps.see(unit.log, event)
        table = Table(event.database, event.table)
        number = self.mapped[event.table_id] = self._table_of(unit, table, taken=self._takes(event, context))
        unit.add(event, TABLE_MAP, number)

    def _add_rows(self, unit: Unit, event: Rows, context: LogContext) -> None:
        """Add rows, if there is a table map for them."""
        role = LAST_ROWS if event.ends_statement else ROWS
        if event.only_ends():
            unit.add(event, STATEMENT_END)
        elif event.table_id in self.mapped and event.plan is not None:
            table = Table(event.database or "", event.table or "")
            number = self._table_of(unit, table, taken=self._takes(event, context))
            unit.add(event, role, number, _flags_at(event, context))
        elif not self._add_inferred(unit, event, role, context):
            unit.left_out = True
            unit.add(event, role, LEFT_OUT, _flags_at(event, context))
        if event.ends_statement:
            self.mapped.clear()

    def _add_inferred(self, unit: Unit, event: Rows, role: int, context: LogContext) -> bool:
        """Add rows with a table map from elsewhere; return False if there is none."""
        size = counted(event.rows_end - event.rows_start, "byte")
        lost = f"the table map of these rows ({size}, table id {event.table_id}) is lost: they are left out"
        if self.maps is None:
            self.lost.append(Lost(event.start, lost, "--infer-maps looks for another table map of the same id"))
            return False
        found, reason = self.maps.find(event)
        if found is None:
            self.lost.append(Lost(event.start, f"{lost}: {reason}", "dump shows them"))
            return False
        definition = found.plan.definition
        taken = self.names is None or self.names.matches(definition.database, definition.table)
        number = self._table_of(unit, Table(definition.database, definition.table), taken=taken)
        data = event.data[event.at : event.at + 4] + found.data[4:]  # of the time of the rows
        unit.add_bytes(Entry(TABLE_MAP, True, number, 0, event.start, data))
        unit.left_out = True  # a payload, in which it could not be, is not copied
        self.mapped[event.table_id] = number
        unit.add(event, role, number, _flags_at(event, context))
        inferred = InferredMap(
            event.start, event.table_id, definition.database, definition.table, found.file, found.start, reason
        )
        if taken:
            unit.inferred.append(inferred)
        return True

    def _add_fragment(self, unit: Unit, event: PartialRowData) -> None:
        """Add a part of an event with rows; the first part has the header of that event, and the table's id."""
        if event.fragment_flags & 1:
            table_id = int.from_bytes(event.fragment[_HEADER_SIZE : _HEADER_SIZE + 6], "little")
            self.fragmented = self.mapped.get(table_id, LEFT_OUT)
        unit.left_out = unit.left_out or self.fragmented == LEFT_OUT
        unit.add(event, ROWS, self.fragmented)

    def _add_statement(self, unit: Unit, event: Query | Load, context: LogContext) -> None:
        """Add a statement that is logged as text."""
        role = role_of(event.query, 0, len(event.query)) if isinstance(event, Query) else 0
        self.mapped.clear()
        if role >= RELEASE_SAVEPOINT:
            unit.begun = unit.begun or role == BEGIN
            if role in (XA_COMMIT, XA_ROLLBACK) and isinstance(event, Query):
                ended = ended_xa(event.query)
                unit.ends_xa = None if ended is None else ended[0]
            self._add_frame(unit, event)
            return
        number = self._table_of(unit, self._about(event, context), taken=self._takes(event, context))
        if isinstance(event, (ExecuteLoadQuery, CreateFile)):
            unit.files[event.file_id] = number
        unit.add(event, STATEMENT, number)

    def _about(self, event: Query | Load, context: LogContext) -> Table:
        """Return the table that a statement is about, or its database."""
        if not self.by_table:
            return Table()
        if isinstance(event, Load):
            return Table(event.db, event.table_name)
        query = event.query
        if may_define(query, 0, len(query)) or may_truncate(query, 0, len(query)):
            names = NameChoice((), ())
            tables = names.defined_tables(event, context)
            if len(tables) == 1:
                return Table(*tables[0])
        return Table(event.db)


def _flags_at(event: Rows, context: LogContext) -> int:
    """Return where in a ROWS event its flags are."""
    short = context.post_headers[event.type_code] == _SHORT_ID_HEADER
    return event.body_start - event.at + (4 if short else 6)

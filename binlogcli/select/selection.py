"""Decides for each event of a run whether it is shown; made once from a `Choice`, and used for every log in turn.

With `wary`, neither `--event` nor `--where` hides statements, which may change rows. With `framing`, for text in the
vendors' form, format descriptions and rotations are always shown, as by their tools; of the events that belong to the
statement after them mariadb-binlog drops only the text with that statement. As in mysqlbinlog, all events after the
first that is late enough count as late enough, and the first event at or after the end ends the run.
"""

from __future__ import annotations

from binlogcli.errors import counted
from binlogcli.events.event import Event, Transaction
from binlogcli.events.load import Load
from binlogcli.events.log import Log
from binlogcli.events.statements import Query
from binlogcli.events.stream import NO_LIMIT, Chooser
from binlogcli.events.tables import Rows, TableMap
from binlogcli.log.boundaries import HEAD_TYPES, may_define, may_truncate, role_of
from binlogcli.log.context import LogContext
from binlogcli.log.roles import RELEASE_SAVEPOINT
from binlogcli.names import event_types
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, ROTATE_EVENT, TABLE_MAP_EVENT, type_table
from binlogcli.names.verdicts import END, HOLD, JUMP, SHOW, SKIP
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.select.choice import Choice
from binlogcli.select.conditions import RowFilter
from binlogcli.select.patterns import Patterns, chosen_types, table_pattern
from binlogcli.select.seeking import StartFinder
from binlogcli.select.where import FORM, WhereError

_BEFORE_STATEMENT = type_table(
    event_types.VARIABLE_EVENTS | event_types.STATEMENT_TEXT_EVENTS
)  # belong to the statement after them
# may change rows unseen
_STATEMENTS = type_table(
    (
        *event_types.QUERY_EVENTS,
        event_types.LOAD_EVENT,
        event_types.CREATE_FILE_EVENT,
        event_types.NEW_LOAD_EVENT,
        event_types.BEGIN_LOAD_QUERY_EVENT,
        event_types.EXECUTE_LOAD_QUERY_EVENT,
        event_types.INCIDENT_EVENT,
        event_types.PARTIAL_ROW_DATA_EVENT,
    )
)
_STATEMENT_TEXTS = type_table(event_types.STATEMENT_TEXT_EVENTS)
_NONE = bytes(256)
_NAMES_KEPT = 32768  # databases whose verdict is remembered


class Selection(Chooser):
    """The chooser of a run. It is given the events in the order of the logs."""

    def __init__(self, choice: Choice, *, framing: bool = False, wary: bool = False) -> None:
        super().__init__()
        self.choice = choice
        self.framing = framing
        self.spared = _STATEMENTS if wary else _NONE
        self.spares_definitions = False  # whether statements about whole tables are chosen in any database
        self.shown = 0
        self.over = False  # whether the stop time was reached: later logs are not read
        self.low = 0
        self.late = choice.start_time is None  # whether an event was at the start time or later
        self.since = choice.start_time or 0
        self.until = NO_LIMIT if choice.stop_time is None else choice.stop_time
        self.ranged = False
        self.heads = HEAD_TYPES
        self.before_statement = _STATEMENT_TEXTS if framing else _BEFORE_STATEMENT
        self.context: LogContext = None  # type: ignore[assignment] # each log has its own
        self.types = chosen_types(choice.events) if choice.events else b"\x01" * 256
        self.by_server = bool(choice.server_ids)
        self.servers = frozenset(choice.server_ids)
        self.servers_seen: set[int] = set()
        self.by_gtid = choice.include_gtids is not None or choice.exclude_gtids is not None
        self.transaction: Transaction | None = None
        self.transaction_chosen = False
        self.by_name = bool(choice.databases or choice.tables)
        self.databases = Patterns("--database", choice.databases) if choice.databases else None
        tables = tuple(table_pattern(text) for text in choice.tables)
        self.tables = Patterns("--table", tables, qualified=True) if tables else None
        self.verdicts: dict[str, bool] = {}
        self.table_verdicts: PlanCache[bool] = PlanCache()
        self.rows = RowFilter(choice.where) if choice.where else None
        self.notes: list[str] = []

    # a log begins -----------------------------------------------------------------------------------------------

    def begin_log(self, log: Log, *, first: bool, last: bool) -> None:
        """Begin a log: set its range, find where decoding begins, and become the chooser of its stream."""
        choice = self.choice
        self.low = choice.start_position if first else 0
        self.limit = choice.stop_position if last and choice.stop_position is not None else NO_LIMIT
        self.begun = self.late and self.low <= 4
        self.ranged = not self.begun or self.limit < NO_LIMIT or self.until < NO_LIMIT
        self.target = -1
        self.transaction = None
        log.stream.chooser = self
        self.context = log.stream.context
        if not self.begun and log.source.seekable and log.source.size is not None:
            self.target = StartFinder(log.source, log.stream.options.max_event_size).find(
                self.low, 0 if self.late else self.since
            )
            log.source.seek(0)

    # verdicts ---------------------------------------------------------------------------------------------------

    def verdict(self, event: Event) -> int:
        """Return SHOW, HOLD, SKIP, JUMP or END for an event."""
        code = event.type_code
        framed = self.framing and code in (FORMAT_DESCRIPTION_EVENT, ROTATE_EVENT)
        if framed:
            self.before_statement = _STATEMENT_TEXTS if self.context.mariadb else _BEFORE_STATEMENT
        if self.ranged:
            found = self.in_range(event)
            if found != SHOW:
                return found
        if self.by_gtid and not self.takes_transaction(event.transaction) and not framed:
            return self.skip(code)
        if self.by_server and not framed and not self.takes_server(event.server_id):
            return self.skip(code)
        if not self.types[code] and not framed and not self.spared[code]:
            return self.skip(code)
        if self.by_name and not self.takes_name(event):
            return self.skip(code)
        if self.rows is not None and not framed and not self.spared[code] and not self.takes_rows(event):
            return self.skip(code)
        if self.by_name and self.before_statement[code]:
            return HOLD
        self.shown += 1
        return SHOW

    def skip(self, code: int) -> int:
        """Return SKIP, and drop the events held for the statement; one table map of several drops nothing."""
        if code != TABLE_MAP_EVENT and self.held:
            self.held.clear()
        return SKIP

    def in_range(self, event: Event) -> int:
        """Return SHOW for an event between start and end; what to do instead for others."""
        code = event.type_code
        place = event.start if event.within_at < 0 else event.within_at
        if place < self.low:
            return self.too_early(event, place)
        if not self.late:
            if event.timestamp < self.since or code == FORMAT_DESCRIPTION_EVENT:
                return self.too_early(event, place)
            self.late = True
        if event.timestamp >= self.until or place >= self.limit:
            self.over = event.timestamp >= self.until
            return END
        if not self.begun:
            self.begun = True
            if self.low > 4 and place > self.low:
                self.notes.append(
                    f"--start-position {self.low}: no event begins there; the next, at {place}, is the first"
                )
        return SHOW

    def too_early(self, event: Event, place: int) -> int:
        """Return what to do with an event before the start: a text needs the format description all the same."""
        code = event.type_code
        if code == FORMAT_DESCRIPTION_EVENT and (self.framing or (place >= self.low and event.timestamp >= self.since)):
            return SHOW
        if self.target > event.end and event.within_at < 0 and not self.heads[code]:
            return JUMP
        return SKIP

    def takes_transaction(self, transaction: Transaction | None) -> bool:
        """Return whether an event is chosen by GTID; one outside of transactions is, unless GTIDs are included."""
        if transaction is None:
            return self.framing or self.choice.include_gtids is None
        if transaction is not self.transaction:
            self.transaction = transaction
            self.transaction_chosen = self.choose_transaction(transaction)
        return self.transaction_chosen

    def choose_transaction(self, transaction: Transaction) -> bool:
        """Return whether a transaction is chosen by its GTID."""
        include, exclude = self.choice.include_gtids, self.choice.exclude_gtids
        if include is not None and not include.holds(transaction):
            return False
        return exclude is None or not exclude.holds(transaction)

    def takes_server(self, server_id: int) -> bool:
        """Return whether events of this server are chosen; note that it was seen."""
        if server_id not in self.servers:
            return False
        self.servers_seen.add(server_id)
        return True

    def takes_name(self, event: Event) -> bool:
        """Return whether an event is chosen by its database and table; one that names neither is."""
        if isinstance(event, TableMap):
            return self.takes_table(event.plan)
        if isinstance(event, Rows):
            return event.plan is None or self.takes_table(event.plan)
        if isinstance(event, Query):
            return self.takes_statement(event)
        if isinstance(event, Load):
            return self.takes_database(event.db)
        return True

    def takes_table(self, plan: TablePlan) -> bool:
        """Return whether a table is chosen; the answer is kept for its plan."""
        known: bool | None = self.table_verdicts.get(plan)
        if known is None:
            database = plan.definition.database
            known = self.databases is None or self.databases.match(database)
            if known and self.tables is not None:
                known = self.tables.match(f"{database}.{plan.definition.table}")
            self.table_verdicts.keep(plan, known)
        return known

    def takes_statement(self, event: Query) -> bool:
        """Return whether a statement is chosen by its default database; transaction control always is."""
        query = event.query
        if role_of(query, 0, len(query)) >= RELEASE_SAVEPOINT or self.takes_database(event.db):
            return True
        return self.spares_definitions and (may_define(query, 0, len(query)) or may_truncate(query, 0, len(query)))

    def takes_database(self, name: str) -> bool:
        """Return whether a database is chosen, by itself or for its tables."""
        known = self.verdicts.get(name)
        if known is None:
            known = self.databases is None or self.databases.match(name)
            if known and self.tables is not None:
                known = self.tables.match_database(name)
            if len(self.verdicts) >= _NAMES_KEPT:
                self.verdicts.clear()
            self.verdicts[name] = known
        return known

    def takes_rows(self, event: Event) -> bool:
        """Return whether an event holds rows that meet `--where`."""
        return self.rows is not None and isinstance(event, Rows) and self.rows.choose(event)

    # in the end -------------------------------------------------------------------------------------------------

    def remarks(self) -> list[str]:
        """Return the lines to print at the end: filters that matched nothing, a start position between events."""
        found = [*self.notes, *self.unmatched(), *self.lacking()]
        if not found and self.shown == 0 and self.problem() is None:
            found.append("no event matched all of the filters together")
        return found

    def problem(self) -> WhereError | None:
        """Return an error where a column of `--where` was in no table, else None."""
        if self.rows is None or not self.rows.lacking:
            return None
        for column in self.rows.lacking.values():
            if column not in self.rows.found:
                hint = FORM if column.startswith("@") else "where the log names no columns write @N, or pass --schema"
                return WhereError(f"--where: no table here has a column {column}", hint=hint)
        return None

    def lacking(self) -> list[str]:
        """Return a line on tables that lack a column which others have, and one where no row matched."""
        if self.rows is None or self.problem() is not None:
            return []
        tables = list(self.rows.lacking)
        lines = []
        if tables:
            more = f" and {counted(len(tables) - 3, 'more table')}" if len(tables) > 3 else ""
            lines.append(f"--where: rows of {', '.join(tables[:3])}{more} are left out that do not have the column")
        if self.rows.matched == 0:
            lines.append("--where: no row matched")
        if self.rows.unsure:
            names = list(self.rows.unsure)
            lines.append(
                f"--where: not known whether {', '.join(names[:3])} is UNSIGNED: rows match as signed or as unsigned; "
                f"--assume-unsigned {names[0]} settles it"
            )
        return lines

    def unmatched(self) -> list[str]:
        """Return a line for each filter that matched nothing."""
        choice = self.choice
        if choice.start_time is not None and not self.late:
            return ["--start-datetime: no event is that late"]
        if choice.start_position and not self.begun:
            return [f"--start-position {choice.start_position}: no event stands there or after it"]
        lines = [
            f"{patterns.option} {text}: {what}"
            for patterns, what in ((self.databases, "nothing matched"), (self.tables, "no rows of such a table"))
            if patterns is not None
            for text in patterns.texts
            if text in patterns.unmatched
        ]
        unseen = [number for number in choice.server_ids if number not in self.servers_seen]
        lines += [f"--server-id {number}: nothing matched" for number in unseen]
        lines += [
            f"{option}: none of these transactions is there"
            for option, gtids in (("--include-gtids", choice.include_gtids), ("--exclude-gtids", choice.exclude_gtids))
            if gtids is not None and not gtids.found
        ]
        if self.shown == 0 and choice.events and not lines:
            lines.append(f"--event {', '.join(choice.events)}: nothing matched")
        return lines

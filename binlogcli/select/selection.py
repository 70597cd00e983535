"""The one object that says which events of a run are shown; made once from a `Choice`, given every log in turn.

`wary` is for who must not miss what may change rows: neither `--event` nor `--where` hides statements then.
What a text in the vendors' form cannot do without (`framing`: the format description, rotations) is then always shown,
as their tools do, and of what stands before a statement MariaDB's holds only the text back for it. Semantics follow
mysqlbinlog: from the first event that is late enough on everything counts as late enough, and the first event at or
after the end ends the run.
"""

from __future__ import annotations

from binlogcli.errors import counted
from binlogcli.events.event import Event, Transaction
from binlogcli.events.load import Load
from binlogcli.events.log import Log
from binlogcli.events.statements import Query
from binlogcli.events.stream import END, HOLD, JUMP, NO_LIMIT, SHOW, SKIP, Chooser
from binlogcli.events.tables import Rows, TableMap
from binlogcli.log.context import LogContext
from binlogcli.names.event_types import (
    BEGIN_LOAD_QUERY_EVENT,
    CREATE_FILE_EVENT,
    EXECUTE_LOAD_QUERY_EVENT,
    FORMAT_DESCRIPTION_EVENT,
    INCIDENT_EVENT,
    LOAD_EVENT,
    NEW_LOAD_EVENT,
    PARTIAL_ROW_DATA_EVENT,
    QUERY_EVENTS,
    ROTATE_EVENT,
    STATEMENT_TEXT_EVENTS,
    TABLE_MAP_EVENT,
    VARIABLE_EVENTS,
    type_table,
)
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.select.choice import Choice
from binlogcli.select.conditions import RowFilter
from binlogcli.select.names import Patterns, chosen_types, table_pattern
from binlogcli.select.seeking import HEADS, StartFinder
from binlogcli.select.where import FORM, WhereError

BEFORE_STATEMENT = type_table(VARIABLE_EVENTS | STATEMENT_TEXT_EVENTS)  # belong to the statement after them
# may change rows unseen
STATEMENTS = type_table(
    (
        *QUERY_EVENTS,
        LOAD_EVENT,
        CREATE_FILE_EVENT,
        NEW_LOAD_EVENT,
        BEGIN_LOAD_QUERY_EVENT,
        EXECUTE_LOAD_QUERY_EVENT,
        INCIDENT_EVENT,
        PARTIAL_ROW_DATA_EVENT,
    )
)
STATEMENT_TEXTS = type_table(STATEMENT_TEXT_EVENTS)
NONE = bytes(256)
NAMES_KEPT = 32768  # databases whose verdict is remembered
KEYWORDS = (b"BEGIN", b"COMMIT", b"ROLLBACK", b"SAVEPOINT", b"XA ", b"START TRANSACTION", b"RELEASE SAVEPOINT")


class Selection(Chooser):
    """Fed with events in the order of the logs; `verdict` is SHOW for those that were chosen."""

    def __init__(self, choice: Choice, *, framing: bool = False, wary: bool = False) -> None:
        super().__init__()
        self.choice = choice
        self.framing = framing
        self.spared = STATEMENTS if wary else NONE
        self.shown = 0
        self.over = False  # no later log can hold anything
        self.low = 0
        self.late = choice.start_time is None  # whether an event was late enough
        self.since = choice.start_time or 0
        self.until = NO_LIMIT if choice.stop_time is None else choice.stop_time
        self.ranged = False
        self.heads = HEADS
        self.before_statement = STATEMENT_TEXTS if framing else BEFORE_STATEMENT
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
        """Another log: its range, and where in it to begin."""
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
        """SHOW, or what to do instead."""
        code = event.type_code
        framed = self.framing and code in (FORMAT_DESCRIPTION_EVENT, ROTATE_EVENT)
        if framed:
            self.before_statement = STATEMENT_TEXTS if self.context.mariadb else BEFORE_STATEMENT
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
        """SKIP; with a statement goes what was held back for it, but not with one of several tables."""
        if code != TABLE_MAP_EVENT and self.held:
            self.held.clear()
        return SKIP

    def in_range(self, event: Event) -> int:
        """Whether the event stands between start and end."""
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
        """An event before the start; a format description serves a text all the same."""
        code = event.type_code
        if code == FORMAT_DESCRIPTION_EVENT and (self.framing or (place >= self.low and event.timestamp >= self.since)):
            return SHOW
        if self.target > event.end and event.within_at < 0 and not self.heads[code]:
            return JUMP
        return SKIP

    def takes_transaction(self, transaction: Transaction | None) -> bool:
        """By GTID; events outside of any transaction go with the others where none are asked for by name."""
        if transaction is None:
            return self.framing or self.choice.include_gtids is None
        if transaction is not self.transaction:
            self.transaction = transaction
            self.transaction_chosen = self.choose_transaction(transaction)
        return self.transaction_chosen

    def choose_transaction(self, transaction: Transaction) -> bool:
        """The same for a transaction that begins."""
        include, exclude = self.choice.include_gtids, self.choice.exclude_gtids
        if include is not None and not include.holds(transaction):
            return False
        return exclude is None or not exclude.holds(transaction)

    def takes_server(self, server_id: int) -> bool:
        """By the server that wrote the event."""
        if server_id not in self.servers:
            return False
        self.servers_seen.add(server_id)
        return True

    def takes_name(self, event: Event) -> bool:
        """By database and table; what names neither is taken."""
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
        """By the names in a table map; remembered for its plan, of which there is one for each definition."""
        known: bool | None = self.table_verdicts.get(plan)
        if known is None:
            database = plan.definition.database
            known = self.databases is None or self.databases.match(database)
            if known and self.tables is not None:
                known = self.tables.match(f"{database}.{plan.definition.table}")
            self.table_verdicts.keep(plan, known)
        return known

    def takes_statement(self, event: Query) -> bool:
        """By the default database; the frame of a transaction is always taken."""
        return event.query.startswith(KEYWORDS) or self.takes_database(event.db)

    def takes_database(self, name: str) -> bool:
        """By the name of a database alone."""
        known = self.verdicts.get(name)
        if known is None:
            known = self.databases is None or self.databases.match(name)
            if known and self.tables is not None:
                known = self.tables.match_database(name)
            if len(self.verdicts) >= NAMES_KEPT:
                self.verdicts.clear()
            self.verdicts[name] = known
        return known

    def takes_rows(self, event: Event) -> bool:
        """By what stands in its rows; what has none is not taken."""
        return self.rows is not None and isinstance(event, Rows) and self.rows.choose(event)

    # in the end -------------------------------------------------------------------------------------------------

    def remarks(self) -> list[str]:
        """What the user should know when all is read: filters that matched nothing, a start that was moved."""
        found = [*self.notes, *self.unmatched(), *self.lacking()]
        if not found and self.shown == 0 and self.problem() is None:
            found.append("no event matched all of the filters together")
        return found

    def problem(self) -> WhereError | None:
        """What makes the whole choice senseless: a column that no table has."""
        if self.rows is None or not self.rows.lacking:
            return None
        for column in self.rows.lacking.values():
            if column not in self.rows.found:
                hint = FORM if column.startswith("@") else "where the log names no columns write @N, or pass --schema"
                return WhereError(f"--where: no table here has a column {column}", hint=hint)
        return None

    def lacking(self) -> list[str]:
        """Which tables lack a column that others have."""
        if self.rows is None or self.problem() is not None:
            return []
        tables = list(self.rows.lacking)
        lines = []
        if tables:
            more = f" and {counted(len(tables) - 3, 'more table')}" if len(tables) > 3 else ""
            lines.append(f"--where: no rows of {', '.join(tables[:3])}{more}: a column is not there")
        if self.rows.matched == 0:
            lines.append("--where: no row matched")
        return lines

    def unmatched(self) -> list[str]:
        """A line for each filter that matched nothing."""
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

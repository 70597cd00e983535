"""Chooses events by the databases and tables that they are about, for `--database` and `--table`."""

from __future__ import annotations

from binlogcli.events.ddl import logged_statement
from binlogcli.events.event import Event
from binlogcli.events.load import Load
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows, TableMap
from binlogcli.log.boundaries import may_define, may_truncate, role_of
from binlogcli.log.context import LogContext
from binlogcli.log.roles import RELEASE_SAVEPOINT
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.select.patterns import Patterns, table_pattern

_NAMES_KEPT = 32768  # databases whose verdict is remembered


class NameChoice:
    """The databases and tables of a run. Rows are chosen by their table, most statements by their default database."""

    def __init__(self, databases: tuple[str, ...], tables: tuple[str, ...]) -> None:
        patterns = tuple(table_pattern(text) for text in tables)
        self.databases = Patterns("--database", databases) if databases else None
        self.tables = Patterns("--table", patterns, qualified=True) if tables else None
        self.spares_definitions = False  # whether statements about whole tables are chosen in any database
        self.verdicts: dict[str, bool] = {}
        self.table_verdicts: PlanCache[bool] = PlanCache()

    def takes(self, event: Event, context: LogContext) -> bool:
        """Return whether an event is chosen by its database and table; one that names neither is."""
        if isinstance(event, TableMap):
            return self.takes_table(event.plan)
        if isinstance(event, Rows):
            return event.plan is None or self.takes_table(event.plan)
        if isinstance(event, Query):
            return self.takes_statement(event, context)
        if isinstance(event, Load):
            return self.takes_database(event.db)
        return True

    def names(self, event: Event) -> bool:
        """Return whether an event is about a table or database: one that is not is chosen only for others' sake."""
        if isinstance(event, Query):
            query = event.query
            return role_of(query, 0, len(query)) < RELEASE_SAVEPOINT
        return isinstance(event, Rows | TableMap | Load)

    def takes_table(self, plan: TablePlan) -> bool:
        """Return whether a table is chosen; the answer is kept for its plan."""
        known: bool | None = self.table_verdicts.get(plan)
        if known is None:
            known = self.matches(plan.definition.database, plan.definition.table)
            self.table_verdicts.keep(plan, known)
        return known

    def matches(self, database: str, table: str) -> bool:
        """Return whether a table is chosen by its names."""
        if self.databases is not None and not self.databases.match(database):
            return False
        return self.tables is None or self.tables.match(f"{database}.{table}")

    def takes_statement(self, event: Query, context: LogContext) -> bool:
        """Return whether a statement is chosen; transaction control always is.

        With `--table`, a statement that defines, drops or empties tables is chosen by these. The tables of other
        statements are not looked for: views, triggers and routines change tables that no text names.
        """
        query = event.query
        size = len(query)
        if role_of(query, 0, size) >= RELEASE_SAVEPOINT:
            return True
        defines = may_define(query, 0, size) or may_truncate(query, 0, size)
        if self.spares_definitions and defines:
            return True
        if defines and self.tables is not None:
            tables = self.defined_tables(event, context)
            if tables:
                return any(self.matches(database, table) for database, table in tables)
        return self.takes_database(event.db)

    def defined_tables(self, event: Query, context: LogContext) -> list[tuple[str, str]]:
        """Return the tables that a statement creates, changes, drops or empties, as far as its text can be read."""
        from binlogcli.schema.definitions import Definitions  # only with --table
        from binlogcli.schema.replay import replay
        from binlogcli.schema.sql.tokens import Unreadable

        statement = logged_statement(event, context, "")
        try:
            return replay(statement.text, Definitions(), statement.session)
        except Unreadable as error:
            return list(error.tables)

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

    def unmatched(self) -> list[str]:
        """Return a line for each pattern that matched nothing."""
        return [
            f"{patterns.option} {text}: {what}"
            for patterns, what in ((self.databases, "nothing matched"), (self.tables, "no rows of this table"))
            if patterns is not None
            for text in patterns.texts
            if text in patterns.unmatched
        ]

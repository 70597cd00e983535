"""Which definition of which table holds at the place that a log has been read to.

The definitions come from schema files and from the statements of the logs, which are replayed in their order. A table
map that does not fit is not completed, and a warning names it once for each definition: a later map may fit again.
What the map itself tells always comes first.

Logs are one history as long as each is the next one of the server by its name. Behind a gap, which is a missing log or
damage, definitions are used where they fit, and a warning says so; a damaged statement's tables are unknown. The logs
of another server start anew, from the schema files alone: those with another server id, another name, or an earlier
number than the log before.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.completion import AssumedSigns, complete_columns
from binlogcli.sources.log_names import cannot_follow, follows, without_packed_ending

if TYPE_CHECKING:
    from binlogcli.schema.definitions import Definitions, Name
    from binlogcli.schema.logged_statement import LoggedStatement
    from binlogcli.schema.pending import PendingStatements
    from binlogcli.schema.sql.charsets import Charset
    from binlogcli.schema.table import ForeignKey, SchemaTable, Trigger

_MOST_WAITING = 4096  # statements that are not executed yet


class Catalog:
    """The tables by name, as they are at the place that the log has been read to.

    `unsigned` are integer columns that the user takes to be UNSIGNED, as DATABASE.TABLE.COLUMN. Modules that read
    statements are imported with the first one: most logs have none.
    """

    def __init__(
        self, baseline: Definitions | None = None, warnings: Sequence[str] = (), unsigned: Sequence[str] = ()
    ) -> None:
        self.warnings = list(warnings)
        self.file = ""  # that is being read
        self.most_waiting = _MOST_WAITING
        self.made_by: dict[Name, LoggedStatement] | None = None  # the last statement of each table; None: not kept
        self._baseline = baseline
        self._definitions = None if baseline is None else baseline.copy()
        self._children: dict[Name, list[tuple[str, ForeignKey]]] = {}
        self._unfit: dict[Name, SchemaTable] = {}
        self._unreadable: dict[Name, str] = {}  # why tables are unknown, until a warning has said so
        self._assumed = AssumedSigns(unsigned)
        self._later: dict[object, Mapping[Name, SchemaTable]] = {}  # what the files tell of tables after a statement
        self._pending: PendingStatements | None = None
        self._asked: set[str] = set()  # what `catch_up` was called with, here and in copies, where statements waited
        self._server: int | None = None  # whose log was read last
        self._broken_off = False  # the log at hand does not follow the one before
        self._unrelated = False  # and is not one of the later ones of its server
        self._gap = ""  # why statements may be missing before the place at hand
        self._before_gap: set[Name] = set()  # tables whose definitions are from before that
        self._damaged = ""  # the last log in which that was damage

    @classmethod
    def read(cls, paths: Iterable[str], unsigned: Sequence[str] = ()) -> Catalog:
        """Return what these files hold, with a warning for each statement that could not be read."""
        paths = list(paths)
        if not paths:
            return cls(unsigned=unsigned)
        from binlogcli.schema.dump_file import read_definitions  # takes 15 ms to import

        warnings: list[str] = []
        return cls(read_definitions(paths, warnings).take_as_given(), warnings, unsigned)

    def afresh(self) -> Catalog:
        """Return a catalog that knows what the files tell, and has seen no log yet."""
        return Catalog(self._baseline, self.warnings, self._assumed.names())

    def walk_back(self, statements: Sequence[LoggedStatement], restarts: Collection[int]) -> None:
        """Take the files to be of the place after these statements of the logs, and begin before the first of them.

        `restarts` are the indexes of statements before which the server was started anew.
        """
        from binlogcli.schema.backward.walk import walk_back

        if self._baseline is None:
            return
        past = walk_back(self._baseline, statements, restarts)
        past.start.triggers = self._baseline.triggers  # those of later are taken to be there from the start on
        self._baseline = past.start.take_as_given()
        self._definitions = self._baseline.copy()
        self._later = {_mark_of(one): found for at, one in enumerate(statements) if (found := past.after(at))}

    def keep_statements(self) -> None:
        """Keep the statements that make tables from here on, for `statement_of`."""
        if self.made_by is None:
            self.made_by = {}

    def copy(self) -> Catalog:
        """Return a catalog that knows what this one does, and continues by itself.

        Statements that wait here are executed before the next copy is made if this one had to execute them.
        """
        for table in list(self._asked):
            self.catch_up(table)
        self._asked.clear()
        made = Catalog(self._baseline, self.warnings)
        made.file = self.file
        made.made_by = None if self.made_by is None else dict(self.made_by)
        made._definitions = None if self._definitions is None else self._definitions.copy()
        made._unfit = dict(self._unfit)
        made._unreadable = dict(self._unreadable)
        made._assumed = self._assumed.copy()
        made._later = self._later
        made._pending = None if self._pending is None else self._pending.copy()
        made._asked = self._asked
        made._server, made._broken_off = self._server, self._broken_off
        made._unrelated = self._unrelated
        made._gap, made._damaged, made._before_gap = self._gap, self._damaged, set(self._before_gap)
        return made

    def remarks(self) -> list[str]:
        """Return the lines to print at the end: warnings, and columns that were taken to be unsigned in vain."""
        return self.warnings + self._assumed.remarks()

    @property
    def has_files(self) -> bool:
        """Whether there are schema files: only they tell of tables that no statement of the logs has defined."""
        return self._baseline is not None

    @property
    def gap(self) -> str:
        """Why statements may be missing before the place at hand; empty where none are known to be."""
        return self._gap

    # in the order of the logs ---------------------------------------------------------------------------------

    def begin_log(self, file: str) -> None:
        """Begin a log: the definitions so far hold in it if it is the next one of the same server."""
        self._broken_off = bool(self.file) and not follows(file, self.file)
        if self._broken_off:
            self.catch_up()
        self.file, before = file, self.file
        self._unrelated = self._broken_off and cannot_follow(file, before)
        if self._broken_off and self._definitions is not None:
            self._miss(f"{file} does not follow {before}", self._definitions)

    def begin_server(self, server_id: int, *, restarted: bool) -> None:
        """Take in a format description: the server that writes, and whether it was started anew."""
        if self._broken_off:
            self.catch_up()
        if self._unrelated or (self._broken_off and server_id != self._server):
            self._definitions = None if self._baseline is None else self._baseline.copy()
            self._gap = ""
        elif self._definitions is not None:
            if self._broken_off:
                self._definitions.doubt()
            if restarted or self._broken_off:
                self._definitions.restart()
        self._broken_off = self._unrelated = False
        self._server = server_id

    def begin_history(self) -> None:
        """Take in that the server has executed no transaction before: there are no tables but its own."""
        if self._baseline is None and self._definitions is None and self._pending is None:
            self._start().complete = True

    def take(self, statement: LoggedStatement) -> Collection[str]:
        """Take in a statement, which is executed when one of its tables is asked for.

        Returns the names of tables, in lower case and without databases, whose definitions it may change.
        """
        if self._pending is None:
            from binlogcli.schema.pending import PendingStatements

            self._pending = PendingStatements(self.most_waiting)
        if not self._later and (self._definitions is None or not self._definitions.temporary(statement.session.thread)):
            names = self._pending.add(statement)
            if names:
                return names
        self.catch_up()
        return {table.lower() for _, table in self.execute(statement)}

    def catch_up(self, table: str = "") -> None:
        """Execute the statements that wait: those which the definition of a table depends on, or all."""
        if self._pending is not None:
            taken = self._pending.take(table) if table else self._pending.take_all()
            if taken:
                self._asked.add(table)
            for statement in taken:
                self.execute(statement)

    def execute(self, statement: LoggedStatement) -> list[Name]:
        """Execute a statement of the log and return the tables whose definitions it may have changed."""
        from binlogcli.schema.replay import replay
        from binlogcli.schema.sql.tokens import Unreadable

        self._children.clear()
        definitions = self._definitions or self._start()
        try:
            changed = replay(statement.text, definitions, statement.session)
        except Unreadable as error:
            place = statement.place
            reason = f"the statement at {place.position} of {place.file} was not understood: {error}"
            if not self._later and self.has_files:
                reason += "; if the --schema files are newer than the logs, pass --schema-at end"
            self._unreadable |= dict.fromkeys(error.tables, reason)
            changed = error.tables
        for name, table in self._later.get(_mark_of(statement), {}).items():
            definitions.put(name, table)
            definitions.take_as_given([name])
            changed.append(name)
        if self._gap:
            created = statement.text[:6].lower() in {"create", b"create"}
            (self._before_gap.difference_update if created else self._before_gap.update)(changed)
        if self.made_by is not None:
            self.made_by |= dict.fromkeys(changed, statement)
        for name in changed if self._unreadable else ():
            if definitions.tables.get(name) is not None:
                self._unreadable.pop(name, None)
        return changed

    def lose(self, where: str) -> Collection[str]:
        """Take in a stretch of the log at hand that cannot be read.

        Returns the tables, in lower case, that are known with a warning from here on.
        """
        self.catch_up()
        definitions = self._definitions
        if definitions is None:
            return ()
        definitions.doubt()
        if self._damaged == self.file:  # one warning a log
            return ()
        self._damaged = self.file
        self._miss(where, definitions)
        return {table.lower() for _, table in definitions.tables}

    def lose_statement(self, where: str, statement: LoggedStatement) -> list[Name]:
        """Take in a damaged statement, one that has failed; return its tables, which are not known from here on."""
        changed = self.execute(statement)
        self._unreadable |= dict.fromkeys(changed, f"{where}: the statement there cannot be read")
        return changed

    def _miss(self, why: str, definitions: Definitions) -> None:
        self._gap = why
        self._before_gap = set(definitions.tables)

    def doubt(self) -> None:
        """Take in that statements may be missing here: tables may have been created that were known not to be there."""
        self.catch_up()
        if self._definitions is not None:
            self._definitions.doubt()

    def why_unknown(self, name: Name) -> str:
        """Return which statement that was not understood made a table unknown; empty for other reasons."""
        return self._unreadable.get(name, "")

    def default_charset(self, database: str) -> Charset:
        """Return a database's default character set; empty where it is not known."""
        self.catch_up()
        return (self._definitions or self._start()).database_charset(database)

    def _start(self) -> Definitions:
        from binlogcli.schema.definitions import Definitions

        self._definitions = Definitions()
        return self._definitions

    # what holds here ------------------------------------------------------------------------------------------

    @property
    def tables(self) -> Mapping[Name, SchemaTable | None]:
        """All tables by database and name; None for one whose definition is not known."""
        self.catch_up()
        return {} if self._definitions is None else self._definitions.tables

    def knows(self, name: Name) -> bool:
        """Whether there is a definition of this very table."""
        self.catch_up()
        return self._definitions is not None and self._definitions.tables.knows(name)

    def find(self, database: str, table: str) -> SchemaTable | None:
        """Return the table of that name in that database, else one that was given without a database, or None."""
        self.catch_up(table)
        definitions = self._definitions
        return None if definitions is None else definitions.get(definitions.resolve((database, table)))

    def children(self, database: str, table: str) -> list[tuple[str, ForeignKey]]:
        """Return the foreign keys that refer to a table and act, each with the name of its own table."""
        self.catch_up()
        name = (database, table)
        if name not in self._children:
            tables = [] if self._definitions is None else self._definitions.tables.with_foreign_keys()
            self._children[name] = [
                (f"{child.database or database}.{child.table}", key)
                for child in tables
                for key in child.foreign_keys
                if key.acts and key.table == table and (key.database or child.database or database) == database
            ]
        return self._children[name]

    def is_given(self, database: str, table: str) -> bool:
        """Whether the schema files have this table."""
        return self._baseline is not None and self._baseline.get((database, table)) is not None

    def triggers(self, database: str, table: str) -> tuple[Trigger, ...]:
        """Return the triggers of a table that schema files and the statements of the logs tell of."""
        self.catch_up(table)
        return () if self._definitions is None else self._definitions.triggers.of((database, table))

    def complete(self, definition: TableDefinition, position: int) -> Collection[str]:
        """Add to a table of the log at hand what the log does not tell; warn once where a definition does not fit.

        Returns the names of tables, in lower case, that are unknown by what the name of this one shows.
        """
        unknown: Collection[str] = ()
        self.catch_up(definition.table)
        definitions = self._definitions
        if definitions is not None:
            name, unknown = self._kept_as(definition, definitions, position)
            table = definitions.get(name)
            if table is not None:
                self._complete_from(table, definition, position)
            elif name in self._unreadable and not definition.named:
                reason = self._unreadable.pop(name)
                self.warnings.append(
                    f"{self.file}: at {position}: the columns of {'.'.join(name)} are unknown: {reason}"
                )
        self._assumed.apply(definition)
        return unknown

    def _kept_as(
        self, definition: TableDefinition, definitions: Definitions, position: int
    ) -> tuple[Name, Collection[str]]:
        """Return the name under which a table of the log is kept, and the tables that change by what it shows."""
        unknown: Collection[str] = ()
        name = (definition.database, definition.table)
        if not definitions.case_matters and "".join(name) != "".join(name).lower():
            self.catch_up()
            unknown = {table.lower() for _, table in definitions.tell_cases_apart()}
        name = definitions.resolve(name)
        if definitions.uncertain.get(name) is not None and definitions.get(name) is None:
            return name, {*unknown, *self._bring_back(name, definition, definitions, position)}
        return name, unknown

    def _bring_back(
        self, name: Name, definition: TableDefinition, definitions: Definitions, position: int
    ) -> Collection[str]:
        """Take a table to be there that was perhaps removed, if it fits; return the tables that change (lower case)."""
        from binlogcli.schema.evidence import fitting

        self.catch_up()
        removal = definitions.uncertain.get(name)
        if removal is None or not removal.table.is_exact or fitting(removal.table, definition)[0] is None:
            return ()
        became = "removed" if removal.new is None else f"renamed to {'.'.join(removal.new)}"
        self.warnings.append(
            f"{self.file}: at {position}: table {'.'.join(name)} still exists: the statement by which it was "
            f"{became} did not change it"
        )
        return {table.lower() for _, table in definitions.bring_back(name)}

    def statement_of(self, definition: TableDefinition) -> LoggedStatement | None:
        """Return the statement that made what is known of a table; None if there is none or it is not kept."""
        if not self.made_by or self._definitions is None:
            return None
        name = self._definitions.resolve((definition.database, definition.table))
        return None if self._definitions.get(name) is None else self.made_by.get(name)

    def misfit(self, definition: TableDefinition, position: int) -> tuple[Name, str]:
        """Return the name under which a table of the log is kept, and why what is known of it does not fit, or ""."""
        self.catch_up(definition.table)
        if self._definitions is None:
            return (definition.database, definition.table), ""
        name, _ = self._kept_as(definition, self._definitions, position)
        table = self._definitions.get(name)
        if table is None:
            return name, ""
        from binlogcli.schema.evidence import fitting

        found, reason = fitting(table, definition)
        return name, reason if found is None else ""

    def _complete_from(self, table: SchemaTable, definition: TableDefinition, position: int) -> None:
        from binlogcli.schema.evidence import fitting

        found, reason = fitting(table, definition)
        if found is None:
            self._warn_of_misfit(table, definition, position, reason)
            return
        if self._definitions is not None:
            self._definitions.uncertain.settle((table.database, table.table))
        if self._gap and not table.given and (table.database, table.table) in self._before_gap:
            self.warnings.append(f"{self._gap}: column names from before are used where their types match")
            self._gap = ""
        if not definition.named and all(column.name for column in found.columns):
            definition.names_from = "schema" if table.given else "ddl"
        complete_columns(found, definition)
        if definition.optional.primary_key is None:
            key = found.row_key_parts([column.nullable for column in definition.columns])
            definition.known_key = key if key or found.keys_known else None

    def _warn_of_misfit(self, table: SchemaTable, definition: TableDefinition, position: int, reason: str) -> None:
        name = (definition.database, definition.table)
        if self._unfit.get(name) is not table:
            self._unfit[name] = table
            self.warnings.append(
                f"{self.file}: at {position}: the known definition of table {'.'.join(name)} does not match it and "
                f"is not used ({reason})"
            )


def _mark_of(statement: LoggedStatement) -> object:
    """Return what tells a statement of the logs from all others, in whatever folder its log is read, packed or not."""
    name = without_packed_ending(os.path.basename(statement.place.file))
    return statement.place._replace(file=name), statement.text

"""What the statements of logs have made of definitions, one after another, and since when each table is as it is.

history = DefinitionHistory(catalog)
change = history.record(statement, catalog.execute(statement))  # None where no table changed
...
for name, state in history.tables(): ...
"""

from __future__ import annotations

import pickle
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.catalog import Catalog
from binlogcli.schema.definitions import Name
from binlogcli.schema.logged_statement import LoggedStatement, Place
from binlogcli.schema.table import SchemaTable

_CONDITIONAL = re.compile(r"create\s[^(]*\sif\s+not\s+exists\b", re.IGNORECASE)
_LONGEST_HEAD = 256  # characters before the name of a table
ADDED, CHANGED, REMOVED, UNKNOWN, TRUNCATED = "added", "changed", "removed", "unknown", "truncated"


class LoggedColumns:
    """What a log says of a table's columns; a log may have tens of thousands of tables."""

    def __init__(self, definition: TableDefinition) -> None:
        columns = [column.as_dict(mariadb=definition.mariadb) for column in definition.columns]
        self._packed = zlib.compress(pickle.dumps(columns), 1)

    def columns(self) -> list[dict[str, object]]:
        """Return a description of each column, as in JSON."""
        found: list[dict[str, object]] = pickle.loads(zlib.decompress(self._packed))  # noqa: S301 - made above
        return found


class TableState(NamedTuple):
    """A table's definition, from which place on it holds, and why it is not known where it is None."""

    table: SchemaTable | None
    since: Place | None  # None: before the first statement, as a schema file has it
    reason: str = ""
    logged: LoggedColumns | None = None  # of one that is not known


class TableChange(NamedTuple):
    """What a statement has made of one table. A table that gets another name is removed, and added by the new one."""

    name: Name
    kind: str
    state: TableState


class Change(NamedTuple):
    """A statement, and the tables whose definitions it may have changed, or that it truncated.

    There are none of a damaged statement whose tables cannot be identified.
    """

    statement: LoggedStatement
    tables: tuple[TableChange, ...]


class DefinitionHistory:
    """Follows a catalog: what it is given are the statements that the catalog has executed, in their order."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._since: dict[Name, Place | None] = {}  # of the known tables; the catalog has their definitions
        self._unknown: dict[Name, TableState] = {}
        self._seen: dict[Name, TableState] = {}  # by their rows: tables of no or another definition
        self.take_over()

    def take_over(self) -> None:
        """Take in that the catalog may have begun anew, as it does with the logs of another server."""
        before = self._since.keys() | self._unknown.keys()
        names = list(self._catalog.tables)
        self._since = {name: self._since.get(name) for name in names if self._catalog.knows(name)}
        self._unknown = {
            name: self._unknown.get(name) or TableState(None, None) for name in names if name not in self._since
        }
        if not before <= set(names):
            self._seen.clear()

    def record(self, statement: LoggedStatement, names: Iterable[Name]) -> Change | None:
        """Record what a statement has made of these tables; None where that is nothing."""
        times = Counter(names)
        passing = {name for name in times if times[name] > 1 and self._is_absent(name)}  # as the third name of a swap
        found = [self._changed(name, statement) for name in times if name not in passing]
        return Change(statement, tuple(found)) if found or statement.damaged else None

    def record_truncation(self, statement: LoggedStatement, names: Iterable[Name]) -> Change:
        """Record a statement that has removed the rows of these tables, and left their definitions as they are."""
        found = (TableChange(name, TRUNCATED, self._state(name)) for name in names)
        return Change(statement, tuple(found))

    def _is_absent(self, name: Name) -> bool:
        return name not in self._since and name not in self._unknown and name not in self._catalog.tables

    def see_rows(self, definition: TableDefinition, place: Place) -> None:
        """Take in that the log writes rows of a table at a place: what is known of it may not fit them."""
        name, reason = self._catalog.misfit(definition, place.position)
        if reason:
            reason = f"its rows there do not match its known definition: {reason}"
            self._seen[name] = TableState(None, place, reason, LoggedColumns(definition))
        elif name in self._catalog.tables:
            self._seen.pop(name, None)
            if not self._catalog.knows(name):
                if (state := self._unknown.get(name)) is not None:
                    self._unknown[name] = state._replace(logged=LoggedColumns(definition))
            elif name not in self._since:  # it was not removed, as these show
                state = self._unknown.pop(name, None)
                self._since[name] = place if state is None else state.since
        elif name not in self._seen and ("", name[1]) not in self._catalog.tables:
            reason = "it has rows there, but no earlier statement defines it"
            self._seen[name] = TableState(None, place, reason, LoggedColumns(definition))

    def _changed(self, name: Name, statement: LoggedStatement) -> TableChange:
        was_known = name in self._since
        self._since.pop(name, None)
        was_unknown = self._unknown.pop(name, None)
        self._seen.pop(name, None)
        if name not in self._catalog.tables:
            return TableChange(name, REMOVED, TableState(None, statement.place))
        table = self._catalog.tables[name]
        if table is not None:
            self._since[name] = statement.place
            kind = CHANGED if was_known or was_unknown else ADDED
            return TableChange(name, kind, TableState(table, statement.place))
        state = was_unknown  # it is unknown since then
        if state is None:
            reason = self._why_unknown(name, statement, is_first=not was_known)
            state = TableState(None, statement.place, reason)
        self._unknown[name] = state
        return TableChange(name, UNKNOWN, state)

    def _why_unknown(self, name: Name, statement: LoggedStatement, *, is_first: bool) -> str:
        if reason := self._catalog.why_unknown(name):
            return reason
        place = f"the statement at {statement.place.position} of {statement.place.file}"
        if statement.session.failed:
            return f"{place} failed, and may have changed it partly"
        if is_first and _is_conditional(statement.text):
            return f"{place} has IF NOT EXISTS, and no earlier statement shows whether the table already existed"
        if is_first:
            return f"{place} defines only a part of it, and no earlier statement the rest"
        return f"{place} depends on a definition that is not fully known"

    def tables(self) -> Iterator[tuple[Name, TableState]]:
        """Yield all tables by database and name, with what holds of them."""
        for name in sorted({*self._seen, *self._catalog.tables}):
            yield name, self._seen.get(name) or self._state(name)

    def _state(self, name: Name) -> TableState:
        if self._catalog.knows(name):
            return TableState(self._catalog.tables[name], self._since.get(name))
        if name in self._since:
            return TableState(None, None, "a statement changed a table whose name differs only in upper and lower case")
        return self._unknown.get(name) or TableState(None, None)


def _is_conditional(text: str | bytes) -> bool:
    """Whether a statement is CREATE TABLE IF NOT EXISTS: it is logged also where it has done nothing."""
    head = text[:_LONGEST_HEAD] if isinstance(text, str) else text[:_LONGEST_HEAD].decode("latin-1")
    return _CONDITIONAL.match(head) is not None

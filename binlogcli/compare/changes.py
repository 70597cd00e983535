"""What a transaction does, change by change, read again from its log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from binlogcli.compare.logged_transaction import LoggedTransaction
from binlogcli.compare.meaning import SETTINGS, heading_of, load_of, meaning_of, settings_of, without_file
from binlogcli.events.event import Event
from binlogcli.events.load import ExecuteLoadQuery, FileBlock, Load
from binlogcli.events.statements import Intvar, Query, Rand, UserVar
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import role_of
from binlogcli.log.context import LogContext
from binlogcli.log.gaps import Damage
from binlogcli.log.roles import BEGIN, COMMIT, RELEASE_SAVEPOINT, ROLLBACK, SAVEPOINT
from binlogcli.names.variables import INTVAR_TYPES
from binlogcli.rows.plan import TablePlan
from binlogcli.select.by_name import NameChoice

_FRAMES = (BEGIN, COMMIT, ROLLBACK, SAVEPOINT, RELEASE_SAVEPOINT)
Image = dict[str, Any]


class RowChange(NamedTuple):
    """A changed row: its values before and after the change, by the names of columns."""

    plan: TablePlan
    operation: str
    before: Image | None
    after: Image | None

    @property
    def table(self) -> str:
        """The table with its database."""
        return f"{self.plan.definition.database}.{self.plan.definition.table}"


class StatementChange(NamedTuple):
    """A statement with what its meaning depends on: session variables, values of variables, files."""

    text: str | bytes
    query: bytes
    settings: dict[str, object]
    variables: tuple[str, ...]


Change = RowChange | StatementChange


class RowBlock:
    """The rows of an event, which are decoded only if they differ from those of the other side."""

    def __init__(self, event: Rows) -> None:
        self._event = event

    def same(self, other: RowBlock) -> bool:
        """Return whether both have the same bytes, of one table with the same types and columns."""
        one, two = self._event, other._event
        if one.rows_end - one.rows_start != two.rows_end - two.rows_start or heading_of(one) != heading_of(two):
            return False
        rows = memoryview(one.row_data)[one.rows_start : one.rows_end]
        return rows == memoryview(two.row_data)[two.rows_start : two.rows_end]

    def rows(self) -> Iterator[RowChange]:
        """Yield the rows. Raises `UnreadableError`."""
        event = self._event
        if event.plan is None:
            return
        for row in event.rows:
            yield RowChange(event.plan, event.operation_name, row.before, row.after)
        if event.damage is not None:
            raise UnreadableError(event.damage.reason)


class UnreadableError(Exception):
    """A part of a transaction cannot be read."""


def changes_of(
    events: Iterable[tuple[Event | Damage, LogContext]], work: LoggedTransaction, names: NameChoice | None
) -> Iterator[RowBlock | StatementChange]:
    """Yield the changes of a transaction's events but those that it has taken back. Raises `UnreadableError`."""
    reader = _ChangeReader(names)
    undone = iter(sorted(work.undone))
    start, end = next(undone, (0, 0))
    for number, (event, context) in enumerate(events, 1):
        if isinstance(event, Damage):
            raise UnreadableError(event.reason)
        while end and number > end:
            start, end = next(undone, (0, 0))
        if not start <= number <= end or not end:
            yield from reader.read(event, context)


class _ChangeReader:
    """Reads the changes out of events; variables and files are kept for the statement after them."""

    def __init__(self, names: NameChoice | None) -> None:
        self._names = names
        self._variables: list[str] = []
        self._file: Any = None

    def read(self, event: Event, context: LogContext) -> Iterator[RowBlock | StatementChange]:
        """Yield the changes of an event."""
        if isinstance(event, Rows):
            if self._names is None or self._names.takes(event, context):
                yield RowBlock(event)
        elif isinstance(event, Query):
            yield from self._statement(event, context)
        elif isinstance(event, FileBlock):
            self._file = self._file or hashlib.sha256()
            self._file.update(event.block)
        elif isinstance(event, Load):
            text = load_of(event).decode("utf-8", "surrogateescape")
            yield StatementChange(text, text.encode("utf-8", "surrogateescape"), {}, ())
        elif isinstance(event, Intvar | Rand | UserVar):
            self._variables.append(_variable_text(event))

    def _statement(self, event: Query, context: LogContext) -> Iterator[StatementChange]:
        role = role_of(event.query, 0, len(event.query))
        if role in _FRAMES:
            return
        if self._file is not None:
            self._variables.append(f"file {self._file.hexdigest()[:32]}")
            self._file = None
        if self._names is None or self._names.takes(event, context):
            text = event.text
            query = without_file(event) if isinstance(event, ExecuteLoadQuery) else meaning_of(event.query)
            settings = dict(zip(SETTINGS, settings_of(event), strict=True)) if role < RELEASE_SAVEPOINT else {}
            yield StatementChange(event.query if text is None else text, query, settings, tuple(self._variables))
        self._variables.clear()


def _variable_text(event: Event) -> str:
    """Return a variable of the next statement, with all that its meaning depends on."""
    if isinstance(event, Intvar):
        return f"{INTVAR_TYPES.get(event.kind, event.kind)}={event.val}"
    if isinstance(event, Rand):
        return f"RAND seeds {event.seed1} and {event.seed2}"
    if isinstance(event, UserVar):
        return f"@{event.name}={event.value()!r} (type {event.kind}, collation {event.charset_number})"
    return ""

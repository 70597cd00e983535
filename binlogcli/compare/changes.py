"""What a transaction does, change by change, read again from its log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from binlogcli.compare.transactions import SETTINGS, load_of, settings_of, variable_of, without_file
from binlogcli.events.event import Event
from binlogcli.events.load import ExecuteLoadQuery, FileBlock, Load
from binlogcli.events.statements import Intvar, Query, Rand, UserVar
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import role_of
from binlogcli.log.context import LogContext
from binlogcli.log.gaps import Damage
from binlogcli.log.roles import BEGIN, COMMIT, ROLLBACK
from binlogcli.rows.plan import TablePlan
from binlogcli.select.by_name import NameChoice

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


class UnreadableError(Exception):
    """A part of a transaction cannot be read."""


def changes_of(events: Iterable[tuple[Event | Damage, LogContext]], names: NameChoice | None) -> Iterator[Change]:
    """Yield the changes of a transaction's events. Raises `UnreadableError`."""
    variables: list[str] = []
    file = None
    for event, context in events:
        if isinstance(event, Damage):
            raise UnreadableError(event.reason)
        if isinstance(event, Rows):
            yield from _rows_of(event, names)
        elif isinstance(event, Query):
            role = role_of(event.query, 0, len(event.query))
            if role in (BEGIN, COMMIT, ROLLBACK):
                continue
            if file is not None:
                variables.append(f"file {file.hexdigest()[:32]}")
                file = None
            if names is None or names.takes(event, context):
                yield _statement(event, tuple(variables))
            variables.clear()
        elif isinstance(event, FileBlock):
            file = file or hashlib.sha256()
            file.update(event.block)
        elif isinstance(event, Load):
            text = load_of(event).decode("utf-8", "surrogateescape")
            yield StatementChange(text, text.encode("utf-8", "surrogateescape"), {}, tuple(variables))
        elif isinstance(event, Intvar | Rand | UserVar):
            variables.append(variable_of(event).decode("utf-8", "backslashreplace"))


def _rows_of(event: Rows, names: NameChoice | None) -> Iterator[RowChange]:
    plan = event.plan
    if plan is None or (names is not None and not names.takes_table(plan)):
        return
    for row in event.rows:
        yield RowChange(plan, event.operation_name, row.before, row.after)
    if event.damage is not None:
        raise UnreadableError(event.damage.reason)


def _statement(event: Query, variables: tuple[str, ...]) -> StatementChange:
    text = event.text
    query = without_file(event) if isinstance(event, ExecuteLoadQuery) else event.query
    settings = dict(zip(SETTINGS, settings_of(event), strict=True))
    return StatementChange(event.query if text is None else text, query, settings, variables)

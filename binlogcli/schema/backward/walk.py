"""Walks a history of statements backward, for definitions that are known at its end alone.

    past = walk_back(end, statements)
    definitions = past.start
    for index, statement in enumerate(statements):
        replay(statement.text, definitions, statement.session)
        for name, table in past.after(index).items():
            definitions.put(name, table)

The statements are undone one by one from the last to the first, which gives the definitions at the start; a statement
that cannot be undone leaves its tables unknown before it. Replayed from that start, a statement that builds on what is
not known makes its table unknown, though the walk knows its later definition: that is what `after` returns. Tables that
are not among the definitions at the end are taken to be unknown, not absent: a dump may hold a part of a server.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from binlogcli.schema.backward.earlier import Earlier
from binlogcli.schema.backward.former import with_former_names
from binlogcli.schema.backward.statement import undo
from binlogcli.schema.definitions import Definitions, Name
from binlogcli.schema.logged_statement import LoggedStatement
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.tokens import Unreadable
from binlogcli.schema.sql.types import TYPES, Family
from binlogcli.schema.table import SchemaTable

_Tables = dict[Name, SchemaTable | None]
_WITH_COLLATION = frozenset(name for name, kind in TYPES.items() if kind.family in {Family.TEXT, Family.LABELS})


@dataclass(frozen=True, slots=True)
class Past:
    """The definitions at the start of a history, and what a replay from there does not find by itself."""

    start: Definitions
    _found: Mapping[int, Mapping[Name, SchemaTable]] = field(default_factory=dict)

    def after(self, index: int) -> Mapping[Name, SchemaTable]:
        """Return the definitions to put after the replay of the statement with that index."""
        return self._found.get(index, {})


def walk_back(end: Definitions, statements: Sequence[LoggedStatement], restarts: Collection[int] = ()) -> Past:
    """Return the definitions before the first of the statements, after which `end` holds.

    `restarts` are the indexes of statements before which the server was started anew.
    """
    temporary = _temporary_tables(statements, restarts)
    earlier = Earlier(end)
    afterwards: list[_Tables] = []
    for index in range(len(statements) - 1, -1, -1):
        statement = statements[index]
        afterwards.append(undo(statement.text, earlier, statement.session, temporary.get(index, ())))
    afterwards.reverse()
    found = _not_replayed(earlier.definitions(), statements, restarts, afterwards)
    return Past(earlier.definitions(), found)


def _temporary_tables(statements: Sequence[LoggedStatement], restarts: Collection[int]) -> dict[int, frozenset[Name]]:
    """Return the temporary tables that the connection of a statement had before it, where it had any."""
    definitions = Definitions()
    found: dict[int, frozenset[Name]] = {}
    for index, statement in enumerate(statements):
        if index in restarts:
            definitions.restart()
        if tables := definitions.temporary(statement.session.thread):
            found[index] = frozenset(tables)
        if tables or _may_be_temporary(statement.text):
            with suppress(Unreadable):
                replay(statement.text, definitions, statement.session)
    return found


def _may_be_temporary(text: str | bytes) -> bool:
    return (b"temporary" if isinstance(text, bytes) else "temporary") in text.lower()  # type: ignore[operator]


def _not_replayed(
    definitions: Definitions,
    statements: Sequence[LoggedStatement],
    restarts: Collection[int],
    afterwards: list[_Tables],
) -> dict[int, dict[Name, SchemaTable]]:
    """Replay the statements and return by index what is known after them and the replay does not find."""
    found: dict[int, dict[Name, SchemaTable]] = {}
    for index, statement in enumerate(statements):
        if index in restarts:
            definitions.restart()
        before = [definitions.get(name) for name in afterwards[index]]
        with suppress(Unreadable):
            replay(statement.text, definitions, statement.session)
        for name, table in afterwards[index].items():
            if table is None or definitions.is_absent(name):
                continue
            replayed = definitions.get(name)
            if replayed is None or _unknowns(table) < _unknowns(replayed):
                known = with_former_names(table, before, statement)
                definitions.put(name, known)
                found.setdefault(index, {})[name] = known
    return found


def _unknowns(table: SchemaTable) -> int:
    """Return how many facts of a table are not known."""
    count = 4 * len(table.unplaced) + (not table.keys_known) + (table.hashes is not None) + (not table.charset)
    for column in table.declared:
        count += 4 * (not column.type_name) + 4 * (not column.name)
        count += column.collation is None and column.type_name in _WITH_COLLATION
    return count

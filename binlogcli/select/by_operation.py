"""Chooses events by what they do to a table, for `--op`: rows by the type of their event, statements by their words."""

from __future__ import annotations

import re

from binlogcli.events.event import Event
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import role_of
from binlogcli.log.roles import RELEASE_SAVEPOINT
from binlogcli.names import event_types
from binlogcli.names.event_types import type_table
from binlogcli.rows.images import DELETE, UPDATE, WRITE

_LOADING = type_table(  # LOAD DATA in its pieces
    (
        event_types.LOAD_EVENT,
        event_types.NEW_LOAD_EVENT,
        event_types.CREATE_FILE_EVENT,
        event_types.APPEND_BLOCK_EVENT,
        event_types.EXEC_LOAD_EVENT,
        event_types.DELETE_FILE_EVENT,
        event_types.BEGIN_LOAD_QUERY_EVENT,
        event_types.EXECUTE_LOAD_QUERY_EVENT,
    )
)
OPERATIONS = ("insert", "update", "delete", "ddl")
_OF_ROWS = {WRITE: "insert", UPDATE: "update", DELETE: "delete"}
_OF_WORD = {
    **dict.fromkeys((b"insert", b"replace", b"load"), "insert"),
    b"update": "update",
    b"delete": "delete",
    **dict.fromkeys((b"create", b"alter", b"drop", b"rename", b"truncate", b"grant", b"revoke"), "ddl"),
}
# what may come before a statement's first word: white space, comments (whose conditional ones are read), WITH clauses
_FIRST_WORD = re.compile(
    rb"(?:[\s(]|--(?=\s)[^\n]*|\#[^\n]*|/\*(?!M?!)(?s:.*?)\*/|/\*M?!\d*)*+(?:set\s+statement\s.*?\sfor\s+)?([a-z]+)",
    re.IGNORECASE | re.DOTALL,
)
_FIRST_OF_WITH = re.compile(rb"\b(insert|replace|update|delete)\b", re.IGNORECASE)
_LOOKED_AT = 1 << 16  # bytes of a statement


class OperationChoice:
    """The operations of a run: some of `OPERATIONS`; none chooses everything."""

    def __init__(self, operations: tuple[str, ...]) -> None:
        self.operations = frozenset(operations)
        self.given = bool(operations)
        self.seen: set[str] = set()

    def takes(self, event: Event) -> bool:
        """Return whether rows or a statement are chosen; events that do nothing by themselves are."""
        if isinstance(event, Rows):
            return self.note(_OF_ROWS.get(event.operation, ""))
        if _LOADING[event.type_code]:
            return self.note("insert")
        if isinstance(event, Query):
            query = event.query
            return role_of(query, 0, len(query)) >= RELEASE_SAVEPOINT or self.note(operation_of_statement(query))
        return True

    def note(self, operation: str) -> bool:
        """Return whether an operation is chosen, and note that it was there."""
        if operation not in self.operations:
            return False
        self.seen.add(operation)
        return True

    def unmatched(self) -> list[str]:
        """Return a line for each operation that was not there."""
        return [f"--op {name}: nothing matched" for name in sorted(self.operations - self.seen)]


def operation_of_statement(text: bytes) -> str:
    """Return what a statement does, as one of `OPERATIONS`; "" for others, such as SET and ANALYZE."""
    head = text[:_LOOKED_AT]
    found = _FIRST_WORD.match(head)
    if found is None:
        return ""
    word = found[1].lower()
    if word == b"with":
        within = _FIRST_OF_WITH.search(head, found.end())
        return _OF_WORD[within[1].lower()] if within is not None else ""
    return _OF_WORD.get(word, "")

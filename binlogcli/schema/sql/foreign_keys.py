"""Reads foreign keys and triggers: what a server changes by itself, and an undo has to know of.

MySQL before 9.0 and MariaDB before 10.5 ignore the REFERENCES of a single column; it is read all the same, as no file
says which server it is for.
"""

from __future__ import annotations

import re

from binlogcli.schema.sql.columns import read_name
from binlogcli.schema.sql.tokens import SqlToken, TokenCursor, Unreadable, split, tokens
from binlogcli.schema.table import ForeignKey, Trigger

_ACTIONS = ("cascade", "set null", "set default")
_BODY = re.compile(rb"\bfor\s+each\s+row\b", re.IGNORECASE)
_TIMES = ("before", "after")
_EVENTS = ("insert", "update", "delete")
_OTHERS_WITH_DEFINER = frozenset(("view", "procedure", "function", "event", "sql", "aggregate", "package"))


def read_reference(cursor: TokenCursor, name: str, own_columns: tuple[str, ...]) -> ForeignKey:
    """Read what follows REFERENCES, up to where something else begins, and return the key of these columns."""
    database, parent = read_name(cursor)
    columns = column_names(cursor.group() or [])
    actions = {"delete": "", "update": ""}
    while cursor.more():
        if cursor.accept("match"):
            cursor.next()
        elif cursor.word() == "on" and cursor.word(1) in actions:
            cursor.next()
            event = cursor.next().text.lower()
            actions[event] = next((action.upper() for action in _ACTIONS if cursor.accept(action)), "")
            if not actions[event]:
                cursor.accept_any("no action", "restrict")
        else:
            break
    return ForeignKey(name, own_columns, database, parent, columns, actions["delete"], actions["update"])


def column_names(items: list[SqlToken]) -> tuple[str, ...]:
    """Return the names of columns that stand between commas."""
    return tuple(part[0].text for part in split(items))


def read_triggers(cursor: TokenCursor, database: str) -> list[Trigger]:
    """Read what follows CREATE, up to FOR EACH ROW, and return a trigger for each event; none for other statements.

    `database` is the one in which the statement was executed. Raises `Unreadable` for a trigger that is not understood.
    """
    ahead = cursor.copy()
    if ahead.accept("definer"):
        while ahead.more() and ahead.word() not in _OTHERS_WITH_DEFINER and not ahead.accept("trigger"):
            ahead.next()
        if not ahead.more() or ahead.word() in _OTHERS_WITH_DEFINER:
            return []
    elif not ahead.accept("trigger"):
        return []
    ahead.accept("if not exists")
    own, name = read_name(ahead)
    time, events = ahead.next().text.lower(), [_trigger_event(ahead)]
    while ahead.accept("or"):  # MariaDB 12
        events.append(_trigger_event(ahead))
    if time not in _TIMES or not ahead.accept("on"):
        raise Unreadable("it is not a readable trigger")
    owner, table = read_name(ahead)
    return [Trigger(owner or own or database, table, name, time.upper(), event) for event in events]


def _trigger_event(cursor: TokenCursor) -> str:
    event = cursor.next().text.lower()
    if event not in _EVENTS:
        raise Unreadable("it is not a readable trigger")
    if cursor.accept("of"):  # UPDATE OF column, ...
        while cursor.more() and cursor.word() not in {"or", "on"}:
            cursor.next()
    return event.upper()


def read_trigger(statement: bytes, database: str) -> list[Trigger]:
    """Return the triggers that a statement of a file creates while `database` is the current one."""
    body = _BODY.search(statement)
    if body is None:
        return []
    cursor = TokenCursor(tokens(statement[: body.start()]))
    cursor.accept("create")
    cursor.accept("or replace")
    return read_triggers(cursor, database)

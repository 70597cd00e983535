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


def read_trigger(statement: bytes, database: str) -> Trigger | None:
    """Return the trigger that a statement creates while `database` is the current one; None for other statements."""
    body = _BODY.search(statement)
    if body is None:
        return None
    cursor = TokenCursor(tokens(statement[: body.start()]))
    while cursor.more() and not cursor.accept("trigger"):
        cursor.next()
    cursor.accept("if not exists")
    own, name = read_name(cursor)
    time, event = cursor.next().text.lower(), cursor.next().text.lower()
    if time not in _TIMES or event not in _EVENTS or not cursor.accept("on"):
        raise Unreadable("it is no trigger that can be read")
    owner, table = read_name(cursor)
    return Trigger(owner or own or database, table, name, time.upper(), event.upper())

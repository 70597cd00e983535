"""Definitions and their changes as JSON, one object a line."""

from __future__ import annotations

from datetime import tzinfo

from binlogcli.binary.json_writer import json_bytes
from binlogcli.render.definitions.moments import place_data
from binlogcli.schema.definitions import Name
from binlogcli.schema.history import Change, TableState
from binlogcli.schema.sql.show import table_data

_THREAD = 0xFFFFFFFF  # of `Session.thread`; above it stands the server's id


def table_line(name: Name, state: TableState, zone: tzinfo | None) -> bytes:
    """Return the line of a table: its definition, and since when it holds, or why it is not known."""
    line = {"database": name[0], "table": name[1], "since": state.since and place_data(state.since, zone)}
    return json_bytes(line | _definition(state)) + b"\n"


def change_line(change: Change, zone: tzinfo | None) -> bytes:
    """Return the line of a statement, with what it has made of each table."""
    statement = change.statement
    line: dict[str, object] = {
        **place_data(statement.place, zone),
        "server_id": statement.session.thread >> 32,
        "thread_id": statement.session.thread & _THREAD,
        "database": statement.session.database,
        "tables": [
            {"database": one.name[0], "table": one.name[1], "change": one.kind} | _definition(one.state)
            for one in change.tables
        ],
    }
    if statement.damaged:
        line["damaged"] = True
    elif statement.session.failed:
        line["failed"] = True
    line["statement"] = statement.text
    return json_bytes(line) + b"\n"


def _definition(state: TableState) -> dict[str, object]:
    if state.table is not None:
        return {key: value for key, value in table_data(state.table).items() if key not in {"database", "table"}}
    found: dict[str, object] = {"unknown": state.reason} if state.reason else {}
    if state.logged is not None:
        found["columns_in_log"] = [
            {key: value for key, value in column.items() if key != "metadata"} for column in state.logged.columns()
        ]
    return found

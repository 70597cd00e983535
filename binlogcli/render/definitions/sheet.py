"""The changes of definitions as a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import tzinfo

from binlogcli.render.report.sheet_columns import CODE, FILE, LIST, TEXT, TIME, SheetColumn
from binlogcli.render.report.sheets import Sheet
from binlogcli.render.report.tables import draw_sheet
from binlogcli.schema.history import Change
from binlogcli.select.times import time_text

_COLUMNS = (
    SheetColumn("file", "file", FILE, 1),
    SheetColumn("position", "position", "position"),
    SheetColumn("time", "time", TIME),
    SheetColumn("gtid", "gtid", FILE, 3),  # its end is what differs
    SheetColumn("thread", "thread", "position", 4),
    SheetColumn("tables", "tables", LIST),
    SheetColumn("change", "change", TEXT, 2),
    SheetColumn("statement", "statement", CODE),
)
_BREAK = re.compile(r"\s*[\r\n]\s*")
_THREAD = 0xFFFFFFFF


def changes_table(changes: Iterable[Change], width: int, zone: tzinfo | None) -> str:
    """Return the table, fitted to `width` cells; 0 draws all of it in full. Nothing where there are no changes."""
    rows = [_row(change, zone) for change in changes]
    if not rows:
        return ""
    drawn, dropped = draw_sheet(Sheet("history", "history", "", _COLUMNS, rows), rows, width=width)
    note = f"\nHidden columns: {', '.join(dropped)}." if dropped else ""
    return f"{drawn}{note}\n"


def _row(change: Change, zone: tzinfo | None) -> dict[str, object]:
    statement = change.statement
    kinds = dict.fromkeys(one.kind for one in change.tables)
    text = statement.text if isinstance(statement.text, str) else statement.text.decode("utf-8", "backslashreplace")
    return {
        "file": statement.place.file,
        "position": statement.place.position,
        "time": time_text(statement.place.time, zone),
        "gtid": statement.place.gtid,
        "thread": statement.session.thread & _THREAD,
        "tables": [".".join(part for part in one.name if part) for one in change.tables],
        "change": ", ".join([*(["damaged statement"] if statement.damaged else []), *kinds]),
        "statement": _BREAK.sub(" ", text.strip()),
    }

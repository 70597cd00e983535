"""Sheets drawn as text by tabulate: fitted to the width of a terminal, in full, or as Markdown."""

from __future__ import annotations

import re
from typing import Any

from tabulate import tabulate

from binlogcli.render.escape import visible
from binlogcli.render.fitting import end_of, start_of
from binlogcli.render.report.cells import bar, exact, human
from binlogcli.render.report.sheet_columns import CODE, COMMAND, FILE, FLEXIBLE, GTID, RIGHT, SheetColumn
from binlogcli.render.report.sheets import Sheet, kind_of, telling

_GAP = 2  # blanks between two columns
_PADDING = 2  # cells that tabulate adds to a heading at least
_SHORTEST = {CODE: 28}  # cells that texts of a kind keep before columns are left out,
_SHORT = 12  # and those of other kinds
_MARKS = re.compile(r"[\\`*\[\]<>|&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # what Markdown takes for more than text
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def draw_sheet(
    sheet: Sheet, rows: list[dict[str, Any]], *, width: int, markdown: bool = False
) -> tuple[str, list[str]]:
    """Return the table, and the headings of columns that were left out. `width` is in cells; 0 draws all in full."""
    text = human if width else exact
    columns = [column for column in telling(sheet.columns, rows) if not width or column is not COMMAND]
    cells = {
        column.key: [visible(text(row.get(column.key), kind_of(sheet, column, row))) for row in rows]
        for column in columns
    }
    dropped: list[str] = []
    if width:
        if sheet.bar and rows:
            columns, cells = _with_bars(sheet, columns, cells, rows)
        columns, dropped = _fit(columns, cells, width)
    if markdown:
        cells = {key: [escaped(cell) for cell in values] for key, values in cells.items()}
    drawn = tabulate(
        [[cells[column.key][at] for column in columns] for at in range(len(rows))],
        headers=[column.heading for column in columns] if any(column.heading for column in columns) or markdown else (),
        tablefmt="github" if markdown else "simple" if any(column.heading for column in columns) else "plain",
        disable_numparse=True,
        colalign=["right" if column.kind in RIGHT else "left" for column in columns] if rows else None,
    )
    return "\n".join(line.rstrip() for line in drawn.split("\n")), dropped


def _with_bars(
    sheet: Sheet, columns: list[SheetColumn], cells: dict[str, list[str]], rows: list[dict[str, Any]]
) -> tuple[list[SheetColumn], dict[str, list[str]]]:
    """Return the columns and cells with a column of bars after the column that the bars show."""
    values = [float(row[sheet.bar]) for row in rows]
    drawn = SheetColumn("bar", "", "bar", 1)
    at = next(place for place, column in enumerate(columns) if column.key == sheet.bar)
    return [*columns[: at + 1], drawn, *columns[at + 1 :]], cells | {
        "bar": [bar(value, max(values)) for value in values]
    }


def _fit(columns: list[SheetColumn], cells: dict[str, list[str]], width: int) -> tuple[list[SheetColumn], list[str]]:
    """Leave out columns, then cut texts in `cells`, until the table fits; return the columns, and headings left out."""
    from rich.cells import cell_len  # only on a terminal

    dropped: list[str] = []
    kept = list(columns)
    while True:
        widths = {column.key: max([_head_len(column), *map(cell_len, cells[column.key])], default=0) for column in kept}
        over = sum(widths.values()) + _GAP * (len(kept) - 1) - width
        slack = {
            column.key: max(widths[column.key] - max(_SHORTEST.get(column.kind, _SHORT), _head_len(column)), 0)
            for column in kept
            if column.kind in FLEXIBLE
        }
        if over <= sum(slack.values()) or all(column.rank == 0 for column in kept):
            break
        last = max(kept, key=lambda column: column.rank)
        kept.remove(last)
        if last.heading:
            dropped.append(last.heading)
    while over > 0 and any(slack.values()):
        longest = max(slack, key=lambda key: slack[key])
        step = min(slack[longest], max(over // 2, 1))
        slack[longest] -= step
        widths[longest] -= step
        over -= step
    for column in kept:
        if column.kind in FLEXIBLE:
            cut = end_of if column.kind in (FILE, GTID) else start_of
            cells[column.key] = [cut(cell, widths[column.key], cell_len) for cell in cells[column.key]]
    return kept, dropped


def _head_len(column: SheetColumn) -> int:
    """Return the width of a column's heading in cells; headings are ASCII."""
    return len(column.heading) + _PADDING if column.heading else 0


def escaped(text: str) -> str:
    """Return text escaped for a Markdown table."""
    return _MARKS.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), text)

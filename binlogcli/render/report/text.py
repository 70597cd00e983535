"""The report of `stats` as text: tables for a terminal, Markdown, CSV, TSV, JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from binlogcli.render.escape import FORMULAS, visible, visible_json
from binlogcli.render.palette import BOLD, GREY, RED, RESET
from binlogcli.render.report.cells import exact
from binlogcli.render.report.chart import chart
from binlogcli.render.report.sheet_columns import TIME
from binlogcli.render.report.sheets import TABLES_BY_TIME, Sheet, kind_of, sheets
from binlogcli.render.report.story import in_order, leads

_PIECES = 10_000  # of JSON, written at once
_WITH_COMMANDS = 120  # columns from which a terminal gets the commands that show what is listed


class ReportStyle(NamedTuple):
    """How a report is drawn: `width` of the terminal (0: none), `top` rows of long tables, `painted` with colours.

    `raw_cells`: CSV and TSV for programs, with texts as they are where a spreadsheet would take them for formulas.
    """

    format: str
    top: int
    width: int = 0
    painted: bool = False
    raw_cells: bool = False


def draw(report: dict[str, Any], style: ReportStyle) -> Iterator[str]:
    """Yield the report in the style's format, piece by piece."""
    if style.format == "json":
        yield from _as_json(report)
    elif style.format in ("csv", "tsv"):
        yield as_fields(sheets(report), "," if style.format == "csv" else "\t", raw=style.raw_cells)
    else:
        yield _as_tables(report, style)


def _as_json(report: dict[str, Any]) -> Iterator[str]:
    """Yield the report as one JSON object with a key for each section; numbers are exact."""
    import json  # each form imports its own
    from itertools import islice

    pieces = json.JSONEncoder(ensure_ascii=False, indent=1).iterencode(report)
    while some := "".join(islice(pieces, _PIECES)):
        yield visible_json(some)
    yield "\n"


def as_fields(found: list[Sheet], delimiter: str, *, raw: bool) -> str:
    """Return a header and rows for each sheet, its name in the first column, an empty line between two sheets."""
    import csv
    import io

    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    for at, sheet in enumerate(found):
        if at:
            file.write("\n")
        writer.writerow(["section", *(column.key for column in sheet.columns)])
        for row in sheet.rows:
            cells = (_field(row.get(column.key), column.kind, raw=raw) for column in sheet.columns)
            writer.writerow([sheet.name, *cells])
    return file.getvalue()


def _field(value: Any, kind: str, *, raw: bool) -> str:
    """Return a value as a field; with an apostrophe before text that a spreadsheet would take for a formula."""
    text = visible(exact(value, kind))
    if raw or isinstance(value, int | float) or not text.startswith(FORMULAS):
        return text
    return "'" + text


def _as_tables(report: dict[str, Any], style: ReportStyle) -> str:
    """Return a heading and a table for each sheet, in the order in which people read them."""
    markdown = style.format == "markdown"
    width = 0 if markdown else style.width
    found = in_order(report)
    alone = len({sheet.section for sheet in found}) == 1
    parts = []
    if width and any(map(_tells_times, found)):
        parts.append(_paint(f"Times are in {report['timezone']}.", GREY, style))
    parts += ["\n".join(_wrapped(remark, width, indent="")) for remark in report.get("remarks", ()) if width]
    for sheet in found:
        plot: list[str] = []
        if sheet.name == "timeline" and width:
            plot = chart(sheet.rows, report["timeline"]["bucket_seconds"], width)
        lines = [_heading(sheet, style, markdown=markdown), *plot]
        if sheet.name == TABLES_BY_TIME and width:
            lines += _heat_map(report, style)
        if plot and not alone:  # the numbers would fill the screen
            lines.append(_paint("For the numbers, use --section timeline.", GREY, style))
        else:
            lines += _sheet_lines(sheet, style, width)
        parts.append("\n".join(lines))
    if width and not alone:
        parts += _next(report, style)
    return "\n\n".join(parts) + "\n"


def _sheet_lines(sheet: Sheet, style: ReportStyle, width: int) -> list[str]:
    """Return the table of a sheet and the notes below it."""
    from binlogcli.render.report.tables import draw_sheet  # imports tabulate

    rows = _rows_shown(sheet, style)
    notes = [sheet.note] if sheet.note else []
    if len(rows) < len(sheet.rows):
        notes.append(f"{len(rows)} of {len(sheet.rows)} are shown; use --top or --format json to see all.")
    lines: list[str] = []
    if sheet.name == "problems" and width:
        lines = _blocks(sheet, style, width)
    elif rows:
        drawn, dropped = draw_sheet(sheet, rows, width=width, markdown=style.format == "markdown")
        lines = drawn.split("\n")
        if dropped:
            notes.append(f"Hidden columns: {', '.join(dropped)}.")
        if width >= _WITH_COMMANDS:
            head = len(lines) - len(rows)
            lines = lines[:head] + _with_commands(lines[head:], rows, style)
    return lines + [_paint(note, GREY, style) for note in notes]


def _tells_times(sheet: Sheet) -> bool:
    """Return whether a time is among the values of a table."""
    return any(
        row.get(column.key) is not None and kind_of(sheet, column, row) == TIME
        for row in sheet.rows
        for column in sheet.columns
    )


def _rows_shown(sheet: Sheet, style: ReportStyle) -> list[dict[str, Any]]:
    """Return the rows that --top leaves; of tables by time, which a terminal has as a map, those with most bytes."""
    if sheet.name == TABLES_BY_TIME and style.width and style.format == "table":
        return sorted(sheet.rows, key=lambda row: -int(row["bytes"]))[: style.top]
    return sheet.rows[: style.top] if sheet.limited else sheet.rows


def _heat_map(report: dict[str, Any], style: ReportStyle) -> list[str]:
    """Return the tables by time as a map, with an empty line after it."""
    from binlogcli.render.report.heat_map import draw_heat_map  # only with --bucket

    made = report["tables_by_time"]
    lines = draw_heat_map(made, top=style.top, width=style.width, painted=style.painted)
    return [*lines, ""] if lines else []


def _with_commands(lines: list[str], rows: list[dict[str, Any]], style: ReportStyle) -> list[str]:
    """Return the lines of a table's rows, each followed by the row's command if none before it has the same."""
    found: list[str] = []
    seen: set[str | None] = set()
    for line, row in zip(lines, rows, strict=True):
        found.append(line)
        if row.get("command") not in seen:
            found += _command_lines(row, style)
        seen.add(row.get("command"))
    return found


def _command_lines(row: dict[str, Any], style: ReportStyle) -> list[str]:
    """Return the line that has the command of a row, if it has one. It is never cut: it is there to be copied."""
    command = row.get("command")
    return [_paint(f"    {visible(command)}", GREY, style)] if command else []


def _next(report: dict[str, Any], style: ReportStyle) -> list[str]:
    """Return the part that says what to look at next; none where nothing stands out."""
    lines = [_paint("Look at next", BOLD, style)]
    for lead in leads(report):
        lines += _wrapped(visible(lead.text), style.width, indent="")
        lines.append(_paint(f"    {visible(lead.command)}", GREY, style))
    return ["\n".join(lines)] if len(lines) > 1 else []


def _blocks(sheet: Sheet, style: ReportStyle, width: int) -> list[str]:
    """Return the sheet of problems for a terminal: its sentences are wrapped, not cut."""
    lines = []
    for row in sheet.rows:
        place = "" if row["position"] is None else f" at {row['position']}"
        lines.append(visible(f"{row['kind']}  {row['file'] or ''}{place}"))
        lines += _wrapped(visible(row["what"]), width)
        lines += _wrapped("-> " + visible(row["next"]), width)
        if width >= _WITH_COMMANDS:
            lines += _command_lines(row, style)
    return lines


def _wrapped(text: str, width: int, indent: str = "    ") -> list[str]:
    """Return the lines of a paragraph."""
    import textwrap  # only on a terminal

    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)


def _heading(sheet: Sheet, style: ReportStyle, *, markdown: bool) -> str:
    """Return the title above a table."""
    if markdown:
        return f"## {sheet.title}\n"
    colour = RED + BOLD if sheet.section == "problems" and sheet.rows else BOLD
    return _paint(sheet.title, colour, style)


def _paint(text: str, colour: str, style: ReportStyle) -> str:
    """Return the text in a colour, where the style has colours."""
    return f"{colour}{text}{RESET}" if style.painted and style.format == "table" else text

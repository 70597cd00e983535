"""The report of `stats` as text: tables for a terminal, Markdown, CSV, TSV, JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from binlogcli.render.escape import FORMULAS, visible, visible_json
from binlogcli.render.report.cells import exact, sparkline
from binlogcli.render.report.sheets import Sheet, sheets

_BOLD, _DIM, _RED, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[0m"


class ReportStyle(NamedTuple):
    """How a report is drawn: `width` of the terminal (0: none), `top` rows of long tables, `painted` with colours.

    `raw_cells`: CSV and TSV for programs, with texts as they are where a spreadsheet would take them for formulas.
    """

    format: str
    top: int
    width: int = 0
    painted: bool = False
    raw_cells: bool = False


def draw(report: dict[str, Any], style: ReportStyle) -> str:
    """Return the report in the style's format."""
    if style.format == "json":
        return _as_json(report)
    if style.format in ("csv", "tsv"):
        return as_fields(sheets(report), "," if style.format == "csv" else "\t", raw=style.raw_cells)
    return _as_tables(sheets(report), style)


def _as_json(report: dict[str, Any]) -> str:
    """Return the report as one JSON object with a key for each section; numbers are exact."""
    import json  # each form imports its own

    return visible_json(json.dumps(report, ensure_ascii=False, indent=1)) + "\n"


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
    """Return a value as a field; behind an apostrophe where a spreadsheet would take a text for a formula."""
    text = visible(exact(value, kind))
    if raw or isinstance(value, int | float) or not text.startswith(FORMULAS):
        return text
    return "'" + text


def _as_tables(found: list[Sheet], style: ReportStyle) -> str:
    """Return a heading and a table for each sheet."""
    from binlogcli.render.report.tables import draw_sheet  # imports tabulate

    markdown = style.format == "markdown"
    width = 0 if markdown else style.width
    parts = []
    for sheet in found:
        rows = sheet.rows[: style.top] if sheet.limited else sheet.rows
        notes = [sheet.note] if sheet.note else []
        if len(rows) < len(sheet.rows):
            notes.append(f"{len(rows)} of {len(sheet.rows)} are shown; --top, or --format json for all.")
        if sheet.name == "problems" and width:
            drawn = _blocks(sheet, width)
        else:
            drawn, dropped = draw_sheet(sheet, rows, width=width, markdown=markdown)
            if dropped:
                notes.append(f"No room for: {', '.join(dropped)}.")
        lines = [_heading(sheet, style, markdown=markdown)]
        if sheet.name == "timeline" and width:
            lines += _sparklines(sheet, width)
        if rows:
            lines.append(drawn)
        lines += [_paint(note, _DIM, style) for note in notes]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _blocks(sheet: Sheet, width: int) -> str:
    """Return the sheet of problems for a terminal: its sentences are wrapped, not cut."""
    lines = []
    for row in sheet.rows:
        place = "" if row["position"] is None else f" at {row['position']}"
        lines.append(visible(f"{row['kind']}  {row['file'] or ''}{place}"))
        lines += _wrapped(visible(row["what"]), width)
        lines += _wrapped("-> " + visible(row["next"]), width)
    return "\n".join(lines)


def _wrapped(text: str, width: int) -> list[str]:
    """Return the lines of an indented paragraph."""
    import textwrap  # only on a terminal

    return textwrap.wrap(text, width, initial_indent="    ", subsequent_indent="    ")


def _heading(sheet: Sheet, style: ReportStyle, *, markdown: bool) -> str:
    """Return the title above a table."""
    if markdown:
        return f"## {sheet.title}\n"
    colour = _RED + _BOLD if sheet.section == "problems" and sheet.rows else _BOLD
    return _paint(sheet.title, colour, style)


def _paint(text: str, colour: str, style: ReportStyle) -> str:
    """Return the text in a colour, where the style has colours."""
    return f"{colour}{text}{_RESET}" if style.painted and style.format == "table" else text


def _sparklines(sheet: Sheet, width: int) -> list[str]:
    """Return a line of blocks for each measure of the timeline."""
    lines = []
    for column in sheet.columns[1:]:
        values = [int(row[column.key]) for row in sheet.rows]
        if len(values) > 1 and len(values) + 14 <= width and any(values):
            lines.append(f"{column.heading:12}  {sparkline(values)}")
    return lines

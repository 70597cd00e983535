"""The report of `stats` as one web page, which needs no network, no library and no other file.

Text of a log is escaped; the page's content security policy forbids all that is not part of the page itself. A click
on a heading sorts the table.
"""

from __future__ import annotations

from html import escape
from typing import Any

from binlogcli.render.escape import visible
from binlogcli.render.report.cells import exact, human
from binlogcli.render.report.plots import histogram, timeline
from binlogcli.render.report.sheet_columns import CODE, FIGURE, RIGHT, SHARE, TIME, SheetColumn
from binlogcli.render.report.sheets import Sheet, kind_of, sheets, telling

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --ink: #2563ab; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 96rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
nav a { margin-right: 1rem; } .note { opacity: .75; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.n, td.t { white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.c { font-family: ui-monospace, monospace; font-size: .82rem; overflow-wrap: anywhere; min-width: 18rem; }
th button { all: unset; cursor: pointer; font-weight: 600; white-space: nowrap; }
th button:focus-visible { outline: 2px solid var(--ink); }
th[aria-sort=ascending] button::after { content: " \\25b2"; }
th[aria-sort=descending] button::after { content: " \\25bc"; }
tbody tr:hover { background: var(--soft); }
.bar { display: block; height: .35rem; background: var(--ink); border-radius: 2px; margin-top: .15rem; }
svg { max-width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: currentColor; }
svg .axis { stroke: currentColor; opacity: .35; } svg rect { fill: var(--ink); }
"""
_SCRIPT = """
"use strict";
document.addEventListener("click", function (event) {
  const button = event.target.closest("th button");
  if (!button) return;
  const head = button.parentElement, table = head.closest("table"), body = table.tBodies[0];
  const at = head.cellIndex, down = head.getAttribute("aria-sort") !== "descending";
  const number = head.classList.contains("n");
  const key = function (row) {
    const raw = row.cells[at].dataset.v;
    return number ? (raw === "" ? -Infinity : Number(raw)) : raw;
  };
  const rows = Array.from(body.rows);
  rows.sort(function (one, other) {
    const a = key(one), b = key(other);
    return (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1);
  });
  for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  body.append.apply(body, rows);
});
"""


def page(report: dict[str, Any]) -> str:
    """Return the page of a report."""
    found = sheets(report)
    names = list(dict.fromkeys(sheet.section for sheet in found))
    title = _title_of(report)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<link rel="icon" href="data:,">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(title)}</h1>",
        "<nav>" + "".join(f'<a href="#{name}">{name}</a>' for name in names) + "</nav>",
    ]
    for name in names:
        parts.append(f'<section id="{name}">')
        parts += [_section_part(sheet, report) for sheet in found if sheet.section == name]
        parts.append("</section>")
    parts.append(f"<script>{_SCRIPT}</script></body></html>")
    return "\n".join(parts) + "\n"


def _title_of(report: dict[str, Any]) -> str:
    """Return the title: the names of the first and last log."""
    logs = report.get("summary", {}).get("logs", [])
    if not logs:
        return "binlogcli stats"
    first, last = (log["file"].rpartition("/")[2] for log in (logs[0], logs[-1]))
    return f"binlogcli stats: {first}" + (f" to {last}" if len(logs) > 1 else "")


def _section_part(sheet: Sheet, report: dict[str, Any]) -> str:
    """Return a sheet's heading, its plot where it has one, and its table."""
    level = 2 if sheet.name == sheet.section else 3
    parts = [f"<h{level}>{_text(sheet.title)}</h{level}>"]
    if sheet.note:
        parts.append(f'<p class="note">{_text(sheet.note)}</p>')
    if sheet.name == "timeline" and sheet.rows:
        parts.append(timeline(sheet.rows, report["timeline"]["bucket_seconds"]))
    if sheet.name == "transactions.histogram" and sheet.rows:
        parts.append(histogram(sheet.rows))
    if sheet.rows:
        parts.append(_table(sheet))
    return "\n".join(parts)


def _table(sheet: Sheet) -> str:
    """Return a table whose headings sort it; single figures have no headings."""
    columns = telling(sheet.columns, sheet.rows)
    single = any(column.kind == FIGURE for column in columns)
    head = "" if single else f"<thead><tr>{''.join(_heading(column) for column in columns)}</tr></thead>"
    largest = max((float(row[sheet.bar]) for row in sheet.rows), default=0.0) if sheet.bar else 0.0
    rows = "\n".join(
        "<tr>" + "".join(_cell(sheet, column, row, largest) for column in columns) + "</tr>" for row in sheet.rows
    )
    return f'<div class="scroll"><table id="{sheet.name}">{head}<tbody>\n{rows}\n</tbody></table></div>'


def _heading(column: SheetColumn) -> str:
    """Return the heading of a column."""
    right = ' class="n"' if column.kind in RIGHT else ""
    return f'<th scope="col"{right}><button type="button">{_text(column.heading or column.key)}</button></th>'


def _cell(sheet: Sheet, column: SheetColumn, row: dict[str, Any], largest: float) -> str:
    """Return the cell of a value as people read it, with the value that it is sorted by."""
    value = row.get(column.key)
    kind = kind_of(sheet, column, row)
    shown = _text(human(value, kind))
    if column.key == sheet.bar and largest > 0 and value:
        shown += f'<span class="bar" style="width:{max(float(value) / largest * 6, 0.05):.2f}rem"></span>'
    plain = str(value) if kind == SHARE else exact(value, kind)
    marks = ' class="n"' if kind in RIGHT else ' class="c"' if kind == CODE else ' class="t"' if kind == TIME else ""
    hover = f' title="{_text(plain)}"' if kind in RIGHT and plain != human(value, kind) else ""
    return f'<td{marks}{hover} data-v="{_text(plain)}">{shown}</td>'


def _text(raw: str) -> str:
    """Return text escaped for HTML."""
    return escape(visible(raw))

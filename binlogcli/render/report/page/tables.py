"""The sheets of a report as HTML: tables, lists of entries with their commands, problems, and single figures.

A table of entries has a `tbody` for each: a row of values, and a row with the statement, what else is known, and the
command that shows the entry. Without its script the page shows all of it; the script folds, filters and sorts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.render.report.cells import exact, human, measured
from binlogcli.render.report.page.markup import breakable, command_block, lines, one_line, text
from binlogcli.render.report.sheet_columns import (
    CODE,
    COMMAND,
    FIGURE,
    FILE,
    GTID,
    LIST,
    NAME,
    RIGHT,
    SHARE,
    TIME,
    SheetColumn,
)
from binlogcli.render.report.sheets import Sheet, kind_of, telling

_LONG_GTID = 24
_CLOCK = len("2026-11-21 00:05:18")  # the offset from UTC comes after it; the zone is named at the top
_IN_ROWS = 3  # rank of the columns that an entry's row has at most; the others stand below it
_WHOLE = ("histogram", "_sizes")  # endings of tables that are plots: they are not folded
_BARS = {"tables": "row_bytes", "statements": "bytes"}  # columns that have bars beside those that all reports draw
_SEVERE = frozenset(
    ("unreadable_file", "incident", "damage", "checksum", "truncated_tail", "encrypted", "missing_file", "gtid_gaps")
)


def drawn(sheet: Sheet) -> str:
    """Return a sheet as HTML, without its title; empty where it has no rows."""
    if not sheet.rows:
        return ""
    if sheet.name in _LISTS:
        return _LISTS[sheet.name](sheet)
    columns = telling(sheet.columns, sheet.rows)
    if any(column.kind == FIGURE for column in columns):
        return _figures(sheet)
    return _entries(sheet, columns) if COMMAND in sheet.columns else _table(sheet, columns)


def _figures(sheet: Sheet) -> str:
    """Return single figures as a list of terms."""
    found = []
    for row in sheet.rows:
        kind = kind_of(sheet, sheet.columns[1], row)
        value = row["value"]
        shown = breakable(human(value, kind)) if kind in {NAME, LIST} else text(human(value, kind))
        found.append(
            f"<div><dt>{text(row['figure'].replace('_', ' '))}</dt><dd{_exactly(value, kind)}>{shown}</dd></div>"
        )
    return f'<dl class="figures">{"".join(found)}</dl>'


def _exactly(value: Any, kind: str) -> str:
    """Return the attribute that tells the exact value on hovering, where another one is shown."""
    plain = exact(value, kind)
    return f' title="{text(plain)}"' if kind in RIGHT and plain != human(value, kind) else ""


def _table(sheet: Sheet, columns: list[SheetColumn]) -> str:
    """Return a table with a row for each row of the sheet."""
    largest = _largest(sheet)
    rows = "\n".join(f"<tr>{_cells(sheet, columns, row, largest)}</tr>" for row in sheet.rows)
    return _framed(sheet, f"{_head(columns)}<tbody>\n{rows}\n</tbody>", "")


def _entries(sheet: Sheet, columns: list[SheetColumn]) -> str:
    """Return a table with two rows for each row of the sheet: the second has what is too long for a column."""
    short = [column for column in columns if column.kind != CODE and (column.rank <= _IN_ROWS or column.kind == LIST)]
    rest = [column for column in columns if column not in short and column is not COMMAND]
    largest = _largest(sheet)
    bodies = []
    for row in sheet.rows:
        more = f'<div class="more">{_details(sheet, rest, row)}{command_block(row.get("command"))}</div>'
        bodies.append(
            f"<tbody><tr>{_cells(sheet, short, row, largest)}</tr>"
            f'<tr class="sub"><td colspan="{len(short)}">{more}</td></tr></tbody>'
        )
    return _framed(sheet, _head(short) + "\n" + "\n".join(bodies), " entries")


def _framed(sheet: Sheet, inner: str, kind: str) -> str:
    """Return a table in a frame that scrolls sideways where the window is too narrow, also by keys."""
    title = text(sheet.title)
    whole = " whole" if sheet.name.endswith(_WHOLE) else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}">'
        f'<table id="t-{sheet.name}" class="list{kind}{whole}"><caption class="vh">{title}</caption>{inner}'
        "</table></div>"
    )


def _head(columns: list[SheetColumn]) -> str:
    """Return the headings of a table."""
    cells = "".join(
        f'<th scope="col"{_mark(column.kind)}>{text(column.heading or column.key)}</th>' for column in columns
    )
    return f"<thead><tr>{cells}</tr></thead>"


def _mark(kind: str) -> str:
    """Return the class of a cell: a number, a time, a position, a name."""
    mark = "n" if kind in RIGHT else "t" if kind == TIME else "f" if kind == FILE else ""
    return f' class="{mark}"' if mark else ""


def _largest(sheet: Sheet) -> float:
    """Return the largest value of the column that has bars; 0 if there is none."""
    key = sheet.bar or _BARS.get(sheet.section, "")
    return max((float(row.get(key) or 0) for row in sheet.rows), default=0.0) if key else 0.0


def _cells(sheet: Sheet, columns: list[SheetColumn], row: dict[str, Any], largest: float) -> str:
    """Return the cells of a row; the first one is its heading where it is a name or a time."""
    found = []
    for at, column in enumerate(columns):
        kind = kind_of(sheet, column, row)
        name = 'th scope="row"' if at == 0 and kind in {NAME, TIME, FILE} else "td"
        value = row.get(column.key)
        plain = str(value) if kind == SHARE else exact(value, kind)
        shown = _shown(value, kind)
        if column.key == (sheet.bar or _BARS.get(sheet.section, "")) and largest > 0:
            share = 100 * float(value or 0) / largest
            shown += f'<svg class="share" aria-hidden="true"><rect width="{share:.1f}%" height="100%"/></svg>'
        number = f' data-v="{text(plain)}"' if kind in RIGHT | {TIME} else ""
        found.append(f"<{name}{_mark(kind)}{_hover(value, kind)}{number}>{shown}</{name[:2]}>")
    return "".join(found)


def _hover(value: Any, kind: str) -> str:
    """Return the attribute that tells on hovering what a cell has no room for."""
    if value and (kind == TIME or (kind == FILE and "/" in value) or (kind == GTID and len(value) > _LONG_GTID)):
        return f' title="{text(value)}"'
    return _exactly(value, kind)


def _shown(value: Any, kind: str) -> str:
    """Return a value as people read it."""
    if kind == FILE and value:
        return text(value.rpartition("/")[2])
    if kind == TIME and value:
        shown, offset = human(value, kind)[:_CLOCK], human(value, kind)[_CLOCK:]
        return text(shown) + (f'<span class="offset">{text(offset)}</span>' if offset else "")
    if kind == GTID and value:
        return f'<span class="nb">{text(_short_gtid(value))}</span>'
    if kind == LIST:
        return ", ".join(text(str(one)) for one in value or ())
    if kind == NAME and value and len(str(value)) > _LONG_GTID:
        return breakable(str(value))
    return text(human(value, kind))


def _short_gtid(gtid: str) -> str:
    """Return a GTID by the beginning of its UUID and its number."""
    return gtid if len(gtid) <= _LONG_GTID else f"{gtid[:8]}…{gtid[gtid.rfind(':') :]}"


def _details(sheet: Sheet, columns: list[SheetColumn], row: dict[str, Any]) -> str:
    """Return what a click opens: the statement in full and further values; its first line is the statement."""
    texts = [(column, row[column.key]) for column in columns if column.kind == CODE and row.get(column.key)]
    facts = [
        (column.heading, human(row[column.key], column.kind))
        for column in (*columns, *(one for one in sheet.columns if one.kind in {GTID, FILE}))
        if column.kind != CODE and row.get(column.key) not in (None, "", [])
    ]
    if not texts and not facts:
        return ""
    first = f"<code>{one_line(texts[0][1])}</code>" if texts else "more"
    blocks = "".join(
        f"<p>{text(column.heading)}</p><pre>{lines(value)}</pre>" for column, value in texts if value is not None
    )
    listed = "".join(f"<div><dt>{text(name)}</dt><dd>{breakable(value)}</dd></div>" for name, value in facts)
    inner = blocks + (f'<dl class="figures">{listed}</dl>' if listed else "")
    bare = "" if texts else ' class="bare"'
    return f"<details{bare}><summary>{first}</summary>{inner}</details>"


def _problems(sheet: Sheet) -> str:
    """Return the problems as a list: what, where, what to do about it."""
    found = []
    for row in sheet.rows:
        mark = "bad" if row["kind"] in _SEVERE else "warn"
        place = "" if row["position"] is None else f" at {row['position']}"
        found.append(
            f'<li><p><span class="badge {mark}">{text(row["kind"].replace("_", " "))}</span> '
            f'<span class="place">{text((row["file"] or "") + place)}</span></p>'
            f'<p class="what">{text(row["what"])}</p><p class="note">{text(row["next"])}</p>'
            f"{command_block(row.get('command'))}</li>"
        )
    return f'<ol class="problems list" id="t-problems">{"".join(found)}</ol>'


def _peaks(sheet: Sheet) -> str:
    """Return the peaks by time: in what they are peaks, and the command that shows what was written then."""
    by_time: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(sheet.rows, key=lambda row: row["measure"] != "bytes"):
        by_time.setdefault(row["time"] or "", []).append(row)
    found = []
    for time, rows in by_time.items():
        values = ", ".join(measured(row["measure"], row["value"]) for row in rows)
        name = text(human(time, TIME)) or "no time"
        found.append(f"<li><p><b>{name}</b> {text(values)}</p>{command_block(rows[0].get('command'))}</li>")
    return f'<ul class="list" id="t-{sheet.name}">{"".join(found)}</ul>'


_LISTS: dict[str, Callable[[Sheet], str]] = {"problems": _problems, "timeline.peaks": _peaks}

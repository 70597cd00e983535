"""The page as a whole: its head, sections, style and script.

Text of a log is escaped. The content security policy names the page's own style and script by their hashes and forbids
all else: what a log smuggled in would neither run nor load. Equal reports are equal pages, byte for byte.
"""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files
from typing import Any

from binlogcli.render.report.page.heat_map import heat_map
from binlogcli.render.report.page.markup import text
from binlogcli.render.report.page.overview import facts, next_steps, tiles, title_of
from binlogcli.render.report.page.plots import timeline
from binlogcli.render.report.page.tables import drawn
from binlogcli.render.report.sheets import TABLES_BY_TIME, Sheet
from binlogcli.render.report.story import in_order

_NAMES = {"summary": "Overview", "events": "Event types", "gtids": "GTIDs", "wire": "Over the wire"}
_FOLDED = frozenset(
    ("summary", "summary.logs", "timeline", "timeline.gaps", TABLES_BY_TIME)
)  # sheets that a click opens
_MOST_ROWS = 2000  # of the tables by time


def page(report: dict[str, Any], zone: str, stretch: str | None = None) -> str:
    """Return the page of a report; `zone` is the name of that of its times.

    `stretch` is the command that shows a part of the time, with {since} and {until} for its ends.
    """
    style, script = _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    found = in_order(report)
    names = list(dict.fromkeys(["summary", *(sheet.section for sheet in found)]))
    title = title_of(report)
    links = "".join(f'<a href="#{name}">{_name_of(name)}</a>' for name in names)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
        f"<title>{text(f'binlogcli stats: {title}' if title else 'binlogcli stats')}</title>",
        f"<style>{style}</style></head><body>",
        '<a class="skip" href="#main">Skip to the report</a>',
        f'<header><p class="eyebrow">Binary log report</p><h1>{text(title or "binlogcli stats")}</h1>',
        f"{facts(report, zone)}</header>",
        f'<nav aria-label="Sections">{links}</nav><main id="main" tabindex="-1">',
        *(_section(name, [sheet for sheet in found if sheet.section == name], report, stretch) for name in names),
        f"</main><footer>Made by binlogcli stats.</footer><script>{script}</script></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _resource(name: str) -> str:
    """Return a file of this package."""
    return files(__package__).joinpath(name).read_text("utf-8")


def _digest(content: str) -> str:
    """Return the hash of an inline element as policies name it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _name_of(section: str) -> str:
    """Return the title of a section."""
    return _NAMES.get(section, section.capitalize())


def _section(name: str, found: list[Sheet], report: dict[str, Any], stretch: str | None) -> str:
    """Return a section with its heading."""
    parts = [f'<section id="{name}" aria-labelledby="h-{name}"><h2 id="h-{name}">{_name_of(name)}</h2>']
    if name == "summary":
        parts += [tiles(report), next_steps(report)]
    if name == "timeline":
        template = f' data-stretch="{text(stretch)}"' if stretch else ""
        plot = timeline(report["timeline"]["buckets"], report["timeline"]["bucket_seconds"])
        parts.append(f'<div class="card"{template}>{plot}</div>' if plot else "")
    if name == "tables" and "tables_by_time" in report:
        parts.append(heat_map(report["tables_by_time"]))
    parts += [_sheet(sheet, alone=len(found) == 1) for sheet in sorted(found, key=lambda one: one.name in _FOLDED)]
    parts.append("</section>")
    return "\n".join(part for part in parts if part)


def _sheet(sheet: Sheet, *, alone: bool) -> str:
    """Return a sheet with its title and note."""
    if sheet.name == TABLES_BY_TIME and len(sheet.rows) > _MOST_ROWS:
        cut = f"{_MOST_ROWS} of {len(sheet.rows)} are shown; --format json or csv has all. {sheet.note}"
        sheet = sheet._replace(rows=sheet.rows[:_MOST_ROWS], note=cut.strip())
    note = f'<p class="note">{text(sheet.note)}</p>' if sheet.note else ""
    if not sheet.rows:
        return note
    if sheet.name in _FOLDED:
        return f'<details class="card fold"><summary>{_title(sheet)}</summary>{note}{drawn(sheet)}</details>'
    title = "" if alone or sheet.name == sheet.section else f"<h3>{_title(sheet)}</h3>"
    kind = "card peaks" if sheet.name == "timeline.peaks" else "card"
    return f'<div class="{kind}">{title}{drawn(sheet)}{note}</div>'


def _title(sheet: Sheet) -> str:
    """Return the title of a sheet."""
    return {
        "summary": "All figures",
        "timeline": f"{text(sheet.title)}, in numbers",
        TABLES_BY_TIME: f"{text(sheet.title)}, in numbers",
    }.get(sheet.name, text(sheet.title))

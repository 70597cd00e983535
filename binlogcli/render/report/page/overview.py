"""The head of the page: what was read, the headline figures as tiles, and what to look at next."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Any

from binlogcli.render.report.cells import amount, duration_text, human, size_text
from binlogcli.render.report.page.markup import breakable, command_block, text
from binlogcli.render.report.sheet_columns import TIME
from binlogcli.render.report.story import leads

_LOCAL = "local time"
_NAMED = 6  # logs that are named at the top; the others open by a click


def title_of(report: dict[str, Any]) -> str:
    """Return the names of the first and the last log."""
    logs = report.get("summary", {}).get("logs", [])
    if not logs:
        return ""
    first, last = (log["file"].rpartition("/")[2] for log in (logs[0], logs[-1]))
    return f"{first} to {last}" if len(logs) > 1 else str(first)


def facts(report: dict[str, Any], zone: str) -> str:
    """Return what was read, from when to when, in which zone, and which servers wrote it; `zone` "": the machine's."""
    summary = report.get("summary")
    if summary is None:
        return f'<dl class="facts"><div><dt>Time zone</dt><dd>{text(zone or _LOCAL)}</dd></div></dl>'
    files = [log["file"] for log in summary["logs"]]
    sources = ", ".join(f'<span class="nb">{text(file)}</span>' for file in files[:_NAMED])
    if len(files) > _NAMED:
        others = ", ".join(map(text, files[_NAMED:]))
        sources += f"<details><summary>and {len(files) - _NAMED} more</summary>{others}</details>"
    found = [("Sources", sources)]
    if "inputs" in report:
        found.append(("SHA-256", _hashes(report["inputs"])))
    if summary["first_time"]:
        found.append(("From", f'<span class="nb">{text(human(summary["first_time"], TIME))}</span>'))
        found.append(("To", f'<span class="nb">{text(human(summary["last_time"], TIME))}</span>'))
    found.append(("Time zone", text(zone or _local_zone(summary))))
    if summary["server_versions"]:
        found.append(("Server version", breakable(", ".join(map(str, summary["server_versions"])))))
    if "remarks" in report:
        found.append(("Counted", text(" ".join(report["remarks"]))))
    listed = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in found)
    return f'<dl class="facts">{listed}</dl>'


def _hashes(inputs: dict[str, str]) -> str:
    """Return the checksum of each file that was read."""
    lines = [f'<span class="nb">{text(digest)}</span> {text(file)}' for file, digest in inputs.items()]
    if len(lines) == 1:
        return lines[0]
    return f"<details><summary>of {len(lines)} files</summary>{'<br>'.join(lines)}</details>"


def _local_zone(summary: dict[str, Any]) -> str:
    """Return the machine's zone by the offsets that the first and the last time have."""
    times = [datetime.fromisoformat(time) for time in (summary["first_time"], summary["last_time"]) if time]
    return " to ".join(dict.fromkeys(str(time.tzinfo) for time in times)) or _LOCAL


def tiles(report: dict[str, Any]) -> str:
    """Return the headline figures, each a link to the section that has more."""
    found: list[tuple[str, str]] = []
    summary = report.get("summary")
    if summary is not None:
        logs = f"{amount(summary['files'], 'log')}, {amount(summary['events'], 'event')}"
        found.append(_tile("Size", size_text(summary["bytes"]), logs, "events"))
        found.append(_tile("Duration", duration_text(summary["seconds"]), "first to last event", "timeline"))
        found.append(_tile("Transactions", f"{summary['transactions']:,}", _outcomes(report), "transactions"))
        found.append(_tile("Rows changed", f"{summary['rows']:,}", _operations(report), "tables"))
        damaged, (note, mark) = size_text(summary["bytes_damaged"]), _reading(report)
        found.append(_tile("Damaged", damaged, note, "problems", mark))
    if "problems" in report:
        listed = Counter(row["kind"] for row in report["problems"])
        counts = listed | Counter(report.get("cut", {}).get("problems", {}).get("counts", {}))  # the larger of both
        count, kinds = counts.total(), len(counts)
        note = f"of {amount(kinds, 'kind')}" if count else "none found"
        found.append(_tile("Problems", f"{count:,}", note, "problems", "warn" if count else "good"))
    shown = (tile if section in report else _without_link(tile) for section, tile in found)
    return f'<div class="tiles">{"".join(shown)}</div>' if found else ""


def _reading(report: dict[str, Any]) -> tuple[str, str]:
    """Return whether everything was read, as far as the report knows, and how that is marked."""
    if gaps := report["summary"]["gaps"]:
        return f"in {amount(gaps, 'gap')}", "bad"
    if "problems" not in report:
        return "no gaps", "good"
    kinds = {row["kind"] for row in report["problems"]} | {*report.get("cut", {}).get("problems", {}).get("counts", {})}
    for kind, what in (("unreadable_file", "files"), ("unreadable_rows", "rows")):
        if kind in kinds:
            return f"but some {what} could not be read", "bad"
    return "everything was read", "good"


def _without_link(tile: str) -> str:
    """Return a tile that leads nowhere: its section is not in the report."""
    return re.sub(r'^<a (class="[^"]*") href="[^"]*">(.*)</a>$', r"<div \1>\2</div>", tile)


def _tile(name: str, value: str, note: str, section: str, mark: str = "") -> tuple[str, str]:
    """Return the section that a tile leads to, and the tile."""
    kind = f"tile {mark}".strip()
    return section, (
        f'<a class="{kind}" href="#{section}"><span class="name">{name}</span>'
        f'<span class="value">{text(value)}</span><span class="note">{text(note)}</span></a>'
    )


def _outcomes(report: dict[str, Any]) -> str:
    """Return how the transactions ended, where the report has it."""
    made = report.get("transactions")
    if made is None:
        return ""
    parts = [f"{made['rolled_back']:,} rolled back"]
    if made["unfinished"]:
        parts.append(f"{made['unfinished']:,} without an end")
    return ", ".join(parts)


def _operations(report: dict[str, Any]) -> str:
    """Return how many rows were inserted, updated and deleted, where the report has it."""
    rows = report.get("tables")
    if rows is None:
        return ""
    sums = [(sum(row[key] for row in rows), key) for key in ("inserted", "updated", "deleted")]
    return ", ".join(f"{count:,} {key}" for count, key in sums)


def next_steps(report: dict[str, Any]) -> str:
    """Return what to look at next, each with its command; empty where nothing stands out."""
    found = leads(report)
    if not found:
        return ""
    items = "".join(f"<li><p>{text(lead.text)}</p>{command_block(lead.command)}</li>" for lead in found)
    return (
        f'<div class="next"><h3>Look at next</h3><ul>{items}</ul>'
        '<p class="note">Run the commands in the directory in which this report was made.</p></div>'
    )

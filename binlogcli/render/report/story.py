"""The report in the order in which people read it: what, when, where it hurts; and what to look at next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from binlogcli.render.report.cells import amount, duration_text, human, size_text, span_text
from binlogcli.render.report.sheet_columns import TIME
from binlogcli.render.report.sheets import Sheet, sheets

_ORDER = (
    *("fragments", "summary", "timeline", "problems", "tables", "transactions", "statements"),
    *("events", "servers", "gtids", "wire"),
)
# kinds of problems, the worst first; those that are not named here come after them
_WORST = (
    *("unreadable_file", "incident", "damage", "checksum", "truncated_tail", "encrypted", "missing_file"),
    *("unreadable_rows", "unfinished", "xa_prepared", "gtid_duplicates", "gtid_gaps", "gtid_out_of_order"),
    *("statement_without_key", "no_primary_key"),
)
_KINDS_NAMED = 2  # of problems, among what to look at next
_LONG = 10  # seconds from which the longest transaction is worth a look


class Lead(NamedTuple):
    """Something to look at next, and the command that shows it."""

    text: str
    command: str


def in_order(report: dict[str, Any]) -> list[Sheet]:
    """Return the sheets of a report in the order of _ORDER; the worst problems come first."""
    found = sorted(sheets(report), key=lambda sheet: _ORDER.index(sheet.section))
    return [sheet._replace(rows=_worst_first(sheet.rows)) if sheet.name == "problems" else sheet for sheet in found]


def _worst_first(problems: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return problems by how bad they are; those of one kind in the order of the logs."""
    rank = {kind: place for place, kind in enumerate(_WORST)}
    return sorted(problems, key=lambda row: rank.get(row["kind"], len(rank)))


def leads(report: dict[str, Any]) -> list[Lead]:
    """Return what to look at next: the worst problems, the highest peak, the largest transaction and table."""
    found = [*_problems(report), *_peak(report), *_transactions(report), *_table(report)]
    return [Lead(text, command) for text, command in found if command]


def _problems(report: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield the first problem of each of the worst kinds."""
    first: dict[str, dict[str, Any]] = {}
    for row in _worst_first(report.get("problems", [])):
        if row.get("command"):
            first.setdefault(row["kind"], row)
    for row in list(first.values())[:_KINDS_NAMED]:
        yield f"Problem at {row['position']}: {row['what']}", row["command"]


def _peak(report: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield the time in which most was written."""
    timeline = report.get("timeline", {"peaks": {}, "buckets": []})
    for peak in timeline["peaks"].get("bytes", ())[:1]:
        if len(timeline["buckets"]) > 1:
            size, width = size_text(peak["value"]), span_text(timeline["bucket_seconds"])
            yield f"Highest write rate at {human(peak['time'], TIME)}: {size} in {width}", peak.get("command")


def _transactions(report: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield the largest transaction, and the longest if it is another one."""
    made = report.get("transactions", {})
    largest = made.get("largest_by_bytes", ())[:1]
    for row in largest:
        yield (
            f"Largest transaction: {size_text(row['bytes'])}, {amount(row['rows'], 'row')}{_where(row)}",
            row.get("command"),
        )
    for row in made.get("longest_by_time", ())[:1]:
        if row["seconds"] >= _LONG and row not in largest:
            yield f"Longest transaction: {duration_text(row['seconds'])}{_where(row)}", row.get("command")


def _where(row: dict[str, Any]) -> str:
    """Return the first of the tables that a transaction changed."""
    more = f" and {len(row['tables']) - 1} more" if len(row["tables"]) > 1 else ""
    return f", in {row['tables'][0]}{more}" if row["tables"] else ""


def _table(report: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield the table about which most was written."""
    for row in report.get("tables", ())[:1]:
        size = row["row_bytes"] + row["map_bytes"] + row["statement_bytes"]
        yield f"Table with the most bytes: {row['database']}.{row['table']}, {size_text(size)}", row.get("command")

"""The report of `stats` as sheets: the tables of each section, with their titles and notes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from binlogcli.render.report.cells import span_text
from binlogcli.render.report.sheet_columns import (
    ACKNOWLEDGED,
    BUCKETS,
    BYTES,
    COUNT,
    DOMAINS,
    EVENTS,
    FIGURE,
    FIGURES,
    FRAGMENTS,
    GAPS,
    GROUP,
    GROUPS,
    GTID_FILES,
    GTID_ODD,
    GTIDS,
    HISTOGRAM,
    LAG,
    LAGS,
    LISTS,
    LOGS,
    MEASURE,
    PEAKS,
    PROBLEMS,
    SERVERS,
    STATEMENTS,
    SUMMARY,
    TABLE_TIMES,
    TABLES,
    TEXT,
    THREADS,
    TRANSACTION,
    TRANSACTIONS,
    WIRES,
    WITNESSES,
    WORDS,
    SheetColumn,
)

TABLES_BY_TIME = "tables.by_time"
OTHER_TABLES = "(other tables)"


class Sheet(NamedTuple):
    """A table of a section. `bar` names the column that is drawn as bars; with `limited`, --top shortens the table."""

    section: str
    name: str
    title: str
    columns: tuple[SheetColumn, ...]
    rows: list[dict[str, Any]]
    note: str = ""
    bar: str = ""
    limited: bool = False
    kinds: Mapping[str, str] = MappingProxyType({})  # of the single figures, by name


def sheets(report: dict[str, Any]) -> list[Sheet]:
    """Return the sheets of a report, in the order of its sections."""
    cut = report.get("cut", {})
    found: list[Sheet] = []
    for section, made in report.items():
        if section in _MAKERS:
            found += _MAKERS[section](made, _note_of(section, cut.get(section)))
    return found


def _note_of(section: str, cut: dict[str, Any] | None) -> str:
    """Return the note below a table that was cut; empty where it is whole."""
    if not cut:
        return ""
    if section == "tables":
        return (
            f"Smaller tables were dropped to save memory: {cut['tables_dropped']} (inserted {cut['inserted']}, updated "
            f"{cut['updated']}, deleted {cut['deleted']} rows); up to "
            f"{cut['bytes_missed']} bytes of a table may be missing."
        )
    if section == "gtids":
        return str(cut["sets"])
    if section == "problems":
        counts = ", ".join(f"{count} of {kind}" for kind, count in cut["counts"].items())
        return f"Not all problems are listed; in total: {counts}."
    shown, kinds = ("shown", "kinds") if section == "statements" else ("threads_shown", "threads")
    most = "at most " if cut.get(f"{kinds}_are_at_most") else ""
    text = f"{cut[shown]} of {most}{cut[kinds]} {'statements' if section == 'statements' else 'threads'}."
    if cut.get("bytes_missed"):
        missed = cut["bytes_missed"]
        text += f" Small entries were dropped to save memory: up to {missed} bytes of an entry may be missing."
    return text


def _figures(
    section: str, name: str, title: str, values: dict[str, Any], kinds: dict[str, str], note: str = ""
) -> Sheet:
    """Return a sheet of single figures, one a row."""
    rows = [{"figure": key, "value": values[key]} for key in kinds if key in values]
    return Sheet(section, name, title, FIGURES, rows, note, kinds=kinds)


def _of_summary(made: dict[str, Any], note: str) -> list[Sheet]:
    """Return the figures, and the logs where there are several."""
    found = [_figures("summary", "summary", "Summary", made, SUMMARY, note)]
    if len(made["logs"]) > 1:
        found.append(Sheet("summary", "summary.logs", "Logs", LOGS, made["logs"]))
    return found


def _of_events(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """Return one sheet: the event types."""
    return [Sheet("events", "events", "Events by type", EVENTS, made, note, bar="share")]


def _of_fragments(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """Return one sheet: the places in files where events were found."""
    return [Sheet("fragments", "fragments", "Fragments of logs", FRAGMENTS, made, note)]


def _of_wire(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """Return the times from an event to its arrival, and those to the replica's acknowledgement if it sent any."""
    found = [Sheet("wire", "wire", "Over the wire: events and their times to arrive", WIRES, made, note)]
    acknowledged = [row for row in made if row["acknowledgements"]]
    if acknowledged:
        title = "Over the wire: times to acknowledge"
        found.append(Sheet("wire", "wire.acknowledgements", title, ACKNOWLEDGED, acknowledged))
    return found


def _of_tables(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """Return one sheet: the tables of the log."""
    return [Sheet("tables", "tables", "Tables", TABLES, made, note, limited=True)]


def _of_tables_by_time(made: dict[str, Any], note: str) -> list[Sheet]:
    """Return one sheet: the tables by buckets of time, the one with most bytes first."""
    rows = [
        {"database": table["database"], "table": table["table"], **bucket}
        for table in made["tables"]
        for bucket in table["buckets"]
    ]
    if "other_tables" in made:
        others = made["other_tables"]
        rows += [{"database": None, "table": OTHER_TABLES, **bucket} for bucket in others["buckets"]]
        note = f"{others['tables_at_least']} or more tables with fewer bytes are counted together, to save memory."
    title = f"Tables by {span_text(made['bucket_seconds'])}"
    return [Sheet("tables", TABLES_BY_TIME, title, TABLE_TIMES, rows, _with_wider(made, note))]


def _with_wider(made: dict[str, Any], note: str) -> str:
    """Return the note with a sentence on buckets that are wider than was asked for."""
    if "bucket_wanted_seconds" not in made:
        return note
    wanted, width = made["bucket_wanted_seconds"], made["bucket_seconds"]
    return f"{note} Too many intervals of {wanted} s to keep: the intervals are {width} s long.".strip()


def _of_transactions(made: dict[str, Any], note: str) -> list[Sheet]:
    """Return the figures, the histogram, and the lists that are not empty."""
    found = [
        _figures("transactions", "transactions", "Transactions", made, TRANSACTIONS, note),
        Sheet(
            "transactions", "transactions.histogram", "Sizes of transactions", HISTOGRAM, made["histogram"], bar="count"
        ),
    ]
    for name, title in LISTS.items():
        if made[name]:
            found.append(
                Sheet("transactions", f"transactions.{name}", f"Transactions: {title}", TRANSACTION, made[name])
            )
    return found


def _of_timeline(made: dict[str, Any], note: str) -> list[Sheet]:
    """Return the buckets, the peaks and the gaps."""
    width = made["bucket_seconds"]
    note = _with_wider(made, note)
    peaks = [{"measure": name, **peak} for name, list_ in made["peaks"].items() for peak in list_]
    title = f"Timeline, by {span_text(width)}"
    found = [Sheet("timeline", "timeline", title, BUCKETS, made["buckets"], note, bar="bytes")]
    found.append(Sheet("timeline", "timeline.peaks", "Peaks", PEAKS, peaks))
    if made["gaps"]:
        found.append(Sheet("timeline", "timeline.gaps", "Longest periods without an event", GAPS, made["gaps"]))
    return found


def _of_servers(made: dict[str, Any], note: str) -> list[Sheet]:
    """Return the servers, and the threads where the log holds their ids."""
    if not made["servers"] and "witnesses" in made:  # no log was given
        return _of_witnesses("servers", made)
    found = [Sheet("servers", "servers", "Servers", SERVERS, made["servers"])]
    if made["threads"]:
        found.append(Sheet("servers", "servers.threads", "Threads (connections)", THREADS, made["threads"], note))
    return found + _of_witnesses("servers", made)


def _of_witnesses(section: str, made: dict[str, Any]) -> list[Sheet]:
    """Return what files beside the logs say, a row for each value."""
    rows = [
        {"file": one["file"], "kind": one["kind"], "name": name.replace("_", " "), "value": str(value)}
        for one in made.get("witnesses", ())
        for name, value in one["values"].items()
    ]
    return [Sheet(section, f"{section}.witnesses", "Files beside the logs", WITNESSES, rows)] if rows else []


def _of_gtids(made: dict[str, Any], note: str) -> list[Sheet]:
    """Return the sets, what is odd about them, and what only MariaDB or only MySQL logs."""
    if not made["files"] and "witnesses" in made:  # no log was given
        return _of_witnesses("gtids", made)
    found = [
        _figures("gtids", "gtids", "GTIDs", made, GTIDS, note),
        Sheet("gtids", "gtids.files", "GTIDs by log", GTID_FILES, made["files"]),
    ]
    for name, title in (("gaps", "missing before"), ("duplicates", "logged twice"), ("out_of_order", "out of order")):
        if made[name]:
            found.append(Sheet("gtids", f"gtids.{name}", f"GTIDs: {title}", GTID_ODD, made[name]))
    if made.get("domains"):
        found.append(Sheet("gtids", "gtids.domains", "GTIDs by domain", DOMAINS, made["domains"]))
    for name, title in (("group_commit", "Group commit"), ("parallelism", "Parallelism")):
        if made.get(name, {}).get("transactions"):
            found.append(_figures("gtids", f"gtids.{name}", title, made[name], GROUP))
            groups = made[name]["histogram"]
            found.append(
                Sheet("gtids", f"gtids.{name}_sizes", f"{title}: sizes of groups", GROUPS, groups, bar="groups")
            )
    if made.get("lag", {}).get("transactions"):
        found.append(_figures("gtids", "gtids.lag", "Commit lag (original to here)", made["lag"], LAG))
        if made["lag"]["largest"]:
            found.append(Sheet("gtids", "gtids.lag_largest", "Largest commit lags", LAGS, made["lag"]["largest"]))
    return found + _of_witnesses("gtids", made)


def _of_statements(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """Return one sheet: the statements."""
    return [Sheet("statements", "statements", "Statements", STATEMENTS, made, note)]


def _of_problems(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """Return one sheet: the problems."""
    return [Sheet("problems", "problems", "Problems", PROBLEMS, made, note or ("" if made else "No problems found."))]


_MAKERS: dict[str, Callable[[Any, str], list[Sheet]]] = {
    "summary": _of_summary,
    "events": _of_events,
    "tables": _of_tables,
    "tables_by_time": _of_tables_by_time,
    "transactions": _of_transactions,
    "timeline": _of_timeline,
    "servers": _of_servers,
    "gtids": _of_gtids,
    "statements": _of_statements,
    "problems": _of_problems,
    "wire": _of_wire,
    "fragments": _of_fragments,
}


def telling(columns: tuple[SheetColumn, ...], rows: list[dict[str, Any]]) -> list[SheetColumn]:
    """Return the columns without those of a rank above 0 whose values are all empty."""
    return [
        column
        for column in columns
        if column.rank == 0 or any(row.get(column.key) not in (None, "", 0, []) for row in rows)
    ]


def kind_of(sheet: Sheet, column: SheetColumn, row: dict[str, Any]) -> str:
    """Return the kind of a value: that of its column, of the figure, or of the measure of a peak."""
    if column.kind == FIGURE:
        return sheet.kinds.get(row["figure"], TEXT)
    if column.kind == MEASURE:
        return BYTES if row["measure"] == "bytes" else COUNT
    return WORDS if column.key == "figure" else column.kind

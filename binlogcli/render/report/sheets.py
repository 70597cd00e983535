"""The report of `stats` as sheets: which tables a section has, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from binlogcli.render.report.sheet_columns import (
    ACKNOWLEDGED,
    BUCKETS,
    DOMAINS,
    EVENTS,
    FIGURE,
    FIGURES,
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
    PEAKS,
    PROBLEMS,
    SERVERS,
    STATEMENTS,
    SUMMARY,
    TABLES,
    TEXT,
    THREADS,
    TRANSACTION,
    TRANSACTIONS,
    WIRES,
    WORDS,
    Column,
)


class Sheet(NamedTuple):
    """A table of a section. `bar` names the column that is drawn as bars, `limited` whether --top shortens it."""

    section: str
    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[dict[str, Any]]
    note: str = ""
    bar: str = ""
    limited: bool = False
    kinds: Mapping[str, str] = MappingProxyType({})  # of the single figures, by name


def sheets(report: dict[str, Any]) -> list[Sheet]:
    """The sheets of a report, in the order of its sections."""
    cut = report.get("cut", {})
    found: list[Sheet] = []
    for section, made in report.items():
        if section in MAKERS:
            found += MAKERS[section](made, note_of(section, cut.get(section)))
    return found


def note_of(section: str, cut: dict[str, Any] | None) -> str:
    """What is said of a list that was cut."""
    if not cut:
        return ""
    if section == "tables":
        return (
            f"Smaller tables were dropped to save memory: {cut['tables_dropped']} (inserted {cut['inserted']}, updated "
            f"{cut['updated']}, deleted {cut['deleted']} rows); a table may lack up to {cut['bytes_missed']} bytes."
        )
    if section == "gtids":
        return str(cut["sets"])
    if section == "problems":
        return "Not all are listed: " + ", ".join(f"{count} of {kind}" for kind, count in cut["counts"].items()) + "."
    shown, kinds = ("shown", "kinds") if section == "statements" else ("threads_shown", "threads")
    most = "at most " if cut.get(f"{kinds}_are_at_most") else ""
    text = f"{cut[shown]} of {most}{cut[kinds]} {'statements' if section == 'statements' else 'threads'}."
    if cut.get("bytes_missed"):
        text += f" Light ones were dropped to save memory: one may lack up to {cut['bytes_missed']} bytes."
    return text


def figures(
    section: str, name: str, title: str, values: dict[str, Any], kinds: dict[str, str], note: str = ""
) -> Sheet:
    """Single figures, one below the other."""
    rows = [{"figure": key, "value": values[key]} for key in kinds if key in values]
    return Sheet(section, name, title, FIGURES, rows, note, kinds=kinds)


def of_summary(made: dict[str, Any], note: str) -> list[Sheet]:
    """Figures, and the logs where they are several."""
    found = [figures("summary", "summary", "Summary", made, SUMMARY, note)]
    if len(made["logs"]) > 1:
        found.append(Sheet("summary", "summary.logs", "Logs", LOGS, made["logs"]))
    return found


def of_events(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """One table."""
    return [Sheet("events", "events", "Events by type", EVENTS, made, note, bar="share")]


def of_wire(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """From the events' times to their arrival, and from there to what a replica had safe, where one said so."""
    found = [Sheet("wire", "wire", "Over the wire: events and their times to arrive", WIRES, made, note)]
    acknowledged = [row for row in made if row["acknowledgements"]]
    if acknowledged:
        title = "Over the wire: times to acknowledge"
        found.append(Sheet("wire", "wire.acknowledgements", title, ACKNOWLEDGED, acknowledged))
    return found


def of_tables(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """One table."""
    return [Sheet("tables", "tables", "Tables", TABLES, made, note, limited=True)]


def of_transactions(made: dict[str, Any], note: str) -> list[Sheet]:
    """Figures, the histogram, and those lists that have anything in them."""
    found = [
        figures("transactions", "transactions", "Transactions", made, TRANSACTIONS, note),
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


def of_timeline(made: dict[str, Any], note: str) -> list[Sheet]:
    """The stretches, the peaks, the gaps."""
    width = made["bucket_seconds"]
    if "bucket_wanted_seconds" in made:
        note = f"{note} Too many stretches of {made['bucket_wanted_seconds']} s to keep: they are of {width} s.".strip()
    peaks = [{"measure": name, **peak} for name, list_ in made["peaks"].items() for peak in list_]
    title = f"Timeline, by {span(width)}"
    found = [Sheet("timeline", "timeline", title, BUCKETS, made["buckets"], note, bar="bytes")]
    found.append(Sheet("timeline", "timeline.peaks", "Peaks", PEAKS, peaks))
    if made["gaps"]:
        found.append(Sheet("timeline", "timeline.gaps", "Longest times without an event", GAPS, made["gaps"]))
    return found


def of_servers(made: dict[str, Any], note: str) -> list[Sheet]:
    """Servers, and threads where the log tells them."""
    found = [Sheet("servers", "servers", "Servers", SERVERS, made["servers"])]
    if made["threads"]:
        found.append(Sheet("servers", "servers.threads", "Threads (connections)", THREADS, made["threads"], note))
    return found


def of_gtids(made: dict[str, Any], note: str) -> list[Sheet]:
    """Sets, what is odd about them, and what the family tells besides."""
    found = [
        figures("gtids", "gtids", "GTIDs", made, GTIDS, note),
        Sheet("gtids", "gtids.files", "GTIDs by log", GTID_FILES, made["files"]),
    ]
    for name, title in (("gaps", "missing before"), ("duplicates", "seen before"), ("out_of_order", "out of order")):
        if made[name]:
            found.append(Sheet("gtids", f"gtids.{name}", f"GTIDs: {title}", GTID_ODD, made[name]))
    if made.get("domains"):
        found.append(Sheet("gtids", "gtids.domains", "GTIDs by domain", DOMAINS, made["domains"]))
    for name, title in (("group_commit", "Group commit"), ("parallelism", "Parallelism")):
        if made.get(name, {}).get("transactions"):
            found.append(figures("gtids", f"gtids.{name}", title, made[name], GROUP))
            groups = made[name]["histogram"]
            found.append(
                Sheet("gtids", f"gtids.{name}_sizes", f"{title}: sizes of groups", GROUPS, groups, bar="groups")
            )
    if made.get("lag", {}).get("transactions"):
        found.append(figures("gtids", "gtids.lag", "Commit lag (original to here)", made["lag"], LAG))
        if made["lag"]["largest"]:
            found.append(Sheet("gtids", "gtids.lag_largest", "Largest commit lags", LAGS, made["lag"]["largest"]))
    return found


def of_statements(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """One table."""
    return [Sheet("statements", "statements", "Statements", STATEMENTS, made, note)]


def of_problems(made: list[dict[str, Any]], note: str) -> list[Sheet]:
    """One table."""
    return [Sheet("problems", "problems", "Problems", PROBLEMS, made, note or ("" if made else "None was found."))]


MAKERS: dict[str, Any] = {
    "summary": of_summary,
    "events": of_events,
    "tables": of_tables,
    "transactions": of_transactions,
    "timeline": of_timeline,
    "servers": of_servers,
    "gtids": of_gtids,
    "statements": of_statements,
    "problems": of_problems,
    "wire": of_wire,
}


def telling(columns: tuple[Column, ...], rows: list[dict[str, Any]]) -> list[Column]:
    """The columns, without those that may go and say nothing."""
    return [
        column
        for column in columns
        if column.rank == 0 or any(row.get(column.key) not in (None, "", 0, []) for row in rows)
    ]


def kind_of(sheet: Sheet, column: Column, row: dict[str, Any]) -> str:
    """The kind of a value; single figures have each their own."""
    if column.kind == FIGURE:
        return sheet.kinds.get(row["figure"], TEXT)
    return WORDS if column.key == "figure" else column.kind


def span(seconds: int) -> str:
    """A number of seconds in the largest unit that fits."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"

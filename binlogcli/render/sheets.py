"""The report of `stats` as sheets: which columns a table has, what they are called, and what kind of thing they hold.

The report is plain data, so that this room needs to know nothing of the one that made it but the names in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

TEXT, NAME, FILE, CODE, COUNT, BYTES, SHARE, SECONDS, MICROS, TIME, LIST, PLACE, FIGURE, WORDS = (
    "text",
    "name",
    "file",
    "code",
    "count",
    "bytes",
    "share",
    "seconds",
    "microseconds",
    "time",
    "list",
    "position",
    "figure",
    "words",
)
RIGHT = frozenset((COUNT, BYTES, SHARE, SECONDS, MICROS, PLACE))  # kinds that are numbers


class Column(NamedTuple):
    """A column: the key of its values, its heading, their kind. On a narrow screen the highest `rank` goes first."""

    key: str
    heading: str
    kind: str = TEXT
    rank: int = 0


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


FIGURES = (Column("figure", ""), Column("value", "", FIGURE))
SUMMARY = {
    "files": COUNT,
    "bytes": BYTES,
    "events": COUNT,
    "transactions": COUNT,
    "rows": COUNT,
    "first_time": TIME,
    "last_time": TIME,
    "seconds": SECONDS,
    "server_ids": LIST,
    "server_versions": LIST,
    "binlog_versions": LIST,
    "checksums": LIST,
    "bytes_seen": BYTES,
    "bytes_decoded": BYTES,
    "bytes_skipped": BYTES,
    "bytes_damaged": BYTES,
    "bytes_padding": BYTES,
    "gaps": COUNT,
}
LOGS = (
    Column("file", "file", FILE),
    Column("bytes", "bytes", BYTES),
    Column("events", "events", COUNT),
    Column("transactions", "transactions", COUNT),
    Column("rows", "rows", COUNT),
    Column("first_time", "first", TIME, 2),
    Column("last_time", "last", TIME, 1),
    Column("damaged_bytes", "damaged", BYTES, 3),
    Column("state", "ends", TEXT, 1),
)
EVENTS = (
    Column("type", "type", NAME),
    Column("count", "count", COUNT),
    Column("bytes", "bytes", BYTES),
    Column("share", "share", SHARE),
    Column("smallest", "smallest", BYTES, 2),
    Column("mean", "mean", BYTES, 1),
    Column("largest", "largest", BYTES, 1),
    Column("within_payloads", "in payloads", COUNT, 3),
)
TABLES = (
    Column("database", "database", NAME),
    Column("table", "table", NAME),
    Column("inserted", "inserted", COUNT),
    Column("updated", "updated", COUNT),
    Column("deleted", "deleted", COUNT),
    Column("row_bytes", "row bytes", BYTES),
    Column("map_bytes", "map bytes", BYTES, 5),
    Column("row_events", "row events", COUNT, 6),
    Column("transactions", "transactions", COUNT, 3),
    Column("statements", "statements", COUNT, 1),
    Column("statement_bytes", "statement bytes", BYTES, 7),
    Column("first_time", "first", TIME, 4),
    Column("last_time", "last", TIME, 2),
)
TRANSACTIONS = {
    "count": COUNT,
    "committed": COUNT,
    "rolled_back": COUNT,
    "unfinished": COUNT,
    "prepared_without_end": COUNT,
}
HISTOGRAM = (
    Column("from_bytes", "from", BYTES),
    Column("below_bytes", "below", BYTES),
    Column("count", "transactions", COUNT),
    Column("bytes", "bytes", BYTES),
)
TRANSACTION = (
    Column("bytes", "bytes", BYTES),
    Column("rows", "rows", COUNT),
    Column("seconds", "seconds", SECONDS, 2),
    Column("commit_microseconds", "to commit", MICROS, 4),
    Column("gtid", "gtid", NAME, 1),
    Column("file", "file", FILE, 3),
    Column("start", "start", PLACE),
    Column("end", "end", PLACE, 6),
    Column("time", "time", TIME, 3),
    Column("xid", "xid", PLACE, 8),
    Column("thread_id", "thread", PLACE, 5),
    Column("server_id", "server", PLACE, 9),
    Column("events", "events", COUNT, 7),
    Column("tables", "tables", LIST, 4),
    Column("statement", "first statement", CODE),
)
LISTS = {
    "largest_by_bytes": "largest by bytes",
    "largest_by_rows": "largest by rows",
    "longest_by_time": "longest from first to last event",
    "longest_by_commit": "longest from first event to commit",
    "rolled_back_list": "rolled back",
    "unfinished_list": "without an end",
    "prepared_list": "XA, prepared without an end",
}
BUCKETS = (
    Column("time", "from", TIME),
    Column("bytes", "bytes", BYTES),
    Column("events", "events", COUNT),
    Column("rows", "rows", COUNT),
    Column("transactions", "transactions", COUNT, 1),
)
PEAKS = (Column("measure", "most", TEXT), Column("time", "from", TIME), Column("value", "", COUNT))
GAPS = (Column("from", "from", TIME), Column("to", "to", TIME), Column("seconds", "length", SECONDS))
SHARES = (
    Column("bytes", "bytes", BYTES),
    Column("events", "events", COUNT),
    Column("transactions", "transactions", COUNT),
    Column("rows", "rows", COUNT),
    Column("first_time", "first", TIME, 2),
    Column("last_time", "last", TIME, 1),
)
SERVERS = (Column("server_id", "server id", PLACE), *SHARES)
THREADS = (Column("server_id", "server id", PLACE), Column("thread_id", "thread", PLACE), *SHARES)
GTIDS = {"count": COUNT, "anonymous": COUNT, "all": NAME, "binlog_pos": NAME}
GTID_FILES = (
    Column("file", "file", FILE),
    Column("count", "count", COUNT),
    Column("gtids", "gtids", NAME),
    Column("previous", "before them", NAME, 1),
)
GTID_ODD = (
    Column("gtid", "gtid", NAME),
    Column("file", "file", FILE),
    Column("position", "position", PLACE),
    Column("after", "after", NAME),
)
DOMAINS = (
    Column("domain_id", "domain", PLACE),
    Column("server_id", "server id", PLACE),
    Column("first", "first", PLACE),
    Column("last", "last", PLACE),
    Column("count", "count", COUNT),
)
GROUP = {
    "transactions": COUNT,
    "groups": COUNT,
    "mean": COUNT,
    "largest": COUNT,
    "independent_of_the_one_before": COUNT,
}
GROUPS = (Column("from", "from", COUNT), Column("below", "below", COUNT), Column("groups", "groups", COUNT))
LAG = {"transactions": COUNT, "mean_microseconds": MICROS, "largest_microseconds": MICROS}
LAGS = (
    Column("microseconds", "lag", MICROS),
    Column("gtid", "gtid", NAME),
    Column("file", "file", FILE),
    Column("position", "position", PLACE),
)
STATEMENTS = (
    Column("bytes", "bytes", BYTES),
    Column("count", "count", COUNT),
    Column("rows", "rows", COUNT, 1),
    Column("tables", "tables", LIST, 3),
    Column("file", "file", FILE, 4),
    Column("position", "position", PLACE, 2),
    Column("statement", "statement", CODE),
    Column("example", "example", CODE, 9),
)
WIRES = (
    Column("source", "source", NAME),
    Column("events", "events", COUNT),
    Column("heartbeats", "heartbeats", COUNT),
    Column("reconnects", "reconnects", COUNT),
    Column("delay_mean_microseconds", "mean time to arrive", MICROS, 2),
    Column("delay_max_microseconds", "longest", MICROS, 1),
    Column("acknowledgements", "acknowledged", COUNT),
    Column("ack_mean_microseconds", "mean time to acknowledge", MICROS, 2),
    Column("ack_max_microseconds", "longest", MICROS, 1),
)
PROBLEMS = (
    Column("kind", "kind", NAME),
    Column("file", "file", FILE),
    Column("position", "position", PLACE),
    Column("what", "what", TEXT),
    Column("next", "what to look at next", TEXT),
)


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
            f"{cut['tables_dropped']} smaller tables were dropped to save memory (inserted {cut['inserted']}, updated "
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
    """One table."""
    return [Sheet("wire", "wire", "Over the wire", WIRES, made, note)]


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

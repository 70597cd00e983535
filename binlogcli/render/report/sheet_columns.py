"""The columns of the tables that `stats` reports: keys of values, headings, and what kind of thing they hold.

The keys are those of the report, which is plain data: this room needs to know nothing else of the one that made it.
"""

from __future__ import annotations

from typing import NamedTuple

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
    Column("bytes", "bytes", BYTES, 1),
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
    Column("statement", "first statement", CODE, 1),
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
    Column("delay_mean_microseconds", "mean time", MICROS, 1),
    Column("delay_max_microseconds", "longest", MICROS, 2),
)
ACKNOWLEDGED = (
    Column("source", "source", NAME),
    Column("acknowledgements", "acknowledged", COUNT),
    Column("ack_mean_microseconds", "mean time", MICROS),
    Column("ack_max_microseconds", "longest", MICROS),
)
PROBLEMS = (
    Column("kind", "kind", NAME),
    Column("file", "file", FILE),
    Column("position", "position", PLACE),
    Column("what", "what", TEXT),
    Column("next", "what to look at next", TEXT),
)

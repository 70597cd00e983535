"""The columns of the tables that `stats` reports: the keys of their values, headings, kinds of values.

The keys are those of the report, which is plain data: nothing of the package `stats` is imported to draw it.
"""

from __future__ import annotations

from typing import NamedTuple

TEXT, NAME, FILE, CODE, COUNT, BYTES, SHARE, SECONDS, MICROS, TIME, LIST, _PLACE, FIGURE, WORDS, GTID, MEASURE = (
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
    "gtid",
    "measure",
)
RIGHT = frozenset((COUNT, BYTES, SHARE, SECONDS, MICROS, _PLACE, MEASURE))  # kinds that are numbers
FLEXIBLE = frozenset((TEXT, NAME, FILE, GTID, CODE, LIST, FIGURE))  # kinds that can be cut


class SheetColumn(NamedTuple):
    """A column: key, heading and kind of its values. On a narrow terminal the highest `rank` is left out first."""

    key: str
    heading: str
    kind: str = TEXT
    rank: int = 0


COMMAND = SheetColumn("command", "command", CODE, 10)  # that shows what the row is about
FIGURES = (SheetColumn("figure", ""), SheetColumn("value", "", FIGURE))
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
    SheetColumn("file", "file", FILE),
    SheetColumn("bytes", "bytes", BYTES),
    SheetColumn("events", "events", COUNT),
    SheetColumn("transactions", "transactions", COUNT),
    SheetColumn("rows", "rows", COUNT),
    SheetColumn("first_time", "first", TIME, 2),
    SheetColumn("last_time", "last", TIME, 1),
    SheetColumn("damaged_bytes", "damaged", BYTES, 3),
    SheetColumn("state", "ends", TEXT, 1),
)
EVENTS = (
    SheetColumn("type", "type", NAME),
    SheetColumn("count", "count", COUNT),
    SheetColumn("bytes", "bytes", BYTES),
    SheetColumn("share", "share", SHARE),
    SheetColumn("smallest", "smallest", BYTES, 2),
    SheetColumn("mean", "mean", BYTES, 1),
    SheetColumn("largest", "largest", BYTES, 1),
    SheetColumn("within_payloads", "in payloads", COUNT, 3),
)
TABLES = (
    SheetColumn("database", "database", NAME),
    SheetColumn("table", "table", NAME),
    SheetColumn("inserted", "inserted", COUNT),
    SheetColumn("updated", "updated", COUNT),
    SheetColumn("deleted", "deleted", COUNT),
    SheetColumn("row_bytes", "row bytes", BYTES),
    SheetColumn("map_bytes", "map bytes", BYTES, 5),
    SheetColumn("row_events", "row events", COUNT, 6),
    SheetColumn("transactions", "transactions", COUNT, 3),
    SheetColumn("statements", "statements", COUNT, 1),
    SheetColumn("statement_bytes", "statement bytes", BYTES, 7),
    SheetColumn("first_time", "first", TIME, 4),
    SheetColumn("last_time", "last", TIME, 2),
    COMMAND,
)
TABLE_TIMES = (
    SheetColumn("database", "database", NAME),
    SheetColumn("table", "table", NAME),
    SheetColumn("time", "from", TIME),
    SheetColumn("inserted", "insert", COUNT),
    SheetColumn("updated", "update", COUNT),
    SheetColumn("deleted", "delete", COUNT),
    SheetColumn("bytes", "bytes", BYTES, 1),
    SheetColumn("transactions", "transactions", COUNT, 3),
    SheetColumn("statements", "statements", COUNT, 2),
)
TRANSACTIONS = {
    "count": COUNT,
    "committed": COUNT,
    "rolled_back": COUNT,
    "unfinished": COUNT,
    "prepared_without_end": COUNT,
}
HISTOGRAM = (
    SheetColumn("from_bytes", "from", BYTES),
    SheetColumn("below_bytes", "below", BYTES),
    SheetColumn("count", "transactions", COUNT),
    SheetColumn("bytes", "bytes", BYTES, 1),
)
TRANSACTION = (
    SheetColumn("bytes", "bytes", BYTES),
    SheetColumn("rows", "rows", COUNT),
    SheetColumn("seconds", "seconds", SECONDS, 2),
    SheetColumn("commit_microseconds", "to commit", MICROS, 4),
    SheetColumn("gtid", "gtid", GTID, 1),
    SheetColumn("file", "file", FILE, 3),
    SheetColumn("start", "start", _PLACE),
    SheetColumn("end", "end", _PLACE, 6),
    SheetColumn("time", "time", TIME, 3),
    SheetColumn("xid", "xid", _PLACE, 8),
    SheetColumn("thread_id", "thread", _PLACE, 5),
    SheetColumn("server_id", "server", _PLACE, 9),
    SheetColumn("events", "events", COUNT, 7),
    SheetColumn("tables", "tables", LIST, 4),
    SheetColumn("statement", "first statement", CODE, 1),
    COMMAND,
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
    SheetColumn("time", "from", TIME),
    SheetColumn("bytes", "bytes", BYTES),
    SheetColumn("events", "events", COUNT),
    SheetColumn("rows", "rows", COUNT),
    SheetColumn("transactions", "transactions", COUNT, 1),
)
PEAKS = (
    SheetColumn("measure", "most", TEXT),
    SheetColumn("time", "from", TIME),
    SheetColumn("value", "", MEASURE),
    COMMAND,
)
GAPS = (SheetColumn("from", "from", TIME), SheetColumn("to", "to", TIME), SheetColumn("seconds", "length", SECONDS))
_SHARES = (
    SheetColumn("bytes", "bytes", BYTES),
    SheetColumn("events", "events", COUNT),
    SheetColumn("transactions", "transactions", COUNT),
    SheetColumn("rows", "rows", COUNT),
    SheetColumn("first_time", "first", TIME, 2),
    SheetColumn("last_time", "last", TIME, 1),
)
SERVERS = (SheetColumn("server_id", "server id", _PLACE), *_SHARES)
WITNESSES = (
    SheetColumn("file", "file", FILE),
    SheetColumn("kind", "kind", TEXT),
    SheetColumn("name", "name", TEXT),
    SheetColumn("value", "value", NAME),
)
THREADS = (SheetColumn("server_id", "server id", _PLACE), SheetColumn("thread_id", "thread", _PLACE), *_SHARES)
GTIDS = {"count": COUNT, "anonymous": COUNT, "all": NAME, "binlog_pos": NAME}
GTID_FILES = (
    SheetColumn("file", "file", FILE),
    SheetColumn("count", "count", COUNT),
    SheetColumn("gtids", "gtids", NAME),
    SheetColumn("previous", "before them", NAME, 1),
)
GTID_ODD = (
    SheetColumn("gtid", "gtid", GTID),
    SheetColumn("file", "file", FILE),
    SheetColumn("position", "position", _PLACE),
    SheetColumn("after", "after", GTID),
    COMMAND,
)
DOMAINS = (
    SheetColumn("domain_id", "domain", _PLACE),
    SheetColumn("server_id", "server id", _PLACE),
    SheetColumn("first", "first", _PLACE),
    SheetColumn("last", "last", _PLACE),
    SheetColumn("count", "count", COUNT),
)
GROUP = {
    "transactions": COUNT,
    "groups": COUNT,
    "mean": COUNT,
    "largest": COUNT,
    "independent_of_the_one_before": COUNT,
}
GROUPS = (
    SheetColumn("from", "from", COUNT),
    SheetColumn("below", "below", COUNT),
    SheetColumn("groups", "groups", COUNT),
)
LAG = {"transactions": COUNT, "mean_microseconds": MICROS, "largest_microseconds": MICROS}
LAGS = (
    SheetColumn("microseconds", "lag", MICROS),
    SheetColumn("gtid", "gtid", GTID),
    SheetColumn("file", "file", FILE),
    SheetColumn("position", "position", _PLACE),
    COMMAND,
)
STATEMENTS = (
    SheetColumn("bytes", "bytes", BYTES),
    SheetColumn("count", "count", COUNT),
    SheetColumn("rows", "rows", COUNT, 1),
    SheetColumn("tables", "tables", LIST, 3),
    SheetColumn("file", "file", FILE, 4),
    SheetColumn("position", "position", _PLACE, 2),
    SheetColumn("statement", "statement", CODE),
    SheetColumn("example", "example", CODE, 9),
    COMMAND,
)
FRAGMENTS = (
    SheetColumn("file", "file", FILE, 8),
    SheetColumn("offset", "offset", _PLACE),
    SheetColumn("bytes", "bytes", BYTES),
    SheetColumn("log", "log", FILE),
    SheetColumn("first_position", "first position", _PLACE),
    SheetColumn("last_position", "last position", _PLACE),
    SheetColumn("events", "events", COUNT, 5),
    SheetColumn("first_time", "first", TIME, 2),
    SheetColumn("last_time", "last", TIME, 4),
    SheetColumn("server_ids", "server ids", LIST, 6),
    SheetColumn("server_version", "version", NAME, 7),
    SheetColumn("proven_by", "proven by", TEXT),
)
WIRES = (
    SheetColumn("source", "source", NAME),
    SheetColumn("events", "events", COUNT),
    SheetColumn("heartbeats", "heartbeats", COUNT),
    SheetColumn("reconnects", "reconnects", COUNT),
    SheetColumn("delay_mean_microseconds", "mean time", MICROS, 1),
    SheetColumn("delay_max_microseconds", "longest", MICROS, 2),
)
ACKNOWLEDGED = (
    SheetColumn("source", "source", NAME),
    SheetColumn("acknowledgements", "acknowledged", COUNT),
    SheetColumn("ack_mean_microseconds", "mean time", MICROS),
    SheetColumn("ack_max_microseconds", "longest", MICROS),
)
PROBLEMS = (
    SheetColumn("kind", "kind", NAME),
    SheetColumn("file", "file", FILE),
    SheetColumn("position", "position", _PLACE),
    SheetColumn("what", "what", TEXT),
    SheetColumn("next", "what to look at next", TEXT),
    COMMAND,
)

"""The kinds of fields and their colours on a terminal."""

from __future__ import annotations

from binlogcli.names.column_types import BIT, DATE_TYPES, FRACTIONAL_TYPES, NUMERIC_TYPES, OLD_TEMPORAL_TYPES, YEAR

STRUCTURE, LENGTH, NUMBER, TEXT, TIME, TYPE, NULLS, CHECKSUM, FILLER, UNKNOWN = range(10)
RESET = b"\x1b[0m"
SGR = {
    STRUCTURE: b"\x1b[1m",
    LENGTH: b"\x1b[33m",
    NUMBER: b"\x1b[36m",
    TEXT: b"\x1b[32m",
    TIME: b"\x1b[35m",
    TYPE: b"\x1b[94m",
    NULLS: b"\x1b[95m",
    CHECKSUM: b"\x1b[93m",
    FILLER: b"\x1b[90m",
    UNKNOWN: b"\x1b[91m",
}
FAINT = b"\x1b[90m"
HEADING = b"\x1b[1m"
ALARM = b"\x1b[1;91m"
HIT = b"\x1b[30;103m"
LEGEND = (
    (STRUCTURE, "structure", "a field made of the fields below it"),
    (LENGTH, "length", "a length or a count"),
    (NUMBER, "number", "numbers and identifiers"),
    (TEXT, "text", "names, statements, values that are text"),
    (TIME, "time", "points in time, dates, durations"),
    (TYPE, "type", "types and flags"),
    (NULLS, "bitmap", "which columns are NULL, or present at all"),
    (CHECKSUM, "checksum", "CRC-32 of all bytes before it"),
    (FILLER, "filler", "padding and unused bytes"),
    (UNKNOWN, "unknown", "unknown bytes, or bytes that could not be read"),
)
LENGTH_WORDS = ("length", "_len", "size", "count", "points", "rings", "shapes", "n_sids", "n_intervals", "width")
TIME_WORDS = ("timestamp", "created", "microseconds", "hrnow", "exec_time")
TYPE_WORDS = ("type", "flags", "code", "mode", "header", "compression", "field_id", "operation", "order")
NULL_WORDS = ("null_bits", "columns_present", "_bits")
FILLERS = ("padding", "unused")
UNKNOWNS = ("unknown", "unread")
TEMPORAL_TYPES = DATE_TYPES | OLD_TEMPORAL_TYPES | FRACTIONAL_TYPES | {YEAR}


def kind_of_name(name: str) -> int:
    """Return the kind of a field by its name, which is the decoders'."""
    if name in UNKNOWNS:
        return UNKNOWN
    if name in FILLERS:
        return FILLER
    if name in ("checksum", "first_checksum"):
        return CHECKSUM
    kinds = ((NULL_WORDS, NULLS), (TIME_WORDS, TIME), (LENGTH_WORDS, LENGTH), (TYPE_WORDS, TYPE))
    for words, kind in kinds:
        if any(word in name for word in words):
            return kind
    return NUMBER


def kind_of_column(code: int) -> int:
    """Return the kind of a column's values by its type."""
    if code in TEMPORAL_TYPES:
        return TIME
    return NUMBER if code in NUMERIC_TYPES or code == BIT else TEXT

"""The kinds of fields and their colours on a terminal."""

from __future__ import annotations

from binlogcli.names.column_types import BIT, DATE_TYPES, FRACTIONAL_TYPES, NUMERIC_TYPES, OLD_TEMPORAL_TYPES, YEAR
from binlogcli.render import palette

STRUCTURE, LENGTH, NUMBER, TEXT, TIME, TYPE, NULLS, CHECKSUM, FILLER, UNKNOWN = range(10)
RESET = palette.RESET.encode()
HEADING = palette.BOLD.encode()
FAINT = palette.GREY.encode()
ALARM = palette.bold(palette.RED).encode()
HIT = palette.MARKED.encode()
SGR = {
    STRUCTURE: HEADING,
    LENGTH: palette.OLIVE.encode(),
    NUMBER: palette.TEAL.encode(),
    TEXT: palette.GREEN.encode(),
    TIME: palette.VIOLET.encode(),
    TYPE: palette.AZURE.encode(),
    NULLS: palette.MAGENTA.encode(),
    CHECKSUM: palette.ORANGE.encode(),
    FILLER: FAINT,
    UNKNOWN: palette.RED.encode(),
}
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

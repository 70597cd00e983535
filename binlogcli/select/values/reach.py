"""Which columns can have a value that `--grep` matches although the raw bytes of the rows hold no needle.

Text of most character sets is in a log as the bytes it is shown as. Numbers, dates and labels are not, nor are bytes
that are shown in hexadecimal; of these, a needle tells whether a column can have it at all.
"""

from __future__ import annotations

import re
from functools import lru_cache

from binlogcli.names.charsets import decode, is_ascii_superset, is_utf8
from binlogcli.rows.column import Column
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.decimal import DecimalColumn
from binlogcli.rows.readers.numbers import DoubleColumn, EnumColumn, FloatColumn, IntColumn, NullColumn, SetColumn
from binlogcli.rows.readers.strings import BytesColumn, CompressedColumn, JsonColumn
from binlogcli.rows.readers.temporal import TemporalColumn
from binlogcli.select.values.grep import Grep

NOT, ODD, ALL = 0, 1, 2  # no value; those that may be shown as other characters than their bytes; any value
_LARGEST = 8  # bytes of an integer
_YEAR_DIGITS = 5  # a date need not be one of the calendar
_SIGNED = re.compile(r"-?\d*", re.ASCII)
_DECIMAL = re.compile(r"-?(\d*)(?:\.(\d*))?", re.ASCII)
_TEMPORAL = re.compile(r"[-\d :.]+", re.ASCII)
_FLOAT = re.compile(r"[-+\d.einfa]+", re.ASCII)
_JSON_LETTER = re.compile(r"[g-z_@#G-Z]")
_JSON_WORDS = re.compile(r"[^\"\\{}\[\]:, ]+")  # no characters of the punctuation, which is not stored
_JSON_TAILS = "bfnrtu"  # of what characters are written as after a backslash, and hexadecimal digits
_JSON_VALUES = ("true", "false", "null", "infinity")


def reach_of(grep: Grep, plan: TablePlan) -> bytes:
    """Return for each column of a table which of its values are to be written to look for needles in them."""
    mariadb = plan.definition.mariadb
    found = bytearray(column_reach(grep, column, mariadb=mariadb) for column in plan.columns)
    for index in plan.ambiguous if found else ():  # their digits of a second are found with the rows
        found[index] = ALL
    return bytes(found)


def column_reach(grep: Grep, column: Column, *, mariadb: bool) -> int:
    """Return NOT, ODD or ALL for a column."""
    if isinstance(column, NullColumn):
        return NOT
    if isinstance(column, CompressedColumn):
        return ALL
    if isinstance(column, JsonColumn):
        return ODD if all(map(_is_in_json, grep.needles or ())) else ALL
    if isinstance(column, BytesColumn):
        return _bytes_reach(grep, column, mariadb=mariadb)
    if isinstance(column, EnumColumn | SetColumn):
        return _labels_reach(grep, column, mariadb=mariadb)
    return ALL if any(may_write(column, needle) for needle in grep.needles or ()) else NOT


def _bytes_reach(grep: Grep, column: BytesColumn, *, mariadb: bool) -> int:
    """Return NOT or ODD for a column of text or bytes."""
    if column.info.type_name or grep.may_be_hex:  # an address; bytes and what is not valid text
        return ODD
    charset = column.info.charset(mariadb=mariadb) or "utf8mb4"
    if is_utf8(charset) or charset == "binary":
        return NOT
    return NOT if grep.in_ascii and not grep.other_cases() and keeps_ascii(charset) else ODD


def _labels_reach(grep: Grep, column: EnumColumn | SetColumn, *, mariadb: bool) -> int:
    """Return NOT or ALL for a column whose values are labels, or numbers where there is no label for them."""
    labels = column.info.label_texts(mariadb=mariadb)
    needles = grep.needles or ()
    if labels is None or any("," in needle or _SIGNED.fullmatch(needle) for needle in needles) or grep.other_cases():
        return ALL
    known = [label.lower() if grep.ignore_case else label for label in labels]
    return ALL if any(needle in label for needle in needles for label in known) else NOT


def may_write(column: Column, needle: str) -> bool:
    """Return whether a number, a date or a time may be written with a needle."""
    if isinstance(column, DecimalColumn):
        found = _DECIMAL.fullmatch(needle)
        if found is None:
            return False
        whole = max(column.precision - column.scale, 1)
        if found[2] is None:
            return len(found[1]) <= max(whole, column.scale)
        return len(found[1]) <= whole and len(found[2]) <= column.scale
    if isinstance(column, TemporalColumn):
        digits = max(map(len, re.findall(r"\d+", needle)), default=0)
        return _TEMPORAL.fullmatch(needle) is not None and digits <= max(_YEAR_DIGITS, column.fsp)
    if isinstance(column, FloatColumn | DoubleColumn):
        return _FLOAT.fullmatch(needle) is not None
    width = column.width if isinstance(column, IntColumn) else _LARGEST
    return _SIGNED.fullmatch(needle) is not None and len(needle.lstrip("-")) <= len(str((1 << 8 * width) - 1))


def _is_in_json(needle: str) -> bool:
    """Return whether a needle can only be in strings of a JSON document, which are stored as they are shown.

    Or in a value of an SQL type that is shown in base64; a document with such a value is to be written.
    """
    if not _JSON_LETTER.search(needle) or not _JSON_WORDS.fullmatch(needle):
        return False
    if needle[0].lower() in _JSON_TAILS or needle[0] in "0123456789abcdefABCDEF":
        return False
    return not any(needle.lower() in word for word in _JSON_VALUES)


@lru_cache(maxsize=128)
def keeps_ascii(charset: str) -> bool:
    """Return whether letters, digits and signs of ASCII but the backslash are stored as in ASCII, and only so."""
    if not is_ascii_superset(charset):
        return False
    others = [decode(bytes([byte]), charset) for byte in range(128, 256)]
    return not any(other is not None and other.isascii() for other in others)

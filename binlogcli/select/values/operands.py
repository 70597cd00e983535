"""Converts the value of a `--where` condition to the type of a column, and compares it with the column's values."""

from __future__ import annotations

import json
import operator
import re
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from binlogcli.binary.json_reader import read_json
from binlogcli.rows.value_texts import shortest_single
from binlogcli.select.values.where import Condition, WhereError

_DATETIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?)?", re.ASCII
)
_TIME = re.compile(r"(-?)(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?", re.ASCII)
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class When:
    """A date, a time of day or both: compared by its parts, matched with LIKE by its text."""

    def __init__(self, shown: str, parts: tuple[int, ...]) -> None:
        self.shown = shown
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, When) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __lt__(self, other: When) -> bool:
        return self.parts < other.parts

    def __le__(self, other: When) -> bool:
        return self.parts <= other.parts

    def __gt__(self, other: When) -> bool:
        return self.parts > other.parts

    def __ge__(self, other: When) -> bool:
        return self.parts >= other.parts


class Document:
    """A JSON document: equal or not, without an order."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.value == other.value

    def __hash__(self) -> int:
        return hash(str(self.value))


Operand = int | float | Decimal | str | bytes | When | Document  # a value of a column, or one to compare it with
Converter = Callable[[Condition], Operand]


def text_of(value: Operand) -> str:
    """Return the text of a value that LIKE is matched with."""
    if isinstance(value, When):
        return value.shown
    if isinstance(value, Document):
        return json.dumps(value.value, ensure_ascii=False, default=str)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def like_pattern(condition: Condition) -> re.Pattern[str]:
    """Return the regular expression of a LIKE pattern: % and _ are wildcards unless a backslash precedes them."""
    value = condition.value
    wanted = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    pieces = re.findall(r"\\.|[%_]|[^\\%_]+|\\", wanted, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    parts = [wild.get(piece) or re.escape(piece[-1] if piece[0] == "\\" else piece) for piece in pieces]
    return re.compile("".join(parts), re.DOTALL)


def _misfit(condition: Condition, kind: str) -> WhereError:
    """Return the error for a value that does not fit the column's type, which `kind` names."""
    reason = f"{condition.text}: cannot be compared, because {condition.shown_column} contains {kind}"
    return WhereError(reason, hint="write the value as SELECT shows it")


def as_number(condition: Condition) -> int | Decimal:
    """Return the value as a number; bytes are a big-endian integer. Raises `WhereError`."""
    value = condition.value
    if isinstance(value, bytes):
        return int.from_bytes(value, "big")
    if not isinstance(value, str):
        return value or 0  # never None: NULL is not converted
    try:
        number = Decimal(value.strip())
    except ArithmeticError:
        raise _misfit(condition, "numbers") from None
    if number.is_nan():
        raise _misfit(condition, "numbers")
    return number


def as_double(condition: Condition) -> float:
    """Return the value as a DOUBLE. Raises `WhereError`."""
    return float(as_number(condition))


def as_single(condition: Condition) -> float:
    """Return the number that is shown for the FLOAT nearest to the value. Raises `WhereError`."""
    value = float(as_number(condition))
    try:
        return float(shortest_single(struct.unpack("<f", struct.pack("<f", value))[0]))
    except OverflowError:
        return value


def as_text(condition: Condition) -> str:
    """Return the value as characters."""
    value = condition.value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def as_bytes(condition: Condition) -> bytes:
    """Return the value as bytes, characters in UTF-8."""
    value = condition.value
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def as_date(condition: Condition) -> When:
    """Return the value as a date, with a time of day or without. Raises `WhereError`."""
    found = _DATETIME.fullmatch(condition.value.strip()) if isinstance(condition.value, str) else None
    if found is None:
        raise _misfit(condition, "dates ('2026-11-21' or '2026-11-21 00:05:18.5')")
    *parts, fraction = found.groups()
    return When(found[0], (*(int(part or 0) for part in parts), int((fraction or "").ljust(6, "0"))))


def as_time(condition: Condition) -> When:
    """Return the value as a TIME, whose part is its microseconds. Raises `WhereError`."""
    found = _TIME.fullmatch(condition.value.strip()) if isinstance(condition.value, str) else None
    if found is None:
        raise _misfit(condition, "times ('-12:30:00.5')")
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:4])
    micro = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + int((found[5] or "").ljust(6, "0"))
    return When(found[0], (-micro if found[1] else micro,))


def as_document(condition: Condition) -> Document:
    """Return the value as a JSON document; a text that is not valid JSON is a JSON string. Raises `WhereError`."""
    if condition.operator not in ("=", "!="):
        raise _misfit(condition, "JSON, which has no order")
    try:
        return Document(read_json(condition.value) if isinstance(condition.value, str) else as_number(condition))
    except ValueError:
        return Document(condition.value)

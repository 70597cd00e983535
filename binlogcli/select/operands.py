"""What the user wrote in `--where`, as a value of the kind that a column holds, and how two such values compare."""

from __future__ import annotations

import json
import re
import struct
from decimal import Decimal
from typing import Any

from binlogcli.rows.sinks.python_values import shortest_single
from binlogcli.select.where import Condition, WhereError

DATETIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?)?", re.ASCII
)
TIME = re.compile(r"(-?)(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?", re.ASCII)


def compared(operator: str, value: Any, operand: Any) -> bool:
    """A comparison of two values of one kind."""
    if operator == "=":
        return bool(value == operand)
    if operator == "!=":
        return bool(value != operand)
    if operator == "<":
        return bool(value < operand)
    if operator == "<=":
        return bool(value <= operand)
    return bool(value > operand if operator == ">" else value >= operand)


class When:
    """A date, time or both: compared by its parts, and by its text where that is asked for."""

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
    """A JSON document; there is no order between two."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.value == other.value

    def __hash__(self) -> int:
        return hash(str(self.value))


def text_of(value: object) -> str:
    """A value as LIKE sees it."""
    if isinstance(value, When):
        return value.shown
    if isinstance(value, Document):
        return json.dumps(value.value, ensure_ascii=False, default=str)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def like_pattern(condition: Condition) -> re.Pattern[str]:
    """A LIKE pattern, in which % and _ stand for anything unless a backslash is before them."""
    value = condition.value
    wanted = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    pieces = re.findall(r"\\.|[%_]|[^\\%_]+|\\", wanted, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    parts = [wild.get(piece) or re.escape(piece[-1] if piece[0] == "\\" else piece) for piece in pieces]
    return re.compile("".join(parts), re.DOTALL)


def misfit(condition: Condition, kind: str) -> WhereError:
    """What was written is no value of the column's type."""
    reason = f"{condition.text}: {condition.shown_column} holds {kind}, and can be compared with such only"
    return WhereError(reason, hint="write the value as SELECT shows it")


def number(condition: Condition) -> object:
    """What was written as a number."""
    value = condition.value
    if isinstance(value, bytes):
        return int.from_bytes(value, "big")
    try:
        return Decimal(value.strip()) if isinstance(value, str) else value
    except ArithmeticError:
        raise misfit(condition, "numbers") from None


def double(condition: Condition) -> object:
    """What was written as a DOUBLE."""
    return float(number(condition))  # type: ignore[arg-type]


def single(condition: Condition) -> object:
    """What was written as a FLOAT: the digits that are shown of the nearest one."""
    value = float(number(condition))  # type: ignore[arg-type]
    try:
        return float(shortest_single(struct.unpack("<f", struct.pack("<f", value))[0]))
    except OverflowError:
        return value


def text(condition: Condition) -> object:
    """What was written as characters."""
    value = condition.value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def octets(condition: Condition) -> object:
    """What was written as bytes."""
    value = condition.value
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def point(condition: Condition) -> object:
    """What was written as a date, with a time or without."""
    found = DATETIME.fullmatch(condition.value.strip()) if isinstance(condition.value, str) else None
    if found is None:
        raise misfit(condition, "dates ('2026-11-21' or '2026-11-21 00:05:18.5')")
    *parts, fraction = found.groups()
    return When(found[0], (*(int(part or 0) for part in parts), int((fraction or "").ljust(6, "0"))))


def duration(condition: Condition) -> object:
    """What was written as a time."""
    found = TIME.fullmatch(condition.value.strip()) if isinstance(condition.value, str) else None
    if found is None:
        raise misfit(condition, "times ('-12:30:00.5')")
    hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:4])
    micro = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + int((found[5] or "").ljust(6, "0"))
    return When(found[0], (-micro if found[1] else micro,))


def document(condition: Condition) -> object:
    """What was written as JSON; what is none is a string."""
    if condition.operator not in ("=", "!="):
        raise misfit(condition, "JSON, which has no order")
    try:
        return Document(json.loads(condition.value) if isinstance(condition.value, str) else number(condition))
    except ValueError:
        return Document(condition.value)

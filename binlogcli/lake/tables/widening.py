"""The columns that hold every version of a table: for each column the type that holds the values of all."""

from __future__ import annotations

from collections.abc import Iterable

from binlogcli.lake.tables.types import LABEL, MAX_DIGITS, TableSchema

_RANKS = {"bool": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4}
_DIGITS = {"bool": 1, "int8": 3, "int16": 5, "int32": 10, "int64": 19}


def widen(first: str, second: str) -> str | None:
    """Return the type that holds the values of both exactly; None where only text does."""
    if first == second:
        return first
    pair = {"string" if kind in (LABEL, "json") else kind for kind in (first, second)}
    if len(pair) == 1:
        return "string"
    if pair <= _RANKS.keys():
        return max(pair, key=_RANKS.__getitem__)
    if pair == {"float32", "float64"}:
        return "float64"
    if pair == {"string", "binary"}:
        return "binary"
    if pair == {"date32", "timestamp[us]"}:
        return "timestamp[us]"
    return _wide_decimal(pair)


def _wide_decimal(pair: set[str]) -> str | None:
    """Return the decimal that holds two decimals, or a decimal and an integer."""
    sizes = []
    for kind in pair:
        if kind in _DIGITS:
            sizes.append((_DIGITS[kind], 0))
        elif kind.startswith("decimal("):
            precision, scale = map(int, kind[8:-1].split(","))
            sizes.append((precision - scale, scale))
        else:
            return None
    scale = max(size[1] for size in sizes)
    precision = max(size[0] for size in sizes) + scale
    return f"decimal({precision},{scale})" if precision <= MAX_DIGITS else None


def columns_of_unknown_sign(versions: Iterable[TableSchema]) -> set[str]:
    """Return the names of columns that a version has signed because their sign is not known, in lower case."""
    return {column.name.lower() for version in versions for column in version.columns if column.sign_unknown}


def widened(versions: Iterable[TableSchema]) -> list[tuple[str, str]]:
    """Return name and type of the columns that hold all versions; string where only text does."""
    found: dict[str, tuple[str, str]] = {}
    for version in versions:
        for column in version.columns:
            key = column.name.lower()
            name, kind = found.get(key, (column.name, column.type))
            found[key] = (name, widen(kind, column.type) or "string")
    return list(found.values())

"""The types that hold the values of several versions of a column, and which versions plain readers read together.

A generation holds versions whose Parquet files any reader of a directory reads as one table: columns of one name are
one column, and their types differ at most in the width of integers and floats and in the digits of decimals.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    if "binary" in pair:
        return "binary"  # of any other type it holds the text
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
            precision, scale = digits_of(kind)
            sizes.append((precision - scale, scale))
        else:
            return None
    scale = max(size[1] for size in sizes)
    precision = max(size[0] for size in sizes) + scale
    return f"decimal({precision},{scale})" if precision <= MAX_DIGITS else None


def digits_of(kind: str) -> tuple[int, int]:
    """Return all digits of a decimal type, and those after the point."""
    precision, scale = kind[8:-1].split(",")
    return int(precision), int(scale)


# generations --------------------------------------------------------------------------------------------------------


def generation_of(version: TableSchema, others: Sequence[TableSchema], generations: Sequence[int]) -> int:
    """Return the first generation that a version can be read with, of those of the other versions, or a new one."""
    for number in range(max(generations, default=-1) + 1):
        members = [other for other, found in zip(others, generations, strict=True) if found == number]
        if all(_read_together(version, member) for member in members):
            return number
    return max(generations, default=-1) + 1


def _read_together(first: TableSchema, second: TableSchema) -> bool:
    """Whether any reader reads files of both versions as one table."""
    theirs = {column.name.lower(): column for column in second.columns}
    for column in first.columns:
        other = theirs.get(column.name.lower())
        if other is not None and (column.former != other.former or not _read_as_one(column.type, other.type)):
            return False
    return not _renames(first, second) and not _renames(second, first)


def _renames(first: TableSchema, second: TableSchema) -> bool:
    """Whether a column of `first` has had the name of one of `second`."""
    names = {column.name.lower() for column in second.columns}
    return any(not names.isdisjoint(map(str.lower, column.former)) for column in first.columns)


def _read_as_one(first: str, second: str) -> bool:
    """Whether any reader takes files with either of two types for a column."""
    pair = {"string" if kind in (LABEL, "json") else kind for kind in (first, second)}
    if len(pair) == 1 or pair == {"float32", "float64"} or pair <= _RANKS.keys() - {"bool"}:
        return True
    decimals = [digits_of(kind) for kind in pair if kind.startswith("decimal(")]
    return len(decimals) == 2 and decimals[0][1] == decimals[1][1]

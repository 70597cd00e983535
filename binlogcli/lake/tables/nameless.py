"""Versions of tables whose columns have no names: those that have names and may be the same are found by the types.

What a column holds that is not known by name was read by the table map alone. Its values are those of the named column
but for ENUM and SET without labels, addresses and vectors, which are read as numbers or bytes: these are not matched.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from binlogcli.lake.tables.types import LABEL, WIDE, LakeColumn, TableSchema

_INTEGERS = frozenset(("int8", "int16", "int32", "int64", WIDE))
_TEXTS = frozenset(("string", "json", "binary"))
_LABELS = frozenset((LABEL, "list<string>"))
_PACKED = ("UUID", "INET4", "INET6", "VECTOR")  # in a table map without names, they are text or bytes


def is_nameless(version: TableSchema) -> bool:
    """Whether the names of its columns are not known."""
    return all(column.column == f"@{at}" for at, column in enumerate(version.own, 1))


def fits(nameless: TableSchema, named: TableSchema) -> bool:
    """Whether the rows of a version without names may be of the other one: as many columns, of such types."""
    pairs = zip_longest(nameless.own, named.own)
    return all(one is not None and other is not None and _may_be(one, other) for one, other in pairs)


def places_of(nameless: TableSchema, named: TableSchema) -> Iterator[tuple[LakeColumn, LakeColumn]]:
    """Yield each column of the named version, with that of the other one which has its values."""
    companions = _companions(nameless), _companions(named)
    for own, column in zip(nameless.own, named.own, strict=True):
        if _is_same(own, column):
            yield column, own
            for ending, other in companions[1].get(column.name, {}).items():
                if (fitting := companions[0].get(own.name, {}).get(ending)) is not None:
                    yield other, fitting


def _companions(version: TableSchema) -> dict[str, dict[str, LakeColumn]]:
    """Return the columns that belong to others, by the names of these and by what they tell."""
    found: dict[str, dict[str, LakeColumn]] = {}
    owner = ""
    for column in version.columns:
        if column.companion:
            found.setdefault(owner, {})[column.source] = column
        else:
            owner = column.name
    return found


def _is_packed(named: LakeColumn) -> bool:
    return named.source.startswith(_PACKED)


def _is_same(nameless: LakeColumn, named: LakeColumn) -> bool:
    """Whether a column has the values of the named one."""
    if _is_packed(named):
        return False
    if nameless.sign_unknown:
        return nameless.source == named.source.removesuffix(" UNSIGNED")
    return nameless.type == named.type or {nameless.type, named.type} <= _TEXTS


def _may_be(nameless: LakeColumn, named: LakeColumn) -> bool:
    """Whether a column may be the named one, read without what its definition tells."""
    if _is_same(nameless, named):
        return True
    if named.type in _LABELS:
        return nameless.type in _INTEGERS
    return _is_packed(named) and nameless.type in _TEXTS

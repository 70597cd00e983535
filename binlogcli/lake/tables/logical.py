"""One table out of all versions of it: which of their columns are one, and the type that holds the values of all.

The versions are gone through in the order of the logs. A column is what became of one of the versions before it if
its names begin with the names that this one has had: `b`, once `a`, is the column that was `a`. A column that was
dropped and added again under its name is one column. The name of a column is the last that it has had.

A version whose columns have no names, because neither log nor schema had them at its conversion, is taken for the
nearest version that has some and the same types, if there is one: of those before it, else of those after it
that no statement has made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from binlogcli.lake.tables.nameless import fits, is_nameless, places_of
from binlogcli.lake.tables.types import LABEL, METADATA, LakeColumn, TableSchema, free_name
from binlogcli.lake.tables.widening import widen

_Path = tuple[str, ...]  # the names that a column has had, in lower case


@dataclass(frozen=True, slots=True)
class LogicalColumn:
    """A column of the one table. `sources` has by a version's index the column that it is there."""

    name: str
    type: str
    sources: Mapping[int, LakeColumn]


@dataclass(frozen=True)
class LogicalTable:
    """A table as all its versions together have it, without the columns that tell of the change."""

    versions: tuple[TableSchema, ...]
    columns: tuple[LogicalColumn, ...]
    primary_key: tuple[str, ...]  # of the last version
    order: tuple[int, ...]  # the indexes of the versions in the order of the logs
    last: int  # the index of the version that the table has in the end

    @property
    def columns_only(self) -> bool:
        """Whether a version lacks most of the columns that tell of the change."""
        return any(version.columns_only for version in self.versions)

    @property
    def types(self) -> list[tuple[str, str]]:
        """Name and type of each column."""
        return [(column.name, column.type) for column in self.columns]

    @cached_property
    def current(self) -> tuple[LogicalColumn, ...]:
        """The columns that the table has in the end, in their order."""
        by_name = {one.sources[self.last].name: one for one in self.columns if self.last in one.sources}
        return tuple(by_name[column.name] for column in self.versions[self.last].columns)

    def lacking_in(self, version: int) -> list[str]:
        """Return the names of those columns of `current` whose values a version does not tell.

        It lacks them, or they were dropped after it and added again: a later version lacks them.
        """
        after = self.order[self.order.index(version) + 1 :]
        telling = [at for at in after if not is_nameless(self.versions[at])]
        return [
            one.name
            for one in self.current
            if not one.sources[self.last].companion
            and (version not in one.sources or any(at not in one.sources for at in telling))
        ]

    def names_in(self, version: int) -> dict[str, str]:
        """Return the name that each column has in a version, by its name here; those that it lacks are not in it."""
        return {column.name: column.sources[version].name for column in self.columns if version in column.sources}

    def renamed_in(self, version: int) -> dict[str, str]:
        """Return the names here of the columns that have other names in a version, by these."""
        return {name: column for column, name in self.names_in(version).items() if name != column}

    @cached_property
    def unsure(self) -> set[str]:
        """The names, in lower case, of columns that a version has signed because their sign is not known."""
        return {one.name.lower() for one in self.columns if any(column.sign_unknown for column in one.sources.values())}


@dataclass(slots=True)
class _Column:
    """A column while the versions are gone through."""

    path: _Path
    ending: str  # of a companion; empty for a column of the log
    name: str
    sources: dict[int, LakeColumn] = field(default_factory=dict)


def logical_table(versions: Sequence[TableSchema], order: Iterable[int] | None = None) -> LogicalTable:
    """Return the table that these versions are of; `order` has their indexes in the order of the logs."""
    found: list[_Column] = []
    order = list(range(len(versions)) if order is None else order)
    matches = _matches(versions, order)
    named = [number for number in order if number not in matches]
    for number in named:
        _go_on(found, number, versions[number])
    for number, other in matches.items():
        pairs = dict(places_of(versions[number], versions[other]))
        for one in found:
            if other in one.sources and (own := pairs.get(one.sources[other])) is not None:
                one.sources[number] = own
    last = named[-1] if named else -1
    names = _names(found, last)
    columns = tuple(
        LogicalColumn(name, _type_of(one.sources.values()), one.sources) for one, name in zip(found, names, strict=True)
    )
    here = {one.sources[last].name: name for one, name in zip(found, names, strict=True) if last in one.sources}
    key = tuple(here[name] for name in versions[last].primary_key) if order else ()
    return LogicalTable(tuple(versions), columns, key, tuple(order), last)


def _matches(versions: Sequence[TableSchema], order: Sequence[int]) -> dict[int, int]:
    """Return for each version without names that has a match the version that it is taken for."""
    found = {}
    for at, number in enumerate(order):
        if is_nameless(versions[number]):
            later = (one for one in order[at + 1 :] if not versions[one].origin.statement)
            near = (one for one in (*reversed(order[:at]), *later) if not is_nameless(versions[one]))
            other = next((one for one in near if fits(versions[number], versions[one])), None)
            if other is not None:
                found[number] = other
    return found


def _go_on(found: list[_Column], number: int, version: TableSchema) -> None:
    """Add the columns of the next version."""
    paths: dict[int, tuple[_Path, str]] = {}
    owner: _Path = ()
    for at, column in enumerate(version.columns):
        if not column.companion:
            owner = (*map(str.lower, column.former), column.name.lower())
        paths[at] = owner, column.source if column.companion else ""
    left = {(one.path, one.ending): one for one in found}  # one of several that had the same names: the last
    lengths = range(max((len(path) for path, _ in paths.values()), default=0), 0, -1)
    # the longest past first; of two columns that begin with it, that which was renamed: the other got its name after
    for size, is_renamed in product(lengths, (True, False)):
        for at, (path, ending) in list(paths.items()):
            fits = len(path) > size if is_renamed else len(path) == size
            known = left.pop((path[:size], ending), None) if fits else None
            if known is not None:
                known.path, known.name = path, version.columns[at].name
                known.sources[number] = version.columns[at]
                del paths[at]
    for at, (path, ending) in paths.items():
        column = version.columns[at]
        found.append(_Column(path, ending, column.name, {number: column}))


def _names(found: Sequence[_Column], last: int) -> list[str]:
    """Return a name for each column; those of the last version have theirs."""
    taken = {name for name, _ in METADATA}
    names = [""] * len(found)
    for at in sorted(range(len(found)), key=lambda at: last not in found[at].sources):
        names[at] = free_name(found[at].name, taken)
    return names


def _type_of(columns: Iterable[LakeColumn]) -> str:
    """Return the type that holds the values of these columns; string where only text does."""
    kinds = list(dict.fromkeys(column.type for column in columns))
    found = kinds[0]
    for kind in kinds[1:]:
        found = widen(found, kind) or "string"
    return "string" if found == LABEL and len(kinds) > 1 else found

"""The definition of a table: its columns, its keys and its character set, as statements describe them.

Definitions are immutable: a statement that changes a table gives another one. The binary log holds more columns than
were declared: MariaDB's row_start and row_end of a table WITH SYSTEM VERSIONING, and a hash for each long unique key.

Of a table before a statement that dropped or changed a column, not everything is known (`backward` makes such tables):
a column may be known by its name alone, and have one of several places. `fitting` finds what a table map leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from binlogcli.names.collations import collation
from binlogcli.names.column_types import GEOMETRY
from binlogcli.schema.sql.charsets import NO_CHARSET, Charset, character_bytes
from binlogcli.schema.sql.tokens import Unreadable
from binlogcli.schema.sql.types import TYPES

ROW_START, ROW_END = "row_start", "row_end"
_REAL_HASHES = frozenset(("memory", "heap"))  # engines that have hash indexes of their own
_LONGEST_KEY = {"myisam": 1000, "aria": 2300}  # in bytes
_LONGEST_INNODB_KEY = 3072
_MOST_COLUMNS = 16_384  # both servers end at 4,096
_UNLIMITED = frozenset(
    ("tinytext", "text", "mediumtext", "longtext", "tinyblob", "blob", "mediumblob", "longblob", "json")
)


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column as the statements describe it that made and changed its table."""

    name: str  # empty where it is not known
    type_name: str  # lower case, as SHOW CREATE TABLE prints it; empty where it is not known
    length: int | None  # characters or bytes, digits, bits; of an integer the display width that is not its default
    scale: int | None
    unsigned: bool | None  # None: not known
    collation: int | None
    labels: tuple[str, ...]
    kinds: frozenset[int]  # the column type codes that it can have in a table map; empty for any
    visible: bool | None
    stored: bool
    generated: bool
    nullable: bool | None = True
    zerofill: bool = False
    former: tuple[str, ...] = field(default=(), compare=False)  # its earlier names, the first one first

    def takes(self, code: int) -> bool:
        """Whether the column can have this type code in a table map."""
        return not self.kinds or code in self.kinds

    def after(self, column: SchemaColumn) -> SchemaColumn:
        """Return the column as what became of `column`: it knows the names that this one has had."""
        renamed = (column.name,) if self.name.lower() != column.name.lower() else ()
        return replace(self, former=column.former + renamed)


def unknown_column(name: str) -> SchemaColumn:
    """Return a column of which nothing is known but its name, or not even that."""
    return SchemaColumn(
        *(name, "", None, None, None),
        collation=None,
        labels=(),
        kinds=frozenset(),
        visible=None,
        stored=True,
        generated=False,
        nullable=None,
    )


@dataclass(frozen=True, slots=True)
class UnplacedColumn:
    """A declared column whose place among the others is not known."""

    column: SchemaColumn
    gaps: int  # bit n is set where it may stand before the n-th declared column, or after the last one
    optional: bool = False  # perhaps the table does not have it


@dataclass(frozen=True, slots=True)
class SchemaKey:
    """A key of a table."""

    kind: str  # "primary", "unique", "fulltext", "spatial", "vector" or "" for an ordinary index
    name: str
    parts: tuple[tuple[str, int], ...]  # a column, empty for an expression, and the length of its prefix or 0
    using_hash: bool = False
    generated: bool = field(default=False, compare=False)  # for a foreign key, until another key begins like it

    def without(self, columns: set[str]) -> SchemaKey | None:
        """Return the key after these columns (lower case) were dropped; None where nothing of it is left."""
        parts = tuple(part for part in self.parts if part[0].lower() not in columns)
        return replace(self, parts=parts) if parts else None

    def renamed(self, names: dict[str, str]) -> SchemaKey:
        """Return the key after columns were renamed, by their old names in lower case."""
        return replace(self, parts=tuple((names.get(name.lower(), name), prefix) for name, prefix in self.parts))


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key. One that acts changes rows of its table when the rows change that they refer to."""

    name: str
    own_columns: tuple[str, ...]
    database: str  # of the table that is referred to; empty where it is not given
    table: str
    columns: tuple[str, ...]  # that are referred to; empty where they are not given
    on_delete: str  # CASCADE, SET NULL or SET DEFAULT; empty where the server refuses the change
    on_update: str

    @property
    def acts(self) -> bool:
        """Whether it changes rows of its table, and does not only refuse changes of others."""
        return bool(self.on_delete or self.on_update)


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger, and the table whose changes run it."""

    database: str
    table: str
    name: str
    time: str  # BEFORE or AFTER
    event: str  # INSERT, UPDATE or DELETE


@dataclass(frozen=True)
class SchemaTable:
    """A table's declared columns and keys, and what its columns inherit."""

    database: str
    table: str
    declared: tuple[SchemaColumn, ...]
    keys: tuple[SchemaKey, ...] = ()
    charset: Charset = NO_CHARSET
    engine: str = ""  # lower case; empty for the server's default
    mariadb: bool = False
    versioned: bool = False  # WITH SYSTEM VERSIONING
    period: tuple[str, str] | None = None  # the columns of PERIOD FOR SYSTEM_TIME; None: the server adds them
    application_period: tuple[str, str, str] | None = None  # the name of another PERIOD, and its columns
    foreign_keys: tuple[ForeignKey, ...] = ()
    unplaced: tuple[UnplacedColumn, ...] = ()
    keys_known: bool = True  # False: it may have more keys than `keys`
    hashes: tuple[int, int] | None = None  # the fewest and most hashes of unique keys, where `keys` does not tell
    given: bool = field(default=False, compare=False)  # by a schema file, and not changed by a statement since

    @cached_property
    def columns(self) -> tuple[SchemaColumn, ...]:
        """The columns in the order of the binary log, with the server's hidden ones, without those of unknown place."""
        return self.columns_with(self.hash_range[0])

    @property
    def hash_range(self) -> tuple[int, int]:
        """The fewest and the most hashes of unique keys that the table has as columns."""
        if self.hashes is not None:
            return self.hashes
        hashes = sum(self.is_hashed(key) for key in self.keys)
        return hashes, hashes

    def columns_with(self, hashes: int) -> tuple[SchemaColumn, ...]:
        """Return the columns in the order of the binary log with so many hashes of unique keys."""
        hidden: list[SchemaColumn] = []
        if self.versioned and self.period is None:
            hidden += [_hidden(name, "timestamp", length=6) for name in (ROW_START, ROW_END)]
        hidden += [_hidden(f"DB_ROW_HASH_{number}", "bigint") for number in range(1, hashes + 1)]
        return (*self.declared, *hidden)

    @cached_property
    def is_exact(self) -> bool:
        """Whether all columns and keys are known, so that what a statement makes of the table is known, too."""
        exact = not self.unplaced and self.keys_known and self.hashes is None
        return exact and all(column.name and column.type_name for column in self.declared)

    @cached_property
    def primary_key(self) -> tuple[int, ...]:
        """The places of the primary key's columns among `columns`."""
        return self.row_key([column.nullable is not False for column in self.columns])

    def row_key(self, nullable: Sequence[bool]) -> tuple[int, ...]:
        """Return the places of the columns by which the servers know a row, as `columns` are nullable or not.

        They are those of the primary key, else of the first unique key without NULL and prefixes, else none; none, too,
        where another key than the known ones may be that.
        """
        if primary := self._primary():
            return self._places_of(primary) or ()
        if not self.keys_known:
            return ()
        for key in self.keys:
            if key.kind == "unique" and not self.is_hashed(key) and not any(prefix for _, prefix in key.parts):
                places = self._places_of(key)
                if places and not any(nullable[place] or self._is_geometry(place) for place in places):
                    return places
        return ()

    def row_key_parts(self, nullable: Sequence[bool]) -> list[tuple[int, int]]:
        """Return the places of `row_key`, each with the length of the prefix that is in the key, or 0."""
        primary = self._primary()
        prefixes = dict(primary.parts) if primary else {}
        found = []
        for place in self.row_key(nullable):
            column = self.columns[place]
            prefix = prefixes.get(column.name, 0)
            found.append((place, 0 if prefix == column.length and column.type_name not in _UNLIMITED else prefix))
        return found

    def _primary(self) -> SchemaKey | None:
        return next((key for key in self.keys if key.kind == "primary"), None)

    def _is_geometry(self, place: int) -> bool:
        """Whether only a prefix of the column's values can be in a key."""
        return GEOMETRY in self.columns[place].kinds

    def column(self, name: str) -> SchemaColumn | None:
        """Return the declared column of this name, which may be in other letters; None if there is none."""
        place = self.place(name)
        return None if place is None else self.declared[place]

    def _places_of(self, key: SchemaKey) -> tuple[int, ...] | None:
        """Return the places of a key's columns among `columns`; None where one is not there."""
        names = [name for name, _ in key.parts]
        if self.versioned:  # old versions of a row have the same key, so row_end is part of it
            names.append(self.period[1] if self.period else ROW_END)
        places = {column.name.lower(): index for index, column in reversed(list(enumerate(self.columns)))}
        found = [places.get(name.lower()) for name in names]
        return None if None in found else tuple(dict.fromkeys(place for place in found if place is not None))

    def place(self, name: str) -> int | None:
        """Return the place of a declared column, whose name may be in other letters; None if there is none."""
        return self._places.get(name.lower())

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column.name.lower(): index for index, column in reversed(list(enumerate(self.declared)))}

    def spelled(self, name: str) -> str:
        """Return the name of a column or a period as the table has it; one that it does not have as it is given."""
        column = self.column(name)
        if column is None and self.application_period and self.application_period[0].lower() == name.lower():
            return self.application_period[0]
        return name if column is None else column.name

    def is_hashed(self, key: SchemaKey) -> bool:
        """Whether MariaDB keeps a hash of the key, as it is longer than the engine's indexes can be.

        USING HASH makes it do so for a short key, too, until the next ALTER TABLE.
        """
        if not self.mariadb or key.kind != "unique" or self.engine in _REAL_HASHES:
            return False
        size = 0
        for name, prefix in key.parts:
            column = self.column(name)
            if column is None:
                continue
            if column.type_name in _UNLIMITED and not prefix:
                return True
            size += (prefix or column.length or 8) * _character_bytes(column.collation)
        return key.using_hash or size > _LONGEST_KEY.get(self.engine, _LONGEST_INNODB_KEY)

    def longest_prefix(self, column: SchemaColumn) -> int:
        """Return how many characters of a string column can be in a key; 0 for MySQL's TEXT, which needs a length."""
        if column.length is None and not self.mariadb:
            return 0
        longest = _LONGEST_KEY.get(self.engine, _LONGEST_INNODB_KEY)
        if column.type_name in {"tinytext", "tinyblob"}:
            longest = 255
        return longest // _character_bytes(column.collation)

    def key_order(self, key: SchemaKey) -> tuple[bool, ...]:
        """Return what the servers sort a table's keys by; of equal ones the older comes first."""
        if key.kind not in {"primary", "unique"}:
            return True, key.kind == "fulltext"
        if self.is_hashed(key):
            return False, True
        columns = [self.declared[place] for name, _ in key.parts if (place := self.place(name)) is not None]
        nullable = any(column.nullable is not False for column in columns)
        return False, False, nullable, key.kind != "primary", any(prefix for _, prefix in key.parts)

    def named(self, database: str, table: str) -> SchemaTable:
        """Return the table under another name; the names that InnoDB gives to foreign keys follow it."""
        keys = self._foreign_keys_of(table)
        return replace(self, database=database, table=table, foreign_keys=keys, given=False)

    def _foreign_keys_of(self, table: str) -> tuple[ForeignKey, ...]:
        old, new = f"{self.table}_ibfk_", f"{table}_ibfk_"
        keys: list[ForeignKey] = []
        number = max((_number_behind(old, key.name) for key in self.foreign_keys), default=0)
        for key in self.foreign_keys:
            name = key.name
            if not name:
                number += 1
                name = f"{new}{number}"
            elif self.table and name.startswith(old):
                name = new + name.removeprefix(old)
            keys.append(replace(key, name=name))
        return tuple(sorted(keys, key=lambda key: key.name))


def _number_behind(start: str, name: str) -> int:
    number = name.removeprefix(start)
    return int(number) if number != name and number.isascii() and number.isdigit() and len(number) < 10 else 0


def check_names(columns: Sequence[SchemaColumn]) -> None:
    """Raise `Unreadable` if there are no columns, or several of one name: no server made such a table."""
    names = {column.name.lower() for column in columns}
    if not columns:
        raise Unreadable("it has no columns")
    if len(columns) > _MOST_COLUMNS:
        raise Unreadable("it has more columns than a table can have")
    if len(names) < len(columns):
        raise Unreadable("several columns have the same name")


def _hidden(name: str, type_name: str, length: int | None = None) -> SchemaColumn:
    return SchemaColumn(
        name,
        type_name,
        length,
        None,
        unsigned=length is None,
        collation=None,
        labels=(),
        kinds=TYPES[type_name].kinds,
        visible=False,
        stored=length is not None,
        generated=False,
        nullable=False,
    )


def _character_bytes(number: int | None) -> int:
    """Return how many bytes a character of this collation can take."""
    known = collation(number, mariadb=True) if number else None
    return character_bytes(known.charset if known else "")


def sequence_table() -> SchemaTable:
    """Return the columns that MariaDB gives to every SEQUENCE."""
    signed = ("next_not_cached_value", "minimum_value", "maximum_value", "start_value", "increment")
    columns = [_integer(name, "bigint", unsigned=False) for name in signed]
    columns.append(_integer("cache_size", "bigint", unsigned=True))
    columns.append(_integer("cycle_option", "tinyint", unsigned=True))
    columns.append(_integer("cycle_count", "bigint", unsigned=False))
    return SchemaTable("", "", tuple(columns), mariadb=True)


def _integer(name: str, type_name: str, *, unsigned: bool) -> SchemaColumn:
    return SchemaColumn(
        *(name, type_name, None, None, unsigned),
        collation=None,
        labels=(),
        kinds=TYPES[type_name].kinds,
        visible=True,
        stored=True,
        generated=False,
        nullable=False,
    )

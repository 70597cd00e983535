"""Reads the specifications of one ALTER TABLE statement: what it drops, adds, replaces and renames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from binlogcli.schema.sql.charsets import NO_CHARSET, Charset, read_charset
from binlogcli.schema.sql.columns import ReadColumn, read_column, read_name, read_word
from binlogcli.schema.sql.create_table import begins_period, is_column
from binlogcli.schema.sql.foreign_keys import column_names
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable, split
from binlogcli.schema.table import SchemaTable

_PARTITIONS = frozenset(
    (
        *("add", "drop", "coalesce", "reorganize", "exchange", "truncate", "remove", "upgrade"),
        *("analyze", "check", "optimize", "rebuild", "repair"),
    )
)
_MOST_DEFINITIONS = 8192  # a table has at most 4,096 columns
_FOR_THE_RUN = frozenset(("algorithm", "lock", "enable", "disable"))  # how it is executed; keys switched on and off
_WITHOUT_EFFECT = frozenset(("algorithm", "lock", "force", "enable", "disable", "discard", "import", "with", "without"))
_OPTIONS = frozenset(
    (
        *(
            "engine",
            "type",
            "auto_increment",
            "autoextend_size",
            "avg_row_length",
            "checksum",
            "comment",
            "compression",
        ),
        *(
            "connection",
            "data",
            "index",
            "delay_key_write",
            "encryption",
            "encrypted",
            "encryption_key_id",
            "row_format",
        ),
        *("engine_attribute", "secondary_engine_attribute", "secondary_engine", "secondary_load", "secondary_unload"),
        *(
            "insert_method",
            "ietf_quotes",
            "itef_quotes",
            "key_block_size",
            "max_rows",
            "min_rows",
            "pack_keys",
            "password",
        ),
        *("page_checksum", "page_compressed", "page_compression_level", "sequence", "start", "storage", "tablespace"),
        *("stats_auto_recalc", "stats_persistent", "stats_sample_pages", "table_checksum", "transactional", "union"),
        *("default", "character", "charset", "char", "collate", "nowait", "wait"),
    )
)


@dataclass(slots=True)
class AlterChanges:
    """What the specifications of one statement ask for; the old names of columns and keys are in lower case."""

    spelled: dict[str, str] = field(default_factory=dict)  # the old names as the statement writes them
    optional: set[str] = field(default_factory=set)  # columns that need not be there, as IF EXISTS says
    dropped: set[str] = field(default_factory=set)
    replaced: dict[str, ReadColumn] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    shown: dict[str, bool] = field(default_factory=dict)  # ALTER COLUMN ... SET VISIBLE, SET INVISIBLE
    placed: list[ReadColumn] = field(default_factory=list)  # new columns and those that move, in order
    passed_over: list[ReadColumn] = field(default_factory=list)  # IF NOT EXISTS; yet their keys are added
    keys: list[TokenCursor | ReadColumn] = field(default_factory=list)  # columns, as their attributes may make keys
    dropped_keys: set[str] = field(default_factory=set)
    dropped_foreign_keys: set[str] = field(default_factory=set)
    renamed_keys: dict[str, str] = field(default_factory=dict)
    conversion: Charset = NO_CHARSET
    charset: Charset = NO_CHARSET
    versioned: bool | None = None
    period: tuple[str, str] | None = None
    period_dropped: bool = False
    application_period_dropped: bool = False
    engine: str = ""
    rebuilds: bool = False  # whether the table is made anew even if its definition stays the same

    def columns(self) -> Iterator[ReadColumn]:
        """Every column that the statement defines, once."""
        return chain((column for column in self.replaced.values() if column.place is None), self.placed)

    def added_anew(self) -> set[str]:
        """The names of columns that are dropped, and added as other ones."""
        moved = {id(column) for column in self.replaced.values()}
        return self.dropped & {column.name.lower() for column in self.placed if id(column) not in moved}


def read_specifications(cursor: TokenCursor, table: SchemaTable | None) -> AlterChanges:
    """Read everything after the table's name. Without a table, each column is taken to be there that is named so."""
    reader = _SpecificationReader(table)
    for part in split(cursor.rest()):
        if not reader.read(TokenCursor(part)):
            break
    return reader.changes


def read_new_name(cursor: TokenCursor) -> tuple[str, str] | None:
    """Return the name that the specifications give to a table whose definition is not known; of several the last."""
    new = None
    for part in split(cursor.rest()):
        specification = TokenCursor(part)
        if specification.accept("rename") and specification.word() not in {"column", "index", "key"}:
            new = _read_new_name(specification)
    return new


def _read_new_name(cursor: TokenCursor) -> tuple[str, str]:
    if not cursor.accept_any("to", "as"):
        cursor.accept_mark("=")
    return read_name(cursor)


def _system_period(cursor: TokenCursor) -> tuple[str, str] | None:
    """Return the columns of PERIOD FOR SYSTEM_TIME; None for another period."""
    if not cursor.accept("period for system_time"):
        return None
    names = column_names(cursor.group() or [])
    if len(names) != 2:
        raise Unreadable("a period has two columns")
    return names[0], names[1]


class _SpecificationReader:
    """Reads one specification after the other; raises `Unreadable` for one that it does not know."""

    def __init__(self, table: SchemaTable | None) -> None:
        self.changes = AlterChanges()
        self._table = table
        self._defined: Counter[str] = Counter()  # how often the statement defines a column, whether it is there or not
        self._words = {
            "add": self._add,
            "drop": self._drop,
            "modify": self._modify,
            "change": self._change,
            "rename": self._rename,
            "alter": self._alter,
            "convert": self._convert,
        }

    def read(self, cursor: TokenCursor) -> bool:
        """Read what is between two commas; return False where nothing follows that changes the table."""
        word = cursor.word()
        self.changes.rebuilds |= not self._may_be_nothing(cursor)
        if word in {"partition", "order"} or (word in _PARTITIONS and cursor.word(1).startswith("partition")):
            return False
        if word in self._words:
            cursor.next()
            self._words[word](cursor)
        elif word in _OPTIONS:
            self._options(cursor)
        elif word not in _WITHOUT_EFFECT:
            raise Unreadable(f"{cursor.peek().text!r} is not known in ALTER TABLE")
        return True

    def _may_be_nothing(self, cursor: TokenCursor) -> bool:
        """Whether a specification that leaves the definition as it is leaves the table alone, too."""
        words = cursor.word(), cursor.word(1)
        if words[0] == "rename":
            return words[1] not in {"column", "index", "key"}
        if words[0] in {"add", "drop", "modify"} or words in {("alter", "column"), ("alter", "if")}:
            return words[1] != "constraint" and any(cursor.word(ahead) == "exists" for ahead in range(1, 6))
        return words[0] in _FOR_THE_RUN

    def _add(self, cursor: TokenCursor) -> None:
        if cursor.accept("system versioning"):
            self.changes.versioned = True
            return
        named = cursor.accept("column")
        once = cursor.accept("if not exists")
        if cursor.is_mark("("):
            for part in split(cursor.group() or []):
                self._add_item(TokenCursor(part), once=once)
        elif named or is_column(cursor):
            self._add_column(cursor, once=once)
        else:
            self._add_item(cursor, once=once)

    def _add_item(self, cursor: TokenCursor, *, once: bool) -> None:
        if is_column(cursor):
            self._add_column(cursor, once=once)
        elif begins_period(cursor):
            self.changes.period = _system_period(cursor.copy()) or self.changes.period
            self.changes.keys.append(cursor)
        else:
            self.changes.keys.append(cursor)

    def _has(self, name: str) -> bool:
        """Whether the table had such a column before the statement."""
        return self._table is None or self._table.place(name) is not None

    def _add_column(self, cursor: TokenCursor, *, once: bool) -> None:
        column = self._read_column(cursor)
        there = self._has(column.name) or self._defined[column.name.lower()] > 1
        (self.changes.passed_over if once and there else self.changes.placed).append(column)
        if once:
            self._leave_keys_out(column)

    def _leave_keys_out(self, column: ReadColumn) -> None:
        """Take from a column with IF [NOT] EXISTS the attributes that make keys whose names the table has."""
        names = {key.name.lower() for key in self._table.keys} if self._table else set()
        if "primary" in column.flags and "primary" in names:
            column.flags = column.flags - {"primary"} | {"not null"}
        if column.name.lower() in names:
            column.flags.discard("unique")

    def _read_column(self, cursor: TokenCursor) -> ReadColumn:
        column = read_column(cursor)
        self._defined[column.name.lower()] += 1
        self.changes.keys.append(column)
        if len(self.changes.keys) > _MOST_DEFINITIONS:
            raise Unreadable("it defines more columns and keys than a table can have")
        return column

    def _drop(self, cursor: TokenCursor) -> None:
        if cursor.accept("check"):
            return
        if cursor.accept("foreign key"):
            cursor.accept("if exists")
            self.changes.dropped_foreign_keys.add(read_word(cursor).lower())
            return
        if cursor.accept("system versioning"):
            self.changes.versioned, self.changes.period_dropped = False, True
        elif cursor.accept("primary key"):
            self.changes.dropped_keys.add("primary")
        elif begins_period(cursor):
            self._drop_period(cursor)
        elif (constraint := cursor.accept("constraint")) or cursor.accept_any("index", "key"):
            cursor.accept("if exists")
            name = read_word(cursor).lower()
            if constraint:
                self.changes.dropped_foreign_keys.add(name)
            if not constraint or not self._is_plain_index(name):
                self.changes.dropped_keys.add(name)
        else:
            cursor.accept("column")
            if (column := self._old_name(cursor)) is not None:
                self.changes.dropped.add(column)

    def _is_plain_index(self, name: str) -> bool:
        """Whether the table has such an index that is not a constraint, as it is not unique."""
        keys = self._table.keys if self._table is not None else ()
        return any(key.name.lower() == name and key.kind not in {"primary", "unique"} for key in keys)

    def _drop_period(self, cursor: TokenCursor) -> None:
        """Read the period that the statement drops."""
        if cursor.accept("period for system_time"):
            self.changes.period_dropped = True
        else:
            self.changes.application_period_dropped = True

    def _old_name(self, cursor: TokenCursor) -> str | None:
        """Read the name of a column that is there; None where IF EXISTS says that it need not be."""
        optional = cursor.accept("if exists")
        name = read_word(cursor)
        self._note(name, optional=optional)
        if self._has(name):
            return name.lower()
        if optional:
            return None
        raise Unreadable(f"column {name!r} is not known")

    def _note(self, old: str, *, optional: bool) -> None:
        self.changes.spelled[old.lower()] = old
        if optional:
            self.changes.optional.add(old.lower())

    def _modify(self, cursor: TokenCursor) -> None:
        cursor.accept("column")
        optional = cursor.accept("if exists")
        column = self._read_column(cursor)
        if optional:
            self._leave_keys_out(column)
        self._redefine(column.name, column, optional=optional)

    def _change(self, cursor: TokenCursor) -> None:
        cursor.accept("column")
        optional = cursor.accept("if exists")
        old = read_word(cursor)
        column = self._read_column(cursor)
        if optional:
            self._leave_keys_out(column)
        self._redefine(old, column, optional=optional)

    def _redefine(self, old: str, column: ReadColumn, *, optional: bool) -> None:
        self._note(old, optional=optional)
        if self._has(old) and old.lower() not in self.changes.dropped:
            self._replace(old.lower(), column)
        elif optional and not self._has(old):
            return  # even where the same statement adds it
        elif new := [other for other in self.changes.placed if other.name.lower() == column.name.lower()]:
            self.changes.placed.remove(new[0])  # MariaDB lets a statement redefine a column that it adds
            self.changes.placed.append(column)
        elif not optional:
            raise Unreadable(f"column {old!r} is not known")

    def _replace(self, old: str, column: ReadColumn) -> None:
        self.changes.replaced[old] = column
        self.changes.rebuilds = True
        if column.place is not None:
            self.changes.placed.append(column)

    def _rename(self, cursor: TokenCursor) -> None:
        if cursor.accept("column"):
            old = self._old_name(cursor)
            cursor.accept("to")
            if old is not None:
                self.changes.renamed[old] = read_word(cursor)
        elif cursor.accept_any("index", "key"):
            cursor.accept("if exists")
            old_key = read_word(cursor).lower()
            cursor.accept("to")
            self.changes.renamed_keys[old_key] = read_word(cursor)
        else:
            _read_new_name(cursor)  # the caller's

    def _alter(self, cursor: TokenCursor) -> None:
        if cursor.accept_any("index", "key", "check", "constraint"):
            return
        cursor.accept("column")
        cursor.accept("if exists")
        name = read_word(cursor).lower()
        self.changes.rebuilds |= self._has(name)
        if cursor.accept("set") and cursor.word() in {"visible", "invisible"}:
            self.changes.shown[name] = cursor.word() == "visible"

    def _convert(self, cursor: TokenCursor) -> None:
        if not cursor.accept("to"):
            raise Unreadable("the result of CONVERT for a partition is not known")
        while (found := read_charset(cursor, self.changes.conversion)) is not None:
            self.changes.conversion = found

    def _options(self, cursor: TokenCursor) -> None:
        """Read table options, which may follow each other without commas."""
        while cursor.more():
            if (found := read_charset(cursor, self.changes.charset)) is not None:
                self.changes.charset = found
            elif cursor.accept("engine"):
                cursor.accept_mark("=")
                self.changes.engine = cursor.next().text.lower()
            elif cursor.group() is None:
                cursor.next()

"""The catalog of table definitions that schema files give, for logs without metadata.

An SQL file (the output of mysqldump or mariadb-dump as it comes) is cut into statements (`statements`); the few that
define tables or set a default are cut into tokens (`tokens`) and read (`create_table`). What a table inherits is
followed in the order of the file: the current database, the character sets of databases, tables that others are made
LIKE. A statement that cannot be read is a warning, a file without CREATE TABLE an error.

`complete` adds to a table of a log only what the log does not tell. It checks the column types first: a definition that
does not fit (the table was altered since) is not used, and a warning names it once. Only `--schema` imports this
module, because sqlglot's import takes 0.1 s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot.errors import SqlglotError

from binlogcli.errors import SchemaError
from binlogcli.names.charsets import encode
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.create_table import Charset, SchemaColumn, SchemaTable, read_charset, read_columns, read_name
from binlogcli.schema.statements import SqlStatement, StatementReader, open_text
from binlogcli.schema.tokens import TokenCursor, Unreadable, tokens

__all__ = ["Schema", "SchemaColumn", "SchemaTable", "read_schema"]

_FRACTIONAL_TYPES = frozenset({"time", "datetime", "timestamp"})
_TELLING = re.compile(
    rb"use\b|create\b(?:\s|/\*M?!\d*|\*/|\bor\b|\breplace\b)*(?:table|database|schema)\b"
    rb"|alter\b(?:\s|/\*M?!\d*|\*/)*(?:database|schema)\b",
    re.IGNORECASE,
)
_MARIADB = re.compile(rb"-- MariaDB dump|-- MySQL dump[^\n]*MariaDB|/\*M!")


class Schema:
    """The tables of all schema files by name; of several with one name the last counts."""

    def __init__(self, tables: Iterable[SchemaTable], warnings: Sequence[str] = ()) -> None:
        self.warnings = list(warnings)
        self._tables = {(table.database, table.table): table for table in tables}
        self._unfit: set[tuple[str, str]] = set()

    @classmethod
    def read(cls, paths: Iterable[str]) -> Schema:
        """Return the tables of these files, with a warning for each statement that could not be read."""
        warnings: list[str] = []
        return cls([table for path in paths for table in read_schema(path, warnings)], warnings)

    def find(self, database: str, table: str) -> SchemaTable | None:
        """Return the table of that name in that database, else one that was given without a database, or None."""
        return self._tables.get((database, table)) or self._tables.get(("", table))

    def fits(self, table: SchemaTable, kinds: Sequence[int]) -> bool:
        """Whether the table can have a table map with columns of these types."""
        return len(kinds) == len(table.columns) and all(
            kind in column.kinds for kind, column in zip(kinds, table.columns, strict=True)
        )

    def complete(self, definition: TableDefinition) -> None:
        """Add to a log's table what the log does not tell; warn once where the definition does not fit."""
        table = self.find(definition.database, definition.table)
        if table is None:
            return
        if not self.fits(table, [column.code for column in definition.columns]):
            name = (definition.database, definition.table)
            if name not in self._unfit:
                self._unfit.add(name)
                self.warnings.append(
                    f"table {'.'.join(name)} of the schema does not fit its columns in the log: not used"
                )
            return
        for column, known in zip(definition.columns, table.columns, strict=True):
            _complete_column(column, known)
        if definition.optional.primary_key is None and table.primary_key:
            definition.optional.primary_key = [(index, 0) for index in table.primary_key]


def _complete_column(column: ColumnInfo, known: SchemaColumn) -> None:
    """Add to a column what the log does not tell of it."""
    column.name = column.name or known.name
    column.type_name = known.type_name
    column.generated = known.generated
    if column.unsigned is None:
        column.unsigned = known.unsigned
    if column.collation is None:
        column.collation = known.collation
    if column.labels is None and known.labels:
        charset = column.charset(mariadb=True) or "utf8mb4"
        column.labels = [encode(label, charset) or label.encode("utf-8", "surrogateescape") for label in known.labels]
    if known.type_name in _FRACTIONAL_TYPES:
        column.fsp = known.length or 0


def read_schema(path: str, warnings: list[str] | None = None) -> list[SchemaTable]:
    """Return the tables of a file; statements that cannot be read are added to `warnings`. Raises `SchemaError`."""
    with open_text(path) as read:
        statements = StatementReader(read, path)
        reader = _FileReader(path, mariadb=bool(_MARIADB.search(statements.head)))
        for statement in statements:
            reader.take(statement)
    if not reader.created:
        raise SchemaError(
            "holds no CREATE TABLE statement", file=path, hint="give --schema the output of mysqldump --no-data"
        )
    if warnings is not None:
        warnings += reader.warnings
    return reader.tables


class _FileReader:
    """Reads the statements of one file in order: current database, databases' character sets, tables."""

    def __init__(self, path: str, *, mariadb: bool) -> None:
        self.tables: list[SchemaTable] = []
        self.warnings: list[str] = []
        self.created = 0
        self._path = path
        self._mariadb = mariadb
        self._database = ""
        self._charsets: dict[str, Charset] = {}
        self._places: dict[tuple[str, str], int] = {}

    def take(self, statement: SqlStatement) -> None:
        """Read one statement; add a warning where it cannot be read."""
        self._mariadb = self._mariadb or b"/*M!" in statement.text
        if not (telling := _TELLING.match(statement.text)):
            return
        self.created += telling[0].lower().endswith(b"table")
        if not statement.whole:
            self._warn(statement, "it is too long")
            return
        try:
            self._read(TokenCursor(tokens(statement.text)))
        except (Unreadable, SqlglotError) as error:
            reason = str(error) if isinstance(error, Unreadable) else "it is no SQL that can be read"
            self._warn(statement, reason)

    def _warn(self, statement: SqlStatement, reason: str) -> None:
        words = " ".join(statement.text[:200].decode(errors="replace").split())
        shown = "".join(char if char.isprintable() else "?" for char in words)[:60]
        self.warnings.append(f"{self._path}: at {statement.start}: {shown!r} is not used: {reason}")

    def _read(self, cursor: TokenCursor) -> None:
        if cursor.accept("create table") or cursor.accept("create or replace table"):
            self._create_table(cursor)
        elif cursor.accept("use"):
            self._database = read_name(cursor)[1]
        else:
            created = cursor.next().text.lower() == "create"
            cursor.next()
            self._describe_database(cursor, created=created)

    def _describe_database(self, cursor: TokenCursor, *, created: bool) -> None:
        cursor.accept("if not exists")
        named = created or cursor.word() not in {"default", "character", "charset", "collate"}
        name = read_name(cursor)[1] if named else self._database
        charset = Charset() if created else self._charsets.get(name, Charset())
        while cursor.more():
            if (found := read_charset(cursor, charset)) is not None:
                charset = found
            else:
                cursor.next()
        self._charsets[name] = charset

    def _create_table(self, cursor: TokenCursor) -> None:
        once = cursor.accept("if not exists")
        database, name = read_name(cursor)
        database = database or self._database
        if once and self._known(database, name):
            return
        if model := _model(cursor):
            like = self._known(model[0] or self._database, model[1])
            if like is None:
                raise Unreadable(f"{model[1]!r} is not known")
            table = like
        else:
            charset = self._charsets.get(database, Charset())
            table = read_columns(cursor, charset, mariadb=self._mariadb)
        self.tables.append(replace(table, database=database, table=name))
        self._places[database, name] = len(self.tables) - 1

    def _known(self, database: str, name: str) -> SchemaTable | None:
        place = self._places.get((database, name))
        return None if place is None else self.tables[place]


def _model(cursor: TokenCursor) -> tuple[str, str] | None:
    """Return the name of the table in CREATE TABLE ... LIKE, with or without parentheses, or None."""
    inner = cursor
    if cursor.peek() == ("mark", "(") and cursor.word(1) == "like":
        inner = TokenCursor(cursor.group() or [])
    return read_name(inner) if inner.accept("like") else None

"""What schema files and the user say of tables, for logs without metadata.

`complete` adds to a table of a log only what the log does not tell. It checks the column types first: a definition that
does not fit (the table was altered since) is not used, and a warning names it once. `children` and `triggers` tell what
a server does by itself when a row changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from binlogcli.names.charsets import encode
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.dump_file import read_schema
from binlogcli.schema.fitting import fitted
from binlogcli.schema.table import ForeignKey, SchemaColumn, SchemaTable, Trigger

_FRACTIONAL_TYPES = frozenset({"time", "datetime", "timestamp"})


class Schema:
    """The tables of all schema files by name; of several with one name the last counts.

    `unsigned` are integer columns that the user takes to be UNSIGNED, as DATABASE.TABLE.COLUMN.
    """

    def __init__(
        self, tables: Iterable[SchemaTable] = (), warnings: Sequence[str] = (), unsigned: Sequence[str] = ()
    ) -> None:
        self.warnings = list(warnings)
        self._tables = {(table.database, table.table): table for table in tables}
        self._children: dict[tuple[str, str], list[tuple[str, ForeignKey]]] = {}
        self._unfit: set[tuple[str, str]] = set()
        self._unsigned = dict.fromkeys(unsigned, "no table of the logs has such a column")  # why one has no effect

    @classmethod
    def read(cls, paths: Iterable[str], unsigned: Sequence[str] = ()) -> Schema:
        """Return what these files hold, with a warning for each statement that could not be read."""
        warnings: list[str] = []
        return cls([table for path in paths for table in read_schema(path, warnings)], warnings, unsigned)

    def remarks(self) -> list[str]:
        """Return the lines to print at the end: warnings, and columns that were taken to be unsigned in vain."""
        return self.warnings + [f"--assume-unsigned {name}: {why}" for name, why in self._unsigned.items() if why]

    def find(self, database: str, table: str) -> SchemaTable | None:
        """Return the table of that name in that database, else one that was given without a database, or None."""
        return self._tables.get((database, table)) or self._tables.get(("", table))

    def children(self, database: str, table: str) -> list[tuple[str, ForeignKey]]:
        """Return the foreign keys that refer to a table and act, each with the name of its own table."""
        name = (database, table)
        if name not in self._children:
            self._children[name] = [
                (f"{child.database or database}.{child.table}", key)
                for child in self._tables.values()
                for key in child.foreign_keys
                if key.acts and key.table == table and (key.database or child.database or database) == database
            ]
        return self._children[name]

    def triggers(self, database: str, table: str) -> tuple[Trigger, ...]:
        """Return the triggers of a table, as far as they are known."""
        found = self.find(database, table)
        return () if found is None else tuple(one for one in found.triggers if one.database in ("", database))

    def complete(self, definition: TableDefinition) -> None:
        """Add to a log's table what the log does not tell; warn once where the definition does not fit."""
        table = self.find(definition.database, definition.table)
        if table is not None:
            self._complete_from(table, definition)
        if self._unsigned:
            self._assume(definition)

    def _complete_from(self, table: SchemaTable, definition: TableDefinition) -> None:
        known_table = fitted(table, definition.columns)
        if known_table is None:
            name = (definition.database, definition.table)
            if name not in self._unfit:
                self._unfit.add(name)
                self.warnings.append(
                    f"table {'.'.join(name)} of the schema does not fit its columns in the log: not used"
                )
            return
        for column, known in zip(definition.columns, known_table.columns, strict=True):
            _complete_column(column, known)
        if not definition.complete:
            nullable = [column.nullable for column in known_table.columns if column.nullable is not None]
            if len(nullable) == len(definition.columns):
                for column, is_nullable in zip(definition.columns, nullable, strict=True):
                    column.nullable = is_nullable
                definition.complete = True
        if definition.optional.primary_key is None:
            key = known_table.row_key([column.nullable for column in definition.columns])
            definition.optional.primary_key = [(index, 0) for index in key] or None

    def _assume(self, definition: TableDefinition) -> None:
        """Take columns to be unsigned as the user says; note why that has no effect where it has none."""
        home = f"{definition.database}.{definition.table}."
        for name, why in self._unsigned.items():
            wanted = name.removeprefix(home).casefold()
            if not name.startswith(home):
                continue
            for column in definition.columns:
                if wanted in (column.name.casefold(), f"@{column.index + 1}"):
                    found = _taken_as_unsigned(column)
                    self._unsigned[name] = found if why else ""


def _taken_as_unsigned(column: ColumnInfo) -> str:
    """Take an integer column of unknown sign to be unsigned; return why not, or nothing."""
    if column.sign_unknown:
        column.unsigned = True
        return ""
    if column.unsigned is None:
        return "the column is no integer"
    return f"the column is known to be {'UNSIGNED' if column.unsigned else 'signed'}"


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

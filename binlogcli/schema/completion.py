"""What is added to a table of the log beside what the log tells: from its definition, and signs from the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from binlogcli.names.charsets import encode
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.rows.table.metadata import GEOMETRY_TYPES

if TYPE_CHECKING:
    from binlogcli.schema.table import SchemaColumn, SchemaTable

_GEOMETRY_TYPES = {name.lower(): number for number, name in enumerate(GEOMETRY_TYPES)}
_GEOMETRY_TYPES["geomcollection"] = _GEOMETRY_TYPES["geometrycollection"]
_USUAL_DIMENSION = 2048  # of MySQL's VECTOR without a length
_FRACTIONAL_TYPES = frozenset({"time", "datetime", "timestamp"})


def complete_columns(table: SchemaTable, definition: TableDefinition) -> None:
    """Add to a table's columns what the log does not tell of them."""
    tells_visibility = definition.optional.visibility is not None
    for column, known in zip(definition.columns, table.columns, strict=True):
        _complete_column(column, known)
        if not tells_visibility and known.visible is not None:
            column.visible = known.visible
    if not definition.complete:
        nullable = [column.nullable for column in table.columns if column.nullable is not None]
        if len(nullable) == len(definition.columns):
            for column, is_nullable in zip(definition.columns, nullable, strict=True):
                column.nullable = is_nullable
            definition.complete = True


def _complete_column(column: ColumnInfo, known: SchemaColumn) -> None:
    """Add to a column what the log does not tell of it."""
    column.name = column.name or known.name
    column.former = known.former
    column.type_name = known.type_name
    column.generated = known.generated
    if column.unsigned is None:
        column.unsigned = known.unsigned
    if column.collation is None:
        column.collation = known.collation
    if column.labels is None and known.labels:
        charset = column.charset(mariadb=True) or "utf8mb4"
        column.labels = [encode(label, charset) or label.encode("utf-8", "surrogateescape") for label in known.labels]
    if column.geometry_type is None:
        column.geometry_type = _GEOMETRY_TYPES.get(known.type_name)
    if known.type_name == "vector" and column.dimension is None:
        column.dimension = known.length or _USUAL_DIMENSION
    if known.type_name in _FRACTIONAL_TYPES:
        column.fsp = known.length or 0


class AssumedSigns:
    """Integer columns that the user takes to be UNSIGNED, as DATABASE.TABLE.COLUMN."""

    def __init__(self, columns: Iterable[str]) -> None:
        self._why_not = dict.fromkeys(columns, "no table in the logs has this column")  # empty: it had an effect

    def names(self) -> tuple[str, ...]:
        """Return the columns as the user named them."""
        return tuple(self._why_not)

    def copy(self) -> AssumedSigns:
        """Return the same columns, with what is known of their effect so far."""
        made = AssumedSigns(())
        made._why_not = dict(self._why_not)
        return made

    def apply(self, definition: TableDefinition) -> None:
        """Take columns of a table of the log to be unsigned where the log does not tell."""
        if not self._why_not:
            return
        home = f"{definition.database}.{definition.table}."
        for name, why in self._why_not.items():
            wanted = name.removeprefix(home).casefold()
            if not name.startswith(home):
                continue
            for column in definition.columns:
                if wanted in (column.name.casefold(), f"@{column.index + 1}"):
                    found = _taken_as_unsigned(column)
                    self._why_not[name] = found if why else ""

    def remarks(self) -> list[str]:
        """Return a line for each column for which the option has had no effect."""
        return [f"--assume-unsigned {name}: {why}" for name, why in self._why_not.items() if why]


def _taken_as_unsigned(column: ColumnInfo) -> str:
    """Take an integer column of unknown sign to be unsigned; return why not, or nothing."""
    if column.sign_unknown:
        column.unsigned = True
        return ""
    if column.unsigned is None:
        return "the column is not an integer"
    return f"the column is known to be {'UNSIGNED' if column.unsigned else 'signed'}"

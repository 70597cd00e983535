"""Whether a definition can be that of a table map: each thing that both tell is compared.

A map without metadata still has the columns' number and types, the length of strings in bytes, the digits of decimals
and fractions of a second. They tell a definition that was changed by a statement that is not in the logs.
"""

from __future__ import annotations

from binlogcli.errors import counted
from binlogcli.names import column_types
from binlogcli.names.collations import collation
from binlogcli.names.column_types import column_type_name
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.fitting import fitted
from binlogcli.schema.sql.charsets import character_bytes
from binlogcli.schema.table import SchemaColumn, SchemaTable

_STRINGS = frozenset(("char", "varchar"))
_BYTE_STRINGS = frozenset(("binary", "varbinary"))
_BLOB_LENGTHS = {"tiny": 1, "medium": 3, "long": 4}


def fitting(table: SchemaTable, definition: TableDefinition) -> tuple[SchemaTable | None, str]:
    """Return the table in the order of the log's columns, or None with what speaks against it."""
    found = fitted(table, definition.columns, _can_be)
    if found is None:
        return None, _misfit(table, definition) or "no order of its columns matches"
    return found, ""


def _can_be(known: SchemaColumn, column: ColumnInfo) -> bool:
    return not _column_misfit(column, known)


def _misfit(table: SchemaTable, definition: TableDefinition) -> str:
    """Return why a definition is not that of a table in the log; empty where nothing speaks against it."""
    logged = definition.columns
    if len(logged) != len(table.columns):
        return f"{len(table.columns)} instead of {counted(len(logged), 'column')}"
    for column, known in zip(logged, table.columns, strict=True):
        if reason := _column_misfit(column, known):
            return f"column {column.index + 1}, {known.name or column.shown_name}: {reason}"
    return ""


def _column_misfit(column: ColumnInfo, known: SchemaColumn) -> str:
    if not known.takes(column.code):
        return f"{known.type_name} instead of {column_type_name(column.code)}"
    if column.name and known.name and column.name.lower() != known.name.lower():
        return f"its name in the log is {column.name}"
    signs = {column.unsigned, known.unsigned} - {None}
    if len(signs) > 1 and column.code in column_types.INTEGER_TYPES:
        return "its sign differs"
    wanted = _length(column, known)
    if wanted is not None and wanted != _logged_length(column):
        name = known.type_name
        return f"{name}{_length_words(column, wanted)} instead of {name}{_length_words(column, _logged_length(column))}"
    return ""


def _length_words(column: ColumnInfo, length: int) -> str:
    if column.code == column_types.NEWDECIMAL:
        return f"({length >> 8},{length & 0xFF})"
    return f"({length})" if column.code in column_types.FRACTIONAL_TYPES else f" of {counted(length, 'byte')}"


def _length(column: ColumnInfo, known: SchemaColumn) -> int | None:
    """Return the length that the definition gives a column in the log; None where it is not known."""
    name = known.type_name
    if name == "decimal" and column.code == column_types.NEWDECIMAL:
        return None if known.length is None else known.length << 8 | (known.scale or 0)
    if column.code in column_types.FRACTIONAL_TYPES:
        return known.length or 0 if name else None
    if column.code in (column_types.ENUM, column_types.SET):
        return _label_bytes(column.code, len(known.labels)) if known.labels else None
    if name in _BYTE_STRINGS and column.code != column_types.VARCHAR_COMPRESSED:
        return known.length
    if name in _STRINGS and column.code != column_types.VARCHAR_COMPRESSED:
        if known.length is None or known.collation is None:
            return None
        return known.length * width if (width := _character_bytes(known.collation)) else None
    if column.code == column_types.BLOB and name.endswith(("text", "blob")):
        return _BLOB_LENGTHS.get(name[:-4], 2)
    return None


def _logged_length(column: ColumnInfo) -> int:
    if column.code == column_types.NEWDECIMAL:
        return int.from_bytes(column.metadata, "big")
    return column.length


def _label_bytes(code: int, count: int) -> int:
    """Return how many bytes a value of an ENUM or SET with so many labels takes."""
    if code == column_types.ENUM:
        return 1 if count < 256 else 2
    size = (count + 7) // 8
    return size if size <= 4 else 8


def _character_bytes(number: int) -> int:
    """Return how many bytes a character of a collation can take; 0 where the collation is not known."""
    known = collation(number, mariadb=False) or collation(number, mariadb=True)
    return character_bytes(known.charset) if known else 0

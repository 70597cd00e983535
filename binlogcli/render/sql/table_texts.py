"""A table's SQL: its name, its columns' names, and how a column is compared with a value.

A comparison must find the changed row and no other one. Text is compared by its bytes (a collation may take `a` for
`A`), JSON as JSON. A key is unique under its collation, so its columns are compared as they are.
"""

from __future__ import annotations

import re

from binlogcli.names.charsets import is_utf8
from binlogcli.names.column_types import DATETIME, DATETIME2, LONGLONG, TIMESTAMP, TIMESTAMP2
from binlogcli.render.identifiers import identifier, qualified_name
from binlogcli.rows.column import Column
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.readers.strings import BytesColumn, FixedBytesColumn, GeometryColumn, JsonColumn, VectorColumn
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition

_MICROSECONDS = b"\x06"  # of TIMESTAMP(6), as metadata
_PERIOD = ("row_start", "row_end")
_HASH = re.compile(r"DB_ROW_HASH_\d+")
_TEMPORAL_WITH_NOW = frozenset({TIMESTAMP, DATETIME, TIMESTAMP2, DATETIME2})  # ON UPDATE may set them


class TableTexts:
    """The SQL texts of a table plan, by column index."""

    def __init__(self, plan: TablePlan) -> None:
        definition = plan.definition
        self.width = plan.width
        self.target = qualified_name(definition.database, definition.table)
        self.names = [identifier(name) for name in plan.names]
        self.equals = [name + b"=" for name in self.names]
        self.named = all(info.name for info in definition.columns)
        self.period = _period_of(definition)
        self.shown = bytes(not _is_hidden(info, at, self.period) for at, info in enumerate(definition.columns))
        self.settable = bytes(
            shown and not info.generated for shown, info in zip(self.shown, definition.columns, strict=True)
        )
        self.plain = all(self.settable)
        key = definition.primary_key if all(at < plan.width for at in definition.primary_key) else []
        self.key = [at for at in key if self.shown[at]]  # row_end is part of each key
        compared = [_comparison(name, column) for name, column in zip(self.names, plan.columns, strict=False)]
        self.compared = [before for before, _ in compared]
        self.endings = [after for _, after in compared]
        self.temporal = bytes(info.code in _TEMPORAL_WITH_NOW for info in definition.columns)


def _period_of(definition: TableDefinition) -> int:
    """Return the index of row_start in a MariaDB table WITH SYSTEM VERSIONING, row_end being next; -1 in others.

    A log tells only names and types of these columns, and that a primary key ends with row_end. Columns of other
    names are not recognised.
    """
    columns = [(info.name, info.code, info.metadata, info.nullable) for info in definition.columns]
    wanted = [(name, TIMESTAMP2, _MICROSECONDS, False) for name in _PERIOD]
    at = next((at for at in range(len(columns) - 1) if columns[at : at + 2] == wanted), -1)
    key = definition.primary_key
    return at if definition.mariadb and (not key or at + 1 in key) else -1


def _is_hidden(info: ColumnInfo, at: int, period: int) -> bool:
    """Whether statements cannot name a column: a row's period, and MariaDB's hash of a long unique key."""
    return (period >= 0 and at in (period, period + 1)) or (
        info.code == LONGLONG and _HASH.fullmatch(info.name) is not None
    )


def _comparison(name: bytes, column: Column) -> tuple[bytes, bytes]:
    """Return what is before and after a value that the column must equal, NULL included."""
    plain = name + b" <=> "
    if isinstance(column, JsonColumn):
        return plain + b"CAST(", b" AS JSON)"
    if isinstance(column, VectorColumn):  # MySQL compares vectors only with vectors, not even with NULL
        return b"BINARY " + plain, b""
    if not isinstance(column, BytesColumn) or isinstance(column, (GeometryColumn, FixedBytesColumn)):
        return plain, b""
    if not column.is_text:
        return plain, b""
    if column.charset is None or is_utf8(column.charset):
        return b"BINARY " + plain, b""
    return b"BINARY " + plain + b"CONVERT(", b" USING " + column.charset.encode("ascii") + b")"

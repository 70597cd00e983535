"""Table plans: which reader each column of a table needs, decided once per table definition.

A definition joins what the log tells with what a schema file adds. The precision of MariaDB's old temporal types is
not in the log: without a schema such a plan is `ambiguous`, and `precision_search` finds the precisions from the rows.
"""

from __future__ import annotations

from collections.abc import Callable

from binlogcli.errors import DecodeError
from binlogcli.names import column_types
from binlogcli.names.column_types import column_type_name
from binlogcli.rows.column import Column
from binlogcli.rows.readers.decimal import DecimalColumn
from binlogcli.rows.readers.numbers import (
    BitColumn,
    DoubleColumn,
    EnumColumn,
    FloatColumn,
    IntColumn,
    NullColumn,
    SetColumn,
    YearColumn,
)
from binlogcli.rows.readers.strings import (
    BytesColumn,
    CompressedColumn,
    FixedBytesColumn,
    GeometryColumn,
    JsonColumn,
    VectorColumn,
)
from binlogcli.rows.readers.temporal import (
    DateColumn,
    Datetime2Column,
    DatetimeColumn,
    Time2Column,
    TimeColumn,
    Timestamp2Column,
    TimestampColumn,
)
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition

OLD_TEMPORAL: dict[int, Callable[[ColumnInfo, int], Column]] = {
    column_types.TIMESTAMP: TimestampColumn,
    column_types.TIME: TimeColumn,
    column_types.DATETIME: DatetimeColumn,
}
_NEW_TEMPORAL: dict[int, Callable[[ColumnInfo, int], Column]] = {
    column_types.TIMESTAMP2: Timestamp2Column,
    column_types.DATETIME2: Datetime2Column,
    column_types.TIME2: Time2Column,
}
_PLAIN: dict[int, Callable[[ColumnInfo], Column]] = {
    column_types.FLOAT: FloatColumn,
    column_types.DOUBLE: DoubleColumn,
    column_types.NULL: NullColumn,
    column_types.DATE: DateColumn,
    column_types.YEAR: YearColumn,
    column_types.NEWDATE: DateColumn,
    column_types.BIT: BitColumn,
    column_types.NEWDECIMAL: DecimalColumn,
    column_types.ENUM: EnumColumn,
    column_types.SET: SetColumn,
}
_BINARY_COLLATION = 63
_FIXED_TYPES = frozenset({"binary", "uuid", "inet4", "inet6"})
_DEFAULT_LIMIT = 1 << 30
_BITMAPS_KEPT = 64  # bitmaps of a table whose columns are cached
_OWN_WEIGHT = 4  # of a plan itself
_BYTES_A_COLUMN = 32  # of a table map: labels of ENUM and SET take far more than a column does


class TablePlan:
    """The readers of a table's columns; `make_plan` makes it. With a `reason`, its rows cannot be read.

    `json_columns` are those that a partial update has a bit for, `ambiguous` the indexes of those of unknown precision.
    `key` is the table map's body from its flags on, empty where it is not known; `map_flags` are the flags.
    `weight` is the memory that the plan takes, in columns: some 400 bytes each.
    """

    def __init__(self, definition: TableDefinition, columns: list[Column], reason: str = "") -> None:
        self.definition = definition
        self.columns = columns
        self.reason = reason
        self.key = b""
        self.map_flags = 0
        self.width = len(definition.columns)
        self.weight = self.width + _OWN_WEIGHT
        self.names = [info.shown_name for info in definition.columns]
        self.json_columns = [column for column in columns if isinstance(column, JsonColumn)]
        self.ambiguous = [
            info.index
            for info in definition.columns
            if definition.mariadb and info.code in column_types.OLD_TEMPORAL_TYPES and info.fsp is None
        ]
        self.solved: dict[tuple[tuple[int, int], ...], TablePlan] = {}  # by the digits of a second that were found
        self.by_bitmap: dict[bytes, list[Column]] = {}

    def come_from(self, key: bytes, map_flags: int) -> None:
        """Set the table map that the plan was made from."""
        self.key = key
        self.map_flags = map_flags
        self.weight += len(key) // _BYTES_A_COLUMN

    def present(self, bitmap: bytes) -> list[Column]:
        """Return the columns whose bits are set, in order; one list for each bitmap."""
        found = self.by_bitmap.get(bitmap)
        if found is None:
            found = [column for column in self.columns if bitmap[column.index >> 3] >> (column.index & 7) & 1]
            if len(self.by_bitmap) >= _BITMAPS_KEPT:
                self.by_bitmap.clear()
            self.by_bitmap[bitmap] = found
        return found


def make_plan(
    definition: TableDefinition, precisions: dict[int, int] | None = None, limit: int = _DEFAULT_LIMIT
) -> TablePlan:
    """Return the plan of a definition, with a `reason` where a column cannot be read.

    `precisions` gives digits of a second by column index where the definition has none. A compressed value may grow to
    `limit` bytes.
    """
    columns = []
    for info in definition.columns:
        fsp = (precisions or {}).get(info.index, info.fsp or 0)
        try:
            columns.append(make_column(info, fsp, limit, mariadb=definition.mariadb))
        except (DecodeError, IndexError) as error:
            reason = "the table map does not describe it" if isinstance(error, IndexError) else str(error)
            return TablePlan(definition, [], f"column {info.shown_name} ({column_type_name(info.code)}): {reason}")
    return TablePlan(definition, columns)


def make_column(info: ColumnInfo, fsp: int, limit: int, *, mariadb: bool) -> Column:
    """Return the reader of a column; `DecodeError` if the length of its values is not known."""
    code = info.code
    if code in column_types.INTEGER_TYPES:
        return IntColumn(info, column_types.INTEGER_WIDTHS[code])
    if code in _PLAIN:
        return _PLAIN[code](info)
    if code in OLD_TEMPORAL:
        return OLD_TEMPORAL[code](info, fsp if mariadb else 0)
    if code in _NEW_TEMPORAL:
        return _NEW_TEMPORAL[code](info, info.metadata[0])
    return _make_bytes_column(info, limit, mariadb=mariadb)


def _make_bytes_column(info: ColumnInfo, limit: int, *, mariadb: bool) -> Column:
    code = info.code
    short = 1 if info.length < 256 else 2
    if code in (column_types.VARCHAR, column_types.VAR_STRING, column_types.STRING):
        if info.type_name == "vector":
            return VectorColumn(info, short, mariadb=mariadb)
        fixed = code == column_types.STRING and (info.collation == _BINARY_COLLATION or info.type_name in _FIXED_TYPES)
        kind = FixedBytesColumn if fixed else BytesColumn
        return kind(info, short, mariadb=mariadb)
    if code == column_types.VARCHAR_COMPRESSED:
        return CompressedColumn(info, short, limit, mariadb=mariadb)
    if code == column_types.BLOB_COMPRESSED:
        return CompressedColumn(info, info.length, limit, mariadb=mariadb)
    sized: dict[int, type[BytesColumn]] = {
        column_types.VECTOR: VectorColumn,
        column_types.JSON: JsonColumn,
        column_types.BLOB: BytesColumn,
        column_types.GEOMETRY: GeometryColumn,
        column_types.TINY_BLOB: BytesColumn,
        column_types.MEDIUM_BLOB: BytesColumn,
        column_types.LONG_BLOB: BytesColumn,
    }
    if code == column_types.TYPED_ARRAY:  # hidden columns of multi-valued indexes: a JSON array
        array = info.copy()
        array.length = 4
        return JsonColumn(array, 4, mariadb=mariadb)
    if code in sized:
        return sized[code](info, info.length, mariadb=mariadb)
    raise DecodeError("values of this type are ambiguous in a log")

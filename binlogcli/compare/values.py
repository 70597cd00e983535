"""Values of rows compared: alike if they mean one thing, however each side's log describes the column."""

from __future__ import annotations

from typing import Any

from binlogcli.compare.changes import Image, RowChange
from binlogcli.names import column_types
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.table.column_info import ColumnInfo

_TEMPORAL = frozenset(
    (
        *(column_types.TIME, column_types.DATETIME, column_types.TIMESTAMP),
        *(column_types.TIME2, column_types.DATETIME2, column_types.TIMESTAMP2),
    )
)
_LABELLED = frozenset((column_types.ENUM, column_types.SET))
Columns = list[tuple[str, ColumnInfo, str, ColumnInfo]]  # of both sides: the name in images, and what is known


class TablePair:
    """The columns that the tables of two plans have in common: by name where both sides know names, else by place.

    `complete`: neither has a column that the other lacks.
    """

    def __init__(self, a: TablePlan, b: TablePlan) -> None:
        one, other = a.definition, b.definition
        self.same = a.key == b.key
        if one.names_from and other.names_from:
            places = {info.name.lower(): info for info in other.columns}
            pairs = [(info, places[info.name.lower()]) for info in one.columns if info.name.lower() in places]
        else:
            pairs = list(zip(one.columns, other.columns, strict=False))
        self.columns: Columns = [(x.shown_name, x, y.shown_name, y) for x, y in pairs]
        self.complete = len(pairs) == len(one.columns) == len(other.columns)
        self.mariadb = one.mariadb, other.mariadb
        self.key = [index for index, _ in one.key or other.key or []]

    def name(self, at: int) -> str:
        """Return the name of a common column, of the side that knows one."""
        name, _, other, _ = self.columns[at]
        return other if name.startswith("@") else name

    def differences(self, a: Image | None, b: Image | None) -> list[int]:
        """Return which of the columns that both images hold differ."""
        if a is None or b is None:
            return []
        return [
            at
            for at, (x, info_x, y, info_y) in enumerate(self.columns)
            if x in a and y in b and a[x] != b[y] and not self._alike(a[x], info_x, b[y], info_y)
        ]

    def partial(self, a: Image | None, b: Image | None) -> bool:
        """Whether one of the images holds columns that the other lacks."""
        if a is None or b is None:
            return a is not b
        return not self.complete or any((x in a) != (y in b) for x, _, y, _ in self.columns)

    def _alike(self, a: Any, info_a: ColumnInfo, b: Any, info_b: ColumnInfo) -> bool:
        """Whether two unequal values mean one thing."""
        if a is None or b is None:
            return False
        if info_a.code in _LABELLED and info_b.code == info_a.code and type(a) is not type(b):
            index = _index(a, info_a, mariadb=self.mariadb[0])
            return bool(index == _index(b, info_b, mariadb=self.mariadb[1]))
        if isinstance(a, int) and isinstance(b, int):
            return _unsigned(a, info_a, b) or _unsigned(b, info_b, a)
        if isinstance(a, str) and isinstance(b, str) and info_a.code in _TEMPORAL and info_b.code in _TEMPORAL:
            return _without_zeros(a) == _without_zeros(b)
        if isinstance(a, (str, bytes)) and isinstance(b, (str, bytes)):
            return _bytes(a) == _bytes(b)
        return False


def _unsigned(value: int, info: ColumnInfo, other: int) -> bool:
    """Whether a negative number of a column whose sign is not known is the other one if the column is unsigned."""
    return info.sign_unknown and value < 0 <= other and info.as_unsigned(value) == other


def _index(value: Any, info: ColumnInfo, *, mariadb: bool) -> Any:
    """Return the number of an ENUM's label, or the bits of a SET."""
    labels = info.label_texts(mariadb=mariadb)
    if not isinstance(value, str) or labels is None:
        return value
    if info.code == column_types.SET:
        return sum(1 << labels.index(label) for label in value.split(",") if label in labels)
    return labels.index(value) + 1 if value in labels else 0


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")


class TablePairs:
    """The `TablePair` of each two plans, made once."""

    def __init__(self) -> None:
        self._known: dict[tuple[TablePlan, TablePlan], TablePair] = {}

    def of(self, a: RowChange, b: RowChange) -> TablePair:
        """Return the pair of two changes' tables."""
        found = self._known.get((a.plan, b.plan))
        if found is None:
            if len(self._known) > 1000:
                self._known.clear()
            found = self._known[a.plan, b.plan] = TablePair(a.plan, b.plan)
        return found

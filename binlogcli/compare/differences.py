"""What differs between two transactions: change by change, with a bounded look ahead where one side has more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from binlogcli.compare.changes import Change, RowBlock, RowChange, StatementChange
from binlogcli.compare.values import TablePair, TablePairs

_AHEAD = 64  # changes of each side among which the next one that both have is looked for
_SIDES = ("a", "b")
Blocks = Iterator[RowBlock | StatementChange]


class _Ahead:
    """The next changes of a side; rows come in blocks, which are decoded as late as possible."""

    def __init__(self, blocks: Blocks) -> None:
        self.changes: deque[Change] = deque()
        self._blocks = blocks
        self._block: RowBlock | StatementChange | None = None  # the next one, if it was looked at
        self._rows: Iterator[RowChange] = iter(())

    def block(self) -> RowBlock | StatementChange | None:
        """Return the next block, without passing it; None at the end."""
        if self._block is None:
            self._block = next(self._blocks, None)
        return self._block

    def pass_block(self) -> None:
        """Pass the block that was returned last."""
        self._block = None

    def between_blocks(self) -> bool:
        """Return whether no row of the current block is left."""
        if not self.changes:
            self.changes.extend(islice(self._rows, 1))
        return not self.changes

    def fill(self, count: int) -> bool:
        """Have `count` changes ready, if there are as many; return whether there is any."""
        while len(self.changes) < count:
            row = next(self._rows, None)
            if row is not None:
                self.changes.append(row)
                continue
            block = self.block()
            self.pass_block()
            if block is None:
                break
            if isinstance(block, RowBlock):
                self._rows = block.rows()
            else:
                self.changes.append(block)
        return bool(self.changes)

    def take(self, count: int) -> list[Change]:
        """Return the next changes, and pass them."""
        return [self.changes.popleft() for _ in range(count)]


def _pass_same_blocks(a: _Ahead, b: _Ahead) -> None:
    """Pass the blocks of rows that are the same on both sides, byte by byte."""
    while a.between_blocks() and b.between_blocks():
        one, other = a.block(), b.block()
        if not isinstance(one, RowBlock) or not isinstance(other, RowBlock) or not one.same(other):
            return
        a.pass_block()
        b.pass_block()


class Differences:
    """Compares the changes of one transaction after the other; `partial` is set if images held different columns."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._pairs = TablePairs()
        self.listed: list[dict[str, Any]] = []
        self.count = 0
        self.partial = False

    def compare(self, blocks_a: Blocks, blocks_b: Blocks) -> None:
        """Read the changes of both sides; `count` is then how many differ, `listed` has the first of them."""
        self.listed, self.count, self.partial = [], 0, False
        a, b = _Ahead(blocks_a), _Ahead(blocks_b)
        while True:
            if not a.changes and not b.changes:
                _pass_same_blocks(a, b)
            if not a.fill(1) or not b.fill(1):
                break
            if self._equal(a.changes[0], b.changes[0]):
                self._note_columns(a.changes.popleft(), b.changes.popleft())
                continue
            a.fill(_AHEAD)
            b.fill(_AHEAD)
            skip_a, skip_b = self._nearest(a.changes, b.changes)
            self._between(a.take(skip_a), b.take(skip_b))
        for side, ahead in enumerate((a, b)):
            while ahead.fill(1):
                self._add(_only(side, ahead.changes.popleft()))

    def _add(self, difference: dict[str, Any]) -> None:
        self.count += 1
        if self._most is None or len(self.listed) < self._most:
            self.listed.append(difference)

    def _equal(self, a: Change, b: Change) -> bool:
        """Whether two changes do one thing, as far as both logs tell."""
        if isinstance(a, RowChange) and isinstance(b, RowChange):
            if a.operation != b.operation or a.table != b.table:
                return False
            pair = self._pairs.of(a, b)
            if pair.same and a.before == b.before and a.after == b.after:
                return True
            return not pair.differences(a.before, b.before) and not pair.differences(a.after, b.after)
        if isinstance(a, StatementChange) and isinstance(b, StatementChange):
            return a.query == b.query and a.settings == b.settings and a.variables == b.variables
        return False

    def _note_columns(self, a: Change, b: Change) -> None:
        """Note if two equal changes were compared by a part of their columns."""
        if not self.partial and isinstance(a, RowChange) and isinstance(b, RowChange):
            pair = self._pairs.of(a, b)
            self.partial = pair.partial(a.before, b.before) or pair.partial(a.after, b.after)

    def _nearest(self, a: deque[Change], b: deque[Change]) -> tuple[int, int]:
        """Return how many changes to pass by on each side, together as few as possible, up to two that are equal."""
        size_a, size_b = len(a), len(b)
        for cost in range(1, size_a + size_b - 1):
            for at in sorted(
                range(max(0, cost - size_b + 1), min(cost, size_a - 1) + 1), key=lambda x: abs(2 * x - cost)
            ):
                if self._equal(a[at], b[cost - at]):
                    return at, cost - at
        return size_a, size_b

    def _between(self, a: list[Change], b: list[Change]) -> None:
        """Tell the differences of changes among which none is equal: rows of one key and statements in pairs."""
        rest_b = list(b)
        for change in a:
            other = next((one for one in rest_b if self._correspond(change, one)), None)
            if other is None:
                self._add(_only(0, change))
            else:
                rest_b.remove(other)
                self._add(self._pair(change, other))
        for change in rest_b:
            self._add(_only(1, change))

    def _correspond(self, a: Change, b: Change) -> bool:
        """Whether two different changes are one on each side: of one row, or both statements."""
        if isinstance(a, RowChange) and isinstance(b, RowChange):
            if a.operation != b.operation or a.table != b.table:
                return False
            pair = self._pairs.of(a, b)
            image_a, image_b = (a.before, b.before) if a.before is not None else (a.after, b.after)
            different = pair.differences(image_a, image_b)
            key = [at for at, (_, info, _, _) in enumerate(pair.columns) if info.index in pair.key]
            if key:
                return not set(key) & set(different)
            return len(different) <= len(pair.columns) // 2
        return isinstance(a, StatementChange) and isinstance(b, StatementChange)

    def _pair(self, a: Change, b: Change) -> dict[str, Any]:
        """Return what differs between two changes that correspond."""
        if isinstance(a, RowChange) and isinstance(b, RowChange):
            return _rows_pair(self._pairs.of(a, b), a, b)
        if isinstance(a, StatementChange) and isinstance(b, StatementChange):
            return _statements_pair(a, b)
        return {}


def _columns(pair: TablePair, image: str, a: dict[str, Any] | None, b: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the columns that differ in an image, with both values."""
    if a is None or b is None:
        return []
    return [
        {"column": pair.name(at), "image": image, "a": a[pair.columns[at][0]], "b": b[pair.columns[at][2]]}
        for at in pair.differences(a, b)
    ]


def _rows_pair(pair: TablePair, a: RowChange, b: RowChange) -> dict[str, Any]:
    columns = _columns(pair, "before", a.before, b.before) + _columns(pair, "after", a.after, b.after)
    image = a.before or a.after or {}
    key = {
        pair.name(at): image[name]
        for at, (name, info, _, _) in enumerate(pair.columns)
        if info.index in pair.key and name in image
    }
    found = {"difference": "row", "table": a.table, "operation": a.operation, "key": key, "columns": columns}
    return found if key else found | {"row": image}


def _statements_pair(a: StatementChange, b: StatementChange) -> dict[str, Any]:
    found: dict[str, Any] = {"difference": "statement", "a": a.text, "b": b.text}
    settings = {
        name: {"a": value, "b": b.settings.get(name)}
        for name, value in a.settings.items()
        if value != b.settings.get(name)
    }
    if settings:
        found["settings"] = settings
    if a.variables != b.variables:
        found["variables"] = {"a": list(a.variables), "b": list(b.variables)}
    return found


def _only(side: int, change: Change) -> dict[str, Any]:
    """Return a change that only one side has."""
    if isinstance(change, RowChange):
        images = {"before": change.before, "after": change.after}
        return {
            "difference": "row",
            "only_in": _SIDES[side],
            "table": change.table,
            "operation": change.operation,
            **{name: image for name, image in images.items() if image is not None},
        }
    return {"difference": "statement", "only_in": _SIDES[side], _SIDES[side]: change.text}

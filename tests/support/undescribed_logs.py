"""Logs whose table maps have no metadata: names and signs are in their statements alone."""

from __future__ import annotations

from pathlib import Path

from support.bodies import DELETE_V1, LONG, UPDATE_V1, VARCHAR, WRITE_V1, rows_event, table_map, u2, u4
from support.logs import TimedLog

LARGE = 4000000000  # another number without its sign
CREATE = "CREATE TABLE t (id INT UNSIGNED, count INT)"


class UndescribedLogs:
    """The logs of one server, `bin.000001` and so on, of the table `shop.t` of INT columns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: list[Path] = []
        self.rows = 0

    def begin(self) -> UndescribedLogs:
        """Begin the next log."""
        number = len(self.paths) + 1
        self.log = TimedLog(number)
        self.paths.append(self.folder / f"bin.{number:06}")
        return self

    def statement(self, text: str) -> UndescribedLogs:
        """Add a statement that is a transaction by itself."""
        self.log.gtid(5, 1, standalone=True)
        self.log.query(5, text)
        return self

    def row(self, *, width: int = 2) -> UndescribedLogs:
        """Add a row: LARGE, then the number of the row."""
        self.rows += 1
        self.log.gtid(5, self.rows)
        self.log.place(19, 5, table_map([LONG] * width))
        self.log.place(WRITE_V1, 5, rows_event(width, b"\0" + u4(LARGE) + u4(self.rows) * (width - 1)))
        self.log.xid(5, self.rows)
        return self

    def put(self, *values: int | str, table: str = "t") -> UndescribedLogs:
        """Add the insert of a row: numbers are INT, texts are VARCHAR of 60 bytes."""
        return self._change(WRITE_V1, table, values, image(values))

    def take(self, *values: int | str, table: str = "t") -> UndescribedLogs:
        """Add the delete of a row."""
        return self._change(DELETE_V1, table, values, image(values))

    def turn(self, before: tuple[int | str, ...], after: tuple[int | str, ...], table: str = "t") -> UndescribedLogs:
        """Add the update of a row."""
        return self._change(UPDATE_V1, table, after, image(before) + image(after))

    def _change(self, kind: int, table: str, values: tuple[int | str, ...], images: bytes) -> UndescribedLogs:
        kinds = [LONG if isinstance(value, int) else VARCHAR for value in values]
        lengths = u2(60) * kinds.count(VARCHAR)
        self.rows += 1
        self.log.gtid(5, self.rows)
        self.log.place(19, 5, table_map(kinds, lengths, table=table.encode()))
        self.log.place(kind, 5, rows_event(len(kinds), images, kind=kind))
        self.log.xid(5, self.rows)
        return self

    def write(self) -> Path:
        """Write the log as it is by now; return its path."""
        self.log.write(self.paths[-1])
        return self.paths[-1]


def image(values: tuple[int | str, ...]) -> bytes:
    """Return the image of a row of INT and short VARCHAR columns, none of them NULL."""
    data = b"\0"
    for value in values:
        text = value.encode() if isinstance(value, str) else b""
        data += u4(value) if isinstance(value, int) else bytes([len(text)]) + text
    return data

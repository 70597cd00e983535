"""Logs whose table maps have no metadata: names and signs are in their statements alone."""

from __future__ import annotations

from pathlib import Path

from support.bodies import DELETE_V1, LONG, UPDATE_V1, VARCHAR, WRITE_V1, rows_event, table_map, u2, u4
from support.logs import TimedLog

DAY = 24 * 60 * 60
MIDNIGHT = 1_700_006_400  # of 2023-11-15
LARGE = 4000000000  # another number without its sign
CREATE = "CREATE TABLE t (id INT UNSIGNED, count INT)"


class UndescribedLogs:
    """The logs of one server, `bin.000001` and so on, of the table `shop.t` of INT columns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: list[Path] = []
        self.rows = 0
        self.time = 5  # of what is added

    def begin(self, time: int = 0) -> UndescribedLogs:
        """Begin the next log, at a time in seconds since 1970."""
        number = len(self.paths) + 1
        self.log = TimedLog(time or number)
        self.paths.append(self.folder / f"bin.{number:06}")
        return self

    def statement(self, text: str) -> UndescribedLogs:
        """Add a statement that is a transaction by itself."""
        self.log.gtid(self.time, 1, standalone=True)
        self.log.query(self.time, text)
        return self

    def row(self, *, width: int = 2) -> UndescribedLogs:
        """Add a row: LARGE, then the number of the row."""
        self.rows += 1
        self.log.gtid(self.time, self.rows)
        self.log.place(19, self.time, table_map([LONG] * width))
        self.log.place(WRITE_V1, self.time, rows_event(width, b"\0" + u4(LARGE) + u4(self.rows) * (width - 1)))
        self.log.xid(self.time, self.rows)
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
        self.log.gtid(self.time, self.rows)
        self.log.place(19, self.time, table_map(kinds, lengths, table=table.encode()))
        self.log.place(kind, self.time, rows_event(len(kinds), images, kind=kind))
        self.log.xid(self.time, self.rows)
        return self

    def write(self) -> Path:
        """Write the log as it is by now; return its path."""
        self.log.write(self.paths[-1])
        return self.paths[-1]


def put_days(logs: UndescribedLogs) -> UndescribedLogs:
    """A table on three days: its second version begins on the second, and the third is followed by the second again."""
    logs.time = MIDNIGHT
    logs.statement(CREATE).put(1, 10).put(2, 20)
    logs.time += DAY
    logs.put(3, 30).statement("ALTER TABLE t RENAME COLUMN count TO number").put(4, 40)
    logs.time += DAY
    logs.turn((1, 10), (1, 11)).put(1, 2, 3, table="u")
    logs.time -= DAY
    return logs.put(5, 50)


def image(values: tuple[int | str, ...]) -> bytes:
    """Return the image of a row of INT and short VARCHAR columns, none of them NULL."""
    data = b"\0"
    for value in values:
        text = value.encode() if isinstance(value, str) else b""
        data += u4(value) if isinstance(value, int) else bytes([len(text)]) + text
    return data

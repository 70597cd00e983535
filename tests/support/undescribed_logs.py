"""Logs whose table maps have no metadata: names and signs are in their statements alone."""

from __future__ import annotations

from pathlib import Path

from support.bodies import LONG, WRITE_V1, rows_event, table_map, u4
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

    def write(self) -> Path:
        """Write the log as it is by now; return its path."""
        self.log.write(self.paths[-1])
        return self.paths[-1]

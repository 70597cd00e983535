"""A transaction as it is compared: where it is, what identifies it, and the hash of what it does."""

from __future__ import annotations

import hashlib
from typing import Any

from binlogcli.gtids.text import is_mariadb, mariadb_gtid, mysql_gtid

HASHED = 16  # bytes of a SHA-256 that are kept
UNFINISHED, COMMITTED, ROLLED_BACK, PREPARED = "unfinished", "committed", "rolled back", "prepared"


class LoggedTransaction:
    """A transaction of one side, made by `TransactionReader`.

    `log` is the number of its log on its side; `gaps` how many stretches of its side are damaged before it.
    What it does is hashed only if it must be kept: until then `raw` has the bytes to be hashed, if they are few.
    `shape` is a hash of the tables and operations alone. `empty`: it does nothing to what was chosen.
    """

    def __init__(self) -> None:
        self.log = self.start = self.time = 0
        self.source: tuple[Any, Any] | None = None  # of its GTID, None without one
        self.number = 0
        self.raw = self.content = self.shape = b""
        self.outcome = UNFINISHED
        self.rows = self.statements = 0
        self.empty = True
        self.undone: list[tuple[int, int]] = []  # events between savepoints whose changes were taken back
        self.doubt = ""  # why it cannot be compared
        self.gaps = 0
        self.place = 0  # on its side

    def seal(self) -> None:
        """Hash what it does, to be kept: `content` is set from then on."""
        if not self.content:
            self.content = hashlib.sha256(self.raw).digest()[:HASHED]
            self.raw = b""

    def same(self, other: LoggedTransaction) -> bool:
        """Return whether both have one GTID and did the same; to be asked before either is sealed."""
        return (
            self.number == other.number
            and self.raw == other.raw
            and self.content == other.content
            and self.source is not None
            and self.source == other.source
            and self.outcome == other.outcome
            and not self.doubt
            and not other.doubt
        )

    @property
    def gtid(self) -> str | None:
        """The GTID as the server writes it, or None."""
        if self.source is None:
            return None
        if is_mariadb(self.source):
            return mariadb_gtid(*self.source, self.number)
        return mysql_gtid(*self.source, self.number)

"""What transactions have taken back: ROLLBACK TO SAVEPOINT undoes the changes since then, COMMIT keeps the rest.

A server drops such changes before it writes the transaction to its log. Where the transaction has also changed what
cannot be undone, a table without transactions or a temporary one, they are in the log, with the savepoints around them.
Since 5.5 the rows of tables without transactions are not among them: these are logged in transactions of their own.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from binlogcli.log.roles import SAVEPOINT

_NAME = re.compile(
    rb"""(?is)(?:rollback(?:\s+work)?\s+to(?:\s+savepoint)?|savepoint)(?:\s+|(?=[`"]))"""
    rb"""(?:`((?:[^`]|``)*)`|"((?:[^"]|"")*)"|([^\s;`"]+))"""
)


class Undone(NamedTuple):
    """The changes in [start, end) of a log were taken back; without `certain`, some of them may not have been."""

    start: int
    end: int
    certain: bool = True


class Savepoints:
    """The savepoints of the open transaction, and the ranges of what was taken back in all of them (`undone`)."""

    def __init__(self) -> None:
        self.undone: list[Undone] = []
        self.kept = 0  # the ranges of earlier transactions
        self.places: dict[bytes, int] = {}  # by names, in the order in which they were set

    def end(self) -> None:
        """Forget the savepoints: their transaction has ended."""
        self.places.clear()
        self.kept = len(self.undone)

    def see(self, role: int, statement: bytes, place: int, opened: int) -> None:
        """Take SAVEPOINT or ROLLBACK TO, by its role and its place, in a transaction that was begun at `opened`."""
        found = _NAME.match(statement)
        name = b"" if found is None else _folded(found)
        if role == SAVEPOINT:
            self.places.pop(name, None)
            self.places[name] = place
        elif name in self.places:
            names = list(self.places)
            for later in names[names.index(name) + 1 :]:
                del self.places[later]
            self._undo(self.places[name], place, certain=True)
        else:  # the savepoint is not in the log
            self._undo(opened, place, certain=False)

    def _undo(self, start: int, end: int, *, certain: bool) -> None:
        """Add a range, in place of those of this transaction that it covers."""
        while len(self.undone) > self.kept and self.undone[-1].start >= start:
            self.undone.pop()
        self.undone.append(Undone(start, end, certain))


def _folded(found: re.Match[bytes]) -> bytes:
    """Return the name of a savepoint in one form for all that the server takes for equal."""
    quoted, double_quoted, bare = found.groups()
    if quoted is not None:
        name = quoted.replace(b"``", b"`")
    else:
        name = bare if double_quoted is None else double_quoted.replace(b'""', b'"')
    return name.decode("utf-8", "surrogateescape").casefold().encode("utf-8", "surrogateescape")

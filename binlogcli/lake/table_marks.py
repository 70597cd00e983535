"""TRUNCATE, DROP and RENAME: rows of the tables that they are about, and the tables that are one over several names.

A task finds them and cannot know which tables the lake has, so it hands them to the run, which writes a row into each
table that is there. What is about a table that has no rows yet waits in the commit records: logs may be converted in
any order. What is about a whole database waits for every table that comes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

TableName = tuple[str, str]  # database and table
RENAME = "rename"

MARK_FORM: dict[str, object] = {
    "op": re.compile(f"truncate|drop|{RENAME}"),
    "database": str,
    "table": str,
    "new": [str],
    "seq": re.compile("[0-9]{1,38}"),
    "time": int,
    "commit": int,
    "gtid": (str, None),
    "xid": (int, None),
    "server_id": int,
    "thread_id": (int, None),
    "file": str,
    "position": int,
}


@dataclass(frozen=True, slots=True)
class TableMark:
    """A table that is emptied, dropped or renamed. An empty name of the table stands for all of the database."""

    op: str  # truncate, drop, rename
    database: str
    table: str
    new: tuple[str, ...]  # database and table after RENAME, else empty
    seq: int
    time: int  # microseconds since 1970, as the next one
    commit: int
    gtid: str | None
    xid: int | None
    server_id: int
    thread_id: int | None
    file: str
    position: int

    def of_server(self, server: str) -> TableMark:
        """Return it as one of the tables of a server; "" for none."""
        if not server:
            return self
        new = (f"{server}.{self.new[0]}", *self.new[1:]) if self.new else ()
        return replace(self, database=f"{server}.{self.database}", new=new)

    def is_about(self, table: str) -> bool:
        """Whether it is about a table, given as DATABASE.TABLE, under its old or its new name."""
        if not self.table:
            return table.startswith((f"{self.database}.", f"{self.database.lower()}."))
        names = [f"{self.database}.{self.table}", ".".join(self.new)]
        return table in names or table in (name.lower() for name in names)

    def old_name(self, tables: Collection[TableName]) -> TableName:
        """Return the name of the table before RENAME, which is one of `tables`."""
        return _tables_of(self, tables)[0]

    def as_record(self) -> dict[str, Any]:
        """Return it as a commit record has it."""
        return asdict(self) | {"seq": str(self.seq), "new": list(self.new)}

    @classmethod
    def from_record(cls, fields: dict[str, Any]) -> TableMark:
        """Make it of what `as_record` returned."""
        return cls(**{**fields, "seq": int(fields["seq"]), "new": tuple(fields["new"])})


class TableMarks:
    """The marks of a lake: those that wait for their tables, and every RENAME."""

    def __init__(self) -> None:
        self.waiting: list[TableMark] = []
        self.renames: list[TableMark] = []

    def settle(
        self, found: Iterable[TableMark], tables: Iterable[TableName], new_tables: Iterable[TableName]
    ) -> list[tuple[TableMark, TableName]]:
        """Take new marks; return each mark with a table that is to have a row of it, in the order of `_seq`.

        `tables` are all that the lake has, `new_tables` those of them that it did not have before. The new name of a
        table may be one that the lake does not have yet.
        """
        there, new = set(tables), set(new_tables)
        waited = set(self.waiting)
        fresh = {one for one in found if one not in waited}
        known = set(self.renames)
        self.renames += sorted((one for one in fresh if one.op == RENAME and one not in known), key=_place)
        self.waiting = []
        settled: list[tuple[TableMark, TableName]] = []
        for mark in sorted(waited | fresh, key=_place):
            targets = _tables_of(mark, new if mark in waited else there)
            settled += ((mark, table) for table in targets)
            if mark.op == RENAME and targets:
                settled.append((mark, (mark.new[0], mark.new[1])))
                if settled[-1][1] not in there:
                    there.add(settled[-1][1])
                    new.add(settled[-1][1])
            if not mark.table or not targets:
                self.waiting.append(mark)
        return settled

    def forget(self, file: str, start: int, end: int) -> None:
        """Drop the marks of a part of a log that is read again."""
        for marks in (self.waiting, self.renames):
            marks[:] = [one for one in marks if one.file != file or not start <= one.position < end]

    def as_record(self) -> dict[str, Any]:
        """Return all of it as a record has it that holds the whole state."""
        return {
            "waiting": [mark.as_record() for mark in self.waiting],
            "renames": [mark.as_record() for mark in self.renames],
        }

    def set_from(self, fields: dict[str, Any]) -> None:
        """Become what `as_record` returned."""
        self.waiting = [TableMark.from_record(one) for one in fields["waiting"]]
        self.renames = [TableMark.from_record(one) for one in fields["renames"]]


def _place(mark: TableMark) -> int:
    return mark.seq


def _tables_of(mark: TableMark, tables: Collection[TableName]) -> list[TableName]:
    """Return the tables that a mark is about: where none is written so, the one of small letters."""
    if not mark.table:
        names = {mark.database, mark.database.lower()}
        return sorted(table for table in tables if table[0] in names)
    exact, small = (mark.database, mark.table), (mark.database.lower(), mark.table.lower())
    return [table for table in (exact, small) if table in tables][:1]


@dataclass(frozen=True, slots=True)
class Lineage:
    """The rows of one name that belong to a table: those whose `_seq` is above `after` and below `before`."""

    database: str
    table: str
    after: int | None = None
    before: int | None = None

    def description(self) -> dict[str, Any]:
        """Return it as `schema.json` has it; numbers as texts, as JSON's readers round them."""
        found: dict[str, Any] = {"database": self.database, "table": self.table}
        if self.after is not None:
            found["after"] = str(self.after)
        return found if self.before is None else found | {"before": str(self.before)}


def lineage_of(table: TableName, renames: Sequence[TableMark]) -> list[Lineage]:
    """Return where the rows of the table are that has this name in the end, the last first.

    Rows are in the table whose name they were logged under. A table that was renamed continues under its new name; what
    has the old name after that is another table.
    """
    found: list[Lineage] = []
    before: int | None = None
    for mark in sorted(renames, key=lambda mark: -mark.seq):
        old, new = (mark.database, mark.table), (mark.new[0], mark.new[1])
        if table == old:
            found.append(Lineage(*table, mark.seq, before))
            return found
        if table == new:
            found.append(Lineage(*table, mark.seq, before))
            table, before = old, mark.seq
    found.append(Lineage(*table, None, before))
    return found

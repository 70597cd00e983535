"""The sum of the commit records: how far each log was read, and which versions each table has.

A record holds what its epoch added; every `FULL_EVERY`th holds the whole state, so that few have to be read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import tzinfo
from typing import Any

from binlogcli.errors import SourceError
from binlogcli.lake.history import NO_HISTORY
from binlogcli.lake.store.paths import table_directory
from binlogcli.lake.store.record import PARTITION, options_in
from binlogcli.lake.store.table_choice import ALL, TablePatterns, added
from binlogcli.lake.table_marks import TableMark, TableMarks
from binlogcli.lake.tables.types import LakeColumn, TableSchema, VersionOrigin
from binlogcli.lake.tables.widening import generation_of
from binlogcli.names.magics import ENCRYPTED_MAGIC, MAGIC
from binlogcli.select.times import time_text
from binlogcli.sources.log_names import read_log_name, without_packed_ending

HEAD = 4096  # bytes at the beginning of a log that distinguish it from others of its name
_ENCRYPTION_HEADER = 512  # bytes before the events of a log that MySQL encrypts
_IN_USE_AT = 4 + 17  # the flags of the first event's header; a server clears IN_USE when it closes the log
_IN_USE_FLAG = 1  # LOG_EVENT_BINLOG_IN_USE_F


@dataclass(frozen=True, slots=True)
class TakenGap:
    """Bytes [start, end) that could not be read of a log that was taken (see `model.LogGap`).

    `tried` is the checksum of the schema files that were given then.
    """

    start: int
    end: int
    reason: str
    hint: str
    within: int | None
    tried: str

    @property
    def needs_schema(self) -> bool:
        """Whether the reason says that a schema would have made them readable."""
        return "--schema" in self.reason

    def where(self) -> tuple[int, int, str, str, int | None]:
        """Return the fields of a LogGap after its file."""
        return self.start, self.end, self.reason, self.hint, self.within

    @property
    def place(self) -> int:
        """Where they are in the file: for content of a payload, where the payload does."""
        return self.start if self.within is None else self.within

    @property
    def last(self) -> int:
        """A position after their beginning, and at most at their end."""
        return self.end if self.within is None else self.within + 1


@dataclass(frozen=True, slots=True)
class TakenLog:
    """How far a log was read. Its name and a checksum of its head identify it, in whatever folder, packed or not.

    `path` and the server and time of its first event distinguish a log whose head was changed from a different log.
    """

    name: str
    path: str
    server_id: int
    created: int
    head_size: int
    head_sha256: str
    end: int  # position after the events that were taken
    size: int  # bytes of the file at that time
    packed: bool = False
    stopped: bool = False  # at the end of the user's range, before the end of the log
    places: tuple[int, ...] = ()  # positions of the events that those after `end` need
    file: str = ""  # the value of `_file`
    gaps: tuple[TakenGap, ...] = ()  # before `end`
    tables: TablePatterns = ALL  # whose rows are all there
    some_tables: TablePatterns = ALL  # whose rows are there of a part of it, at least
    server: str = ""  # the name that the user gave its server
    overtaken: bool = False  # by an earlier log that defines tables: it was converted without knowing that one

    @classmethod
    def from_record(cls, fields: dict[str, Any]) -> TakenLog:
        """Make it of what `asdict` returned."""
        gaps = tuple(TakenGap(**gap) for gap in fields["gaps"])
        lists = {name: tuple(fields[name]) for name in ("places", "tables", "some_tables")}
        return cls(**{**fields, **lists, "gaps": gaps})

    def is_at(self, place: tuple[str, int, int]) -> bool:
        """Whether it is the log that a server began then, in this file: its path, server and time."""
        return place[2] != 0 and (self.path, self.server_id, self.created) == place

    def is_same(self, other: TakenLog) -> bool:
        """Whether two entries are of one log, whose head may have been repaired between them."""
        place = (other.path, other.server_id, other.created)
        return self.name == other.name and (self.head_sha256 == other.head_sha256 or self.is_at(place))


def plain_name(path: str) -> str:
    """Return the name of a log without folder and without the ending of a packed file."""
    return without_packed_ending(os.path.basename(path))


def head_of(data: bytes) -> bytes:
    """Return the first bytes of a log, without the flag that changes when the server closes the log."""
    data = data[:HEAD]
    if data[:4] == ENCRYPTED_MAGIC:
        return data[:_ENCRYPTION_HEADER]
    if data[:4] == MAGIC and len(data) > _IN_USE_AT:
        flag = data[_IN_USE_AT] & ~_IN_USE_FLAG & 0xFF
        return data[:_IN_USE_AT] + bytes([flag]) + data[_IN_USE_AT + 1 :]
    return data


def checksum(head: bytes, size: int) -> str:
    """Return the SHA-256 of the first `size` bytes, in hex."""
    return hashlib.sha256(head[:size]).hexdigest()


def first_event(head: bytes) -> tuple[int, int]:
    """Return server id and time from the header of the first event; 0, 0 where the log is encrypted."""
    if head[:4] != MAGIC:
        return 0, 0
    return int.from_bytes(head[9:13], "little"), int.from_bytes(head[4:8], "little")


@dataclass(slots=True)
class LakeTable:
    """A table's directory and its versions; the index of a version is the N of its `schema=N`.

    `generations` has the generation of each version: see `tables.widening`.
    """

    database: str
    table: str
    directory: str
    versions: list[TableSchema] = field(default_factory=list)
    generations: list[int] = field(default_factory=list)

    def number(self, fingerprint: str) -> int:
        """Return the index of a version; -1 for a new one."""
        return next((at for at, one in enumerate(self.versions) if one.fingerprint == fingerprint), -1)

    def add(self, version: TableSchema) -> None:
        """Add a version, to the first generation that takes it, or to a new one."""
        self.generations.append(generation_of(version, self.versions, self.generations))
        self.versions.append(version)

    def folder(self, number: int) -> str:
        """Return the directory of a version's files, below that of all tables."""
        return f"{self.directory}/generation={self.generations[number]}/schema={number}"

    def as_record(self, since: int = 0) -> dict[str, Any]:
        """Return the versions from `since` on as a commit record has them."""
        return {
            "database": self.database,
            "table": self.table,
            "directory": self.directory,
            "versions": [
                {
                    "generation": self.generations[number],
                    "columns_only": one.columns_only,
                    "primary_key": list(one.primary_key),
                    "origin": asdict(one.origin),
                    "columns": [column.as_record() for column in one.columns],
                }
                for number, one in enumerate(self.versions[since:], since)
            ],
        }


class LakeState:
    """What all epochs so far have taken and made."""

    def __init__(self) -> None:
        self.epoch = 0  # of the next record
        self.options: str | None = None
        self.taken: dict[str, list[TakenLog]] = {}
        self.tables: dict[tuple[str, str], LakeTable] = {}
        self.history = NO_HISTORY
        self.directories: set[str] = set()  # of the tables, in lower case
        self.marks = TableMarks()

    def add(self, record: dict[str, Any]) -> None:
        """Add a commit record; they are added in their order."""
        full = record.get("state")
        for fields in (full or record)["sources"]:
            self.take(TakenLog.from_record(fields))
        before = set(self.tables)
        for fields in (full or record)["tables"]:
            self._add_table(fields)
        if full is not None:
            self.marks.set_from(full["marks"])
        else:
            self.marks.settle(map(TableMark.from_record, record["marks"]), self.tables, self.tables.keys() - before)
        self.history = self.history.with_record((full or record).get("history", ()))
        self.epoch = record["epoch"] + 1
        self.options = record["options"]

    @property
    def by_date(self) -> bool:
        """Whether files are of one day each."""
        return PARTITION in options_in(self.options or "")

    def _add_table(self, fields: dict[str, Any]) -> None:
        """Add a table, or versions to it."""
        key = (fields["database"], fields["table"])
        table = self.tables.setdefault(key, LakeTable(*key, fields["directory"]))
        self.directories.add(table.directory.casefold())
        for version in fields["versions"]:
            columns = tuple(map(LakeColumn.from_record, version["columns"]))
            named = tuple(version["primary_key"]), VersionOrigin(**version["origin"])
            table.versions.append(TableSchema(*key, columns, version["columns_only"], *named))
            table.generations.append(version["generation"])

    def as_record(self) -> dict[str, Any]:
        """Return the whole state, for a record that makes those before it superfluous."""
        return {
            "sources": [asdict(one) for same_name in self.taken.values() for one in same_name],
            "tables": [table.as_record() for table in self.tables.values()],
            "history": self.history.as_record(),
            "marks": self.marks.as_record(),
        }

    def orders_for(self, database: str) -> dict[str, tuple[int, int, str]]:
        """Return the places of logs in their series, as sort keys, by their names: of the server of a database."""
        logs = [one for same_name in self.taken.values() for one in same_name]
        server = database.partition(".")[0]
        if not any(one.server == server for one in logs):
            server = ""
        return self.history.orders({(one.name, one.head_sha256) for one in logs if one.server == server})

    def unnamed_servers(self) -> set[int]:
        """Return the numbers of the servers whose logs were converted without a name of their server."""
        logs = (one for same_name in self.taken.values() for one in same_name)
        return {one.server_id for one in logs if not one.server and one.server_id}

    def reach_of(self, pattern: str, zone: tzinfo | None) -> Iterator[str]:
        """Yield a line that says from which log on the rows of a table of --table are there."""
        logs = sorted((one for same_name in self.taken.values() for one in same_name), key=_age)
        lacking = [at for at, one in enumerate(logs) if added(one.tables, (pattern,))]
        what = "all tables" if (pattern,) == ALL else pattern
        if not lacking:
            yield f"{what}: new in --table, and complete"
        elif lacking[-1] + 1 == len(logs):
            yield f"{what}: new in --table, and not complete in any converted log; pass the logs again"
        else:
            first = logs[lacking[-1] + 1]
            time = time_text(first.created, zone)
            hint = "pass older logs again to include their changes"
            yield f"{what}: new in --table, and complete starting with {first.file} ({time}); {hint}"

    def in_vain(self, unsigned: str) -> Iterator[str]:
        """Yield a line where a column of --assume-unsigned, as DATABASE.TABLE.COLUMN, is nowhere UNSIGNED."""
        sources = [
            column.source
            for table in self.tables.values()
            for version in table.versions
            for index, column in enumerate(version.own)
            for home in self._names_in_logs(table)
            if unsigned.startswith(home)
            and unsigned.removeprefix(home).casefold() in (column.column.casefold(), f"@{index + 1}")
        ]
        if not sources:
            yield f"--assume-unsigned {unsigned}: no table in the output has this column"
        elif not any(source.endswith(" UNSIGNED") for source in sources):
            yield f"--assume-unsigned {unsigned}: the column is known to be signed, or is not an integer"

    def _names_in_logs(self, table: LakeTable) -> Iterator[str]:
        """Yield what the names of a table's columns may begin with in logs, where no name of a server stands."""
        yield f"{table.database}.{table.table}."
        server, dot, database = table.database.partition(".")
        if dot and any(one.server == server for same_name in self.taken.values() for one in same_name):
            yield f"{database}.{table.table}."

    def take(self, taken: TakenLog) -> None:
        """Set how far a log was read, in place of an earlier entry of it, whose head may have been repaired since."""
        known = self.taken.get(taken.name, [])
        for one in known:
            if one.is_same(taken):
                self.history = self.history.renamed((one.name, one.head_sha256), (taken.name, taken.head_sha256))
        self.taken[taken.name] = [*(one for one in known if not one.is_same(taken)), taken]

    def current(self, taken: TakenLog) -> TakenLog | None:
        """Return the entry of a log that was read further, or again; None for a new one."""
        return next((one for one in self.taken.get(taken.name, []) if one.is_same(taken)), None)

    def find(self, path: str, head: bytes, *, repaired: bool = False) -> TakenLog | None:
        """Return how far this log was read; None for a new one.

        Raises SourceError if its head has changed, unless it was damaged and may have been `repaired`.
        """
        known = self.taken.get(plain_name(path), [])
        for one in sorted(known, key=lambda one: -one.head_size):
            if len(head) >= one.head_size and checksum(head, one.head_size) == one.head_sha256:
                return one
        place = (os.path.realpath(path), *first_event(head))
        for one in known:
            if one.is_at(place):
                if repaired and one.gaps:
                    return one
                hint = "restore it, or use another --output"
                if one.gaps:
                    hint = f"pass --retry-gaps if it was repaired; otherwise {hint}"
                reason = "has changed since it was last read: its beginning is different"
                raise SourceError(reason, file=path, hint=hint)
        return None

    def table(self, schema: TableSchema) -> LakeTable:
        """Return the table that a version belongs to, which is added where it is new."""
        key = (schema.database, schema.table)
        if key not in self.tables:
            directory = table_directory(*key, self.directories)
            self.directories.add(directory.casefold())
            self.tables[key] = LakeTable(*key, directory)
        return self.tables[key]


def _age(log: TakenLog) -> tuple[int, int, str]:
    """Return the place of a log among all, as a sort key."""
    parts = read_log_name(log.name)
    return log.created, 0 if parts is None else parts.number, log.name


def finished_logs(paths: Iterable[str]) -> set[str]:
    """Return the logs that are followed by a later log of their series among `paths`, and so have stopped growing."""
    latest: dict[str, int] = {}
    numbered = []
    for path in paths:
        name = read_log_name(without_packed_ending(path))
        if name is not None:
            numbered.append((path, name))
            latest[name.base] = max(latest.get(name.base, 0), name.number)
    return {path for path, name in numbered if name.number < latest[name.base]}

"""What earlier runs have taken, as their commit records tell it: how far each log was read, which versions tables have.

A record tells what its epoch added; every so often one holds the whole state, so that few need to be read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from binlogcli.errors import SourceError
from binlogcli.lake.store.paths import table_directory
from binlogcli.lake.tables.types import LakeColumn, TableSchema
from binlogcli.names.magics import ENCRYPTED_MAGIC, MAGIC
from binlogcli.sources.log_names import read_log_name, without_packed_ending

HEAD = 4096  # bytes of a log that tell it from others of its name
ENCRYPTION_HEADER = 512  # of a log that MySQL encrypts
IN_USE_AT = 4 + 17  # the flag that a server clears when it closes the log
IN_USE_FLAG = 1


@dataclass(frozen=True, slots=True)
class TakenLog:
    """How far a log was read. Its name and a checksum of its head tell it, wherever it lies and packed or not.

    `path`, and the server and time of its first event, are for telling a log that was tampered with from another one.
    """

    name: str
    path: str
    server_id: int
    created: int
    head_size: int
    head_sha256: str
    end: int  # of the events that were taken
    size: int  # of the file then
    packed: bool = False
    stopped: bool = False  # by the user's range, and not by the end of what was there
    places: tuple[int, ...] = ()  # of the events that those after `end` need

    @classmethod
    def from_record(cls, fields: dict[str, Any]) -> TakenLog:
        """As `asdict` wrote it."""
        return cls(**{**fields, "places": tuple(fields["places"])})


def plain_name(path: str) -> str:
    """The name of a log whether it is packed or not, wherever it lies."""
    return without_packed_ending(os.path.basename(path))  # noqa: PTH119 - a name as it was given


def head_of(data: bytes) -> bytes:
    """The first bytes of a log, the same while it is written and later."""
    data = data[:HEAD]
    if data[:4] == ENCRYPTED_MAGIC:
        return data[:ENCRYPTION_HEADER]
    if data[:4] == MAGIC and len(data) > IN_USE_AT:
        flag = data[IN_USE_AT] & ~IN_USE_FLAG & 0xFF
        return data[:IN_USE_AT] + bytes([flag]) + data[IN_USE_AT + 1 :]
    return data


def checksum(head: bytes, size: int) -> str:
    """Of the first `size` bytes."""
    return hashlib.sha256(head[:size]).hexdigest()


def first_event(head: bytes) -> tuple[int, int]:
    """Server and time in the header of the first event; 0 where they cannot be read."""
    if head[:4] != MAGIC:
        return 0, 0
    return int.from_bytes(head[9:13], "little"), int.from_bytes(head[4:8], "little")


@dataclass(slots=True)
class LakeTable:
    """A table's directory and its versions, which number its `schema=N`."""

    database: str
    table: str
    directory: str
    versions: list[TableSchema] = field(default_factory=list)

    def number(self, fingerprint: str) -> int:
        """Of a version; -1 for a new one."""
        return next((at for at, one in enumerate(self.versions) if one.fingerprint == fingerprint), -1)

    def as_record(self, since: int = 0) -> dict[str, Any]:
        """For a commit record: the versions from that number on."""
        return {
            "database": self.database,
            "table": self.table,
            "directory": self.directory,
            "versions": [
                {"columns_only": one.columns_only, "columns": [column.as_record() for column in one.columns]}
                for one in self.versions[since:]
            ],
        }


class LakeState:
    """The sum of all records."""

    def __init__(self) -> None:
        self.epoch = 0  # of the next record
        self.seq = 0  # where `_seq` goes on
        self.options: str | None = None
        self.taken: dict[str, list[TakenLog]] = {}
        self.tables: dict[tuple[str, str], LakeTable] = {}
        self.directories: set[str] = set()  # theirs, in lower case

    def add(self, record: dict[str, Any]) -> None:
        """The next record."""
        full = record.get("state")
        for fields in (full or record)["sources"]:
            self.take(TakenLog.from_record(fields))
        for fields in (full or record)["tables"]:
            self.add_table(fields)
        self.epoch = record["epoch"] + 1
        self.seq = record["seq"]
        self.options = record["options"]

    def add_table(self, fields: dict[str, Any]) -> None:
        """A table, or more versions of one."""
        key = (fields["database"], fields["table"])
        table = self.tables.setdefault(key, LakeTable(*key, fields["directory"]))
        self.directories.add(table.directory.casefold())
        for version in fields["versions"]:
            columns = tuple(LakeColumn(**column) for column in version["columns"])
            table.versions.append(TableSchema(*key, columns, version["columns_only"]))

    def as_record(self) -> dict[str, Any]:
        """All of it, for a record that can be read without those before."""
        return {
            "sources": [asdict(one) for same_name in self.taken.values() for one in same_name],
            "tables": [table.as_record() for table in self.tables.values()],
        }

    def take(self, taken: TakenLog) -> None:
        """A log was read so far; what was known of the same log before is forgotten."""
        others = [one for one in self.taken.get(taken.name, []) if one.head_sha256 != taken.head_sha256]
        self.taken[taken.name] = [*others, taken]

    def find(self, path: str, head: bytes) -> TakenLog | None:
        """How far this log was read, if it was."""
        known = self.taken.get(plain_name(path), [])
        for one in sorted(known, key=lambda one: -one.head_size):
            if len(head) >= one.head_size and checksum(head, one.head_size) == one.head_sha256:
                return one
        place = (os.path.realpath(path), *first_event(head))
        if place[2] and any((one.path, one.server_id, one.created) == place for one in known):
            raise SourceError(
                "is not what it was when it was read last: its beginning has changed",
                file=path,
                hint="restore it, or convert into another --output",
            )
        return None

    def table(self, schema: TableSchema) -> LakeTable:
        """The table that a version belongs to, new or known."""
        key = (schema.database, schema.table)
        if key not in self.tables:
            directory = table_directory(*key, self.directories)
            self.directories.add(directory.casefold())
            self.tables[key] = LakeTable(*key, directory)
        return self.tables[key]


def series(paths: Iterable[str]) -> set[str]:
    """Those of the logs that a later one of their series follows here: they grow no more."""
    latest: dict[str, int] = {}
    numbered = []
    for path in paths:
        name = read_log_name(without_packed_ending(path))
        if name is not None:
            numbered.append((path, name))
            latest[name.base] = max(latest.get(name.base, 0), name.number)
    return {path for path, name in numbered if name.number < latest[name.base]}

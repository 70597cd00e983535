"""Logs of MySQL 3.23 to 4.1 with LOAD DATA, whose events have the statement and the file in parts."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Self

from support.bodies import u4
from support.logs import MAGIC

START, QUERY, LOAD, CREATE_FILE, APPEND_BLOCK, EXEC_LOAD, DELETE_FILE, NEW_LOAD = 1, 2, 6, 8, 9, 10, 11, 12
SECOND = 1_100_000_000
TABS = b"\1\t" + b"\0" + b"\1\n" + b"\0" + b"\1\\" + b"\0"  # the defaults: fields end with tabs, lines with newlines
COMMAS = b"\1," + b"\1'" + b"\1\n" + b"\1>" + b"\1\\" + b"\6"  # OPTIONALLY ENCLOSED BY ', STARTING BY >, REPLACE
OLD_TABS = b"\t\0\n\0\\" + b"\0" + b"\x0a"  # 3.23: a byte each, and flags of those that are empty
THREAD_SPECIFIC = 4


def load_head(columns: int, table: bytes = b"t", database: bytes = b"shop", skip: int = 0) -> bytes:
    """The fixed part of LOAD DATA's events: thread 9, three seconds."""
    return struct.pack("<IIIBBI", 9, 3, skip, len(table), len(database), columns)


def load_names(columns: Sequence[bytes], table: bytes = b"t", database: bytes = b"shop") -> bytes:
    """The names in LOAD DATA's events."""
    lengths = bytes(len(name) for name in columns)
    return lengths + b"".join(name + b"\0" for name in (*columns, table, database))


class OldLog:
    """A log of version 3 (4.0, 4.1) that grows event by event; with `version` 1 one of 3.23, without positions."""

    def __init__(self, version: int = 3) -> None:
        self.version = version
        self.log = bytearray(MAGIC)
        server = b"4.1.22-log" if version == 3 else b"3.23.58-log"
        self.add(START, struct.pack("<H50sI", version, server, SECOND))

    def add(self, kind: int, body: bytes, flags: int = 0) -> Self:
        """Add an event; in version 3 a header ends with the event's own position."""
        size = len(body) + (19 if self.version == 3 else 13)
        self.log += struct.pack("<IBII", SECOND, kind, 1, size)
        if self.version == 3:
            self.log += struct.pack("<IH", len(self.log) - 13, flags)
        self.log += body
        return self

    def query(self, text: bytes, database: bytes = b"shop") -> Self:
        """Add a statement."""
        return self.add(QUERY, struct.pack("<IIBH", 7, 0, len(database), 0) + database + b"\0" + text)

    def create(
        self,
        file_id: int,
        name: bytes,
        block: bytes,
        columns: Sequence[bytes] = (),
        *,
        table: bytes = b"t",
        database: bytes = b"shop",
        separators: bytes = TABS,
        flags: int = 0,
        skip: int = 0,
    ) -> Self:
        """Add CREATE_FILE_EVENT."""
        head = load_head(len(columns), table, database, skip) + u4(file_id)
        names = load_names(columns, table, database) + name + b"\0"
        return self.add(CREATE_FILE, head + separators + names + block, flags)

    def append(self, file_id: int, block: bytes) -> Self:
        """Add APPEND_BLOCK_EVENT."""
        return self.add(APPEND_BLOCK, u4(file_id) + block)

    def execute(self, file_id: int) -> Self:
        """Add EXEC_LOAD_EVENT."""
        return self.add(EXEC_LOAD, u4(file_id))

    def delete(self, file_id: int) -> Self:
        """Add DELETE_FILE_EVENT."""
        return self.add(DELETE_FILE, u4(file_id))


def loads() -> OldLog:
    """Files of several blocks and of none, with all options, one that is given up, and one of the server's own."""
    log = OldLog().query(b"CREATE DATABASE shop", b"").query(b"CREATE TABLE t (a INT, b VARCHAR(20))")
    log.create(1, b"/tmp/goods.txt", b"1\tlamp\n", (b"a", b"b")).append(1, b"2\tch").append(1, b"air\n").execute(1)
    log.query(b"CREATE DATABASE other", b"").query(b"SET @a = 1", b"other")
    log.create(2, b"empty", b"").execute(2)
    log.create(3, b"broken.csv", b"1\n", database=b"other").append(3, b"x").delete(3)
    log.create(3, b"list.csv", b"a,b\n>4,'it'\n>5,x\n", separators=COMMAS, skip=1, flags=THREAD_SPECIFIC).execute(3)
    return log.query(b"COMMIT")

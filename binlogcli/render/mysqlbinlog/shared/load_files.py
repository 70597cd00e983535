"""The files of LOAD DATA: written to the directory of --local-load, and named in the statement that loads them."""

from __future__ import annotations

import os

from binlogcli.errors import SourceError
from binlogcli.events.load import ExecuteLoadQuery, FileBlock
from binlogcli.names.event_types import BEGIN_LOAD_QUERY_EVENT
from binlogcli.render.mysqlbinlog.sql_text import quoted_string

_REPLACE = 2
TRIES = 30_000_000
_ELSEWHERE = "name another directory with --local-load"


class LoadFiles:
    """The LOAD DATA files of all logs by their id in the log. File names are made here and never taken from a log."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory
        self.names: dict[int, str] = {}

    def take(self, event: FileBlock) -> None:
        """Collect a block: BEGIN_LOAD_QUERY starts a file, other types append to theirs. SourceError as in `write`."""
        if event.type_code == BEGIN_LOAD_QUERY_EVENT:
            self.names[event.file_id] = self.begin(event.file_id, event.block)
        elif self.directory is not None and event.file_id in self.names:
            self.write(self.names[event.file_id], event.block, os.O_APPEND)

    def begin(self, file_id: int, block: bytes) -> str:
        """Create a file with its first block and return its name; without a directory, only choose the name."""
        if self.directory is None:
            return f"./SQL_LOAD_MB-{file_id:x}-0"
        base = f"{self.directory.rstrip('/') or '/'}/".replace("//", "/")
        for number in range(TRIES):
            name = f"{base}SQL_LOAD_MB-{file_id:x}-{number:x}"
            try:
                self.write(name, block, os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                continue
            return name
        raise SourceError("no free name for a LOAD DATA file", file=base, hint=_ELSEWHERE)

    def write(self, name: str, block: bytes, flags: int) -> None:
        """Append a block to a file opened with `flags`; FileExistsError, or SourceError for any other failure."""
        try:
            descriptor = os.open(name, os.O_WRONLY | os.O_CLOEXEC | flags, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                file.write(block)
        except FileExistsError:
            raise
        except OSError as error:
            raise SourceError(
                f"cannot write a LOAD DATA file: {os.strerror(error.errno or 0).lower()}", file=name, hint=_ELSEWHERE
            ) from error

    def statement(self, event: ExecuteLoadQuery) -> bytes:
        """Return LOAD DATA with the written file's name; the query unchanged where the file is not known."""
        name = self.names.pop(event.file_id, None)
        query = event.query
        if name is None or not event.fn_pos_start <= event.fn_pos_end <= len(query):
            return query
        replace = b" REPLACE" if event.dup_handling == _REPLACE else b""
        head = query[: event.fn_pos_start] + b" LOCAL INFILE " + quoted_string(os.fsencode(name))
        return head + replace + b" INTO" + query[event.fn_pos_end :]

    def known(self, file_id: int) -> bool:
        """Whether the first block of the file was seen."""
        return file_id in self.names

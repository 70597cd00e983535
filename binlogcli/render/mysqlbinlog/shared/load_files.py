"""The files of LOAD DATA: written to the directory of --local-load, and named in the statement that loads them."""

from __future__ import annotations

import os

from binlogcli.errors import SourceError, counted
from binlogcli.events.load import CreateFile, ExecuteLoadQuery, FileBlock
from binlogcli.names.event_types import BEGIN_LOAD_QUERY_EVENT
from binlogcli.render.mysqlbinlog.shared.load_statements import LoadStatement
from binlogcli.render.mysqlbinlog.sql_text import quoted_string

_REPLACE = 2
TRIES = 30_000_000
_ELSEWHERE = "specify another directory with --local-load"
_NAME = "SQL_LOAD_MB"  # the tools' name for a file of which the log tells none
_LONGEST_NAME = 128


class LoadFiles:
    """The LOAD DATA files of all logs by their id in the log, and their statements, where these come in parts."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory
        self.names: dict[int, str] = {}
        self.statements: dict[int, LoadStatement] = {}
        self.unwritten = 0  # statements whose file was not written for want of a directory
        self.headless = 0  # statements that are left out: the beginning of their file was not read

    def take(self, event: FileBlock) -> None:
        """Collect a block: BEGIN_LOAD_QUERY starts a file, other types append to theirs. SourceError as in `write`."""
        if event.type_code == BEGIN_LOAD_QUERY_EVENT:
            self.statements.pop(event.file_id, None)
            self.names[event.file_id] = self.begin(_NAME, event.file_id, event.block)
        elif self.directory is not None and event.file_id in self.names:
            self.write(self.names[event.file_id], event.block, os.O_APPEND | os.O_NOFOLLOW)

    def create(self, event: CreateFile, statement: LoadStatement) -> None:
        """Start a file with its first block, and keep its statement. SourceError as in `write`."""
        self.names[event.file_id] = self.begin(_plain_name(event.fname), event.file_id, event.block)
        self.statements[event.file_id] = statement

    def begin(self, stem: str, file_id: int, block: bytes) -> str:
        """Create a file with its first block and return its name; without a directory, only choose the name."""
        if self.directory is None:
            return f"./{stem}-{file_id:x}-0"
        base = f"{self.directory.rstrip('/') or '/'}/".replace("//", "/")
        for number in range(TRIES):
            name = f"{base}{stem}-{file_id:x}-{number:x}"
            try:
                self.write(name, block, os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                continue
            return name
        raise SourceError("no unused name left for a LOAD DATA file", file=base, hint=_ELSEWHERE)

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

    def end(self, file_id: int) -> str | None:
        """Return the name of a file whose statement comes, and forget it; None where its beginning was not read."""
        name = self.names.pop(file_id, None)
        if name is None:
            self.headless += 1
        elif self.directory is None:
            self.unwritten += 1
        return name

    def drop(self, file_id: int) -> None:
        """Forget a file that is not loaded."""
        self.names.pop(file_id, None)
        self.statements.pop(file_id, None)

    def executed(self, file_id: int) -> tuple[LoadStatement, str] | None:
        """Return the statement of a file in parts and the file's name, and forget them; None as in `end`."""
        statement = self.statements.pop(file_id, None)
        name = self.end(file_id)
        return None if statement is None or name is None else (statement, name)

    def forget(self) -> None:
        """Forget all files: after damage, blocks may be missing."""
        self.names.clear()
        self.statements.clear()

    def shortcomings(self, *, filtered: bool) -> list[str]:
        """Return what the text lacks, for the user; with `filtered`, beginnings of files may be left out on purpose."""
        lines = []
        if self.headless and not filtered:
            were = "were" if self.headless > 1 else "was"
            statements = counted(self.headless, "statement")
            lines.append(f"LOAD DATA: {statements} {were} left out, because the beginning of the file was not read")
        if self.unwritten:
            were = "were" if self.unwritten > 1 else "was"
            files = counted(self.unwritten, "file")
            lines.append(
                f"LOAD DATA: {files} used by the output {were} not written; use --local-load DIR to write them"
            )
        return lines


def with_file(event: ExecuteLoadQuery, name: str) -> bytes:
    """Return the query with another file, which the client sends."""
    query = event.query
    if not event.fn_pos_start <= event.fn_pos_end <= len(query):
        return query
    replace = b" REPLACE" if event.dup_handling == _REPLACE else b""
    head = query[: event.fn_pos_start] + b" LOCAL INFILE " + quoted_string(os.fsencode(name))
    return head + replace + b" INTO" + query[event.fn_pos_end :]


def _plain_name(path: str) -> str:
    """Return the last part of a path in a log as the tools name our file, or their other name where it is unsafe."""
    name = path[path.rfind("/") + 1 :]
    safe = name.isprintable() and len(name.encode()) <= _LONGEST_NAME and not set(name) & set("\\'\"`")
    return name if safe else _NAME

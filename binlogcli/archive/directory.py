"""The directory of an archive: one writer, names that stay inside, and the state file.

All files are opened relative to the directory and never through a symbolic link, whatever a server calls its logs.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from dataclasses import asdict, dataclass, field
from typing import Self

from binlogcli.archive.log_copy import LogCopy
from binlogcli.binary.json_reader import check_form, read_json
from binlogcli.errors import OutputError, ServerError
from binlogcli.names.magics import MAGIC

STATE = ".binlogcli-pull.json"
_LOCK = ".binlogcli-pull.lock"
VERSION = 1
_LARGEST_STATE = 1 << 20
# what a server's logs are called: a base name, a number; no name of ours begins like that
_LOG_NAME = re.compile(r"[^/\0\x01-\x1f\x7f.-][^/\0\x01-\x1f\x7f]{0,240}\.\d{1,12}", re.ASCII)
PIECE = 1 << 20
_STATE_FORM = {
    "version": range(VERSION, VERSION + 1),
    "server_id": int,
    "server_uuid": str,
    "log": _LOG_NAME,
    "position": int,
    "last_event": range(256),
    "gaps": [{"log": str, "position": int, "next_log": str, "reason": str}],
}


@dataclass(slots=True)
class ArchiveGap:
    """Missing events: the log that breaks off, the position, the log that follows, and the reason."""

    log: str
    position: int
    next_log: str
    reason: str


@dataclass(slots=True)
class ArchiveState:
    """What is safe: all logs before `log`, and this one up to `position`; written as the state file."""

    server_id: int = 0
    server_uuid: str = ""
    log: str = ""
    position: int = 0
    last_event: int = 0  # the type of the event that ends at `position`
    gaps: list[ArchiveGap] = field(default_factory=list)


class Directory:
    """The locked directory of an archive."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._written = b""
        try:
            os.makedirs(path, exist_ok=True)
            self._fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            raise self._failure(path, error) from error
        try:
            self._lock_fd = self._lock()
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        os.close(self._lock_fd)
        os.close(self._fd)

    def _lock(self) -> int:
        try:
            fd = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600, dir_fd=self._fd)
        except OSError as error:
            raise self._failure(self._full(_LOCK), error) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(fd)
            raise OutputError(
                "another pull is writing to this directory",
                file=self.path,
                hint="use a separate directory for each server",
            ) from error
        return fd

    # the state ------------------------------------------------------------------------------------------------

    def read_state(self) -> ArchiveState | None:
        """Return the state that the last run left; None where there was none."""
        try:
            fd = os.open(STATE, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=self._fd)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._failure(self._full(STATE), error) from error
        with os.fdopen(fd, "rb") as file:
            text = file.read(_LARGEST_STATE)
        try:
            values = read_json(text)
            check_form(values, _STATE_FORM)
        except ValueError as error:
            reason = f"is not a valid state file of pull: {error}"
            hint = "restore it, or choose another directory"
            raise OutputError(reason, file=self._full(STATE), hint=hint) from error
        values.pop("version")
        return ArchiveState(**{**values, "gaps": [ArchiveGap(**gap) for gap in values["gaps"]]})

    def write_state(self, state: ArchiveState) -> None:
        """Replace the state file, and sync it."""
        text = (json.dumps({"version": VERSION, **asdict(state)}, indent=1) + "\n").encode()
        if text == self._written:
            return
        temporary = f"{STATE}.new"
        try:
            fd = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600, dir_fd=self._fd
            )
            with os.fdopen(fd, "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(fd)
            os.rename(temporary, STATE, src_dir_fd=self._fd, dst_dir_fd=self._fd)
            self.sync()
        except OSError as error:
            raise self._failure(self._full(STATE), error) from error
        self._written = text

    def sync(self) -> None:
        """Sync the names of the files."""
        with contextlib.suppress(OSError):  # not every file system syncs directories
            os.fsync(self._fd)

    # logs -----------------------------------------------------------------------------------------------------

    def open_log(self, name: str) -> LogCopy:
        """Open a copy that exists."""
        self.check_name(name)
        try:
            fd = os.open(name, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=self._fd)
        except OSError as error:
            raise self._failure(self._full(name), error) from error
        return LogCopy(self._full(name), fd)

    def create_log(self, name: str) -> LogCopy:
        """Create a copy. An existing one that has only the magic bytes, after an interruption, is overwritten."""
        self.check_name(name)
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            fd = os.open(name, flags, 0o640, dir_fd=self._fd)
        except OSError as error:
            raise self._failure(self._full(name), error) from error
        copy = LogCopy(self._full(name), fd)
        try:
            self._check_new(copy.name, fd)
            copy.begin()
            copy.sync()
        except BaseException:
            copy.close()
            raise
        self.sync()
        return copy

    @staticmethod
    def _check_new(name: str, fd: int) -> None:
        """Raise `OutputError` if the file holds more than a magic."""
        if os.fstat(fd).st_size > len(MAGIC):
            raise OutputError("already exists, and pull did not write it", file=name, hint="choose another directory")

    def set_aside(self, copy: LogCopy, name: str, start: int, end: int) -> str:
        """Write bytes [start, end) of a copy to a new file, and return its name."""
        aside = name
        try:
            aside, fd = self._create_aside(f"{name}.lost-{start}")
            with os.fdopen(fd, "wb") as file:
                at = start
                while at < end and (piece := copy.read(at, min(PIECE, end - at))):
                    file.write(piece)
                    at += len(piece)
                file.flush()
                os.fsync(fd)
        except OSError as error:
            raise self._failure(self._full(aside), error) from error
        self.sync()
        return self._full(aside)

    def _create_aside(self, name: str) -> tuple[str, int]:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        number = 1
        while True:
            aside = name if number == 1 else f"{name}-{number}"
            try:
                return aside, os.open(aside, flags, 0o640, dir_fd=self._fd)
            except FileExistsError:
                number += 1

    def logs(self) -> list[str]:
        """Return the names of all copies, in the order of their numbers."""
        try:
            names = [name for name in os.listdir(self._fd) if _LOG_NAME.fullmatch(name)]
        except OSError as error:
            raise self._failure(self.path, error) from error
        return sorted(names, key=lambda name: (name.rpartition(".")[0], int(name.rpartition(".")[2])))

    def check_name(self, name: str) -> None:
        """Raise `ServerError` for a name that is not a log's plain file name."""
        if not _LOG_NAME.fullmatch(name) or not name.isprintable():
            raise ServerError(
                f"the server calls a log {name[:80]!r}, which is not a valid file name",
                file=self.path,
                hint="check that the URL is that of a MySQL or MariaDB server",
            )

    def _full(self, name: str) -> str:
        return os.path.join(self.path, name)

    @staticmethod
    def _failure(name: str, error: OSError | ValueError) -> OutputError:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        hint = "check the directory, its permissions and free space"
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            reason, hint = "not a directory", "specify a directory with -o"
        return OutputError(f"cannot be used: {reason}", file=name, hint=hint, passing=isinstance(error, OSError))

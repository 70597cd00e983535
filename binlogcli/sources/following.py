"""Logs that a server continues to write, on disk: the file that grows, and the files that come after it.

A log is over when there is a next one and no byte is left: servers write nothing into a log once they have begun the
next. Which is next tells the index file, if there is one, else the number in the name, as in the ROTATE event at the
log's end. Files are looked at a few times a second.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from binlogcli.errors import SourceError
from binlogcli.sources.compressed import HEAD, compression_of
from binlogcli.sources.files import FileSource, open_raw
from binlogcli.sources.index import read_index
from binlogcli.sources.log_names import read_log_name
from binlogcli.sources.opening import is_capture, open_source
from binlogcli.sources.source import Stream

INTERVAL = 0.25  # seconds between two looks at a file
_BEGUN = 1024  # bytes of a log that certainly has all that a server writes at its beginning
_LEAST = 23  # bytes of a log's magic and of an event's header
_AGAIN = "its logs were reset or purged: read the logs that exist now"


def next_log(path: str, index: str | None) -> str | None:
    """Return the path of the log after one, as the index file lists it or by its number; None while there is none."""
    following = _by_number(path) if index is None else _by_index(path, index)
    return following if following is not None and os.path.exists(following) else None


def later_logs(path: str, index: str | None) -> list[str]:
    """Return the paths of all logs that there are after one."""
    logs: list[str] = []
    following = next_log(path, index)
    while following is not None:
        logs.append(following)
        following = next_log(following, index)
    return logs


def _by_number(path: str) -> str | None:
    name = read_log_name(path)
    return None if name is None else name.with_number(name.number + 1)


def _by_index(path: str, index: str) -> str | None:
    try:
        with open_source(index) as source:
            logs = read_index(source)
    except SourceError:  # it is just being written anew
        return None
    at = logs.index(path) + 1 if path in logs else len(logs)
    return logs[at] if at < len(logs) else None


class FollowedLogs:
    """A log and those after it, each when the one before is over. `before_waiting` is called before each wait."""

    def __init__(self, path: str, index: str | None, before_waiting: Callable[[], None]) -> None:
        self.path = path
        self.index = index
        self.before_waiting = before_waiting

    def __iter__(self) -> Iterator[GrowingSource]:
        path: str | None = self.path
        while path is not None:
            self._await_beginning(path)
            source = GrowingSource(_growing_file(path), self)
            yield source
            path = source.following

    def _await_beginning(self, path: str) -> None:
        """Wait until a log that was just made has the events of its beginning, which tell whether it is encrypted."""
        last = -1
        while last < _BEGUN:
            try:
                size = os.stat(path).st_size
            except (OSError, ValueError):
                return  # opening it tells what is wrong
            if last >= _LEAST and size == last:
                return
            last = size
            if last < _BEGUN:
                self.before_waiting()
                time.sleep(INTERVAL)


def _growing_file(path: str) -> FileSource:
    """Open a log that may grow; raise `SourceError` for what cannot be one."""
    source = open_raw(path)
    what = "is not a regular file"
    if isinstance(source, FileSource):
        if not (compression_of(source.head(HEAD)) or is_capture(source)):
            return source
        what = "is compressed, or is a capture"
    source.close()
    raise SourceError(f"{what}: --stop-never cannot follow it", file=path, hint="omit --stop-never")


class GrowingSource(Stream):
    """A file that a server is writing: where it ends for now, `read` waits for more, or for the next log."""

    def __init__(self, file: FileSource, logs: FollowedLogs) -> None:
        super().__init__(file.name)
        self.following: str | None = None  # the log after this one, once this one is over
        self._file = file
        self._logs = logs
        self._place = 0  # up to which it was read

    def head(self, size: int) -> bytes:
        """Return the first bytes that are there."""
        return self._file.head(size)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _pull(self, size: int) -> bytes:
        """Return the next bytes, as soon as there are any; b"" once the next log has begun."""
        following = self.following
        waiting = False
        while True:
            data = self._file.read(size)
            if data or following is not None:
                self._place += len(data)
                self.following = following
                return data
            following = next_log(self.name, self._logs.index)
            if following is not None:
                continue  # what was written in between is read first
            self._check()
            if not waiting:
                self._logs.before_waiting()
            waiting = True
            time.sleep(INTERVAL)

    def _check(self) -> None:
        """Raise `SourceError` if the file that has this name is no longer the one that was read so far."""
        try:
            now = os.stat(self.name)
        except OSError:
            raise SourceError(
                "was removed while it was being followed", file=self.name, offset=self._place, hint=_AGAIN
            ) from None
        if not os.path.samestat(now, self._file.status()):
            reason = "was replaced by another file while it was being followed"
        elif now.st_size < self._place:
            reason = f"was truncated to {now.st_size} bytes while it was being followed"
        else:
            return
        raise SourceError(reason, file=self.name, offset=self._place, hint=_AGAIN)

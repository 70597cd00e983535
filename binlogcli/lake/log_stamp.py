"""Whether a log's file still holds the bytes that a plan was made of; more may have followed them.

A server appends to a log and clears the IN_USE flag of its first event; nothing else may happen to a file between its
plan and the end of the tasks that read it. Of the bytes both ends are compared, which finds another log, or one that
was cut and written again, with a size and a time that a log that grew could have.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from binlogcli.errors import SourceError
from binlogcli.lake.errors import JobError, LogChangedError
from binlogcli.lake.store.state import HEAD, head_of
from binlogcli.names.magics import ENCRYPTED_MAGIC
from binlogcli.sources.files import open_raw

_TAIL = 256  # bytes before the end that are compared
_NO_FLAGS_FROM = 1024  # where no log has the flags of its first event any more
_FLAGS_AT = 4 + 17  # of the first event, after the magic
_ENCRYPTED_FLAGS_AT = 512 + _FLAGS_AT
_SHARED = "all hosts of the cluster must see the logs and --output under the same paths"
_HINT = "the next run converts its content at that time"


@dataclass(frozen=True, slots=True)
class LogStamp:
    """A log's file at one time, made by `stamp_of`. `ends` is a checksum of its first and last bytes."""

    host: str  # whose device and inode these are
    inode: tuple[int, int]
    size: int
    mtime: int  # nanoseconds
    flags: bytes  # the byte that a server changes in place when it closes the log
    ends: str

    def check(self, path: str, name: str) -> None:
        """Raise LogChangedError, with `name` as its file, unless the file at `path` is as it was or has grown.

        Raises JobError if another host than the one that planned cannot read it.
        """
        try:
            now = stamp_of(path, self.size)
        except SourceError as error:
            if os.uname().nodename != self.host:
                raise JobError(f"cannot be read: {error.reason}", file=name, hint=_SHARED) from error
            raise LogChangedError(f"cannot be read any more: {error.reason}", file=name, hint=_HINT) from error
        reason = self._change_to(now)
        if reason:
            raise LogChangedError(f"{reason} while it was converted", file=name, hint=_HINT)

    def _change_to(self, now: LogStamp) -> str:
        """Return what has happened to the file up to `now`; "" where it is as it was or has grown."""
        if now.size < self.size:
            return f"was truncated from {self.size} to {now.size} bytes"
        if now.ends != self.ends or (now.host == self.host and now.inode != self.inode):
            return "was replaced"
        if now.size == self.size and now.mtime != self.mtime and now.flags == self.flags:
            return "was overwritten"
        return ""


def ended_early(name: str, at: int, end: int) -> LogChangedError:
    """Return the error of a log whose bytes end at `at`, where a split was planned up to `end`."""
    return LogChangedError(
        f"was truncated while it was converted: it ended at {at}, not at {end}", file=name, hint=_HINT
    )


def stamp_of(path: str, size: int | None = None) -> LogStamp:
    """Return the stamp of a file, with the `ends` of its first `size` bytes. Raises SourceError.

    The file is opened before its size is asked for: network file systems then ask their server.
    """
    with open_raw(path) as file:
        try:
            status = os.stat(path)
        except OSError as error:
            raise SourceError((error.strerror or str(error)).lower(), file=path, hint="check the name") from error
        end = status.st_size if size is None else size
        head = file.head(min(HEAD, end))
        digest = hashlib.sha256(head_of(head))
        start = max(end - _TAIL, _NO_FLAGS_FROM)
        if start < end and file.seekable:
            file.seek(start)
            digest.update(file.read(end - start))
    at = _ENCRYPTED_FLAGS_AT if head[:4] == ENCRYPTED_MAGIC else _FLAGS_AT
    flags = head[at : at + 1]
    inode = (status.st_dev, status.st_ino)
    return LogStamp(os.uname().nodename, inode, status.st_size, status.st_mtime_ns, flags, digest.hexdigest())

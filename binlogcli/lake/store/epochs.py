"""The output directory and the commit protocol: one run at a time, epochs that are published whole or not at all.

`_binlog/epochs/NNNNNNNN.json`, the commit record of an epoch, is the truth: it lists the epoch's files, the versions of
tables it adds, and how far each log was read. The steps of an epoch:

1. Tasks write files under random names into a folder of their own in `_binlog/staging`, and sync them.
2. The record is written and synced as `*.new`, then linked to its name. `link` fails where the name exists, so that of
   two runs, should the lock fail (NFS), only one makes epoch N. From the link on, the epoch exists.
3. The staged files are renamed to their final names, then the staging folder is removed.

A run that is killed before the link leaves rubbish in staging, which the next run removes; one killed after it leaves
staged files, which the next run renames (`recover`) before it does anything else. Both steps may be repeated: a file
that is already at its final name is passed over. Readers see files by their final names only; after a kill in step 3
they see a part of the epoch's files, each of them whole, until the next run.

The lock is an flock that the Java process inherits: as long as Spark works on after the driver was killed, a new run
waits for it, at most `_ORPHAN_SECONDS`. A lock whose owner is alive is refused at once.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import time
import uuid
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from binlogcli.lake.errors import JobError, LakeError, LockedError
from binlogcli.lake.store.descriptions import describe_tables
from binlogcli.lake.store.fsync import make_directories, sync, sync_all
from binlogcli.lake.store.record import read_record
from binlogcli.lake.store.state import LakeState

_META = "_binlog"
FULL_EVERY = 32  # epochs from one record with the whole state to the next
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})  # a full disk, a quota, a limit of a file's size
_ORPHAN_SECONDS = 30  # in which the Java process of a killed run has to end
_DIGITS = 8


class Store:
    """An output directory. `look` reads its state, `lock` keeps other runs out, `commit` publishes an epoch."""

    def __init__(self, output: str, *, private: bool = False) -> None:
        self.output = Path(output)
        self.private = private  # a new directory is for its owner alone
        self.meta = self.output / _META
        self.epochs = self.meta / "epochs"
        self.staging = self.meta / "staging"
        self.descriptor = -1

    # the lock -------------------------------------------------------------------------------------------------------

    def lock(self) -> None:
        """Create the directory if need be, and lock it. Raises LockedError if another run has it.

        The lock ends with the last process that has `descriptor` open.
        """
        with self._writing():
            self._make()
            self.descriptor = os.open(self.meta / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        end = time.monotonic() + _ORPHAN_SECONDS
        while not self._locked():
            if self._owner_lives() or time.monotonic() > end:
                raise LockedError("another run is using it", file=str(self.output), hint="try again later")
            time.sleep(0.1)
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, f"{os.getpid()} {_started(os.getpid())}\n".encode(), 0)

    def _make(self) -> None:
        if self.output.exists() and not self.output.is_dir():
            raise LakeError("is not a directory", file=str(self.output), hint="use another --output")
        if self.output.exists() and not self.meta.exists() and any(self.output.iterdir()):
            raise LakeError("contains other files", file=str(self.output), hint="use a new or empty directory")
        if self.private and not self.output.exists():
            self.output.parent.mkdir(parents=True, exist_ok=True)
            self.output.mkdir(0o700)
        self.epochs.mkdir(parents=True, exist_ok=True)
        self.staging.mkdir(exist_ok=True)

    def _locked(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _owner_lives(self) -> bool:
        """Whether the driver that took the lock still runs, and not only its Java process."""
        words = os.pread(self.descriptor, 64, 0).split()
        if len(words) < 2 or not words[0].isdigit():
            return True  # it has the lock and is about to write its number
        return _started(int(words[0])) == words[1].decode()

    def close(self) -> None:
        """Release the lock."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn an OSError into a JobError (disk full) or a LakeError."""
        try:
            yield
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            if error.errno in NO_ROOM:
                raise no_room(str(self.output), reason) from error
            file = str(error.filename or self.output)
            raise LakeError(
                f"cannot be written: {reason}", file=file, hint="check its permissions, and run it again"
            ) from error

    # what is there --------------------------------------------------------------------------------------------------

    def look(self) -> tuple[LakeState, dict[str, Any] | None]:
        """Return the sum of all commit records, and the last one (None in a new directory)."""
        state = LakeState()
        last = None
        for record in self._records():
            state.add(record)
            last = record
        return state, last

    def edition(self) -> Hashable:
        """Return a value that is another one when there is a further epoch, or other records. Raises LakeError."""
        paths = self._paths()
        if not paths:
            return ()
        try:
            last = paths[-1].stat()
        except OSError as error:
            raise _unreadable(paths[-1], error) from error
        return tuple(path.name for path in paths), last.st_ino, last.st_mtime_ns, last.st_size

    def all_records(self) -> Iterator[dict[str, Any]]:
        """Yield all commit records in their order. Raises LakeError."""
        return map(self._read, self._paths())

    def _paths(self) -> list[Path]:
        """Return the files of the commit records, in their order. Raises LakeError."""
        try:
            return sorted(path for path in self.epochs.iterdir() if path.stem.isdigit() and path.suffix == ".json")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreadable(self.epochs, error) from error

    def _records(self) -> list[dict[str, Any]]:
        """Return the records from the last one with the whole state on. Raises LakeError."""
        records: list[dict[str, Any]] = []
        for path in reversed(self._paths()):
            records.insert(0, self._read(path))
            if "state" in records[0]:
                break
        return records

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            return read_record(path)
        except OSError as error:
            raise _unreadable(path, error) from error
        except ValueError as error:
            raise LakeError(
                f"is not a valid commit record: {error}", file=str(path), hint="restore it from a copy"
            ) from error

    def recover(self, last: dict[str, Any] | None, state: LakeState) -> None:
        """Publish the rest of the last epoch where a run was killed in its midst; remove what belongs to no epoch."""
        with self._writing():
            if last is not None and (self.staging / last["staging"]).is_dir():
                self.publish(last, state)
            describe_tables(self.meta, (), state)
            for left in list(self.staging.iterdir()):
                shutil.rmtree(left)
            for left in list(self.epochs.glob("*.new")):
                left.unlink()

    # an epoch ------------------------------------------------------------------------------------------------------

    def stage(self) -> Path:
        """Make a staging folder for the files of an epoch."""
        with self._writing():
            path = self.staging / uuid.uuid4().hex
            path.mkdir()
            return path

    def discard(self, stage: Path) -> None:
        """Remove a staging folder whose epoch is given up."""
        with contextlib.suppress(OSError):
            shutil.rmtree(stage)

    def commit(self, record: dict[str, Any], state: LakeState) -> None:
        """Write the commit record, with which the epoch exists, then publish its files, which are synced already.

        Raises LockedError if another run has made the epoch.
        """
        with self._writing():
            sync(self.staging / record["staging"])
            sync(self.staging)
            name = epoch_name(record["epoch"])
            new = self.epochs / f"{name}.{os.getpid()}.new"
            _write_synced(new, json.dumps(record, ensure_ascii=True).encode())
            try:
                os.link(new, self.epochs / f"{name}.json")
            except FileExistsError:
                reason = f"another run made epoch {name}"
                raise LockedError(reason, file=str(self.output), hint="run it again") from None
            finally:
                new.unlink()
            sync(self.epochs)
            self.publish(record, state)

    def publish(self, record: dict[str, Any], state: LakeState) -> None:
        """Rename the staged files to their final names and write the `schema.json` of each table with a new version.

        Files and folders are synced in lots: one by one it takes ten times as long.
        """
        stage, output = f"{self.staging}/{record['staging']}", str(self.output)
        places = [(f"{stage}/{entry['staged']}", f"{output}/{entry['path']}") for entry in record["files"]]
        folders = make_directories({target.rpartition("/")[0] for _, target in places})
        for source, target in places:
            try:
                os.rename(source, target)  # counted by the tests of crashes, as are link and fsync
            except FileNotFoundError:
                if not os.path.exists(target) and not state.by_date:  # the user may have removed its day
                    raise LakeError(
                        "was committed, but no longer exists", file=target, hint="use another --output"
                    ) from None
        sync_all(sorted(folders))
        changed = [state.tables[fields["database"], fields["table"]] for fields in record["tables"]]
        describe_tables(self.meta, changed, state)
        shutil.rmtree(stage)


def epoch_name(epoch: int) -> str:
    """Return the number of an epoch as the names of its record and its files have it."""
    return f"{epoch:0{_DIGITS}}"


def no_room(file: str, reason: str) -> JobError:
    """Return the error for a full disk."""
    return JobError(reason, file=file, hint="free some space and run it again; nothing of this epoch was published")


def _unreadable(path: Path, error: OSError) -> LakeError:
    """Return the error for a record, or their folder, that the system does not let us read."""
    reason = (error.strerror or str(error)).lower()
    return LakeError(f"cannot be read: {reason}", file=str(path), hint="check its permissions")


def _started(pid: int) -> str:
    """Return when a process was started, in clock ticks since boot; "" where there is no such process.

    With the number of the process it tells it from a later process of the same number.
    """
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return ""
        return "?"  # a system without /proc: the number alone has to do
    return "" if words[0] == "Z" else words[19]


def _write_synced(path: Path, data: bytes) -> None:
    """Write a file and sync it."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())

"""The output directory: one run at a time, epochs that are whole or not there, repair of what a killed run left.

`_binlog/epochs/NNNNNNNN.json` is the truth. An epoch exists from the moment its record has its name, which only one
writer can give; its files are then moved from staging to their names, by this run or by the next one. Nothing but what
has such a name is ever seen by a reader of the tables.
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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from binlogcli.lake.errors import JobError, LakeError, LockedError
from binlogcli.lake.store.fsync import sync, sync_all
from binlogcli.lake.store.state import LakeState, LakeTable
from binlogcli.lake.tables.types import as_dicts, spark_struct, widened

META = "_binlog"
FULL_EVERY = 32  # records from one with the whole state to the next
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
ORPHAN_SECONDS = 30  # how long the Java process of a killed run may take to end
_DIGITS = 8


class Store:
    """An output directory. `look` reads what is there, `lock` makes it ours."""

    def __init__(self, output: str) -> None:
        self.output = Path(output)
        self.meta = self.output / META
        self.epochs = self.meta / "epochs"
        self.staging = self.meta / "staging"
        self.descriptor = -1

    # whose it is ----------------------------------------------------------------------------------------------------

    def lock(self) -> None:
        """Take the directory, or say who has it. The lock ends with the last process that has its descriptor."""
        with self.writing():
            self._make()
            self.descriptor = os.open(self.meta / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        end = time.monotonic() + ORPHAN_SECONDS
        while not self._locked():
            if self._owner_lives() or time.monotonic() > end:
                raise LockedError("another run is at work on it", file=str(self.output), hint="try again later")
            time.sleep(0.1)
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, f"{os.getpid()} {started(os.getpid())}\n".encode(), 0)

    def _make(self) -> None:
        if self.output.exists() and not self.output.is_dir():
            raise LakeError("is no directory", file=str(self.output), hint="give another --output")
        if self.output.exists() and not self.meta.exists() and any(self.output.iterdir()):
            raise LakeError("holds something else", file=str(self.output), hint="give a new or empty directory")
        self.epochs.mkdir(parents=True, exist_ok=True)
        self.staging.mkdir(exist_ok=True)

    def _locked(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _owner_lives(self) -> bool:
        """Whether the run that has the lock is there, and not only what it left running."""
        words = os.pread(self.descriptor, 64, 0).split()
        if len(words) < 2 or not words[0].isdigit():
            return True  # it is just about to say who it is
        return started(int(words[0])) == words[1].decode()

    def close(self) -> None:
        """Leave it to others."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what the system refuses into an error that says so."""
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
        """The state, and the last record."""
        state = LakeState()
        last = None
        for record in self._records():
            state.add(record)
            last = record
        return state, last

    def _records(self) -> list[dict[str, Any]]:
        """The records from the last one that is full on."""
        try:
            paths = sorted(path for path in self.epochs.iterdir() if path.stem.isdigit() and path.suffix == ".json")
        except FileNotFoundError:
            return []
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise LakeError(f"cannot be read: {reason}", file=str(self.epochs), hint="check its permissions") from error
        records: list[dict[str, Any]] = []
        for path in reversed(paths):
            records.insert(0, self._read(path))
            if "state" in records[0]:
                break
        return records

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            record["epoch"], record["sources"], record["tables"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LakeError(f"is no commit record: {error}", file=str(path), hint="restore it from a copy") from error
        return dict(record)

    def recover(self, last: dict[str, Any] | None, state: LakeState) -> None:
        """Finish the last epoch if a run was killed in the middle of it; what belongs to none is removed."""
        with self.writing():
            if last is not None and (self.staging / last["staging"]).is_dir():
                self.publish(last, state)
            for left in list(self.staging.iterdir()):
                shutil.rmtree(left)
            for left in list(self.epochs.glob("*.new")):
                left.unlink()

    # an epoch ------------------------------------------------------------------------------------------------------

    def stage(self) -> Path:
        """A directory for the files of an epoch that may come."""
        with self.writing():
            path = self.staging / uuid.uuid4().hex
            path.mkdir()
            return path

    def discard(self, stage: Path) -> None:
        """There is no such epoch."""
        with contextlib.suppress(OSError):
            shutil.rmtree(stage)

    def commit(self, record: dict[str, Any], state: LakeState) -> None:
        """The epoch exists from here on, and is then made visible. Its files are on the disk already."""
        with self.writing():
            sync(self.staging / record["staging"])
            sync(self.staging)
            name = epoch_name(record["epoch"])
            new = self.epochs / f"{name}.{os.getpid()}.new"
            write_synced(new, json.dumps(record, ensure_ascii=True).encode())
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
        """Give the files their names. What is written is synced in lots: that takes the disk a tenth of the time."""
        stage, output = f"{self.staging}/{record['staging']}", str(self.output)
        places = [(f"{stage}/{entry['staged']}", f"{output}/{entry['path']}") for entry in record["files"]]
        folders = make_directories({target.rpartition("/")[0] for _, target in places})
        for source, target in places:
            try:
                os.rename(source, target)  # noqa: PTH104 - counted by the tests of crashes, as are link and fsync
            except FileNotFoundError:
                if not os.path.exists(target):  # noqa: PTH110 - as text, for there are many
                    raise LakeError(
                        "was committed and is gone", file=target, hint="convert into another --output"
                    ) from None
        sync_all(sorted(folders))
        self.describe([state.tables[fields["database"], fields["table"]] for fields in record["tables"]])
        shutil.rmtree(stage)

    def describe(self, tables: list[LakeTable]) -> None:
        """Each table's `schema.json`: all versions, and the columns that read them all."""
        homes = [f"{self.meta}/tables/{table.directory}" for table in tables]
        folders = make_directories(set(homes))
        fresh = [f"{home}/schema.new" for home in homes]
        for table, new in zip(tables, fresh, strict=True):
            with open(new, "wb") as file:  # noqa: PTH123
                file.write(description(table))
        sync_all(fresh)
        for new, home in zip(fresh, homes, strict=True):
            os.replace(new, f"{home}/schema.json")  # noqa: PTH105
        sync_all(sorted(folders))


def epoch_name(epoch: int) -> str:
    """Return the number of an epoch as the names of its record and its files have it."""
    return f"{epoch:0{_DIGITS}}"


def description(table: LakeTable) -> bytes:
    """What `schema.json` says of a table."""
    columns_only = any(one.columns_only for one in table.versions)
    text = {
        "database": table.database,
        "table": table.table,
        "directory": f"tables/{table.directory}",
        "versions": [{"schema": at, **one} for at, one in enumerate(as_dicts(table.versions))],
        "widened": spark_struct(widened(table.versions), columns_only=columns_only),
    }
    return json.dumps(text).encode() + b"\n"


def no_room(file: str, reason: str) -> JobError:
    """The error of a disk that is full."""
    return JobError(reason, file=file, hint="make room and run it again; nothing of this epoch is visible")


def started(pid: int) -> str:
    """When a process was started, in the system's own count; empty where there is no such process."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return ""
        return "?"  # a system without /proc: by its number alone
    return "" if words[0] == "Z" else words[19]


def write_synced(path: Path, data: bytes) -> None:
    """A file with all its bytes on the disk."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def make_directories(paths: set[str]) -> set[str]:
    """Directories; all whose content changes by that, themselves among them, to be synced."""
    changed = set(paths)
    for path in sorted(paths):
        make_directory(path, changed)
    return changed


def make_directory(path: str, changed: set[str]) -> None:
    """A directory, and those above it that are not there."""
    above = path.rpartition("/")[0]
    try:
        os.mkdir(path)  # noqa: PTH102
    except FileExistsError:
        return
    except FileNotFoundError:
        if not above:
            raise
        make_directory(above, changed)
        make_directory(path, changed)
    changed.add(above or ".")

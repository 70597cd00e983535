"""Many files written at once into one directory: each gets its name when it is complete, few are open at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from binlogcli.cli.outputs import cannot, end_by_signal, exists, give_name, make_temporary, sync, sync_directory
from binlogcli.errors import OutputError

if TYPE_CHECKING:
    from binlogcli.cli.manifest.record import RunRecord

_MOST_OPEN = 64
_BUFFERED = 1 << 17  # bytes of each open file


class PartFile:
    """A file in the making. Made by `OutputDirectory`."""

    def __init__(self, directory: OutputDirectory, name: str, temporary: str, descriptor: int) -> None:
        self.name = name
        self.temporary = temporary
        self._directory = directory
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._recording = ExitStack()
        self._wrote: Callable[[bytes], object] | None = None
        if directory.record is not None:
            self._wrote = self._recording.enter_context(directory.record.writing(name)).wrote

    def write(self, data: bytes) -> None:
        """Write all of the bytes."""
        self._directory.use(self)
        if self._wrote is not None:
            self._wrote(data)
        self._buffer += data
        if len(self._buffer) >= _BUFFERED:
            self._flush()

    def finish(self) -> None:
        """Give the file its name."""
        self._directory.use(self)
        self._flush()
        sync(self.name, self._descriptor)
        self.close()
        give_name(self.temporary, self.name, force=self._directory.force)
        self._recording.close()
        self._directory.forget(self)

    def open(self) -> None:
        """Continue after `close`."""
        if self._descriptor < 0:
            try:
                self._descriptor = os.open(self.temporary, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            except OSError as error:
                raise cannot(self.name, error) from error

    def close(self) -> None:
        """Write what is buffered, and close the file until it is used again."""
        if self._descriptor >= 0:
            descriptor = self._descriptor
            try:
                self._flush()
            finally:
                self._descriptor = -1
                os.close(descriptor)

    def _flush(self) -> None:
        view = memoryview(bytes(self._buffer))
        self._buffer.clear()
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError as error:
            raise cannot(self.name, error) from error


class OutputDirectory:
    """The files of a run in a directory. Without `force`, no existing file is replaced; an input never is."""

    def __init__(
        self, path: str, inputs: Sequence[str], record: RunRecord | None, *, force: bool, private: bool
    ) -> None:
        self.path = path
        self.record = record
        self.force = force
        self._private = private
        self._inputs = inputs
        self._parts: dict[str, PartFile] = {}  # by temporary name: those that are not complete
        self._used: dict[str, PartFile] = {}  # open ones, the last used at the end

    def create(self, name: str) -> PartFile:
        """Begin a file."""
        path = os.path.join(self.path, name)
        if os.path.lexists(path):
            if any(_same(path, other) for other in self._inputs):
                raise OutputError("is also an input", file=path, hint="choose another directory")
            if not self.force:
                raise exists(path)
        self._make_room()
        descriptor, temporary = make_temporary(path, private=self._private)
        part = self._parts[temporary] = PartFile(self, path, temporary, descriptor)
        self._used[temporary] = part
        return part

    def use(self, part: PartFile) -> None:
        """Open a file if it is closed, and close the one that was not used for longest."""
        if self._used.pop(part.temporary, None) is None:
            self._make_room()
            part.open()
        self._used[part.temporary] = part

    def forget(self, part: PartFile) -> None:
        """Forget a file that is complete."""
        self._used.pop(part.temporary, None)
        self._parts.pop(part.temporary, None)

    def _make_room(self) -> None:
        while len(self._used) >= _MOST_OPEN:
            self._used.pop(next(iter(self._used))).close()

    def remove_unfinished(self) -> None:
        """Remove the files that are not complete."""
        for part in list(self._parts.values()):
            with contextlib.suppress(OutputError, OSError):
                part.close()
            with contextlib.suppress(OSError):
                os.unlink(part.temporary)


@contextlib.contextmanager
def open_directory(
    path: str, inputs: Sequence[str], record: RunRecord | None, *, force: bool, private: bool
) -> Iterator[OutputDirectory]:
    """Give a directory to write files into, which is made if it does not exist; unfinished files are removed.

    With a `record`, the files are recorded in it.
    """
    try:
        os.makedirs(path, 0o700 if private else 0o777, exist_ok=True)
    except FileExistsError as error:
        raise OutputError("is not a directory", file=path, hint="choose another name") from error
    except (OSError, ValueError) as error:
        raise cannot(path, error if isinstance(error, OSError) else OSError(22, str(error))) from error
    directory = OutputDirectory(path, inputs, record, force=force, private=private)
    with end_by_signal():
        try:
            yield directory
        finally:
            directory.remove_unfinished()
    sync_directory(path)


def _same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return False

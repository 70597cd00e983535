"""Files that commands write: they get their name only when they are whole, and replace none by accident."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator

import click

from binlogcli.cli.environment import STDOUT
from binlogcli.errors import OutputError

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_MAKE_ROOM = "free some space, or write to another place"


class OutputFile:
    """A descriptor that is written to in full."""

    def __init__(self, name: str, descriptor: int) -> None:
        self.name = name
        self.descriptor = descriptor
        self.on_write: Callable[[bytes | memoryview], None] | None = None

    def write(self, data: bytes | memoryview) -> None:
        """Write all of the bytes."""
        if self.on_write is not None:
            self.on_write(data)
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self.descriptor, view) :]
        except BrokenPipeError as error:
            error.filename = self.name  # which tells it from a connection's
            raise
        except OSError as error:
            raise cannot(self.name, error) from error


@contextlib.contextmanager
def open_output(
    name: str, *, inputs: Iterable[str], force: bool, private: bool = False, endless: bool = False
) -> Iterator[OutputFile]:
    """Open a file to write as `open_unrecorded` does; a run with --manifest records what is written."""
    context = click.get_current_context(silent=True)
    record = None if context is None else getattr(context.obj, "record", None)
    with open_unrecorded(name, inputs=inputs, force=force, private=private, endless=endless) as output:
        if record is None:
            yield output
            return
        with record.writing(name) as written:
            output.on_write = written.wrote
            yield output


@contextlib.contextmanager
def open_unrecorded(
    name: str, *, inputs: Iterable[str], force: bool, private: bool = False, endless: bool = False
) -> Iterator[OutputFile]:
    """Open a file to write, which gets its name at the end; `force`: it may replace a file, but no input.

    A private one is for its owner alone. Pipes and devices are written to directly, as are `endless` files, which can
    be read meanwhile.
    """
    if name == STDOUT:
        if sys.stdout is None:
            raise OutputError("stdout is closed", hint="name a file")
        sys.stdout.flush()
        yield OutputFile(name, sys.stdout.fileno())
        return
    try:
        kind = stat.S_IFMT(os.stat(name).st_mode)
    except (OSError, ValueError):
        kind = 0
    if kind == stat.S_IFDIR:
        raise OutputError("is a directory", file=name, hint="specify a file in it")
    if kind not in (0, stat.S_IFREG):
        with _written_to(name) as output:
            yield output
        return
    if kind and any(_same_file(name, path) for path in inputs):
        raise OutputError("is also an input", file=name, hint="choose another name")
    if os.path.lexists(name) and not force:
        raise exists(name)
    if endless:
        with _written_to(name, os.O_CREAT | os.O_TRUNC, 0o600 if private else 0o666) as output:
            yield output
        return
    with _renamed(name, force=force, private=private) as output:
        yield output


def _same_file(name: str, path: str) -> bool:
    try:
        return os.path.samefile(name, path)
    except (OSError, ValueError):
        return False


def exists(name: str) -> OutputError:
    """Return the error of a file that exists already."""
    return OutputError("exists already", file=name, hint="use --force to replace it")


def cannot(name: str, error: OSError) -> OutputError:
    """Return the error of a file that the system refuses to write."""
    reason = (error.strerror or str(error)).lower()
    hint = _MAKE_ROOM if error.errno in NO_ROOM else "check the directory and its permissions"
    return OutputError(f"cannot be written: {reason}", file=name, hint=hint)


@contextlib.contextmanager
def _written_to(name: str, flags: int = 0, mode: int = 0) -> Iterator[OutputFile]:
    """Open a device, or a file with the flags that make it, and write to it directly."""
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY | flags, mode)
    except OSError as error:
        raise cannot(name, error) from error
    try:
        yield OutputFile(name, descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _renamed(name: str, *, force: bool, private: bool) -> Iterator[OutputFile]:
    """Write a temporary file beside the name, sync it, and rename it."""
    descriptor, temporary = make_temporary(name, private=private)
    with end_by_signal():
        try:
            try:
                yield OutputFile(name, descriptor)
                sync(name, descriptor)
            finally:
                os.close(descriptor)
            give_name(temporary, name, force=force)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    sync_directory(os.path.dirname(name) or ".")


def make_temporary(name: str, *, private: bool) -> tuple[int, str]:
    """Open a temporary file beside a name; return its descriptor and path."""
    directory, base = os.path.split(name)
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{base}.", suffix=".part", dir=directory or ".")
        if not private:
            os.fchmod(descriptor, 0o666 & ~_umask())
    except (OSError, ValueError) as error:
        raise cannot(name, error if isinstance(error, OSError) else OSError(errno.EINVAL, str(error))) from error
    return descriptor, temporary


class _End(BaseException):
    """Raised by a signal that ends the program."""


@contextlib.contextmanager
def end_by_signal() -> Iterator[None]:
    """Let cleaning up inside come before a signal ends the program."""

    def end(number: int, _: object) -> None:
        raise _End(number)

    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    except _End as ended:
        signal.signal(ended.args[0], signal.SIG_DFL)
        os.kill(os.getpid(), ended.args[0])
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _umask() -> int:
    """Return the umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def sync(name: str, descriptor: int) -> None:
    """Let a file outlive a crash."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise cannot(name, error) from error


def give_name(temporary: str, name: str, *, force: bool) -> None:
    """Give the file its name; without `force` a file that has come in between is kept."""
    try:
        if not force:
            try:
                os.link(temporary, name)
            except FileExistsError:
                raise exists(name) from None
            except OSError:  # a file system without links
                if os.path.lexists(name):
                    raise exists(name) from None
            else:
                os.unlink(temporary)
                return
        os.replace(temporary, name)
    except OSError as error:
        raise cannot(name, error) from error


def sync_directory(directory: str) -> None:
    """Let the names of files in a directory outlive a crash; not every file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

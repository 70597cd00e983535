"""The commands' way to the world: streams, exit statuses, and the one place where errors become lines."""

from __future__ import annotations

import contextlib
import enum
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

import click

from binlogcli.errors import BinlogError, OutputError, counted
from binlogcli.log.gaps import Damage
from binlogcli.render.escape import visible
from binlogcli.sources.files import CHECK_NAME

if TYPE_CHECKING:
    from binlogcli.carve.files import CarvedFiles
    from binlogcli.cli.manifest.record import RunRecord

PROGRAM = "binlogcli"
STDOUT = "-"
_ERRORS_KEPT = 1000
_SLOW_SIZE = 50 << 20  # an uncompiled program says so from this size on


class Exit(enum.IntEnum):
    """The exit statuses."""

    DONE = 0
    DAMAGED = 1
    UNUSABLE = 2
    FAILED = 3  # to-parquet: the job
    LOCKED = 75  # to-parquet: another run is at work
    INTERRUPTED = 130


class Environment:
    """The streams of a run, and its exit status so far."""

    def __init__(self, *, debug: bool = False, color: str = "auto") -> None:
        self.color = color
        self.debug = debug
        self.output = STDOUT
        self.at_end = False  # whether stdout gets nothing before all is read
        self.status = Exit.DONE
        self._told: set[str] = set()
        self.carved: CarvedFiles | None = None  # with --carve: the logs that were found
        self.listed_by: dict[str, str] = {}  # the index file of a log that none of the arguments names
        self.flush: Callable[[], None] | None = None  # writes out what is ready, before a log is waited for
        self.record: RunRecord | None = None  # of a run with --manifest that reads logs
        self.manifest: Callable[[int], int] | None = None  # writes it at the end; takes and returns the exit status
        self.gaps = self.lost = 0  # damaged stretches, and the bytes in them
        self.errors: list[str] = []  # what was told of sources, keys and outputs

    def paints(self, own: str | None = None) -> bool:
        """Whether stdout gets colours; `own` is the command's own --color if it was given."""
        choice = own or self.color
        if choice != "auto":
            return choice == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR"):
            return True
        return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    def paints_json(self, own: str | None = None) -> bool:
        """Whether JSON gets colours, which programs that read it do not take: off a terminal on demand alone."""
        return self.paints(own) and ((own or self.color) == "always" or self.stdout.isatty())

    @property
    def stdout(self) -> BinaryIO:
        """The binary stdout; raise `OutputError` if it is closed."""
        if sys.stdout is None:
            raise OutputError("stdout is closed", hint="redirect it to a file or a pipe")
        return sys.stdout.buffer

    def width(self) -> int:
        """Return the columns of the terminal; 0 where stdout is none."""
        if not self.stdout.isatty():
            return 0
        import shutil  # slow to import

        return shutil.get_terminal_size((80, 24)).columns

    def tell(self, line: str) -> None:
        """Write a line to stderr, with control characters made visible; a stderr that cannot be written is ignored."""
        with contextlib.suppress(OSError):
            click.echo(f"{PROGRAM}: {visible(line.replace(chr(10), ' '))}", err=True)

    def tell_once(self, line: str) -> None:
        """Write a line to stderr, unless that was done before."""
        if line not in self._told:
            self._told.add(line)
            self.tell(line)

    def damage(self, file: str, damage: Damage) -> None:
        """Report a gap at once, and in the exit status at the end."""
        self.status = max(self.status, Exit.DAMAGED)
        self.gaps += 1
        self.lost += damage.end - damage.start
        place = f"at {damage.start}" if damage.within is None else f"at {damage.start} within {damage.within}"
        size = damage.end - damage.start
        stretch = f" ({counted(size, 'byte')} not read)" if size else ""
        hint = f"; {damage.hint}" if damage.hint else ""
        self.tell(f"{file}: {place}: {damage.reason}{stretch}{hint}")

    def remark(self, file: str, offset: int, what: str) -> None:
        """Tell of something at a place in a log that is not damage."""
        self.tell(f"{file}: at {offset}: {what}")

    def trouble(self, error: BinlogError) -> None:
        """Report a part of a source that could not be read, where the rest could."""
        self.status = max(self.status, Exit.DAMAGED)
        self._complain(error.line())

    def failure(self, error: BinlogError) -> None:
        """Report a source, key or output that cannot be used, where the others can."""
        self.status = Exit.UNUSABLE
        if self.debug:
            import traceback  # only where asked for

            traceback.print_exc()
        index = self.listed_by.get(error.file)
        if index is not None and error.hint == CHECK_NAME:
            error.hint = f"{index} lists this log: remove the entry, or restore the log"
        self._complain(error.line())

    def _complain(self, line: str) -> None:
        """Write the line of an error, and keep it for the manifest."""
        if len(self.errors) < _ERRORS_KEPT:
            self.errors.append(line)
        self.tell(line)

    @contextlib.contextmanager
    def telling(self, file: str = "") -> Iterator[None]:
        """Report errors of one log raised inside, and continue; errors of the output pass through."""
        try:
            yield
        except OutputError:
            raise
        except BinlogError as error:
            error.file = error.file or file
            self.failure(error)

    def warn_if_slow(self, size: int | None) -> None:
        """Warn where a large log is about to be read without the compiled modules."""
        if size is not None and size > _SLOW_SIZE and not compiled():
            self.tell(
                f"running as plain Python, about 100 times slower than compiled with a C compiler ({size >> 20} MB "
                f"to read)"
            )


def compiled() -> bool:
    """Whether the hot modules run compiled."""
    from binlogcli.binary import cursor  # only for the version, and large logs

    return not str(cursor.__file__).endswith(".py")


def hold_stderr() -> None:
    """Open /dev/null as stderr where that is closed, so that no other file gets its descriptor."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - as long as the program runs


def reader_is_gone() -> bool:
    """Whether the reader of stdout has ended: a broken pipe is then not an error."""
    if sys.stdout is None:
        return False
    import select  # only after a broken pipe

    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(happened & (select.POLLERR | select.POLLHUP) for _, happened in poll.poll(0))


def close_output() -> None:
    """Send stdout to /dev/null, where its reader is gone: also Python's own flush at exit then says nothing."""
    if sys.stdout is None:
        return
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)

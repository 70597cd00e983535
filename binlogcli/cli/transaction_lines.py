"""`dump --oneline`: the scan of `stats` passes transactions on, and each is a line on a terminal or in a pipe."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.cli.environment import Environment
from binlogcli.cli.inputs import flush_before_waiting
from binlogcli.events.log import Log
from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.log.gaps import Damage
from binlogcli.stats.each_transaction import EachTransaction
from binlogcli.stats.scan import Scan
from binlogcli.stats.wanted import Wanted

if TYPE_CHECKING:
    from binlogcli.render.oneline.fields import TransactionFields
    from binlogcli.render.oneline.screen import TransactionScreen


class LineOptions(NamedTuple):
    """`width` is the terminal's, 0 for a pipe or file; `limit` and `last` are how many transactions, None for all."""

    width: int
    painted: bool
    zone: tzinfo | None
    limit: int | None
    last: int | None


class _EnoughError(Exception):
    """As many lines were written as were asked for."""


def write_lines(
    environment: Environment, logs: Iterator[Log], options: LineOptions, write: Callable[[bytes | memoryview], object]
) -> None:
    """Write a line for each transaction of the logs, and tell damage in its place between them."""
    out = TextBuffer()
    lines = _Lines(out, options)

    def flush() -> None:
        if options.last is None:
            write(out.content())
            out.clear()
            environment.stdout.flush()

    def tell(path: str, damage: Damage) -> None:
        flush()
        environment.damage(path, damage)

    out.drain = write if options.last is None else None
    try:
        for log in logs:
            flush_before_waiting(environment, log, flush)
            with environment.telling(log.path):
                lines.begin_log(log.path)
                Scan(Wanted(("transactions",)), log, EachTransaction(lines.put), partial(tell, log.path)).read(log)
    except _EnoughError:
        pass
    finally:
        lines.finish()
        write(out.content())


class _Lines:
    """Writes the lines of all transactions into `out`, of the first ones or of the last ones."""

    def __init__(self, out: TextBuffer, options: LineOptions) -> None:
        self._out = out
        self._form = _form(out, options)
        self._left = options.limit or 0
        self._headings = b""  # with `last`: what stands above all lines
        self._file = b""
        self._last: deque[tuple[bytes, bytes]] = deque(maxlen=options.last)  # the heading of the file, and a line
        self.put = self._form.put
        if options.last is not None:
            self.put = self._keep
        elif options.limit is not None:
            self.put = self._count

    def begin_log(self, path: str) -> None:
        """Name the log in the lines that follow."""
        if self._last.maxlen is None:
            self._form.begin_log(path)
            return
        self._headings += self._taken()
        self._form.begin_log(path)
        self._file = self._taken()

    def _count(self, work: TransactionFacts) -> None:
        """Write the line of a transaction; raise `_EnoughError` after the last that is wanted."""
        self._form.put(work)
        self._left -= 1
        if self._left == 0:
            raise _EnoughError

    def _keep(self, work: TransactionFacts) -> None:
        """Keep the line of a transaction, as it may be among the last ones; headings may stand above it."""
        self._form.put(work)
        *headings, line = self._taken().splitlines(keepends=True)
        self._headings += b"".join(headings)
        self._last.append((self._file, line))

    def _taken(self) -> bytes:
        """Return what was written, and empty the buffer."""
        text = bytes(self._out.content())
        self._out.clear()
        return text

    def finish(self) -> None:
        """Write the lines that were kept, each file's heading above its first one."""
        if self._last.maxlen is None:
            return
        self._out.put(self._headings + self._taken())
        before = b""
        for file, line in self._last:
            self._out.put(line if file == before else file + line)
            before = file


def _form(out: TextBuffer, options: LineOptions) -> TransactionFields | TransactionScreen:
    """Return what makes lines of transactions."""
    if options.width:
        from binlogcli.render.oneline.screen import TransactionScreen  # imports rich

        return TransactionScreen(out.put, options.width, options.zone, painted=options.painted)
    from binlogcli.render.oneline.fields import TransactionFields

    return TransactionFields(out, options.zone)

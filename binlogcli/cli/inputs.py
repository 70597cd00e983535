"""The logs that a command's arguments stand for, opened one after another; the schema files beside them."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from binlogcli.cli.environment import Environment
from binlogcli.cli.options.shared import Reading
from binlogcli.cli.progress import while_read
from binlogcli.crypto import PASSWORD_VARIABLE, KeyOptions
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.names.magics import CAPTURE_MAGICS, PCAPNG_MAGIC
from binlogcli.sources import Source, expand, is_server, open_source
from binlogcli.sources.source import PiecedSource

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys
    from binlogcli.schema.catalog import Schema
    from binlogcli.select.selection import Selection
    from binlogcli.sources.server.options import ServerOptions


def compiled() -> bool:
    """Whether the hot modules run compiled."""
    from binlogcli.binary import cursor  # noqa: PLC0415 - asked for once

    return not str(cursor.__file__).endswith(".py")


def open_logs(
    environment: Environment, paths: Sequence[str], reading: Reading, selection: Selection | None = None
) -> Iterator[Log]:
    """Each log of `paths_of` in turn, closed after its use. Where one cannot be read, that is told; the next follows.

    The logs give the events that the selection takes; what the user should know of it is told after the last one.
    """
    schema = load_schema(reading.schemas)
    with open_keys(environment, reading.keys) as keys:
        options = ReadOptions(verify=reading.verify, max_event_size=reading.max_event_size, keys=keys)
        first = True
        for opening in openings(environment, paths, reading):
            with environment.telling(), Log(opening.name, options, schema, opening.source()) as log:
                environment.warn_if_slow(log.source.size, compiled)
                if selection is not None:
                    selection.begin_log(log, first=first, last=opening.last)
                yield log
            first = False
            if selection is not None and selection.over:
                break
    if selection is not None:
        conclude(environment, selection)
    if schema is not None:
        for warning in schema.warnings:
            environment.tell(warning)


class Opening(NamedTuple):
    """A log that is about to be read."""

    name: str
    source: Callable[[], Source]
    last: bool  # of all that were asked for, as far as can be known


def openings(environment: Environment, paths: Sequence[str], reading: Reading) -> Iterator[Opening]:
    """What the paths stand for: a file is one log, a server sends one or several on the same connection.

    What cannot be used is one more, which raises when it is opened.
    """
    for at, path in enumerate(paths):
        last = at == len(paths) - 1
        try:
            if reading.remote or is_server(path):
                yield from server_openings(environment, path, reading.server, last=last)
            else:
                yield from file_openings(environment, path, reading.max_event_size, last=last)
        except BinlogError as error:
            yield Opening(error.file or path, partial(refuse, error), last)


def refuse(error: BinlogError) -> Source:
    """A source that cannot be opened."""
    raise error


def file_openings(environment: Environment, path: str, max_event_size: int, *, last: bool) -> Iterator[Opening]:
    """A file is one log; a captured stream holds as many as were sent."""
    with while_read(open_source(path), environment.output) as source:
        if source.head(len(PCAPNG_MAGIC)) in CAPTURE_MAGICS:
            with source:
                yield from captured_openings(environment, source, max_event_size, last=last)
        else:
            yield Opening(path, lambda: source, last)


def captured_openings(
    environment: Environment, source: Source, max_event_size: int, *, last: bool
) -> Iterator[Opening]:
    """The logs in a capture; what it lacks is told when it is found."""
    from binlogcli.sources.capture.logs import CapturedLogs  # noqa: PLC0415 - imports the library of captures

    logs = CapturedLogs(source, max_event_size)
    for log in logs:
        yield Opening(log.name, lambda log=log: log, last)  # type: ignore[misc]
        for problem in logs.problems():
            environment.trouble(problem)
    for problem in logs.problems():
        (environment.trouble if logs.found_any else environment.failure)(problem)
    logs.refuse_what_has_none()


def server_openings(
    environment: Environment, path: str, given: ServerOptions | None, *, last: bool
) -> Iterator[Opening]:
    """The logs of a server, one after another, each only when the one before was read."""
    from binlogcli.sources.server.address import Address, read_address  # noqa: PLC0415 - only for servers
    from binlogcli.sources.server.options import ServerOptions  # noqa: PLC0415
    from binlogcli.sources.server.source import ServerLogs  # noqa: PLC0415

    options = given or ServerOptions()

    address = Address(log=path) if options.remote else read_address(path)
    logs = ServerLogs(address, options, named=not options.remote)
    for warning in logs.feed.warnings:
        environment.tell(warning)
    with contextlib.closing(logs):
        for source in logs:
            yield Opening(source.name, lambda source=source: source, last and source.last)  # type: ignore[misc]


def overheard(log: Log) -> PiecedSource | None:
    """Of what was said beside the events, who can tell: where all of a log is wanted that came over a wire."""
    return log.source if isinstance(log.source, PiecedSource) and log.stream.chooser is None else None


def when_waiting(log: Log, flush: Callable[[], None]) -> None:
    """What is ready is shown before a source waits, maybe for long, for what a server will write."""
    if hasattr(log.source, "on_wait"):
        log.source.on_wait = flush


@contextlib.contextmanager
def open_keys(environment: Environment, options: KeyOptions) -> Iterator[Keys | None]:
    """The keys that the options name, overwritten after their use; None where they name none."""
    if not options.given:
        yield None
        return
    from binlogcli.crypto.keys import load_keys  # noqa: PLC0415 - imports the library of ciphers

    with load_keys(options, os.environ.get(PASSWORD_VARIABLE)) as keys:
        for warning in keys.warnings:
            environment.tell(warning)
        yield keys


def conclude(environment: Environment, selection: Selection) -> None:
    """What the user should know of a choice once all was read."""
    for remark in selection.remarks():
        environment.tell(remark)
    problem = selection.problem()
    if problem is not None:
        environment.failure(problem)


def paths_of(environment: Environment, sources: tuple[str, ...], server: ServerOptions | None = None) -> list[str]:
    """The logs that the arguments name; stdin where there are none and it is no terminal."""
    if server is not None and server.remote:
        return list(sources or ("",))
    if not sources and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError("no SOURCE given; name a log file, an index file, or - for stdin")
    paths: list[str] = []
    for source in sources or ("-",):
        try:
            paths += expand([source])
        except BinlogError as error:
            environment.failure(error)
    return paths


def size_of(path: str) -> int:
    """The size of a file; 0 of what is none."""
    try:
        status = os.stat(path)  # noqa: PTH116 - pathlib is slow to import
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def load_schema(files: tuple[str, ...]) -> Schema | None:
    """The tables of the schema files, or None."""
    if not files:
        return None
    from binlogcli.schema.catalog import Schema  # noqa: PLC0415 - imports sqlglot

    return Schema.read(files)

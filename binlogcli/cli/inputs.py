"""The logs that a command's arguments stand for, opened one after another; the keys and schema files beside them.

The way of a SOURCE to events: `log_paths` names logs, `openings` finds out by `sources.opening` what each is and gives
its sources, and `Log` decrypts and reads them.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.options.shared import AT_START, ReadingOptions
from binlogcli.cli.progress import while_read
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.crypto.opening import open_keys
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.sources.files import is_pipe
from binlogcli.sources.opening import address_of, expand, is_capture, is_plain_file, is_server, open_source
from binlogcli.sources.source import PiecedSource, Source, WireSource

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys
    from binlogcli.schema.catalog import Catalog
    from binlogcli.select.baseline import BaselineScan
    from binlogcli.select.last_events import LastEvents
    from binlogcli.select.selection import Selection
    from binlogcli.select.transactions import Stretches, TransactionScan
    from binlogcli.sources.server.address import Address
    from binlogcli.sources.server.options import ServerOptions


def log_paths(environment: Environment, sources: tuple[str, ...], reading: ReadingOptions | None = None) -> list[str]:
    """Return the paths, addresses or names of the logs that the arguments stand for; stdin if there are none.

    With `--carve` these are the names of the logs found in the files. An index file that cannot be read is reported.
    Raise a usage error where stdin is a terminal.
    """
    server = None if reading is None else reading.server
    if reading is not None and reading.carve:
        return _carved_paths(environment, sources or ("-",), unproven=reading.unproven)
    if server is not None and server.remote:
        return list(sources or ("",))
    if not sources and (sys.stdin is None or sys.stdin.isatty()):
        raise click.UsageError("no SOURCE specified; pass a log file, an index file, or - for stdin")
    paths: list[str] = []
    for source in sources or ("-",):
        try:
            logs = expand([source])
            if logs != [source]:
                environment.listed_by |= dict.fromkeys(logs, source)
            paths += logs
        except BinlogError as error:
            environment.failure(error)
    if server is not None and server.to_last_log and paths and not is_server(paths[-1]):
        paths += _later_logs(environment, paths[-1])
    return paths


def _carved_paths(environment: Environment, sources: tuple[str, ...], *, unproven: bool) -> list[str]:
    """Return the names of the logs that are found in files."""
    from binlogcli.cli.carving import carve_files  # only for --carve

    return carve_files(environment, sources, unproven=unproven)


def _later_logs(environment: Environment, path: str) -> list[str]:
    """Return the logs after a file, for `--to-last-log`."""
    from binlogcli.sources.following import later_logs  # only for this option

    if is_pipe(path):
        raise click.UsageError("--to-last-log continues after a log file; specify that file")
    return later_logs(path, environment.listed_by.get(path))


def refuse_endless(reading: ReadingOptions, what: str) -> None:
    """Raise a usage error for `--stop-never` where something is done at the end of the logs."""
    if reading.endless:
        raise click.UsageError(f"--stop-never (--follow) has no end, and cannot be combined with {what}")


def open_logs(
    environment: Environment,
    paths: Sequence[str],
    reading: ReadingOptions,
    selection: Selection | None = None,
    *,
    follow: bool = True,
) -> Iterator[Log]:
    """Yield each log of `log_paths` and close it afterwards; report one that cannot be read and continue.

    The logs give the events that the selection takes; `follow` has their tables completed by the statements that
    define them. Remarks of the selection and of the catalog are reported at the end.
    """
    catalog = load_catalog(reading) if follow or reading.schemas or reading.unsigned else None
    if catalog is not None:
        walk_back(environment, paths, reading, catalog)
    before = None if selection is None else FirstReading(environment, paths, reading, selection)
    with loaded_keys(environment, reading.keys) as keys:
        options = ReadOptions(verify=reading.verify, max_event_size=reading.max_event_size, keys=keys)
        first, opened = True, False
        for opening in openings(environment, paths, reading):
            with (
                environment.telling(),
                Log(opening.name, options, catalog, opening.source()) as log,
                recorded_log(environment, log),
            ):
                opened = True
                environment.warn_if_slow(log.source.size)
                if selection is not None and before is not None:
                    stretches, to_drop = before.stretches_of(opening.name), before.to_drop(opening.name)
                    selection.begin_log(log, first=first, last=opening.last, stretches=stretches, to_drop=to_drop)
                yield log
            first = False
            if selection is not None and selection.over:
                break
    conclude(environment, selection if opened else None, catalog)


def recorded_log(environment: Environment, log: Log) -> AbstractContextManager[None]:
    """Return what records the place of a log among others while it is read, in a run with --manifest."""
    return recorded_reading(environment, log.path, log.source, log.stream)


def recorded_reading(
    environment: Environment, path: str, source: Source, stream: EventStream
) -> AbstractContextManager[None]:
    """Return what `recorded_log` does, for a log whose events are read by `stream`."""
    record = environment.record
    return contextlib.nullcontext() if record is None else record.reading(path, source, stream)


def record_ends(environment: Environment, paths: Sequence[str], reading: ReadingOptions) -> None:
    """Record the places of logs among others, where other processes read them: by their first and last bytes."""
    for log in logs_before(environment, paths, reading):
        with recorded_log(environment, log):
            pass


def walk_back(environment: Environment, paths: Sequence[str], reading: ReadingOptions, catalog: Catalog) -> None:
    """Have the catalog begin with what held before the first log, if its files are of a later place."""
    if reading.schema_at != AT_START:
        scan = scan_baseline(environment, paths, reading)
        catalog.walk_back(scan.statements, scan.restarts)


def scan_baseline(environment: Environment, paths: Sequence[str], reading: ReadingOptions) -> BaselineScan:
    """Return what the logs tell up to the place that the schema files are of. Raises where they do not have it."""
    from binlogcli.select.baseline import scan_logs  # only for --schema-at

    check_read_twice(environment, "--schema-at reads", paths, reading)
    place = None if isinstance(reading.schema_at, str) else reading.schema_at
    return scan_logs(logs_before(environment, paths, reading), place, "--schema-at")


def check_read_twice(environment: Environment, what: str, paths: Sequence[str], reading: ReadingOptions) -> None:
    """Raise a usage error where an option has logs read twice that can be read only once."""
    if environment.carved is not None:
        return
    if reading.remote or not all(map(is_plain_file, paths)):
        raise click.UsageError(f"{what} the logs twice: pass log files, which can be read again")


def logs_before(
    environment: Environment, paths: Sequence[str], reading: ReadingOptions, catalog: Catalog | None = None
) -> Iterator[Log]:
    """Yield the logs for a first reading; what prevents reading one is reported by the second reading."""
    with open_keys(reading.keys) as keys:
        options = ReadOptions(verify=reading.verify, max_event_size=reading.max_event_size, keys=keys)
        for opening in openings(environment, paths, reading._replace(server=None)):
            with contextlib.suppress(BinlogError), Log(opening.name, options, catalog, opening.source()) as log:
                yield log


def open_logs_again(environment: Environment, paths: Sequence[str], reading: ReadingOptions) -> Iterator[Log]:
    """Yield the logs that `open_logs` could open, for a second reading; nothing is reported again."""
    catalog = load_catalog(reading)
    walk_back(environment, paths, reading, catalog)
    with open_keys(reading.keys) as keys:
        options = ReadOptions(verify=reading.verify, max_event_size=reading.max_event_size, keys=keys)
        for opening in openings(environment, paths, reading):
            with contextlib.suppress(BinlogError), Log(opening.name, options, catalog, opening.source()) as log:
                yield log


class FirstReading:
    """What options that have the logs read twice made of the first reading."""

    def __init__(
        self, environment: Environment, paths: Sequence[str], reading: ReadingOptions, selection: Selection
    ) -> None:
        self._chosen = _transaction_scan(environment, paths, reading, selection)
        self._last = None
        if selection.choice.last is not None:
            self._last = self._last_events(environment, paths, reading, selection)

    def stretches_of(self, path: str) -> Stretches | None:
        """Return the parts of a log that are chosen; None for all of it."""
        return None if self._chosen is None else self._chosen.chosen_in(path)

    def to_drop(self, path: str) -> int:
        """Return how many of the events that are chosen in a log are not among the last ones."""
        return 0 if self._last is None else self._last.to_drop(path)

    def _last_events(
        self, environment: Environment, paths: Sequence[str], reading: ReadingOptions, selection: Selection
    ) -> LastEvents:
        from binlogcli.select.last_events import LastEvents  # only for --last

        check_read_twice(environment, "--last has", paths, reading)
        scan = LastEvents(selection)
        for at in reversed(range(len(paths))):
            for log in logs_before(environment, paths[at : at + 1], reading):
                stretches = self.stretches_of(log.path)
                with contextlib.suppress(BinlogError):
                    scan.read(log, first=at == 0, last=at == len(paths) - 1, stretches=stretches)
            if scan.enough:
                break
        return scan


def _transaction_scan(
    environment: Environment, paths: Sequence[str], reading: ReadingOptions, selection: Selection
) -> TransactionScan | None:
    """Return which transactions are chosen by options that need their ends; None without such options."""
    choice = selection.choice
    if choice.transactions is None and not choice.whole:
        return None
    from binlogcli.select.transactions import TransactionChoice, TransactionScan  # only for these options

    options = "--transaction" if choice.whole else "--xid, --thread-id, --min-rows, --min-size and --transaction-at"
    refuse_endless(reading, options)
    check_read_twice(environment, f"{options} {'reads' if choice.whole else 'read'}", paths, reading)
    chooser = selection.without_transactions() if choice.whole else None
    scan = TransactionScan(choice.transactions or TransactionChoice(), chooser)
    catalog = load_catalog(reading) if choice.whole else None
    opened = False
    for at, log in enumerate(logs_before(environment, paths, reading, catalog)):
        opened = True
        if chooser is not None:
            chooser.begin_log(log, first=at == 0, last=at == len(paths) - 1)
            log.stream.chooser = None  # the scan asks it, and sees the other events, too
        with contextlib.suppress(BinlogError):
            scan.read(log)
    for remark in scan.remarks() if opened else ():
        environment.tell(remark)
    if chooser is not None and opened:
        conclude(environment, chooser)
    return scan


class Opening(NamedTuple):
    """A log that is about to be read."""

    name: str
    source: Callable[[], Source]  # raises what keeps the log from being read
    last: bool  # of all that were asked for, as far as can be known


def openings(environment: Environment, paths: Sequence[str], reading: ReadingOptions) -> Iterator[Opening]:
    """Yield what the paths stand for: a file is one log; a server or capture holds several, sent one after another.

    A path that cannot be used is an `Opening` whose source raises the error.
    """
    for at, path in enumerate(paths):
        last = at == len(paths) - 1
        if environment.carved is not None:
            yield Opening(path, partial(environment.carved.open, path), last)
            continue
        try:
            address = address_of(path, remote=reading.remote)
            if address is not None:
                yield from _server_openings(environment, address, reading.server, last=last)
            elif last and reading.endless:
                yield from _followed_openings(environment, path)
            else:
                yield from _file_openings(environment, path, reading.max_event_size, last=last)
        except BinlogError as error:
            yield Opening(error.file or path, partial(_refuse, error), last)


def _refuse(error: BinlogError) -> Source:
    raise error


def _file_openings(environment: Environment, path: str, max_event_size: int, *, last: bool) -> Iterator[Opening]:
    with while_read(open_source(path), environment.output, at_end=environment.at_end) as source:
        if is_capture(source):
            with source:
                yield from _captured_openings(environment, source, max_event_size, last=last)
        else:
            yield Opening(path, lambda: source, last)


def _followed_openings(environment: Environment, path: str) -> Iterator[Opening]:
    """Yield a log that a server is writing, and those that it writes after it."""
    from binlogcli.sources.following import FollowedLogs  # only for --stop-never

    def before_waiting() -> None:
        if environment.flush is not None:
            environment.flush()

    for source in FollowedLogs(path, environment.listed_by.get(path), before_waiting):
        yield Opening(source.name, lambda source=source: source, last=False)  # type: ignore[misc]


def _captured_openings(
    environment: Environment, source: Source, max_event_size: int, *, last: bool
) -> Iterator[Opening]:
    """Yield the logs in a capture; report what it lacks after the log before it."""
    from binlogcli.sources.capture.logs import CapturedLogs  # imports the library of captures

    logs = CapturedLogs(source, max_event_size)
    for log in logs:
        yield Opening(log.name, lambda log=log: log, last)  # type: ignore[misc]
        for problem in logs.problems():
            environment.trouble(problem)
    for problem in logs.problems():
        (environment.trouble if logs.found_any else environment.failure)(problem)
    logs.refuse_what_has_none()


def _server_openings(
    environment: Environment, address: Address, given: ServerOptions | None, *, last: bool
) -> Iterator[Opening]:
    """Yield the logs of a server, each when the one before has been read."""
    from binlogcli.sources.server.options import ServerOptions  # only for servers
    from binlogcli.sources.server.source import ServerLogs

    options = given or ServerOptions()
    logs = ServerLogs(address, options, named=not options.remote)
    for warning in logs.feed.warnings:
        environment.tell(warning)
    with contextlib.closing(logs):
        for source in logs:
            yield Opening(source.name, lambda source=source: source, last and source.last)  # type: ignore[misc]


def heard_beside(log: Log) -> PiecedSource | None:
    """Return the source if it reports the packets beside the events, and no event is left out; otherwise None."""
    return log.source if isinstance(log.source, PiecedSource) and log.stream.chooser is None else None


def flush_before_waiting(environment: Environment, log: Log, flush: Callable[[], None]) -> None:
    """Have `flush` called whenever what a server has not written yet is about to be waited for."""
    environment.flush = flush
    if isinstance(log.source, WireSource):
        log.source.call_before_waiting(flush)


@contextlib.contextmanager
def loaded_keys(environment: Environment, options: KeyOptions) -> Iterator[Keys | None]:
    """Give the keys that the options name, as `open_keys` does, and report files of keys that others may read."""
    with open_keys(options) as keys:
        for warning in keys.warnings if keys is not None else ():
            environment.tell_once(warning)
        yield keys


def load_catalog(reading: ReadingOptions) -> Catalog:
    """Return what schema files and options say of tables; the statements of the logs add to it."""
    from binlogcli.schema.catalog import Catalog  # not for the plain text of the servers' tools

    return Catalog.read(reading.schemas, reading.unsigned)


def conclude(environment: Environment, selection: Selection | None, catalog: Catalog | None = None) -> None:
    """Report what the choice of events and the schema files leave to say once all logs were read."""
    if selection is not None:
        for remark in selection.remarks():
            environment.tell(remark)
        if selection.matched_nothing:
            environment.status = max(environment.status, Exit.DAMAGED)  # as grep's
        problem = selection.problem()
        if problem is not None:
            environment.failure(problem)
    for remark in () if catalog is None else catalog.remarks():
        environment.tell_once(remark)

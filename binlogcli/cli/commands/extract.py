"""`binlogcli extract`: chosen transactions as logs of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING

import click

from binlogcli.cli.environment import STDOUT, Environment, Exit
from binlogcli.cli.inputs import check_read_twice, log_paths, logs_before, open_logs, refuse_endless
from binlogcli.cli.options.choosing import choosing_options, selection_of, where_option
from binlogcli.cli.options.filters import filter_options, grep_options
from binlogcli.cli.options.help_sections import Command, SectionedCommand
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.server import finite
from binlogcli.cli.options.shared import ReadingOptions, json_option, log_options, zone_option
from binlogcli.cli.options.values import FILE_NAME, Number, Size
from binlogcli.cli.outputs import OutputFile, open_output
from binlogcli.events.log import Log
from binlogcli.extract.destination import BY_LOG, BY_SIZE, JOINED, Destination, Targets
from binlogcli.extract.extractor import Extractor, Reporter, Wanted
from binlogcli.extract.known_maps import KnownMaps
from binlogcli.extract.output_log import OutputLog
from binlogcli.extract.report import json_line, text_line
from binlogcli.render.escape import visible
from binlogcli.select.by_name import NameChoice
from binlogcli.select.choice import Choice

if TYPE_CHECKING:
    from binlogcli.extract.output_log import Target

_SPLITS = ("transaction", "table", "size", "hour")
_DECRYPTED = "decrypted"  # the remark of a source that decrypts
_BUFFERED = 1 << 17


class _OneFile:
    """The only output of a run, which is created when there is something to write."""

    def __init__(self, name: str, opened: Callable[[], OutputFile], close: Callable[[], object]) -> None:
        self.name = name
        self._opened = opened
        self._close = close
        self._buffer = bytearray()

    def create(self, name: str) -> Target:
        """Open the file."""
        self._output = self._opened()
        return self

    def write(self, data: bytes) -> None:
        """Write all of the bytes."""
        self._buffer += data
        if len(self._buffer) >= _BUFFERED:
            self._flush()

    def finish(self) -> None:
        """Write what is buffered, and give the file its name."""
        self._flush()
        self._close()

    def _flush(self) -> None:
        self._output.write(bytes(self._buffer))
        self._buffer.clear()


class _Nowhere:
    """Takes logs that are only counted."""

    name = ""

    def create(self, name: str) -> Target:
        """Return itself."""
        return self

    def write(self, data: bytes) -> None:
        """Forget the bytes."""

    def finish(self) -> None:
        """Do nothing."""


_HELP = {  # of options that choose rows and events for other commands
    "events": "Only transactions with an event of this type: a name, a prefix, or a pattern such as '*ROWS*'. "
    "Repeatable.",
    "operations": "Only transactions with a row or statement of these operations: insert, update, delete, ddl. "
    "Repeatable.",
    "greps": "Only transactions with a statement, or a value in a row, that matches this regular expression. "
    "Repeatable: any match counts.",
    "where": "Only transactions with a row whose values before or after the change match: "
    "\"id = 5 AND state != 'paid'\"; @N: the Nth column. Also OR, NOT, IN, BETWEEN, LIKE, IS NULL and parentheses.",
}


def _whole_transactions(command: Command) -> Command:
    """Have options say that they choose transactions; to stand above them."""
    for param in getattr(command, "__click_params__", ()):
        if isinstance(param, click.Option) and param.name in _HELP:
            param.help = _HELP[param.name]
    return command


@click.command(cls=SectionedCommand, short_help="Write selected transactions as logs of their own.")
@click.option(
    "-o",
    "--output",
    type=FILE_NAME,
    required=True,
    metavar="FILE|DIR",
    help="File for the log, or an existing directory for one log per SOURCE, or with --split; - for stdout.",
)
@click.option(
    "--split", type=click.Choice(_SPLITS), help="Write one log per transaction, table, --max-size or hour (UTC)."
)
@click.option("--max-size", type=Size(), metavar="SIZE", help="With --split size: begin a new log before SIZE.")
@click.option(
    "--infer-maps",
    is_flag=True,
    help="For rows whose table map is lost, use another one with the same table id, if the logs have one that fits.",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the report on stdout: one line per log that was written.",
)
@json_option
@manifest_option
@_whole_transactions
@choosing_options
@filter_options
@click.option("-n", "--limit", type=Number(1), metavar="N", help="Stop after N transactions.")
@click.option("--last", type=Number(1), metavar="N", help="Only the last N transactions; reads the logs twice.")
@where_option
@grep_options
@zone_option
@finite
@log_options
@click.pass_obj
def extract(
    environment: Environment,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    choice: Choice,
    zone: tzinfo | None,  # noqa: ARG001 - the times in `choice` were read by it
    output: str,
    split: str | None,
    max_size: int | None,
    infer_maps: bool,
    force: bool,
    format_: str,
    limit: int | None,
    last: int | None,
) -> None:
    """Write selected transactions as logs that the servers and their tools can read.

    A transaction is written whole if one of its events is selected; with --database or --table, only the rows and
    statements of these tables, in their transaction. Encrypted logs are written unencrypted.
    """
    _check(environment, reading, split, output, format_, max_size=max_size, force=force, limited=(limit, last))
    paths = log_paths(environment, sources, reading)
    maps = KnownMaps() if infer_maps else None
    run = _Run(environment, paths, reading, choice, maps)
    if infer_maps:
        check_read_twice(environment, "--infer-maps reads", paths, reading)
    run.learn_maps()
    skip = 0
    if last is not None:
        check_read_twice(environment, "--last reads", paths, reading)
        skip = max(run.count() - last, 0)
    inputs = (*paths, *sources, *reading.files())
    in_directory = split is not None or (output != STDOUT and os.path.isdir(output))
    with _targets(
        environment, output, inputs, in_directory=in_directory, force=force, private=reading.keys.given
    ) as to:
        report = _report(environment, format_, silent=output == STDOUT)
        destination = Destination(to, report, split or (BY_LOG if in_directory else JOINED), max_size or 0)
        run.write(destination, limit=-1 if limit is None else limit, skip=skip)


def _check(
    environment: Environment,
    reading: ReadingOptions,
    split: str | None,
    output: str,
    format_: str,
    *,
    max_size: int | None,
    force: bool,
    limited: tuple[int | None, int | None],
) -> None:
    """Raise a usage error for options that do not go together."""
    refuse_endless(reading, "extract")
    if (split == BY_SIZE) != (max_size is not None):
        raise click.UsageError(
            "--split size requires --max-size" if split == BY_SIZE else "--max-size requires --split size"
        )
    if None not in limited:
        raise click.UsageError("--limit and --last cannot be combined")
    if output == STDOUT:
        if split is not None:
            raise click.UsageError("--split writes several logs: specify a directory with --output")
        if format_ == "json":
            raise click.UsageError("--format json writes its report to stdout: specify a file with --output")
        if environment.stdout.isatty() and not force:
            raise click.UsageError("stdout is a terminal, and a log is binary data; redirect it to a file or a pipe")


@contextmanager
def _targets(
    environment: Environment, output: str, inputs: Sequence[str], *, in_directory: bool, force: bool, private: bool
) -> Iterator[Targets]:
    """Give where logs are created."""
    if in_directory:
        from binlogcli.cli.output_directory import open_directory  # only for several logs

        with open_directory(output, inputs, environment.record, force=force, private=private) as directory:
            yield directory
        return
    with ExitStack() as stack:
        opened = partial(open_output, output, inputs=inputs, force=force, private=private)
        yield _OneFile(output, lambda: stack.enter_context(opened()), stack.close)


def _report(environment: Environment, format_: str, *, silent: bool) -> Callable[[OutputLog], None]:
    """Return what writes the line of a log to stdout."""

    def report(log: OutputLog) -> None:
        if format_ == "json":
            environment.stdout.write(json_line(log))
        elif not silent:
            click.echo(visible(text_line(log)))

    return report


class _Run:
    """The reading of all logs, which may be repeated."""

    def __init__(
        self,
        environment: Environment,
        paths: Sequence[str],
        reading: ReadingOptions,
        choice: Choice,
        maps: KnownMaps | None,
    ) -> None:
        self.environment = environment
        self.paths = paths
        self.reading = reading
        self.choice = choice
        self.maps = maps

    def learn_maps(self) -> None:
        """Read all table maps, for `--infer-maps`."""
        if self.maps is not None:
            self.maps.read(logs_before(self.environment, self.paths, self.reading))

    def count(self) -> int:
        """Return how many transactions are chosen."""
        silent = Reporter(lambda *_: None, lambda *_: None, lambda *_: None)
        wanted = self._wanted()
        extractor = Extractor(wanted, Destination(_Nowhere(), lambda _: None), silent)
        first = True
        for at, log in enumerate(logs_before(self.environment, self.paths, self.reading)):
            if wanted.selection is not None:
                wanted.selection.begin_log(log, first=first, last=at == len(self.paths) - 1)
            extractor.run(log)
            first = False
        extractor.finish()
        return extractor.chosen

    def write(self, destination: Destination, *, limit: int, skip: int) -> None:
        """Write what is chosen."""
        environment = self.environment
        wanted = self._wanted()._replace(limit=limit, skip=skip)
        tell = Reporter(environment.damage, environment.trouble, environment.remark)
        extractor = Extractor(wanted, destination, tell, self.maps)
        follow = bool(self.choice.where or self.choice.grep)
        for log in open_logs(environment, self.paths, self.reading, wanted.selection, follow=follow):
            self._tell_of_encryption(log)
            with environment.telling(log.path):
                extractor.run(log)
            if extractor.over:
                break
        extractor.finish()
        destination.finish()
        if extractor.chosen == 0 and environment.status != Exit.UNUSABLE:
            environment.tell("no transaction was extracted")

    def _wanted(self) -> Wanted:
        """Return what the options choose."""
        choice = self.choice
        tables = NameChoice(choice.databases, choice.tables) if choice.databases or choice.tables else None
        return Wanted(selection_of(choice._replace(transactions=None)), choice.transactions, tables)

    def _tell_of_encryption(self, log: Log) -> None:
        if log.source.remark.startswith(_DECRYPTED):
            self.environment.tell(f"{log.path}: the log is encrypted; what is extracted is written unencrypted")

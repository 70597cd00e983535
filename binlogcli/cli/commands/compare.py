"""`binlogcli compare`: what differs between two histories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

import click

from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.event_output import to_stdout
from binlogcli.cli.inputs import log_paths, open_logs, open_logs_again
from binlogcli.cli.next_commands import NextCommands
from binlogcli.cli.options.choosing import comparing_options
from binlogcli.cli.options.help_sections import SectionedCommand, keep_arguments
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.server import address_options
from binlogcli.cli.options.shared import (
    ReadingOptions,
    color_option,
    file_options,
    json_option,
    schema_at_option,
    unsigned_option,
    zone_option,
)
from binlogcli.cli.options.values import SOURCE, Number
from binlogcli.errors import BinlogError
from binlogcli.select.choice import Choice
from binlogcli.sources.files import is_pipe

if TYPE_CHECKING:
    from binlogcli.compare.comparison import Comparison
    from binlogcli.events.log import Log

_SEPARATOR = "\0--"  # `--` among the sources; no argument of a program can hold the first character
_USAGE = "binlogcli compare A... -- B"


class _TwoHistories(SectionedCommand):
    """A command whose first `--` separates its sources; options may stand on both sides of it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments with the first `--` kept as a source."""
        if "--" not in args:
            return super().parse_args(ctx, args)
        at = args.index("--")
        rest = super().parse_args(ctx, [*args[:at], _SEPARATOR, *args[at + 1 :]])
        keep_arguments(ctx, args)
        return rest


class _SourceOrSeparator(type(SOURCE)):  # type: ignore[misc] # the class of SOURCE is private to its module
    """A source, or the separator of two histories."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the separator as it is, and a source as other commands take it."""
        return value if value == _SEPARATOR else super().convert(value, param, ctx)


@click.command(
    cls=_TwoHistories, short_help="Compare two histories: a source with its replica, an archive with a server."
)
@click.option(
    "--by",
    type=click.Choice(["auto", "gtid", "content"]),
    default="auto",
    show_default=True,
    help="How transactions are matched; auto: by GTID if both sides have GTIDs.",
)
@click.option(
    "-n",
    "--limit",
    type=Number(0),
    default=20,
    show_default=True,
    metavar="N",
    help="Differences of each kind to list; 0 lists all of them. All are counted.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: for reading; json: one object per line, the summary first.",
)
@json_option
@manifest_option
@color_option
@comparing_options
@zone_option
@address_options
@file_options
@schema_at_option
@unsigned_option
@click.argument("sources", nargs=-1, metavar="A... -- B...", type=_SourceOrSeparator(servers=True))
@click.pass_context
def compare(
    ctx: click.Context,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    choice: Choice,
    zone: tzinfo | None,
    by: str,
    limit: int,
    format_: str,
    color: str | None,
) -> None:
    """Compare the transactions of two histories, A and B: what one lacks, different rows and statements, the order.

    A and B are log files, .index files, network captures or servers (mysql://USER@HOST[:PORT]/[LOG]), separated by
    --, which may be omitted between two sources. What a replica writes differently by design, such as times,
    positions, server ids and the grouping of rows, is not a difference. Exit status: 0 if A and B are equal; 1 if they
    differ, could not be read completely, or nothing was selected.
    """
    from binlogcli.compare.comparison import Comparison, Wanted  # not for the help

    environment: Environment = ctx.obj
    environment.at_end = True
    given = _two_sides(sources)
    wanted = Wanted(choice, by, limit, zone)
    try:
        wanted.names()
    except BinlogError as error:
        raise click.UsageError(error.line()) from error
    paths = [log_paths(environment, side, reading) for side in given]
    if environment.record is not None:
        environment.record.histories = paths
    commands = [NextCommands(ctx, side, logs, zone, remote=False) for side, logs in zip(given, paths, strict=True)]
    comparison = Comparison(
        [_Opener(environment, logs, reading) for logs in paths],
        wanted,
        environment.damage,
        lambda error, path: _fail(environment, error, path),
        lambda side, file, position, gtid: commands[side].transaction(file, position, gtid),
    )
    with closing(comparison):
        summary = comparison.run()
        if all(summary[side]["logs"] for side in ("a", "b")):
            _write(environment, comparison, summary, format_, color)
        for remark in comparison.remarks():
            environment.tell(remark)
    if not summary["equal"]:
        environment.status = max(environment.status, Exit.DAMAGED)


class _Opener:
    """Opens the logs of a side: the first time with messages about what cannot be read."""

    def __init__(self, environment: Environment, paths: list[str], reading: ReadingOptions) -> None:
        self._environment = environment
        self._paths = paths
        self._reading = reading
        self._opened = False

    def __call__(self) -> Iterator[Log]:
        again, self._opened = self._opened, True
        return (open_logs_again if again else open_logs)(self._environment, self._paths, self._reading)


def _two_sides(sources: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sources of both sides. Raise a usage error where they cannot be told apart, or be read twice."""
    if _SEPARATOR in sources:
        at = sources.index(_SEPARATOR)
        sides = sources[:at], sources[at + 1 :]
    elif len(sources) == 2:
        sides = sources[:1], sources[1:]
    else:
        raise click.UsageError(f"the two histories are not separated by --; write {_USAGE}")
    if not sides[0] or not sides[1]:
        raise click.UsageError(f"no source {'before' if not sides[0] else 'after'} --; write {_USAGE}")
    if any(map(is_pipe, sources)):
        raise click.UsageError("compare reads logs twice: pass log files, which can be read again, not - or a pipe")
    return sides


def _fail(environment: Environment, error: BinlogError, path: str) -> None:
    error.file = error.file or path
    environment.failure(error)


def _write(
    environment: Environment, comparison: Comparison, summary: dict[str, Any], format_: str, color: str | None
) -> None:
    """Write the summary and the differences to stdout."""
    from binlogcli.binary.json_writer import json_bytes  # not for the help

    if format_ == "json":
        with to_stdout(environment, text=False, color=color) as write:
            write(json_bytes(summary) + b"\n")
            for line in comparison.lines():
                write(line + b"\n")
        return
    from binlogcli.render.comparison.text import difference_text, summary_text

    painted = environment.paints(color)
    write = environment.stdout.write
    write(summary_text(summary, comparison.limit, painted=painted).encode())
    for line in comparison.lines():
        write(difference_text(line, painted=painted).encode())
    environment.stdout.flush()

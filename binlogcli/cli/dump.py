"""`binlogcli dump`: what happened."""

from __future__ import annotations

from datetime import tzinfo
from functools import partial

import click

from binlogcli.cli.choosing import choosing_options, selection_of
from binlogcli.cli.environment import Environment
from binlogcli.cli.inputs import open_logs
from binlogcli.cli.options import Reading, reading_options, sources_argument, zone_option
from binlogcli.render.json import JsonLines
from binlogcli.render.out import Out
from binlogcli.select.choice import Choice


@click.command(short_help="What happened: the log as JSON.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json"]),
    default="json",
    show_default=True,
    help="json: one object a line, for every event.",
)
@choosing_options
@zone_option
@reading_options
@sources_argument
@click.pass_obj
def dump(
    environment: Environment,
    sources: tuple[str, ...],
    reading: Reading,
    choice: Choice,
    zone: tzinfo | None,
    format_: str,  # noqa: ARG001 - one format so far
) -> None:
    """Print the events of binary logs.

    SOURCE is a log file (also compressed), an .index file for the logs it lists, or - for stdin.
    """
    out = Out()
    for log in open_logs(environment, sources, reading, selection_of(choice)):
        lines = JsonLines(out, log.path, zone)
        lines.run(log, environment.stdout.write, partial(environment.damage, log.path))
    environment.stdout.flush()

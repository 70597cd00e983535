"""`binlogcli dump`: what happened."""

from __future__ import annotations

from datetime import tzinfo
from functools import partial

import click

from binlogcli.cli.choosing import choosing_options, selection_of
from binlogcli.cli.environment import Environment
from binlogcli.cli.inputs import open_logs
from binlogcli.cli.options import Reading, reading_options, sources_argument, zone_option
from binlogcli.cli.text_options import text_options
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.out import Out
from binlogcli.select.choice import Choice


@click.command(short_help="What happened: the log as text or JSON.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["mysqlbinlog", "json"]),
    default="mysqlbinlog",
    show_default=True,
    help="mysqlbinlog: the text of the servers' own tools; json: one object a line, for every event.",
)
@text_options
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
    format_: str,
    text: TextOptions,
) -> None:
    """Print the events of binary logs.

    SOURCE is a log file (also compressed), an .index file for the logs it lists, or - for stdin.
    """
    out = Out()
    logs = open_logs(environment, sources, reading, selection_of(choice))
    if format_ == "json":
        from binlogcli.render.json import JsonLines  # noqa: PLC0415 - each format imports its own

        for log in logs:
            lines = JsonLines(out, log.path, zone)
            lines.run(log, environment.stdout.write, partial(environment.damage, log.path))
    else:
        from binlogcli.render.mysqlbinlog.printer import Mysqlbinlog  # noqa: PLC0415

        printer = Mysqlbinlog(out, text, environment.stdout.write)
        for log in logs:
            printer.run(log, partial(environment.damage, log.path))
        printer.finish()
    environment.stdout.flush()

"""`binlogcli dump`: what happened."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import tzinfo
from functools import partial
from typing import BinaryIO, cast

import click

from binlogcli.cli.choosing import choosing_options, selection_of, where_option
from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.inputs import open_logs
from binlogcli.cli.options import Reading, reading_options, sources_argument, zone_option
from binlogcli.cli.text_options import text_options
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.render.mysqlbinlog.options import DECODE_ROWS, TextOptions
from binlogcli.render.out import Out
from binlogcli.select.choice import Choice

RARELY = 1 << 17  # objects made between two searches for garbage: events are freed without one
Write = Callable[[bytes | memoryview], object]


ELSEWHERE = """
\b
Options of mysqlbinlog and mariadb-binlog that are not here, and what does the same:
  -R, --host, --user ...        name the server as SOURCE: mysql://USER@HOST/LOG
  --raw, --to-last-log, --stop-never
                                binlogcli pull
  --start-position GTIDs, --stop-position GTIDs, --do-domain-ids, --ignore-domain-ids
                                --include-gtids, --exclude-gtids
  --do-server-ids               --server-id
  -c, --verify-binlog-checksum  always on; --no-verify turns it off
  --skip-annotate-row-events, --print-row-count, --print-row-event-positions
                                grep -v
"""


@click.command(short_help="What happened: the log as text, SQL or JSON.", epilog=ELSEWHERE)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["mysqlbinlog", "sql", "json"]),
    default="mysqlbinlog",
    show_default=True,
    help="mysqlbinlog: the text of the servers' own tools; sql: one statement a row; json: one object a line.",
)
@click.option("--undo", is_flag=True, help="With --format sql: the statements that take the changes back, last first.")
@text_options
@choosing_options
@where_option
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
    undo: bool,
    text: TextOptions,
    result_file: str | None,
) -> None:
    """Print the events of binary logs.

    SOURCE is a log file (also compressed), an .index file for the logs it lists, or - for stdin.
    """
    if undo and format_ != "sql":
        raise click.UsageError("--undo makes statements: it goes with --format sql")
    gc.set_threshold(RARELY)
    if choice.where:
        text = with_rows_shown(text)
    selection = selection_of(choice, framing=format_ == "mysqlbinlog", wary=undo)
    logs = open_logs(environment, sources, reading, selection)
    with result(environment, result_file, text=format_ != "json") as file:
        if format_ == "json":
            as_json(environment, logs, zone, file.write)
        elif undo:
            as_undo(environment, logs, zone, file.write)
        elif format_ == "sql":
            as_sql(environment, logs, zone, file.write)
        else:
            as_text(environment, logs, text, file.write)
        file.flush()


@contextmanager
def result(environment: Environment, path: str | None, *, text: bool) -> Iterator[BinaryIO]:
    """Where the output goes: a file that was asked for, or stdout."""
    if path is None:
        yield on_terminal(environment.stdout) if text else environment.stdout
        return
    try:
        with open(path, "wb") as file:  # noqa: PTH123 - the name as it was given
            yield file
    except OSError as error:
        raise BinlogError(f"cannot write: {(error.strerror or str(error)).lower()}", file=path) from error


def with_rows_shown(text: TextOptions) -> TextOptions:
    """Single rows can be shown; a BINLOG statement holds whole events."""
    if text.flashback:
        raise click.UsageError("--where chooses single rows, --flashback needs whole events; use --format sql --undo")
    return replace(text, base64_output=DECODE_ROWS, verbose=max(text.verbose, 1))


def as_json(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write) -> None:
    """One object a line."""
    from binlogcli.render.json import JsonLines  # noqa: PLC0415 - each format imports its own

    out = Out()
    for log in logs:
        lines = JsonLines(out, log.path, zone)
        lines.run(log, write, partial(environment.damage, log.path))


def as_sql(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write) -> None:
    """Statements."""
    from binlogcli.render.sql import SqlStatements  # noqa: PLC0415

    statements = SqlStatements(Out(), zone)
    for log in logs:
        statements.run(log, write, partial(environment.damage, log.path))
    statements.finish(write)
    for remark in statements.remarks():
        environment.tell(remark)


def as_undo(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write) -> None:
    """The inverse statements, once all was read."""
    from binlogcli.render.undo import Undo  # noqa: PLC0415

    undo = Undo(zone)
    for log in logs:
        undo.run(log)
    if environment.status == Exit.DONE:
        undo.finish(write)


def as_text(environment: Environment, logs: Iterator[Log], text: TextOptions, write: Write) -> None:
    """The vendors' text."""
    from binlogcli.render.mysqlbinlog.printer import Mysqlbinlog  # noqa: PLC0415

    printer = Mysqlbinlog(Out(), text, write)
    for log in logs:
        printer.run(log, partial(environment.damage, log.path))
    printer.finish()


def on_terminal(file: BinaryIO) -> BinaryIO:
    """The way to a terminal, where text is coloured and cannot steer it; pipes are given the bytes as they are."""
    if not file.isatty():
        return file
    from binlogcli.render.mysqlbinlog.terminal import TerminalText  # noqa: PLC0415 - imports rich

    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return cast("BinaryIO", TerminalText(file, colour=not plain))

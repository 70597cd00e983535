"""The logs that a command's arguments stand for, opened one after another; the schema files beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from binlogcli.cli.environment import Environment
from binlogcli.cli.options import Reading
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.sources import expand

if TYPE_CHECKING:
    from binlogcli.rows.schema import Schema


def compiled() -> bool:
    """Whether the hot modules run compiled."""
    from binlogcli.log import cursor  # noqa: PLC0415 - asked for once

    return not str(cursor.__file__).endswith(".py")


def open_logs(environment: Environment, sources: tuple[str, ...], reading: Reading) -> Iterator[Log]:
    """Each log in turn, closed after its use; one that cannot be read is told of, and the next one follows."""
    options = ReadOptions(verify=reading.verify, max_event_size=reading.max_event_size)
    schema = load_schema(reading.schemas)
    for path in paths_of(environment, sources):
        try:
            with Log(path, options, schema) as log:
                environment.warn_if_slow(log.source.size, compiled)
                yield log
        except BinlogError as error:
            environment.failure(error)
    if schema is not None:
        for warning in schema.warnings:
            environment.tell(warning)


def paths_of(environment: Environment, sources: tuple[str, ...]) -> list[str]:
    """The logs that the arguments name; stdin where there are none and it is no terminal."""
    if not sources and sys.stdin.isatty():
        raise click.UsageError("no SOURCE given; name a log file, an index file, or - for stdin")
    paths: list[str] = []
    for source in sources or ("-",):
        try:
            paths += expand([source])
        except BinlogError as error:
            environment.failure(error)
    return paths


def load_schema(files: tuple[str, ...]) -> Schema | None:
    """The tables of the schema files, or None."""
    if not files:
        return None
    from binlogcli.rows.schema import Schema  # noqa: PLC0415 - imports sqlglot

    return Schema.read(files)

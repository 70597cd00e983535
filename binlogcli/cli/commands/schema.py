"""`binlogcli schema`: which definitions hold, and which statements changed them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING

import click

from binlogcli.cli.environment import Environment
from binlogcli.cli.event_output import to_stdout
from binlogcli.cli.inputs import flush_before_waiting, load_catalog, log_paths, open_logs, walk_back
from binlogcli.cli.options.choosing import place_of, table_options, tables_of
from binlogcli.cli.options.help_sections import SectionedCommand
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.shared import (
    AT_START,
    ReadingOptions,
    color_option,
    json_option,
    reading_options,
    sources_argument,
    zone_option,
)
from binlogcli.select.places import PlaceWatch

if TYPE_CHECKING:
    from binlogcli.render.definitions.scan import DefinitionScan
    from binlogcli.schema.definitions import Name
    from binlogcli.schema.history import Change, TableState
    from binlogcli.select.tables import TableChoice

Write = Callable[[bytes], object]

PLACES = """
\b
What PLACE can be, for --at:
  2026-11-21 00:05:18  a time, as for --start-datetime: the definitions before the
                       first event at or after this time
  FILE:794             the definitions before the event that starts there; FILE as
                       given on the command line, or without its directories
  0-101-7, UUID:7      a GTID: the definitions after its transaction
If the logs do not contain PLACE, that is an error.
"""


@click.command(
    cls=SectionedCommand, short_help="Show table definitions, and the statements that changed them.", epilog=PLACES
)
@click.option("--at", metavar="PLACE", help="Show the definitions at this TIME, FILE:POS or GTID; default: the end.")
@click.option("--history", is_flag=True, help="List the statements that changed definitions, up to --at.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: CREATE TABLE statements, or a table with --history; json: one object per line.",
)
@json_option
@table_options
@manifest_option
@color_option
@zone_option
@reading_options
@sources_argument
@click.pass_obj
def schema(
    environment: Environment,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    zone: tzinfo | None,
    at: str | None,
    history: bool,
    format_: str,
    databases: tuple[str, ...],
    tables: tuple[str, ...],
    color: str | None,
) -> None:
    """Print table definitions as of the end of binary logs, or the statements that changed them.

    The definitions come from the statements in the logs, and from --schema for tables created before the logs. SOURCE
    is a log file (plain or compressed), an .index file (for all logs it lists), - for stdin, a live server
    (mysql://USER@HOST[:PORT]/[LOG]), or a network capture of replication (pcap, pcapng). Several logs are treated as
    one history, in the order given.
    """
    from binlogcli.render.definitions.scan import DefinitionScan  # not for the help

    watch = PlaceWatch(place) if (place := place_of("--at", at, zone)) is not None else None
    chosen = tables_of(databases, tables)
    if reading.endless and not (history and format_ == "json"):
        raise click.UsageError("--stop-never (--follow) requires --history --format json")
    paths = log_paths(environment, sources, reading)
    catalog = load_catalog(reading)
    walk_back(environment, paths, reading, catalog)
    scan = DefinitionScan(catalog, watch)
    with to_stdout(environment, text=format_ == "text", color=color) as write:
        changes = _changes(environment, scan, paths, reading)
        if history:
            _write_history(environment, (one for one in changes if _takes(chosen, one)), format_, zone, write)
        else:
            deque(changes, maxlen=0)
        if (problem := None if watch is None else watch.problem()) is not None:
            environment.failure(problem)
        elif not history and (scan.over or scan.end is not None):
            _write_definitions(scan, chosen, format_, zone, write)
    _conclude(environment, scan, chosen.remarks() if problem is None else ())


def _changes(
    environment: Environment, scan: DefinitionScan, paths: Sequence[str], reading: ReadingOptions
) -> Iterator[Change]:
    """Yield the changes of definitions in all logs, up to the place that the scan is to stop at."""
    # the scan passes statements on to its own catalog
    for log in open_logs(environment, paths, reading._replace(schemas=(), schema_at=AT_START), follow=False):
        flush_before_waiting(environment, log, environment.stdout.flush)
        with environment.telling(log.path):
            yield from scan.changes(log, partial(environment.damage, log.path))
        if scan.over:
            return


def _takes(chosen: TableChoice, change: Change) -> bool:
    # each pattern is to see all of them; a damaged statement may be of any table
    return max((chosen.takes(one.name) for one in change.tables), default=True)


def _write_history(
    environment: Environment, changes: Iterable[Change], format_: str, zone: tzinfo | None, write: Write
) -> None:
    """Write the statements that changed definitions."""
    if format_ == "json":
        from binlogcli.render.definitions.lines import change_line  # each format imports its own

        for change in changes:
            write(change_line(change, zone))
        return
    from binlogcli.render.definitions.sheet import changes_table

    drawn = changes_table(changes, environment.width(), zone)
    if not drawn:
        environment.tell("no statement changed a selected definition")
    environment.stdout.write(drawn.encode())  # its cells are safe on a terminal, and no statements to paint


def _write_definitions(
    scan: DefinitionScan, chosen: TableChoice, format_: str, zone: tzinfo | None, write: Write
) -> None:
    """Write the definitions that hold at the end of what was read."""

    def tables() -> Iterator[tuple[Name, TableState]]:
        return ((name, state) for name, state in scan.history.tables() if chosen.takes(name))

    if format_ == "json":
        from binlogcli.render.definitions.lines import table_line  # each format imports its own

        for name, state in tables():
            write(table_line(name, state, zone))
        return
    from binlogcli.render.definitions.statements import as_statements

    for part in as_statements(tables, scan, zone):
        write(part.encode("utf-8", "surrogateescape"))


def _conclude(environment: Environment, scan: DefinitionScan, of_patterns: Iterable[str]) -> None:
    """Report what the logs lack, what of schema files was not understood, and remarks on the patterns of tables."""
    for gap in scan.missing_logs:
        environment.tell(f"{gap}: statements that changed definitions may be missing between them")
    for remark in (*scan.catalog.remarks(), *of_patterns):
        environment.tell(remark)

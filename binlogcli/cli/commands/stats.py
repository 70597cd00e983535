"""`binlogcli stats`: what is in there, and what is odd."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, cast

import click

from binlogcli.cli.environment import STDOUT, Environment
from binlogcli.cli.inputs import conclude, load_catalog, loaded_keys, log_paths, refuse_endless, walk_back
from binlogcli.cli.next_commands import LogTimes, NextCommands, typed_zone
from binlogcli.cli.options.choosing import choosing_options, selection_of
from binlogcli.cli.options.filters import filter_options
from binlogcli.cli.options.help_sections import SectionedCommand
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.server import finite
from binlogcli.cli.options.shared import (
    ReadingOptions,
    color_option,
    json_option,
    reading_options,
    sources_argument,
    zone_option,
)
from binlogcli.cli.options.values import FILE_NAME, Number
from binlogcli.cli.scans import Found, ScanTask
from binlogcli.cli.side_by_side import cores, scan_logs
from binlogcli.errors import BinlogError, counted
from binlogcli.events.stream import ReadOptions
from binlogcli.log.gaps import Damage
from binlogcli.select.choice import Choice
from binlogcli.sources.files import size_of
from binlogcli.sources.opening import open_source
from binlogcli.stats.report import NOT_REPORTED, StatsReport
from binlogcli.stats.times import At, dated
from binlogcli.stats.wanted import FRAGMENTS, SECTIONS, WIRE, Scope, Wanted
from binlogcli.stats.witnesses.finding import witnesses_among

if TYPE_CHECKING:
    from binlogcli.carve.files import CarvedFiles
    from binlogcli.cli.event_output import Write
    from binlogcli.cli.outputs import OutputFile
    from binlogcli.stats.witnesses.reading import Witness

_REPORTING = frozenset({"gtids", "problems", "transactions"})  # sections that report what is missing
WIDTHS = {
    "auto": 0,
    "1s": 1,
    "10s": 10,
    "1m": 60,
    "5m": 300,
    "10m": 600,
    "30m": 1800,
    "1h": 3600,
    "6h": 21600,
    "12h": 43200,
    "1d": 86400,
    "7d": 604800,
}
QUESTIONS = """
\b
Which section answers which question:
  How much data, from which period and servers? Is it readable?   summary
  Which types of events take up the space?                        events
  Which tables were changed, and how much?                        tables
  Which transactions were the largest, and which the longest?     transactions
  When was most written, and when nothing?                        timeline
  Which servers and connections wrote it?                         servers
  Which GTIDs are there, which are missing, how large is the lag?  gtids
  Which statements wrote the most?                                statements
  What is damaged, missing, out of order or risky to replicate?   problems
  How fast did events arrive from a server, or in a capture?      wire
  Where in a disk image or other file are events (--carve)?       fragments
"""


@dataclass(frozen=True, slots=True)
class _ReportOptions:
    """How the report is written, as it was typed."""

    top: int
    format_: str
    html: str | None
    force: bool
    width: int | None
    raw_cells: bool


@click.command(cls=SectionedCommand, short_help="Summarize logs, and report problems.", epilog=QUESTIONS)
@click.option(
    "--section",
    "sections",
    multiple=True,
    type=click.Choice([*SECTIONS, WIRE, FRAGMENTS]),
    help="Show only this section. Repeatable; default: all.",
)
@click.option(
    "--top",
    type=Number(1, 1000),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of entries in the top lists.",
)
@click.option(
    "--bucket",
    type=click.Choice(list(WIDTHS)),
    default="auto",
    show_default=True,
    help="Interval of the timeline. With a fixed interval, tables are also counted by interval.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "json", "csv", "tsv", "markdown"]),
    default="table",
    show_default=True,
    help="Output format of the sections.",
)
@json_option
@click.option(
    "--html",
    type=FILE_NAME,
    metavar="FILE",
    help="Write the report as one web page that needs no network and can be passed on.",
)
@click.option("--force", is_flag=True, help="Allow --html to replace an existing file.")
@click.option(
    "--raw-cells",
    is_flag=True,
    help="With csv or tsv: do not put an apostrophe before text that a spreadsheet would run as a formula.",
)
@click.option("--width", type=Number(40, 1000), metavar="N", help="Output width in columns.  [default: the terminal's]")
@click.option(
    "--jobs",
    type=Number(1, 64),
    metavar="N",
    help="Number of processes that read logs in parallel.  [default: one per core]",
)
@manifest_option
@color_option
@choosing_options
@filter_options
@zone_option
@finite
@reading_options
@sources_argument
@click.pass_context
def stats(
    ctx: click.Context,
    /,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    choice: Choice,
    zone: tzinfo | None,
    sections: tuple[str, ...],
    bucket: str,
    jobs: int | None,
    color: str | None,
    **shown: Any,
) -> None:
    """Summarize binary logs and report the problems in them.

    SOURCE is a log file (plain or compressed), an .index file (for all logs it lists), - for stdin, a live server
    (mysql://USER@HOST[:PORT]/[LOG]), or a network capture of replication (pcap, pcapng). Several logs are treated as
    one history: they are read in the order in which they were written, and missing logs are reported.
    """
    environment: Environment = ctx.obj
    layout = _ReportOptions(**shown)
    refuse_endless(reading, "stats")
    environment.output, environment.at_end = layout.html or STDOUT, True
    given, witnesses = _without_witnesses(environment, log_paths(environment, sources, reading), sections, reading)
    if not sections and not given:
        sections = tuple(one.section for one in witnesses)
    names = tuple(name for name in SECTIONS if name in sections) if sections else SECTIONS
    wanted = Wanted(names, layout.top, WIDTHS[bucket], zone, _scope_of(choice))
    _check(layout, wanted, sections, carve=reading.carve)
    paths = in_order(given)
    report = StatsReport(wanted)
    report.witnesses = [one for one in witnesses if one.values]
    report.reordered(given, paths)
    selection = selection_of(choice)
    with _page_output(layout, (*given, *reading.files()), private=reading.keys.given) as page:
        catalog = load_catalog(reading)
        with loaded_keys(environment, reading.keys) as keys:
            options = ReadOptions(verify=reading.verify, max_event_size=reading.max_event_size, keys=keys)
            walk_back(environment, paths, reading, catalog)
            scanned = [] if sections == (FRAGMENTS,) else paths
            task = ScanTask(scanned, reading, options, catalog, wanted, selection, environment.output)
            read(environment, report, task, jobs, wires=not sections or WIRE in sections)
        conclude(environment, selection)
        made = report.result()
        if environment.carved is not None and (not sections or FRAGMENTS in sections):
            made = {FRAGMENTS: fragments(environment.carved, zone), **made}
        logs = [LogTimes(log["file"], log["first_time"], log["last_time"]) for log in report.summary.logs]
        commands = NextCommands(ctx, sources, paths, zone, remote=reading.remote)
        commands.add_to(made, logs)
        if page is not None:
            _add_to_page(environment, made)
            write_page(page, made, zone, commands)
        else:
            write(environment, made, layout, color)


def _add_to_page(environment: Environment, made: dict[str, Any]) -> None:
    """Add the checksums of what was read, in a run with --manifest."""
    if environment.record is not None:
        made["inputs"] = environment.record.digests()


def _without_witnesses(
    environment: Environment, paths: list[str], sections: Sequence[str], reading: ReadingOptions
) -> tuple[list[str], list[Witness]]:
    """Return the logs among the paths, each once, and what files beside logs say; report those that cannot be read."""
    if reading.remote or reading.carve:
        return _once(environment, paths), []
    found = witnesses_among(paths, sections)
    for witness in found:
        try:
            witness.read()
        except BinlogError as error:
            environment.trouble(error)
    files = {one.file for one in found}
    return _once(environment, [path for path in paths if path not in files]), found


def _scope_of(choice: Choice) -> Scope:
    """Return which events are counted."""
    from_start = not choice.start_position and choice.start_time is None
    return Scope(choice != Choice(), choice.without_range() == Choice(), from_start)


def _check(layout: _ReportOptions, wanted: Wanted, sections: tuple[str, ...], *, carve: bool) -> None:
    """Raise a usage error for options that have no effect."""
    if layout.raw_cells and (layout.html is not None or layout.format_ not in {"csv", "tsv"}):
        raise click.UsageError("--raw-cells requires --format csv or tsv")
    if wanted.width and not wanted.needs("timeline", "tables"):
        raise click.UsageError("--bucket requires --section timeline or tables")
    if FRAGMENTS in sections and not carve:
        raise click.UsageError("--section fragments requires --carve")


def fragments(carved: CarvedFiles, zone: tzinfo | None) -> list[dict[str, Any]]:
    """Return where in files events were found, as a section of the report."""
    rows = carved.listing()
    for row in rows:
        row |= {"first_time": At(row["first_time"]), "last_time": At(row["last_time"])}
    return cast("list[dict[str, Any]]", dated(rows, zone))


def read(environment: Environment, report: StatsReport, task: ScanTask, jobs: int | None, *, wires: bool) -> None:
    """Scan all logs and add what is found to the report; with `wires` also how servers and captures delivered it."""
    size = sum(map(size_of, task.paths))
    environment.warn_if_slow(size)
    remarks = dict.fromkeys(task.catalog.remarks())
    for scanned in scan_logs(environment, task, jobs or cores(size)):
        remarks |= dict.fromkeys(scanned.found["remarks"] if isinstance(scanned.found, dict) else ())
        absorb(environment, report, scanned.name, scanned.found)
        if scanned.wire is not None and wires:
            report.absorb_wire(scanned.wire.wire_name, scanned.wire.figures)
    for remark in remarks:
        environment.tell(remark)


def absorb(environment: Environment, report: StatsReport, path: str, found: Found) -> None:
    """Add what came of one log, and report what of it could not be read."""
    if isinstance(found, BinlogError):
        environment.failure(found)
        report.unreadable(found.file or path, found.reason)  # an address is shown without its password
        return
    for damage in found["gaps"]:
        environment.damage(path, damage)
    if found["more_gaps"]:
        seen, more = found["seen"], counted(found["more_gaps"], "more gap")
        environment.damage(path, Damage(seen, seen, more, "use binlogcli dump to see all"))
    report.absorb(found)


def _once(environment: Environment, paths: list[str]) -> list[str]:
    """Return each log once: what was given again would be counted twice. Tell which were."""
    found: dict[str, str] = {}
    for path in paths:
        key = os.path.realpath(path) if os.path.exists(path) else path
        if key in found:
            environment.tell(f"{path}: specified more than once, counted once")
        found.setdefault(key, path)
    return list(found.values())


def in_order(paths: list[str]) -> list[str]:
    """Return the logs in the order of their history."""
    if len(paths) < 2:
        return paths
    from binlogcli.stats.log_order import ordered  # for several logs

    return ordered(paths, {path: _successor_of(path) for path in paths})


def _successor_of(path: str) -> str | None:
    """Return the log that the end of a plain file names; None where it names none or cannot be read."""
    from binlogcli.stats.log_order import next_name

    if size_of(path) == 0:
        return None
    try:
        with open_source(path) as source:
            return next_name(source)
    except BinlogError:
        return None


def _page_output(
    layout: _ReportOptions, inputs: Sequence[str], *, private: bool
) -> AbstractContextManager[OutputFile | None]:
    """Open the file of the page; None where none is wanted."""
    if layout.html is None:
        return nullcontext()
    from binlogcli.cli.outputs import open_output  # only where asked for

    return open_output(layout.html, inputs=inputs, force=layout.force, private=private)


def write_page(output: OutputFile, report: dict[str, Any], zone: tzinfo | None, commands: NextCommands) -> None:
    """Write the report as a web page."""
    from binlogcli.render.report.page.document import page  # each form imports its own

    output.write(page(report, typed_zone(zone), commands.any_stretch()).encode())


def write(environment: Environment, report: dict[str, Any], layout: _ReportOptions, color: str | None) -> None:
    """Write the report to stdout; tables are fitted to the terminal, or to the given width."""
    from binlogcli.render.report.text import ReportStyle, draw

    width = layout.width or environment.width()
    style = ReportStyle(layout.format_, layout.top, width, environment.paints(color), layout.raw_cells)
    has_remarks = layout.format_ == "json" or (layout.format_ == "table" and width)
    if not has_remarks and NOT_REPORTED in report.get("remarks", ()) and not _REPORTING.isdisjoint(report):
        environment.tell(NOT_REPORTED)
    place: AbstractContextManager[Write] = nullcontext(environment.stdout.write)
    if layout.format_ == "json":
        from binlogcli.cli.event_output import to_stdout  # only where asked for

        place = to_stdout(environment, text=False, color=color)
    with place as put:
        for text in draw(report, style):
            put(text.encode())
    environment.stdout.flush()

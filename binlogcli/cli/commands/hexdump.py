"""`binlogcli hexdump`: which byte means what."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import tzinfo
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.cli.environment import STDOUT, Environment, Exit
from binlogcli.cli.event_output import Write, to_stdout
from binlogcli.cli.inputs import flush_before_waiting, heard_beside, log_paths, open_logs, refuse_endless
from binlogcli.cli.options.choosing import choosing_options, selection_of
from binlogcli.cli.options.filters import filter_options, last_option
from binlogcli.cli.options.help_sections import SectionedCommand
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.shared import ReadingOptions, color_option, json_option, log_options, zone_option
from binlogcli.cli.options.values import FILE_NAME, Number
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.log.gaps import Damage
from binlogcli.render.hexdump.options import HexOptions
from binlogcli.select.choice import Choice
from binlogcli.sources.source import PiecedSource

if TYPE_CHECKING:
    from binlogcli.render.hexdump.text import HexText
    from binlogcli.render.hexdump.tree import HexJson
    from binlogcli.sources.source import Listener

WIDTH = 120  # where no terminal says otherwise
_LARGEST_LOSS = 1 << 26  # bytes of a damaged stretch that are shown at most


class _HexdumpOptions(NamedTuple):
    """The command's own options, as they were typed."""

    width: int | None
    fields: bool
    format_: str
    limit: int | None
    last: int | None
    max_bytes: int
    find: str | None
    legend: bool
    export: str | None
    force: bool

    @property
    def as_json(self) -> bool:
        """Whether the tree is written as JSON."""
        return self.format_ == "json"


@click.command(cls=SectionedCommand, short_help="Which byte means what.")
@click.option(
    "--width", type=Number(60, 1000), metavar="N", help="Output width in columns.  [default: the terminal's, or 120]"
)
@click.option("--fields/--no-fields", default=True, help="Name each field (the default), or show only the bytes.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: one line per field; json: the fields as a tree, one event per line.",
)
@json_option
@click.option("-n", "--limit", type=Number(1), metavar="N", help="Stop after N events.")
@last_option
@click.option(
    "--max-bytes",
    type=Number(0),
    default=256,
    show_default=True,
    metavar="N",
    help="Show at most N bytes of a field; 0 shows all.",
)
@click.option("--find", metavar="HEX|TEXT", help="Only events that contain these bytes; matches are highlighted.")
@click.option("--legend", is_flag=True, help="Explain the colours before the events.")
@click.option(
    "--export", type=FILE_NAME, metavar="FILE", help="Write the output to FILE, which must end in .svg or .html."
)
@click.option("--force", is_flag=True, help="Allow --export to replace an existing file.")
@manifest_option
@color_option
@choosing_options
@filter_options
@zone_option
@log_options
@click.pass_obj
def hexdump(
    environment: Environment,
    /,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    choice: Choice,
    zone: tzinfo | None,
    color: str | None,
    **drawn: object,
) -> None:
    """Show every byte of every event with its position, field name, value and meaning.

    SOURCE is a log file (plain or compressed), an .index file (for all logs it lists), - for stdin, a network capture
    of replication (pcap, pcapng), or a live server: mysql://USER@HOST[:PORT]/[LOG]. Without LOG, the newest log is
    read; ?from=first reads all logs, ?gtid=SET all transactions that are not in SET.
    """
    drawing = _HexdumpOptions(**drawn)  # type: ignore[arg-type]
    _check(drawing, reading, choice)
    options = _hex_options(environment, drawing, verified=reading.verify, zone=zone, color=color)
    paths = log_paths(environment, sources, reading)
    selection = selection_of(choice._replace(last=drawing.last))
    environment.output = drawing.export or STDOUT
    output: AbstractContextManager[Write]
    if drawing.export is not None:
        inputs = (*paths, *sources, *reading.files())
        private = reading.keys.given
        output = _to_picture(drawing.export, options.width, inputs, force=drawing.force, private=private)
    elif drawing.as_json:
        output = to_stdout(environment, text=False, color=color)
    else:
        output = nullcontext(environment.stdout.write)  # drawings are safe, and painted
    with output as write:
        run = _HexdumpRun(environment, drawing, options, write)
        for log in open_logs(environment, paths, reading, selection):
            with environment.telling(log.path):
                run.draw(log)
            if run.left == 0:
                break
    if drawing.find is not None and run.has_read and not run.drawer.finder.found:
        environment.tell("--find: nothing matched")
        environment.status = max(environment.status, Exit.DAMAGED)  # as grep's


def _check(drawing: _HexdumpOptions, reading: ReadingOptions, choice: Choice) -> None:
    """Raise a usage error for options that do not go together."""
    if drawing.export and drawing.as_json:
        raise click.UsageError("--export saves the text output, and cannot be combined with --format json")
    if drawing.export:
        refuse_endless(reading, "--export")
    if choice.stop_position is not None:
        refuse_endless(reading, "--stop-position")
    for option, value in (("--limit", drawing.limit), ("--find", drawing.find)):
        if drawing.last is not None and value is not None:
            raise click.UsageError(f"{option} and --last cannot be combined")


def _hex_options(
    environment: Environment, drawing: _HexdumpOptions, *, verified: bool, zone: tzinfo | None, color: str | None
) -> HexOptions:
    """Return how events are drawn."""
    exported = drawing.export is not None
    return HexOptions(
        width=drawing.width or screen_width(environment.stdout, exported=exported),
        fields=drawing.fields,
        max_bytes=drawing.max_bytes,
        painted=(exported or environment.paints(color)) and not drawing.as_json,
        verified=verified,
        zone=zone,
        needles=_needles_of(drawing.find),
    )


class _HexdumpRun:
    """Draws log after log; what was decoded is written even where reading ends in an error."""

    def __init__(self, environment: Environment, drawing: _HexdumpOptions, options: HexOptions, write: Write) -> None:
        self.environment = environment
        self.write = write
        self.has_read = False  # an event
        self.out = TextBuffer()
        self.out.drain = write
        self.left = drawing.limit if drawing.limit is not None else -1
        self.keep = drawing.max_bytes or _LARGEST_LOSS
        self.drawer = _drawer_for(self.out, drawing, options)
        if drawing.legend and not drawing.as_json:
            from binlogcli.render.hexdump.legend import put_legend  # only where asked for

            put_legend(self.out, painted=options.painted)

    def draw(self, log: Log) -> None:
        """Draw a log, or as many events as are left to draw."""
        flush_before_waiting(self.environment, log, self._show)
        log.stream.keep_lost(self.keep)
        pieces = log.source
        offset_of = pieces.offset_of if isinstance(pieces, PiecedSource) and pieces.carved else None
        self.drawer.begin_log(log.path, log.source.head(4), log.source.remark, offset_of)
        source = heard_beside(log)
        if source is not None and not self.drawer.options.needles:
            source.listener = _listener_for(self.drawer, log.path)
        try:
            self._draw_events(log, partial(self.environment.damage, log.path))
        finally:
            self.drawer.end_log()
            self.flush()

    def _draw_events(self, log: Log, report: Callable[[Damage], None]) -> None:
        """Draw the events and the gaps between them."""
        while True:
            event = log.advance()
            if event is not None:
                self.has_read = True
                nested = event.within_at >= 0
                if self.left == 0 and not nested:
                    return
                if self._draw_event(event, log, report) and not nested and self.left > 0:
                    self.left -= 1
            elif not self._draw_gap(log, report):
                return
            if self.out.full():
                self.flush()

    def _draw_event(self, event: Event, log: Log, report: Callable[[Damage], None]) -> bool:
        """Draw an event and report what of it cannot be read; return False where it is not asked for."""
        drawn = self.drawer.put_event(event, log.stream.context)
        problem = self.drawer.problem
        if problem is not None:
            report(problem)
        return drawn

    def _draw_gap(self, log: Log, report: Callable[[Damage], None]) -> bool:
        """Draw the stretch that came up instead of an event; return False at the end of the log."""
        gap = log.take_gap()
        if gap is None:
            return False
        if isinstance(gap, Damage):
            report(gap)
            broken = log.stream.take_broken(gap)
            if broken is not None:
                self.drawer.put_event(broken, log.stream.context, gap)
                return True
        self.drawer.put_gap(gap, log.stream.lost_bytes(gap))
        return True

    def _show(self) -> None:
        """Write out what is ready, down to the reader of stdout."""
        self.flush()
        self.environment.stdout.flush()

    def flush(self) -> None:
        """Write out what is ready."""
        self.write(self.out.content())
        self.out.clear()


def _drawer_for(out: TextBuffer, drawing: _HexdumpOptions, options: HexOptions) -> HexText | HexJson:
    """Return what draws events, as text or as JSON."""
    if drawing.as_json:
        from binlogcli.render.hexdump.tree import HexJson

        return HexJson(out, options)
    from binlogcli.render.hexdump.text import HexText

    return HexText(out, options)


def _listener_for(drawer: HexText | HexJson, path: str) -> Listener:
    """Return what draws packets."""
    from binlogcli.render.hexdump.packets import PacketJson, PacketText  # only where there are any
    from binlogcli.render.hexdump.text import HexText

    return PacketText(drawer) if isinstance(drawer, HexText) else PacketJson(drawer.out, path)


def _needles_of(find: str | None) -> list[bytes]:
    """Return the byte strings that `--find` looks for."""
    if find is None:
        return []
    if not find:
        raise click.BadParameter("nothing to search for", param_hint="'--find'")
    from binlogcli.render.hexdump.find import needles  # only where asked for

    return needles(find)


def screen_width(stdout: BinaryIO, *, exported: bool) -> int:
    """Return the width to draw for: the terminal's, where the output goes to one."""
    if exported or not stdout.isatty():
        return WIDTH
    try:
        return max(os.get_terminal_size(stdout.fileno()).columns, 60)
    except OSError:
        return WIDTH


@contextmanager
def _to_picture(path: str, width: int, inputs: Sequence[str], *, force: bool, private: bool) -> Iterator[Write]:
    """Give the function that writes the drawing into a picture or page."""
    form = path.lower().rpartition(".")[2]
    if form not in {"svg", "html"}:
        raise click.BadParameter(f"{path!r} does not end in .svg or .html", param_hint="'--export'")
    from binlogcli.cli.outputs import open_output  # pictures alone are files

    parts: list[bytes] = []
    with open_output(path, inputs=inputs, force=force, private=private) as output:
        yield lambda part: parts.append(bytes(part))
        from binlogcli.render.hexdump.export import html, svg  # imports rich

        text = b"".join(parts).decode("utf-8", "backslashreplace")
        output.write((svg if form == "svg" else html)(text, width).encode())

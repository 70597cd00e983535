"""`binlogcli dump`: what happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import tzinfo
from functools import partial
from typing import BinaryIO, cast

import click

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.inputs import flush_before_waiting, heard_beside, log_paths, open_logs, refuse_endless
from binlogcli.cli.options.choosing import choosing_options, selection_of, where_option
from binlogcli.cli.options.filters import filter_options, grep_options, limit_option
from binlogcli.cli.options.help_sections import SectionedCommand
from binlogcli.cli.options.shared import ReadingOptions, choosing, color_option, json_option, log_options, zone_option
from binlogcli.cli.options.text import text_options
from binlogcli.events.log import Log
from binlogcli.render.mysqlbinlog.options import DECODE_ROWS, TextOptions
from binlogcli.select.choice import CHANGES, EVENTS, ROWS, Choice

Write = Callable[[bytes | memoryview], object]
TABLE_FORMATS = ("csv", "tsv")
COLOURED = ("mysqlbinlog", "sql", "json")
ONELINE = "oneline"  # what --oneline stands for among the formats


ELSEWHERE = """
\b
Options of the servers' own tools that are missing here, and what to use instead:
  -h HOST, -pPASSWORD           --host; -p asks for it, or --password-file
  --raw                         binlogcli pull
  --start-position GTIDs, --stop-position GTIDs, --do-domain-ids,
  --ignore-domain-ids           --include-gtids, --exclude-gtids
  --do-server-ids               --server-id
  -c, --verify-binlog-checksum  always on; --no-verify turns it off
  --skip-annotate-row-events, --print-row-count,
  --print-row-event-positions   grep -v
"""


@click.command(cls=SectionedCommand, short_help="Print events as mysqlbinlog text, SQL, JSON or CSV.", epilog=ELSEWHERE)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["mysqlbinlog", "sql", "json", *TABLE_FORMATS]),
    default="mysqlbinlog",
    show_default=True,
    help="mysqlbinlog: the same output as the servers' own tools; sql: one statement per row; json: one object per "
    "line; csv, tsv: the rows of one table (-T).",
)
@click.option(
    "--raw-cells",
    is_flag=True,
    help="With csv or tsv: do not put an apostrophe before text that a spreadsheet would run as a formula.",
)
@json_option
@click.option(
    "--oneline",
    is_flag=True,
    help="Print one line per transaction: fitted to the terminal, or as tab-separated fields in a pipe or file.",
)
@click.option(
    "--undo",
    is_flag=True,
    is_eager=True,
    callback=choosing("sql"),
    help="Print the statements that reverse the changes, last change first; implies --format sql.",
)
@click.option(
    "--parents-only",
    is_flag=True,
    help="With --undo: proceed even where a foreign key (such as ON DELETE CASCADE) changed other rows; those are "
    "not restored.",
)
@click.option(
    "--without-triggers",
    is_flag=True,
    help="With --undo: include tables with triggers; drop the triggers before you run the output.",
)
@text_options
@color_option
@choosing_options
@filter_options
@limit_option
@where_option
@grep_options
@zone_option
@log_options
@click.pass_obj
def dump(
    environment: Environment,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    choice: Choice,
    zone: tzinfo | None,
    format_: str,
    raw_cells: bool,
    oneline: bool,
    undo: bool,
    parents_only: bool,
    without_triggers: bool,
    text: TextOptions,
    result_file: str | None,
    color: str | None,
) -> None:
    """Print the events of binary logs.

    SOURCE is a log file (plain or compressed), an .index file (for all logs it lists), - for stdin, a network capture
    of replication (pcap, pcapng), or a live server: mysql://USER@HOST[:PORT]/[LOG]. Without LOG, the newest log is
    read; ?from=first reads all logs, ?gtid=SET all transactions that are not in SET.
    """
    accepted = {"parents_only": parents_only, "without_triggers": without_triggers}
    _check_undo(undo=undo, **accepted)
    _check_table(format_, choice, raw_cells=raw_cells)
    _check_endless(reading, choice, backward=undo or text.flashback, oneline=oneline)
    if oneline:
        format_ = _oneline(format_, text)
    text = _checked(text, format_, choice, reading)
    chosen = choice._replace(limit=None, last=None) if oneline else choice  # --oneline: of transactions, not of events
    if choice.limit or choice.last:
        chosen = chosen._replace(counted=_counted(format_, choice))
    selection = selection_of(chosen, framing=format_ == "mysqlbinlog", wary=undo)
    paths = log_paths(environment, sources, reading.server)
    follow = _needs_definitions(format_, text, choice)
    logs = open_logs(environment, paths, reading, selection, follow=follow)
    if result_file is not None:
        inputs = (*paths, *sources, *reading.files())
        output: AbstractContextManager[Write] = _to_file(
            environment, result_file, inputs, private=reading.keys.given, endless=reading.endless
        )
    elif oneline:
        output = nullcontext(environment.stdout.write)  # its text is safe, and painted
    else:
        output = to_stdout(environment, text=format_ != "json", color=color if format_ in COLOURED else "never")
    with output as write:
        if format_ == "json":
            as_json(environment, logs, zone, write)
        elif format_ in TABLE_FORMATS:
            _as_table(environment, logs, format_, zone, write, raw_cells=raw_cells)
        elif oneline:
            _as_lines(environment, logs, zone, choice, write, to_screen=result_file is None, color=color)
        elif undo:
            _as_undo(environment, logs, zone, write, **accepted)
        elif format_ == "sql":
            _as_sql(environment, logs, zone, write)
        else:
            as_text(environment, logs, text, write)


def _counted(format_: str, choice: Choice) -> int:
    """Return what limits count: not the frames of transactions that are shown for the changes in them."""
    if format_ in TABLE_FORMATS:
        return ROWS
    if format_ == "mysqlbinlog" and choice.last is None and not choice.events:
        return CHANGES if choice.databases or choice.tables or choice.operations else EVENTS
    return CHANGES if format_ == "sql" else EVENTS


def _needs_definitions(format_: str, text: TextOptions, choice: Choice) -> bool:
    """Whether names of columns are shown or asked for: base64 and the lines of transactions have none."""
    if format_ == ONELINE:
        return bool(choice.where or choice.grep)
    return format_ != "mysqlbinlog" or text.verbose > 0 or text.flashback


@contextmanager
def _to_file(
    environment: Environment, path: str, inputs: Sequence[str], *, private: bool, endless: bool
) -> Iterator[Write]:
    """Give the function that writes to a file, which must be none of the inputs."""
    from binlogcli.cli.outputs import open_output  # most output goes to stdout

    environment.output = path
    with open_output(path, inputs=inputs, force=True, private=private, endless=endless) as output:
        yield output.write


@contextmanager
def to_stdout(environment: Environment, *, text: bool, color: str | None) -> Iterator[Write]:
    """Give the function that writes to stdout."""
    painted = environment.paints(color) if text else environment.paints_json(color)
    file = _on_terminal(environment.stdout, text=text, painted=painted)
    yield file.write
    file.flush()


def _check_undo(*, undo: bool, parents_only: bool, without_triggers: bool) -> None:
    """Raise a usage error for the options of `--undo` without it."""
    if without_triggers and not undo:
        raise click.UsageError("--without-triggers requires --undo")
    if parents_only and not undo:
        raise click.UsageError("--parents-only requires --undo")


def _check_table(format_: str, choice: Choice, *, raw_cells: bool) -> None:
    """Raise a usage error for the formats that are of one table without it, and for their option without them."""
    if format_ in TABLE_FORMATS and not choice.tables:
        raise click.UsageError(f"--format {format_} writes the rows of one table: specify it with -T DATABASE.TABLE")
    if raw_cells and format_ not in TABLE_FORMATS:
        raise click.UsageError("--raw-cells requires --format csv or tsv")


def _check_endless(reading: ReadingOptions, choice: Choice, *, backward: bool, oneline: bool) -> None:
    """Raise a usage error for `--stop-never` with what needs the end of the logs."""
    if backward:
        refuse_endless(reading, "--undo or --flashback")
    if choice.stop_position is not None:
        refuse_endless(reading, "--stop-position")
    if oneline and choice.last is not None:
        refuse_endless(reading, "--last")


def _oneline(format_: str, text: TextOptions) -> str:
    """Return the format of `--oneline`; raise a usage error for what has no effect on it."""
    if format_ != "mysqlbinlog":
        raise click.UsageError(f"--oneline cannot be combined with --format {format_}")
    default = TextOptions(zone=text.zone)
    for name, value in text._asdict().items():
        if value != default._asdict()[name]:
            option = "dialect" if name == "mariadb" else name.replace("_", "-")
            raise click.UsageError(f"--{option} cannot be combined with --oneline")
    return ONELINE


def _checked(text: TextOptions, format_: str, choice: Choice, reading: ReadingOptions) -> TextOptions:
    """Return the options of the text, with what others mean for them; usage errors for what does not go together."""
    if format_ != "mysqlbinlog":
        _refuse_options_of_text(text, format_)
    if format_ in ("mysqlbinlog", ONELINE) and reading.unsigned and not (choice.where or choice.grep):
        raise click.UsageError("--assume-unsigned requires --format sql or json, or --where")
    if (choice.where or choice.grep) and not choice.whole:
        text = _with_rows_shown(text)
    filtered = bool(choice.databases or choice.tables or choice.operations or choice.events)
    return text._replace(begins_at=choice.start_position, filtered=filtered)


def _refuse_options_of_text(text: TextOptions, format_: str) -> None:
    """Raise a usage error for options that have an effect on the text of mysqlbinlog alone."""
    for name in ("flashback", "rewrite_db", "offset", "disable_log_bin", "idempotent"):
        if getattr(text, name):
            hint = "; --undo reverses changes" if name == "flashback" else ""
            option = name.replace("_", "-")
            raise click.UsageError(
                f"--{option} requires --format mysqlbinlog, and cannot be combined with --format {format_}{hint}"
            )


def _with_rows_shown(text: TextOptions) -> TextOptions:
    """Return options that show single rows, as a BINLOG statement holds whole events."""
    if text.flashback:
        reason = "--where and --grep select single rows, but --flashback needs whole events"
        raise click.UsageError(f"{reason}; use --undo")
    return text._replace(base64_output=DECODE_ROWS, verbose=max(text.verbose, 1))


def as_json(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write) -> None:
    """Write one object a line."""
    from binlogcli.render.ndjson.events import JsonLines  # each format imports its own

    out = TextBuffer()
    lines = JsonLines(out, zone)
    for log in logs:
        flush_before_waiting(environment, log, partial(show, environment, out, write))
        if (source := heard_beside(log)) is not None:
            from binlogcli.render.dialogue import JsonDialogue  # only of what was sent over a wire

            source.listener = JsonDialogue(out, log.path, zone)
        with environment.telling(log.path):
            lines.run(log, write, partial(environment.damage, log.path))


def show(environment: Environment, out: TextBuffer, write: Write) -> None:
    """Write out what is ready, down to the reader of stdout."""
    write(out.content())
    out.clear()
    environment.stdout.flush()


def _as_sql(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write) -> None:
    """Write the events as SQL statements."""
    from binlogcli.render.sql.statements import SqlStatements

    out = TextBuffer()
    statements = SqlStatements(out, zone)
    for log in logs:
        flush_before_waiting(environment, log, partial(show, environment, out, write))
        with environment.telling(log.path):
            statements.run(log, write, partial(environment.damage, log.path))
    statements.finish(write)
    for remark in statements.remarks():
        environment.tell(remark)


def _as_table(
    environment: Environment, logs: Iterator[Log], format_: str, zone: tzinfo | None, write: Write, *, raw_cells: bool
) -> None:
    """Write the rows of one table as lines of fields."""
    from binlogcli.render.delimited.table_lines import TableLines

    out = TextBuffer()
    lines = TableLines(out, format_, zone, environment.tell, raw=raw_cells)
    for log in logs:
        flush_before_waiting(environment, log, partial(show, environment, out, write))
        with environment.telling(log.path):
            lines.run(log, write, partial(environment.damage, log.path))
    for remark in lines.remarks():
        environment.tell(remark)
    if lines.incomplete:
        environment.status = max(environment.status, Exit.DAMAGED)


def _as_lines(
    environment: Environment,
    logs: Iterator[Log],
    zone: tzinfo | None,
    choice: Choice,
    write: Write,
    *,
    to_screen: bool,
    color: str | None,
) -> None:
    """Write a line for each transaction, on a terminal in its width."""
    from binlogcli.cli.transaction_lines import LineOptions, write_lines  # with the scan of stats

    lines = LineOptions(
        width=environment.width() if to_screen else 0,
        painted=environment.paints(color),
        zone=zone,
        limit=choice.limit,
        last=choice.last,
    )
    write_lines(environment, logs, lines, write)


def _as_undo(
    environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write, **accepted: bool
) -> None:
    """Write the inverse statements once all was read."""
    from binlogcli.render.sql.undo import Undo

    undo = Undo(zone, **accepted)
    for log in logs:
        undo.run(log)
    if environment.status == Exit.DONE:
        undo.finish(write)
        for remark in undo.remarks():
            environment.tell(remark)


def as_text(environment: Environment, logs: Iterator[Log], text: TextOptions, write: Write) -> None:
    """Write the vendors' text."""
    from binlogcli.render.mysqlbinlog.printer import Mysqlbinlog

    out = TextBuffer()
    printer = Mysqlbinlog(out, text, write)
    for log in logs:
        flush_before_waiting(environment, log, partial(show, environment, out, write))
        with environment.telling(log.path):
            damage, remark = partial(environment.damage, log.path), partial(environment.remark, log.path)
            _as_text_with_dialogue(log, out, text.zone, partial(printer.run, log, damage, remark))
    printer.finish()
    for shortcoming in printer.shortcomings():
        environment.tell(shortcoming)


def _as_text_with_dialogue(log: Log, out: TextBuffer, zone: tzinfo | None, run: Callable[[], object]) -> None:
    """Run the printer of a log, with the packets beside its events as comments."""
    source = heard_beside(log)
    if source is None:
        run()
        return
    from binlogcli.render.dialogue import TextDialogue  # only of what was sent over a wire

    source.listener = dialogue = TextDialogue(out, zone)
    run()
    dialogue.release()


def _on_terminal(file: BinaryIO, *, text: bool, painted: bool) -> BinaryIO:
    """Wrap a terminal so that the output cannot steer it, and in colours; return a pipe or file as it is."""
    if text and (painted or file.isatty()):
        from binlogcli.render.mysqlbinlog.terminal import TerminalText  # rarely needed

        return cast("BinaryIO", TerminalText(file, colour=painted))
    if not text and (painted or file.isatty()):
        from binlogcli.render.json_terminal import JsonTerminal  # rarely needed

        return cast("BinaryIO", JsonTerminal(file, painted=painted))
    return file

"""`binlogcli dump`: what happened."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import tzinfo

import click

from binlogcli.cli.environment import Environment
from binlogcli.cli.event_output import Write, as_json, as_lines, as_sql, as_table, as_text, as_undo, to_file, to_stdout
from binlogcli.cli.inputs import log_paths, open_logs, refuse_endless
from binlogcli.cli.options.choosing import choosing_options, selection_of, where_option
from binlogcli.cli.options.filters import filter_options, grep_options, limit_option, transaction_option
from binlogcli.cli.options.help_sections import SectionedCommand
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.shared import ReadingOptions, choosing, color_option, json_option, log_options, zone_option
from binlogcli.cli.options.text import text_options
from binlogcli.render.mysqlbinlog.options import DECODE_ROWS, TextOptions
from binlogcli.select.choice import CHANGES, EVENTS, ROWS, Choice

TABLE_FORMATS = ("csv", "tsv")
COLOURED = ("mysqlbinlog", "sql", "json")
ONELINE = "oneline"  # what --oneline stands for among the formats


ELSEWHERE = """
\b
Options of the servers' own tools that are missing here, and what to use instead:
  -h HOST                       --host HOST
  -pPASSWORD                    -p alone, to be asked for the password, or --password-file FILE
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
@manifest_option
@text_options
@color_option
@choosing_options
@filter_options
@limit_option
@where_option
@grep_options
@transaction_option
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
    paths = log_paths(environment, sources, reading)
    follow = _needs_definitions(format_, text, choice)
    logs = open_logs(environment, paths, reading, selection, follow=follow)
    with _output(environment, result_file, (*paths, *sources), reading, format_, color) as write:
        if format_ == "json":
            as_json(environment, logs, zone, write)
        elif format_ in TABLE_FORMATS:
            as_table(environment, logs, format_, zone, write, raw_cells=raw_cells)
        elif oneline:
            as_lines(environment, logs, zone, choice, write, to_screen=result_file is None, color=color)
        elif undo:
            as_undo(environment, logs, zone, write, **accepted)
        elif format_ == "sql":
            as_sql(environment, logs, zone, write)
        else:
            as_text(environment, logs, text, write)


def _output(
    environment: Environment,
    result_file: str | None,
    paths: Sequence[str],
    reading: ReadingOptions,
    format_: str,
    color: str | None,
) -> AbstractContextManager[Write]:
    """Return what gives the function that writes to the result file, or else to stdout."""
    if result_file is not None:
        inputs = (*paths, *reading.files())
        return to_file(environment, result_file, inputs, private=reading.keys.given, endless=reading.endless)
    if format_ == ONELINE:
        return nullcontext(environment.stdout.write)  # its text is safe, and painted
    return to_stdout(environment, text=format_ != "json", color=color if format_ in COLOURED else "never")


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
        raise click.UsageError("--assume-unsigned requires --format sql, json, csv or tsv, or --where or --grep")
    if (choice.where or choice.grep) and not choice.whole:
        text = _with_rows_shown(text)
    filtered = bool(choice.databases or choice.tables or choice.operations or choice.events)
    return text._replace(begins_at=choice.start_position, filtered=filtered)


def _refuse_options_of_text(text: TextOptions, format_: str) -> None:
    """Raise a usage error for options that have an effect on the text of mysqlbinlog alone."""
    for name in ("flashback", "rewrite_db", "offset", "disable_log_bin", "idempotent"):
        if getattr(text, name):
            hint = "; use --undo instead" if name == "flashback" else ""
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

"""`binlogcli to-parquet`: typed tables out of many logs."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import tzinfo
from functools import partial
from typing import Any

import click

from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.inputs import log_paths, record_ends, scan_baseline
from binlogcli.cli.lake_progress import ProgressBar
from binlogcli.cli.options.choosing import STOP_NAMES, choosing_options
from binlogcli.cli.options.help_sections import Command, SectionedCommand, typed_name, under
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.shared import (
    AT_END,
    AT_START,
    ReadingOptions,
    file_options,
    schema_at_option,
    sources_argument,
    unsigned_option,
    zone_option,
)
from binlogcli.cli.options.values import FILE_NAME, ServerName, Size
from binlogcli.cli.progress import waiting
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.crypto.secret import openness
from binlogcli.errors import counted
from binlogcli.lake.errors import DamagedInputError, JobError, LockedError
from binlogcli.lake.job.options import JobOptions
from binlogcli.lake.job.report import JobReport
from binlogcli.lake.job.run import Job
from binlogcli.lake.job.runner import Runner
from binlogcli.lake.model import BEHIND_ALL, LakeOptions
from binlogcli.lake.spark.context import SparkOptions, prepare_java, spark_runner
from binlogcli.lake.spark.settings import refused
from binlogcli.log.gaps import Damage
from binlogcli.render.escape import visible
from binlogcli.select.choice import Choice
from binlogcli.sources.files import size_of

_STATUSES = ((JobError, Exit.FAILED), (LockedError, Exit.LOCKED), (DamagedInputError, Exit.DAMAGED))


@under("Spark")
def _spark_options(command: Command) -> Command:
    """`--master`, `--conf`, `--spark-ui`, `--spark-log`, as `spark`."""

    @click.option("--master", metavar="URL", help="URL of the Spark master; default: all processors of this machine.")
    @click.option("--conf", "settings", multiple=True, metavar="K=V", help="Spark property. Repeatable.")
    @click.option("--spark-ui", is_flag=True, help="Serve Spark's web interface during the run.")
    @click.option(
        "--spark-log",
        type=FILE_NAME,
        metavar="FILE",
        help="File for Spark's own messages; default: they are discarded.",
    )
    @functools.wraps(command)
    def wrapper(
        *args: Any, master: str | None, settings: tuple[str, ...], spark_ui: bool, spark_log: str | None, **rest: Any
    ) -> Any:
        log = None if spark_log is None else os.path.abspath(spark_log)
        spark = SparkOptions(master, tuple(setting(text) for text in settings), spark_ui, log)
        if problem := refused(spark.settings, master):
            raise click.UsageError(problem)
        return command(*args, spark=spark, **rest)

    return wrapper  # type: ignore[return-value]


def setting(text: str) -> tuple[str, str]:
    """Return name and value of a `K=V`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise click.UsageError(f"--conf {text!r} does not have the form K=V")
    return name.strip(), value


@click.command("to-parquet", cls=SectionedCommand, short_help="Convert logs to typed Parquet tables with Spark.")
@click.option("-o", "--output", type=FILE_NAME, metavar="DIR", help="Output directory.")
@click.option("--dry-run", is_flag=True, help="Show what would be converted, and write nothing.")
@click.option(
    "--on-damage",
    type=click.Choice(["skip", "stop"]),
    default="skip",
    show_default=True,
    help="Convert the rest of a damaged log and list the gaps (skip), or publish nothing of the epoch (stop).",
)
@click.option("--retry-gaps", is_flag=True, help="Read damaged parts again, after their logs were repaired.")
@click.option("--columns-only", is_flag=True, help="Add only _op, _ts, _outcome and _pos to the columns of the table.")
@click.option(
    "--server-name",
    type=ServerName(),
    metavar="NAME",
    default="",
    help="Keep this server's tables apart: prefix the names of its databases with NAME and a dot.",
)
@click.option(
    "--partition-by",
    type=click.Choice(["date"]),
    help="Write directories date=YYYY-MM-DD, by the day of _ts (UTC); old ones may be removed.",
)
@click.option(
    "--zero-dates",
    type=click.Choice(["null", "raw", "error"]),
    default="null",
    show_default=True,
    help="Invalid dates: store NULL, store NULL and the text in COLUMN__raw, or abort.",
)
@click.option(
    "--invalid-text",
    type=click.Choice(["binary", "replace", "error"]),
    default="binary",
    show_default=True,
    help="Invalid text: store the column as binary, replace it with U+FFFD, or abort.",
)
@click.option(
    "--final",
    is_flag=True,
    help="Also convert an unfinished transaction at the end of the newest log; that log must not grow any more.",
)
@click.option(
    "--epoch-size", type=Size(), default="8G", show_default=True, help="Amount of log data published at once."
)
@click.option("--split-size", type=Size(), help="Amount of log data per task; default: 128M to 512M.")
@manifest_option
@_spark_options
@click.option(
    "--prepare", is_flag=True, help="Create the archive of Spark's classes that makes it start faster, and exit."
)
@click.option("-v", "--verbose", is_flag=True, help="Print a summary at the end.")
@choosing_options
@zone_option
@file_options
@schema_at_option
@unsigned_option
@sources_argument
@click.pass_obj
def to_parquet(
    environment: Environment,
    /,
    sources: tuple[str, ...],
    reading: ReadingOptions,
    choice: Choice,
    zone: tzinfo | None,
    output: str | None,
    *,
    dry_run: bool,
    spark: SparkOptions,
    prepare: bool,
    verbose: bool,
    **wanted: Any,
) -> None:
    """Convert the row changes of binary logs to one Parquet data set per table, and all events to another one.

    SOURCE is a log file (plain or compressed) or an .index file (for all logs it lists). Each run converts only what is
    new since the last run on the same directory.
    """
    if prepare:
        prepare_java()
        return
    if output is None:
        raise click.UsageError("missing option '-o' / '--output'")
    for line in spark.remarks():
        environment.tell(line)
    paths = log_paths(environment, sources)
    schema_at = _schema_place(environment, paths, reading, choice)
    job = Job(_job_options(output, reading, schema_at, choice, zone=zone, **wanted), partial(runner, spark))
    try:
        if dry_run:
            for line in _intended(job.look(paths)):
                click.echo(line)
        else:
            environment.warn_if_slow(sum(map(size_of, paths)))
            if reading.keys.given and (warning := openness(output)) is not None:
                environment.tell(warning)  # a new directory is made for its owner alone
            try:
                job.run(paths, ProgressBar())
            finally:
                _record(environment, job.report, output, paths, reading)
    except (JobError, LockedError, DamagedInputError) as error:
        environment.failure(error)
        environment.status = next(status for kind, status in _STATUSES if isinstance(error, kind))
        return
    tell(environment, job.report, verbose=verbose and not dry_run)


def _record(
    environment: Environment, report: JobReport, output: str, paths: Sequence[str], reading: ReadingOptions
) -> None:
    """Add the logs and the published files to the manifest, if there is to be one."""
    if environment.record is not None:
        record_ends(environment, paths, reading)
        for name in report.published:
            environment.record.add_file(os.path.join(output, name))


def _schema_place(
    environment: Environment, paths: Sequence[str], reading: ReadingOptions, choice: Choice
) -> tuple[str, int] | None:
    """Return of when the schema files are, as `LakeOptions` has it. Raises PlaceError if the logs do not have it."""
    if reading.schema_at == AT_START:
        return None
    if choice.stop_position is not None or choice.stop_time is not None:
        named = typed_name(*STOP_NAMES) if choice.stop_position is None else "--stop-position"
        raise click.UsageError(f"--schema-at cannot be combined with {named}: statements after it are not read")
    return BEHIND_ALL if reading.schema_at == AT_END else scan_baseline(environment, paths, reading).end


def _job_options(
    output: str,
    reading: ReadingOptions,
    schema_at: tuple[str, int] | None,
    choice: Choice,
    *,
    on_damage: str,
    columns_only: bool,
    zero_dates: str,
    invalid_text: str,
    final: bool,
    epoch_size: int,
    split_size: int | None,
    retry_gaps: bool,
    server_name: str,
    partition_by: str | None,
    zone: tzinfo | None,
) -> JobOptions:
    """Return the options of the job, with absolute paths, as executors have a working directory of their own."""
    if retry_gaps and columns_only:
        raise click.UsageError("--retry-gaps needs the columns _file and _pos, but --columns-only omits one of them")
    lake = LakeOptions(
        columns_only=columns_only,
        by_date=partition_by == "date",
        schemas=tuple(os.path.abspath(path) for path in reading.schemas),
        schema_at=schema_at,
        unsigned=reading.unsigned,
        keys=_with_full_names(reading.keys),
        verify=reading.verify,
        max_event_size=reading.max_event_size,
        choice=choice,
        zero_dates=zero_dates,
        invalid_text=invalid_text,
        server=server_name,
    )
    return JobOptions(
        os.path.abspath(output),
        lake,
        stop_on_damage=on_damage == "stop",
        final=final,
        epoch_size=epoch_size,
        split_size=split_size,
        retry_gaps=retry_gaps,
        zone=zone,
    )


def _with_full_names(keys: KeyOptions) -> KeyOptions:
    """Return options whose files have absolute paths."""
    names = ("key_file", "password_file", "keyring")
    found = {name: getattr(keys, name) for name in names}
    return keys._replace(**{name: os.path.abspath(path) for name, path in found.items() if path is not None})


@contextmanager
def runner(spark: SparkOptions, lock: int) -> Iterator[Runner]:
    """Start Spark, whose processes keep the output locked as long as they live."""
    with ExitStack() as running:
        with waiting("starting Spark"):
            found = running.enter_context(spark_runner(spark, (lock,)))
        yield found


def _intended(report: JobReport) -> Iterator[str]:
    """Yield what a run would do, a line a log."""
    again = [plan for plan in report.retries if plan.error is None]
    new = [plan for plan in report.plans if plan.error is None]
    for plan in again:
        yield f"{visible(plan.path)}: {plan.start} to {plan.end} again, {plan.size} bytes"
    for plan in new:
        if plan.splits:
            pieces = f" in {len(plan.splits)} pieces" if len(plan.splits) > 1 else ""
            yield f"{visible(plan.path)}: {plan.start} to {plan.end}, {plan.size} bytes{pieces}"
        else:
            yield f"{visible(plan.path)}: nothing new"
    logs = len({plan.path for plan in (*again, *new) if plan.splits})
    yield f"{sum(plan.size for plan in (*again, *new))} bytes of {counted(logs, 'log')} would be converted"


def _signs(report: JobReport) -> Iterator[str]:
    """Yield a line for each table with numbers of unknown sign, and for each --assume-unsigned without effect."""
    tables: dict[str, list[str]] = {}
    for one in sorted(report.unsure, key=lambda one: (one.database, one.table, one.column)):
        tables.setdefault(f"{one.database}.{one.table}", []).append(one.column)
    for table, columns in tables.items():
        yield (
            f"{table}: unknown whether UNSIGNED: {', '.join(columns)}; the values are treated as signed; pass "
            f"--schema or --assume-unsigned {table}.{columns[0]}"
        )
    yield from report.vain


def tell(environment: Environment, report: JobReport, *, verbose: bool) -> None:
    """Report what went wrong, and with `verbose` a summary."""
    for gap in (*report.due, *report.gaps):
        environment.damage(gap.file, Damage(gap.start, gap.end, gap.reason, gap.hint, gap.within))
    for locked in report.locked:
        locked.hint = f"the log is skipped; to convert it, {locked.hint}"
        environment.trouble(locked)
    for error in (*report.changed, *report.moved):
        environment.trouble(error)
    for error in report.errors:
        environment.failure(error)
    for line in (*report.remarks.values(), *report.added, *_signs(report)):
        environment.tell(line)
    if len(report.mixed) > 1:
        numbers = ", ".join(map(str, report.mixed))
        environment.tell(
            f"logs of the servers {numbers}: their tables of the same name are merged; to keep them apart, convert "
            f"each server's logs with its own --server-name and --output"
        )
    if not verbose:
        return
    if report.epochs == 0 and report.locked:
        environment.tell("nothing was converted")
    elif report.epochs == 0:
        environment.tell("nothing new")
    else:
        rows, tables = counted(report.rows, "row"), counted(len(report.tables), "table")
        events, files = counted(report.events, "event"), counted(report.files, "file")
        environment.tell(
            f"{rows} of {tables} and {events}, {report.input_size} bytes of logs, "
            f"in {files} of {report.output_size} bytes"
        )
    for path, place, size in report.waiting:
        waiting = counted(size, "byte")
        environment.tell(f"{path}: at {place}: {waiting} of an incomplete transaction, left for a later run")

"""The options that choose events by what they do, and transactions by what their ends tell; passed in `choice`."""

from __future__ import annotations

import functools
from typing import Any

import click

from binlogcli.cli.options.help_sections import Command, under
from binlogcli.cli.options.values import Number, Position, Size
from binlogcli.select.choice import Choice

_OPERATIONS = ("insert", "update", "delete", "ddl")


class _OperationsType(click.ParamType[str]):
    """Some of the operations, separated by commas."""

    name = "operations"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text, if it names operations alone."""
        text = str(value).lower()
        for name in text.split(","):
            if name not in _OPERATIONS:
                self.fail(f"{name!r} is not one of {', '.join(_OPERATIONS)}", param, ctx)
        return text


_OPTIONS = (
    click.option(
        "--op",
        "operations",
        type=_OperationsType(),
        multiple=True,
        metavar="OP,...",
        help="Only rows and statements with these operations: insert, update, delete, ddl. Repeatable.",
    ),
    click.option(
        "--thread-id",
        "thread_ids",
        type=Number(0, (1 << 64) - 1),
        multiple=True,
        metavar="N",
        help="Only transactions of this connection, if the log records it. Repeatable.",
    ),
    click.option(
        "--xid",
        "xids",
        type=Number(0, (1 << 64) - 1),
        multiple=True,
        metavar="N",
        help="Only the transaction with this number in its XID event. Repeatable.",
    ),
    click.option("--min-rows", type=Number(1), metavar="N", help="Only transactions of at least N rows."),
    click.option(
        "--min-size", type=Size(), metavar="SIZE", help="Only transactions that take at least SIZE in the log."
    ),
    click.option(
        "--transaction-at", "at", type=Position(), metavar="N", help="Only the transaction that contains this position."
    ),
)


@under("Which events")
def filter_options(command: Command) -> Command:
    """Add `--op`, `--xid` and others like it, passed in `choice`; to stand below `choosing_options`."""

    @functools.wraps(command)
    def wrapper(
        *args: Any,
        choice: Choice,
        operations: tuple[str, ...],
        xids: tuple[int, ...],
        thread_ids: tuple[int, ...],
        min_rows: int | None,
        min_size: int | None,
        at: int | None,
        **rest: Any,
    ) -> Any:
        from binlogcli.select.transactions import TransactionChoice  # cheap, and events are read anyway

        transactions = TransactionChoice(xids, thread_ids, min_rows or 0, min_size or 0, at)
        names = tuple(dict.fromkeys(name for text in operations for name in text.split(",")))
        choice = choice._replace(
            operations=names, transactions=transactions if transactions != TransactionChoice() else None
        )
        return command(*args, choice=choice, **rest)

    for option in reversed(_OPTIONS):
        option(wrapper)
    return wrapper  # type: ignore[return-value]


@under("Which events")
def grep_options(command: Command) -> Command:
    """Add `--grep` and `--ignore-case`, passed in `choice`; to stand below `choosing_options`."""

    @functools.wraps(command)
    def wrapper(*args: Any, choice: Choice, greps: tuple[str, ...], ignore_case: bool, **rest: Any) -> Any:
        text = rest.get("text")
        if greps and text is not None and text.idempotent:  # -i, which has no other effect on single rows
            ignore_case = True
            rest["text"] = text._replace(idempotent=False)
        if ignore_case and not greps:
            raise click.UsageError("--ignore-case requires --grep")
        if greps:
            from binlogcli.select.values.grep import GrepError, read_patterns  # only where the option is used

            try:
                choice = choice._replace(grep=read_patterns(greps, ignore_case=ignore_case))
            except GrepError as error:
                raise click.BadParameter(error.line(), param_hint="'--grep'") from error
        return command(*args, choice=choice, **rest)

    text = (
        "Only statements that match this regular expression, and rows with a value that matches it. "
        "Repeatable: any match counts."
    )
    click.option(
        "--ignore-case",
        is_flag=True,
        help="With --grep: ignore case. With --grep, -i also means this, not --idempotent.",
    )(wrapper)
    click.option("--grep", "greps", multiple=True, metavar="REGEX", help=text)(wrapper)
    return wrapper  # type: ignore[return-value]


@under("Which events")
def transaction_option(command: Command) -> Command:
    """Add `--transaction`, passed in `choice`; to stand below `choosing_options`."""

    @functools.wraps(command)
    def wrapper(*args: Any, choice: Choice, whole: bool, **rest: Any) -> Any:
        return command(*args, choice=choice._replace(whole=whole), **rest)

    text = "Show all of each transaction that contains a selected event."
    click.option("--transaction", "whole", is_flag=True, help=text)(wrapper)
    return wrapper  # type: ignore[return-value]


last_option = click.option("--last", type=Number(1), metavar="N", help="Only the last N events; reads the logs twice.")


@under("Which events")
def limit_option(command: Command) -> Command:
    """Add `--limit` and `--last`, passed in `choice`; to stand below `choosing_options`."""

    @functools.wraps(command)
    def wrapper(*args: Any, choice: Choice, limit: int | None, last: int | None, **rest: Any) -> Any:
        if limit is not None and last is not None:
            raise click.UsageError("--limit and --last cannot be combined")
        return command(*args, choice=choice._replace(limit=limit, last=last), **rest)

    last_option(wrapper)
    text = (
        "Stop after N events; --oneline: N transactions; csv, tsv: N events with rows; sql, or mysqlbinlog with -d, "
        "-T or --op: N events with rows or a statement."
    )
    click.option("-n", "--limit", type=Number(1), metavar="N", help=text)(wrapper)
    return wrapper  # type: ignore[return-value]

"""The options that choose events, in common to all commands that have them; how they become a `Selection`."""

from __future__ import annotations

import functools
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

import click

from binlogcli.cli.options.help_sections import Command, typed_name, under
from binlogcli.cli.options.values import Number, Position
from binlogcli.errors import BinlogError
from binlogcli.select.choice import Choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from binlogcli.select.gtids import GtidChoice
    from binlogcli.select.places import LogPlace
    from binlogcli.select.selection import Selection
    from binlogcli.select.tables import TableChoice
    from binlogcli.select.values.where import Where


class _GtidSetType(click.ParamType["GtidChoice"]):
    """A set of GTIDs of either family."""

    name = "set"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> GtidChoice:
        """Return the set that a text names."""
        from binlogcli.gtids.parsing import GtidError, read_gtids  # only where the option is used
        from binlogcli.select.gtids import GtidChoice

        try:
            return GtidChoice(read_gtids(str(value)))
        except GtidError as error:
            self.fail(error.line(), param, ctx)


class _ConditionsType(click.ParamType["Where"]):
    """Conditions on the values of rows."""

    name = "conditions"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Where:
        """Return the conditions that a text names."""
        from binlogcli.select.values.where import WhereError, read_where  # only where the option is used

        try:
            return read_where(str(value))
        except WhereError as error:
            self.fail(error.line(), param, ctx)


@under("Which events")
def where_option(command: Command) -> Command:
    """Add `--where`, passed in `choice`; to stand below `choosing_options`."""

    @functools.wraps(command)
    def wrapper(*args: Any, where: Where | None, choice: Choice, **rest: Any) -> Any:
        return command(*args, choice=choice._replace(where=where), **rest)

    text = (
        "Only rows whose values before or after the change match: \"id = 5 AND state != 'paid'\"; @N: the Nth column. "
        "Also OR, NOT, IN, BETWEEN, LIKE, IS NULL and parentheses."
    )
    click.option("--where", type=_ConditionsType(), metavar="CONDITIONS", help=text)(wrapper)
    return wrapper  # type: ignore[return-value]


def offering(what: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem[str] | str]]:
    """Return the function that tells a shell what can stand for an option's value; `what`: see `from_logs`."""

    def offer(ctx: click.Context, param: click.Parameter, word: str) -> list[CompletionItem[str] | str]:
        from binlogcli.cli.completion import from_logs  # only when Tab is typed

        return getattr(from_logs, what)(ctx, param, word)  # type: ignore[no-any-return]

    return offer


def _names(of_database: str, of_table: str) -> list[Callable[[Command], Command]]:
    """Return `--database` and `--table` with their help texts."""
    every: dict[str, Any] = {
        "multiple": True,
        "metavar": "NAME",
        "shell_complete": offering("databases"),
        "help": of_database,
    }
    one: dict[str, Any] = {
        "multiple": True,
        "metavar": "DB.NAME",
        "shell_complete": offering("tables"),
        "help": of_table,
    }
    return [click.option("-d", "--database", "databases", **every), click.option("-T", "--table", "tables", **one)]


def table_options(command: Command) -> Command:
    """Add `--database` and `--table` to a command that lists tables, passed as `databases` and `tables`."""
    texts = (
        "Only tables of this database; wildcards allowed. Repeatable.",
        "Only this table; wildcards allowed. Repeatable.",
    )
    for option in reversed(_names(*texts)):
        command = option(command)
    return command


_CHOSEN = (
    *("start_position", "stop_position", "databases", "tables"),
    *("server_ids", "include_gtids", "exclude_gtids", "events"),
)
STOP_NAMES = ("--stop-datetime", "--until")
_POSITIONS = [
    click.option(
        "-j",
        "--start-position",
        type=Position(),
        default=0,
        metavar="N",
        help="Start at this position in the first log (0x for hex).",
    ),
    click.option("--stop-position", type=Position(), metavar="N", help="Stop before this position in the last log."),
]
_TIMES_AND_NAMES = [
    click.option(
        "--start-datetime",
        "--since",
        "start_datetime",
        metavar="TIME",
        help="Start with the first event at or after TIME: '2026-11-21 00:05', 09:05, 'yesterday 14:00', -2h, "
        "@SECONDS, or any time that binlogcli prints.",
    ),
    click.option(*STOP_NAMES, "stop_datetime", metavar="TIME", help="Stop before the first event at or after TIME."),
    *_names(
        "Only rows and statements of this database; wildcards allowed. Repeatable.",
        "Only rows of this table, and statements about it or its database; wildcards allowed. Repeatable.",
    ),
]
_SERVERS = [
    click.option(
        "--server-id",
        "server_ids",
        type=Number(0, (1 << 32) - 1),
        multiple=True,
        metavar="ID",
        help="Only events written by this server. Repeatable.",
    )
]
_GTIDS = [
    click.option(
        "--include-gtids", type=_GtidSetType(), shell_complete=offering("gtids"), help="Only the transactions in SET."
    ),
    click.option(
        "--exclude-gtids",
        type=_GtidSetType(),
        shell_complete=offering("gtids"),
        help="Only transactions that are not in SET.",
    ),
]
_TYPES = [
    click.option(
        "-E",
        "--event",
        "events",
        multiple=True,
        metavar="TYPE",
        shell_complete=offering("event_types"),
        help="Only events of this type: a name, a prefix, or a pattern such as '*ROWS*'. Repeatable.",
    )
]


@under("Which events")
def choosing_options(command: Command) -> Command:
    """Add all options that choose events, passed as `choice`; needs `zone_option` on the command."""
    return _as_choice(command, [*_POSITIONS, *_TIMES_AND_NAMES, *_SERVERS, *_GTIDS, *_TYPES])


@under("Which events")
def comparing_options(command: Command) -> Command:
    """Add the options that choose alike from two histories: not those of positions, servers and types of events."""
    return _as_choice(command, [*_TIMES_AND_NAMES, *_GTIDS])


def _as_choice(command: Command, options: list[Callable[[Command], Command]]) -> Command:
    """Add options, passed as `choice`."""

    @functools.wraps(command)
    def wrapper(
        *args: Any, start_datetime: str | None, stop_datetime: str | None, zone: tzinfo | None, **rest: Any
    ) -> Any:
        since, until = typed_name("--start-datetime", "--since"), typed_name(*STOP_NAMES)
        choice = Choice(
            start_time=time_of(since, start_datetime, zone),
            stop_time=time_of(until, stop_datetime, zone, up=True),
            since=since,
            zone=None if start_datetime is None and stop_datetime is None else zone,
            **{name: rest.pop(name) for name in _CHOSEN if name in rest},
        )
        if choice.start_time is not None and choice.stop_time is not None and choice.start_time > choice.stop_time:
            raise click.UsageError(f"{since} is after {until}; swap them")
        return command(*args, zone=zone, choice=choice, **rest)

    for option in reversed(options):
        option(wrapper)
    return wrapper  # type: ignore[return-value]


def time_of(option: str, text: str | None, zone: tzinfo | None, *, up: bool = False) -> int | None:
    """Return the time that an option names, in seconds since the epoch; of a fraction the next one with `up`."""
    if text is None:
        return None
    from binlogcli.select.times import TimeError, read_time  # only where the option is used

    try:
        return read_time(text, zone, up=up)
    except TimeError as error:
        raise click.BadParameter(error.line(), param_hint=f"'{option}'") from error


def place_of(option: str, text: str | None, zone: tzinfo | None) -> LogPlace | None:
    """Return the place in the logs that an option names."""
    if text is None:
        return None
    from binlogcli.select.places import PlaceError, read_place  # only where the option is used

    try:
        return read_place(text, zone)
    except PlaceError as error:
        raise click.BadParameter(error.line(), param_hint=f"'{option}'") from error


def tables_of(databases: tuple[str, ...], tables: tuple[str, ...]) -> TableChoice:
    """Return the tables that `--database` and `--table` choose."""
    from binlogcli.select.tables import TableChoice  # only for commands that list tables

    try:
        return TableChoice(databases, tables)
    except BinlogError as error:
        raise click.UsageError(error.line()) from error


def selection_of(choice: Choice, *, framing: bool = False, wary: bool = False) -> Selection | None:
    """Return the selection of events for all logs of a run; None where all events are wanted."""
    if choice == Choice():
        return None
    from binlogcli.select.selection import Selection  # only where something is chosen

    try:
        return Selection(choice, framing=framing, wary=wary)
    except BinlogError as error:
        raise click.UsageError(error.line()) from error

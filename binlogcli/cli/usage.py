"""What is said of a command line that cannot be understood: one line, with what was probably meant."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

from binlogcli.cli.environment import PROGRAM, Environment
from binlogcli.errors import BinlogError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NEAR = 0.7  # of difflib: how alike two words are
# options that people type, and what does it here: the first whose option the command has, or whose text is no option
_MEANT = {
    "--gtid": ("--include-gtids",),
    "--gtids": ("--include-gtids",),
    "--raw": ("binlogcli pull",),
    "--start-time": ("--start-datetime",),
    "--end-time": ("--stop-datetime",),
    "--stop-time": ("--stop-datetime",),
    "--end-datetime": ("--stop-datetime",),
    "--end-position": ("--stop-position",),
    "--tz": ("--timezone",),
    "--from": ("--since", "--start-datetime"),
    "--to": ("--until", "--stop-datetime"),
    "--head": ("--limit", "--top"),
    "--tail": ("--last",),
    "--limit": ("--top",),
    "--find": ("--grep",),
    "--grep": ("--find", "binlogcli dump --grep"),
    "--where": ("binlogcli dump --where",),
    "--count": ("binlogcli stats",),
    "--csv": ("--format csv",),
    "--tsv": ("--format tsv",),
    "--sql": ("--format sql",),
    "--type": ("--event",),
    "--events": ("--event",),
    "--tables": ("--table",),
    "--reverse": ("binlogcli dump --undo",),
    "--rollback": ("binlogcli dump --undo",),
    "--output": ("--result-file",),
    "--do-server-ids": ("--server-id",),
    "--do-domain-ids": ("--include-gtids",),
    "--ignore-domain-ids": ("--exclude-gtids",),
}
# the same of commands
_COMMANDS_MEANT = {
    "cat": "dump",
    "show": "dump",
    "log": "dump --oneline",
    "ls": "dump --oneline",
    "grep": "dump --grep",
    "tail": "dump --follow",
    "follow": "dump --follow",
    "undo": "dump --undo",
    "sql": "dump --format sql",
    "json": "dump --json",
    "csv": "dump --format csv",
    "archive": "pull",
    "parquet": "to-parquet",
}
_ATTACHED = re.compile(r"-p.")


def tell_usage(
    environment: Environment, error: click.ClickException, arguments: Sequence[str], commands: Iterable[str]
) -> None:
    """Report a wrong command line as one line; show the help where there are no arguments at all."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    else:
        environment.tell(_usage_error(error, arguments, commands).line())


def _usage_error(error: click.ClickException, arguments: Sequence[str], commands: Iterable[str]) -> BinlogError:
    """Return a wrong command line as an error, with the way to the help where the text names no other remedy."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        reason, meant = error.message, _options_meant(error)
    elif isinstance(error, click.exceptions.NoSuchCommand):
        known = _COMMANDS_MEANT.get(error.command_name)
        near = get_close_matches(error.command_name, list(commands), 2, _NEAR)
        reason, meant = error.message, [f"{PROGRAM} {known}"] if known else near
    else:
        reason, meant = error.format_message(), []
    reason = reason.removesuffix(".")
    reason = reason[:1].lower() + reason[1:]
    if meant:
        return BinlogError(reason, hint=f"did you mean {' or '.join(meant)}?")
    command = next((f"{PROGRAM} {word}" for word in arguments if word in commands), PROGRAM)
    hint = "" if "; " in reason else f"see {command if context is None else context.command_path} --help"
    return BinlogError(reason, hint=hint)


def _options_meant(error: click.NoSuchOption) -> list[str]:
    """Return the options that are similar to an unknown one."""
    context = error.ctx
    if context is None:
        return []
    options = [param for param in context.command.params if isinstance(param, click.Option) and not param.hidden]
    names = [name for option in options for name in (*option.opts, *option.secondary_opts) if name.startswith("--")]
    for meant in _MEANT.get(error.option_name, ()):
        first = meant.partition(" ")[0]
        if first in names or not first.startswith("--"):
            return [meant]
    return get_close_matches(error.option_name, names, 2, _NEAR)


def refuse_attached_passwords(context: click.Context, arguments: Sequence[str]) -> None:
    """Raise a usage error for -pSECRET, as the servers' own tools take it; the secret itself is not repeated."""
    by_name = {name: option for option in context.command.params for name in option.opts}
    takes_value = False
    for argument in arguments:
        if argument == "--":
            return
        if not takes_value and _ATTACHED.match(argument) and "-p" in by_name:
            raise click.UsageError(
                "-p does not take the password as an argument, because others could see it in the process list; use "
                "-p alone to be asked for it, or --password-file FILE",
                context,
            )
        option = by_name.get(argument)
        takes_value = isinstance(option, click.Option) and not option.is_flag and not option.count

"""Help texts in sections: a command's own options first, then shared ones under titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
_Decorator = Callable[[Command], Command]
_ARGUMENTS = "binlogcli.arguments"  # in a context: the arguments as they were typed
_TITLES: dict[click.Parameter, str] = {}  # of the options that do not stand among a command's own


class SectionedCommand(click.Command):
    """A command whose help has sections, and that takes no password as an argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; raise a usage error for -pSECRET, which would be read as other options."""
        if any(argument.startswith("-p") and len(argument) > 2 for argument in args):
            from binlogcli.cli.usage import refuse_attached_passwords  # only where one may be there

            refuse_attached_passwords(ctx, args)
        keep_arguments(ctx, args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section with its options, in the order of the first of them."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(_TITLES.get(param, "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


def keep_arguments(ctx: click.Context, args: Sequence[str]) -> None:
    """Keep the arguments as they were typed, for messages and records."""
    ctx.meta[_ARGUMENTS] = tuple(args)


def typed_name(*names: str) -> str:
    """Return which of the names of an option was typed, the last one if it was given several times; else the first."""
    context = click.get_current_context(silent=True)
    typed = () if context is None else context.meta.get(_ARGUMENTS, ())
    found = (argument.partition("=")[0] for argument in reversed(typed))
    return next((name for name in found if name in names), names[0])


def typed_arguments(context: click.Context) -> tuple[str, ...]:
    """Return the arguments of a `SectionedCommand` as they were typed."""
    return tuple(context.meta.get(_ARGUMENTS, ()))


def title_of(param: click.Parameter) -> str:
    """Return the title under which an option stands; empty for a command's own."""
    return _TITLES.get(param, "")


def under(title: str) -> Callable[[_Decorator[Command]], _Decorator[Command]]:
    """Return a decorator of decorators: the options that they add stand under the title, unless they have one."""

    def titled(decorate: _Decorator[Command]) -> _Decorator[Command]:
        def wrapper(command: Command) -> Command:
            before = list(getattr(command, "__click_params__", ()))
            decorated = decorate(command)
            for param in getattr(decorated, "__click_params__", ()):
                if param not in before:
                    _TITLES.setdefault(param, title)
            return decorated

        return wrapper

    return titled

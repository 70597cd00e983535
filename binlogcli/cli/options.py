"""Options that several commands share, as decorators; each command receives them as one object."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Any, TypeVar

import click

from binlogcli.cli.server_options import server_options
from binlogcli.crypto import KeyOptions

if TYPE_CHECKING:
    from binlogcli.sources.server.options import ServerOptions

Command = TypeVar("Command", bound=Callable[..., Any])
SIZE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Size(click.ParamType[int]):
    """A number of bytes: 1073741824, 512M, 1G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Text as it was typed to a number."""
        if isinstance(value, int):
            return value
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        unit = text[-1:] if text[-1:] in "kmg" else ""
        number = text.removesuffix(unit)
        if not number.isdigit() or int(number) == 0:
            self.fail(f"{value!r} is no size; write 1073741824, 512M or 1G", param, ctx)
        return int(number) * SIZE_UNITS[unit]


class Zone(click.ParamType[tzinfo]):
    """A time zone: an IANA name, UTC, or an offset such as +02:00."""

    name = "zone"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tzinfo:
        """Text as it was typed to a zone."""
        if isinstance(value, tzinfo):
            return value
        text = str(value)
        if text[:1] in "+-" and text[1:3].isdigit() and text[3:4] == ":" and text[4:6].isdigit() and len(text) == 6:
            offset = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
            return timezone(-offset if text[0] == "-" else offset)
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - only where the option is used

        try:
            return ZoneInfo(text)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.fail(f"{text!r} is no time zone; write Europe/Berlin, UTC or +02:00", param, ctx)


@dataclass(frozen=True, slots=True)
class Reading:
    """How sources are read."""

    verify: bool
    max_event_size: int
    schemas: tuple[str, ...]
    keys: KeyOptions = field(default_factory=KeyOptions)
    server: ServerOptions | None = None

    @property
    def remote(self) -> bool:
        """Whether the sources are names of logs on a server."""
        return self.server is not None and self.server.remote

    def files(self) -> tuple[str, ...]:
        """The files beside the sources that are read."""
        keys = (self.keys.key_file, self.keys.password_file, self.keys.keyring)
        return (*self.schemas, *(name for name in keys if name))


def key_options(command: Command) -> Command:
    """`--key-file`, `--key-file-password-file`, `--key-algorithm`, `--keyring`, as `keys`."""

    @click.option(
        "--key-file",
        type=click.Path(),
        metavar="FILE",
        help="Keys of MariaDB's file_key_management, plain or encrypted.",
    )
    @click.option(
        "--key-file-password-file",
        "password_file",
        type=click.Path(),
        metavar="FILE",
        help="Password of an encrypted key file; else the variable BINLOGCLI_KEY_FILE_PASSWORD.",
    )
    @click.option(
        "--key-algorithm",
        "algorithm",
        type=click.Choice(["auto", "aes-cbc", "aes-ctr"]),
        default="auto",
        show_default=True,
        help="How MariaDB encrypted the log; auto finds out.",
    )
    @click.option(
        "--keyring", type=click.Path(), metavar="FILE", help="MySQL's keyring (keyring_file, component_keyring_file)."
    )
    @functools.wraps(command)
    def wrapper(
        *args: Any,
        key_file: str | None,
        password_file: str | None,
        algorithm: str,
        keyring: str | None,
        **rest: Any,
    ) -> Any:
        return command(*args, keys=KeyOptions(key_file, password_file, algorithm, keyring), **rest)

    return wrapper  # type: ignore[return-value]


def reading_options(command: Command) -> Command:
    """`--verify`, `--max-event-size`, `--schema`, the key options and those of servers, as `reading`."""
    return server_options(file_options(command))


def file_options(command: Command) -> Command:
    """The same without servers, for what reads a log more than once."""

    @key_options
    @click.option("--verify/--no-verify", default=True, help="Check checksums (the default), or decode all the same.")
    @click.option(
        "--max-event-size",
        type=Size(),
        default="1G",
        show_default=True,
        help="Largest event, and largest content of a compressed one; more is damage.",
    )
    @click.option(
        "--schema",
        "schemas",
        multiple=True,
        type=click.Path(),
        metavar="FILE.sql",
        help="CREATE TABLE statements that give names and types where the log has none. Repeatable.",
    )
    @functools.wraps(command)
    def wrapper(
        *args: Any,
        verify: bool,
        max_event_size: int,
        schemas: tuple[str, ...],
        keys: KeyOptions,
        server: ServerOptions | None = None,
        **rest: Any,
    ) -> Any:
        return command(*args, reading=Reading(verify, max_event_size, schemas, keys, server), **rest)

    return wrapper  # type: ignore[return-value]


def zone_option(command: Command) -> Command:
    """`--timezone`."""
    return click.option("--timezone", "zone", type=Zone(), help="Zone to read and print times in, e.g. +02:00.")(
        command
    )


def color_option(command: Command) -> Command:
    """`--color` of a command, which goes before that of the program."""
    choice = click.Choice(["auto", "always", "never"])
    return click.option("--color", type=choice, default=None, help="Colours, as binlogcli --color.")(command)


def sources_argument(command: Command) -> Command:
    """`SOURCE...`."""
    return click.argument("sources", nargs=-1, metavar="SOURCE...", type=click.Path())(command)

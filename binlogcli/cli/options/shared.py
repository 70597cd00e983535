"""Options that several commands share, as decorators; each command receives them as one object."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from binlogcli.cli.options.choosing import place_of
from binlogcli.cli.options.help_sections import Command, under
from binlogcli.cli.options.server import server_options
from binlogcli.cli.options.values import FILE_NAME, SOURCE, ColumnName, Size, Zone
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.sources.opening import is_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from binlogcli.select.places import LogPlace
    from binlogcli.sources.server.options import ServerOptions


_CHOSEN = "binlogcli.format"  # of a context: the flag that stands for a format, and the format
AT_START, AT_END = "start", "end"  # of all logs


class ReadingOptions(NamedTuple):
    """How sources are read, as it was typed."""

    verify: bool
    max_event_size: int
    schemas: tuple[str, ...]
    keys: KeyOptions = KeyOptions()
    server: ServerOptions | None = None
    unsigned: tuple[str, ...] = ()  # columns, as DATABASE.TABLE.COLUMN
    schema_at: LogPlace | str = AT_START  # of when the schema files are
    carve: bool = False  # logs are looked for in files of any content,
    unproven: bool = False  # also what only looks like events

    @property
    def remote(self) -> bool:
        """Whether the sources are names of logs on a server."""
        return self.server is not None and self.server.remote

    @property
    def endless(self) -> bool:
        """Whether the end of the last log is waited for, which never comes."""
        return self.server is not None and self.server.stop_never

    def files(self) -> tuple[str, ...]:
        """Return the names of the schema and key files."""
        keys = (self.keys.key_file, self.keys.password_file, self.keys.keyring)
        return (*self.schemas, *(name for name in keys if name))


@under("Encrypted logs")
def key_options(command: Command) -> Command:
    """Add `--key-file`, `--key-file-password-file`, `--key-algorithm`, `--keyring`, passed as `keys`."""

    @click.option(
        "--key-file",
        type=FILE_NAME,
        metavar="FILE",
        help="Key file of MariaDB's file_key_management, plain or encrypted.",
    )
    @click.option(
        "--key-file-password-file",
        "password_file",
        type=FILE_NAME,
        metavar="FILE",
        help="File that contains the password of an encrypted key file; or set BINLOGCLI_KEY_FILE_PASSWORD.",
    )
    @click.option(
        "--key-algorithm",
        "algorithm",
        type=click.Choice(["auto", "aes-cbc", "aes-ctr"]),
        default="auto",
        show_default=True,
        help="How MariaDB encrypted the log; auto detects it.",
    )
    @click.option(
        "--keyring",
        type=FILE_NAME,
        metavar="FILE",
        help="Keyring file of MySQL (keyring_file or component_keyring_file).",
    )
    @functools.wraps(command)
    def wrapper(
        *args: Any, key_file: str | None, password_file: str | None, algorithm: str, keyring: str | None, **rest: Any
    ) -> Any:
        return command(*args, keys=KeyOptions(key_file, password_file, algorithm, keyring), **rest)

    return wrapper  # type: ignore[return-value]


def reading_options(command: Command) -> Command:
    """Add `--verify`, `--max-event-size`, `--schema`, `--schema-at`, `--carve`, key and server options: `reading`."""
    return server_options(file_options(carve_options(schema_at_option(command))))


@under("How logs are read")
def file_options(command: Command) -> Command:
    """Add the options of `reading_options` without those of servers, for commands that read a log more than once."""

    @key_options
    @click.option(
        "--verify/--no-verify",
        default=True,
        help="Verify checksums (the default), or also decode events with wrong checksums.",
    )
    @click.option(
        "--max-event-size",
        type=Size(),
        default="1G",
        show_default=True,
        help="Largest accepted event, also after decompression; anything larger is reported as damage.",
    )
    @click.option(
        "--schema",
        "schemas",
        multiple=True,
        type=FILE_NAME,
        metavar="FILE.sql",
        help="SQL file with CREATE TABLE statements, and any ALTER TABLEs after them, that provide the names and "
        "types missing from the "
        "log. Repeatable.",
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
        return command(*args, reading=ReadingOptions(verify, max_event_size, schemas, keys, server), **rest)

    return wrapper  # type: ignore[return-value]


@under("How logs are read")
def schema_at_option(command: Command) -> Command:
    """Add `--schema-at`, passed in `reading`; to stand below `file_options`."""

    @functools.wraps(command)
    def wrapper(*args: Any, schema_at: str, reading: ReadingOptions, **rest: Any) -> Any:
        if schema_at != AT_START and not reading.schemas:
            raise click.UsageError("--schema-at requires --schema")
        place = schema_at if schema_at in {AT_START, AT_END} else place_of("--schema-at", schema_at, rest.get("zone"))
        return command(*args, reading=reading._replace(schema_at=place or AT_START), **rest)

    text = (
        "Point in the logs at which the --schema files were created: start (before the first log), end (after "
        "the last one, such as a current dump), a time, FILE:POSITION, or a GTID (after its transaction)."
    )
    click.option("--schema-at", default=AT_START, show_default=True, metavar="PLACE", help=text)(wrapper)
    return wrapper  # type: ignore[return-value]


@under("How logs are read")
def carve_options(command: Command) -> Command:
    """Add `--carve` and `--unproven`, passed in `reading`; to stand below `file_options`."""

    @click.option(
        "--carve",
        is_flag=True,
        help="Find logs in files of any content: disk images, memory dumps, InnoDB files, fragments. Only events "
        "proven by their checksums or positions are read.",
    )
    @click.option("--unproven", is_flag=True, help="With --carve: also read what looks like an event without proof.")
    @functools.wraps(command)
    def wrapper(*args: Any, carve: bool, unproven: bool, reading: ReadingOptions, **rest: Any) -> Any:
        if unproven and not carve:
            raise click.UsageError("--unproven requires --carve")
        reading = reading._replace(carve=carve, unproven=unproven)
        if carve:
            _check_carve(reading, rest.get("sources", ()))
        return command(*args, reading=reading, **rest)

    return wrapper  # type: ignore[return-value]


def _check_carve(reading: ReadingOptions, sources: tuple[str, ...]) -> None:
    """Raise a usage error for what has no effect on files in which logs are looked for."""
    if reading.server is not None or any(map(is_server, sources)):
        raise click.UsageError("--carve reads files, and cannot be combined with servers or the options for them")
    if not reading.verify:
        raise click.UsageError("--no-verify cannot be combined with --carve, which proves events; use --unproven")
    if reading.keys.given:
        raise click.UsageError("--carve finds events that are not encrypted, and cannot be combined with keys")


@under("How logs are read")
def unsigned_option(command: Command) -> Command:
    """Add `--assume-unsigned`, passed in `reading`; to stand below `reading_options` or `file_options`."""

    @functools.wraps(command)
    def wrapper(*args: Any, unsigned: tuple[str, ...], reading: ReadingOptions, **rest: Any) -> Any:
        return command(*args, reading=reading._replace(unsigned=unsigned), **rest)

    text = "Treat this integer column as UNSIGNED if nothing else says so; @N: the Nth column. Repeatable."
    name = "--assume-unsigned"
    click.option(name, "unsigned", type=ColumnName(), multiple=True, metavar="DB.TABLE.COLUMN", help=text)(wrapper)
    return wrapper  # type: ignore[return-value]


def log_options(command: Command) -> Command:
    """Add SOURCE..., the options of `reading_options` and `--assume-unsigned`, passed as `sources` and `reading`."""
    return reading_options(unsigned_option(sources_argument(command)))


@under("Which events")
def zone_option(command: Command) -> Command:
    """Add `--timezone`, passed as `zone`."""
    return click.option(
        "--timezone",
        "zone",
        type=Zone(),
        help="Time zone of times on input and output, e.g. +02:00.  [default: the machine's, or TZ]",
    )(command)


def color_option(command: Command) -> Command:
    """Add the command's own `--color`, which goes before that of the program."""
    choice = click.Choice(["auto", "always", "never"])
    return click.option("--color", type=choice, default=None, help="Same as binlogcli --color.")(command)


def json_option(command: Command) -> Command:
    """Add `--json`, a short way to write `--format json`; to stand below the option that is passed as `format_`."""

    @functools.wraps(command)
    def wrapper(*args: Any, format_: str, **rest: Any) -> Any:
        chosen = click.get_current_context().meta.get(_CHOSEN)
        if chosen is not None and chosen[1] != format_:
            reason = f"{chosen[0]} means --format {chosen[1]} and cannot be combined with --format {format_}"
            raise click.UsageError(reason)
        return command(*args, format_=format_, **rest)

    click.option("--json", is_flag=True, is_eager=True, expose_value=False, hidden=True, callback=choosing("json"))(
        wrapper
    )
    return wrapper  # type: ignore[return-value]


def choosing(format_: str) -> Callable[[click.Context, click.Parameter, bool], bool]:
    """Return the callback of a flag that stands for a format, on a command with `json_option`; the flag is eager."""

    def choose(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        if value:
            name, other = ctx.meta.setdefault(_CHOSEN, (param.opts[-1], format_))
            if other != format_:
                raise click.UsageError(f"{name} means --format {other} and cannot be combined with {param.opts[-1]}")
            ctx.default_map = {**(ctx.default_map or {}), "format_": format_}
        return value

    return choose


def sources_argument(command: Command) -> Command:
    """Add the arguments SOURCE..., passed as `sources`."""
    return click.argument("sources", nargs=-1, metavar="SOURCE...", type=SOURCE)(command)

"""The options that name a server and say how to reach it, under mysqlbinlog's names, passed as one object."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

from binlogcli.cli.options.help_sections import Command, under
from binlogcli.cli.options.values import FILE_NAME, Number, Seconds
from binlogcli.sources.opening import is_server

_MODES = ["DISABLED", "PREFERRED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"]
# what goes into the object under the option's own name; some commands leave some of them out
_GIVEN = (
    *("remote", "host", "socket", "user", "defaults_file", "no_defaults", "login_path", "get_server_public_key"),
    *("to_last_log", "stop_never", "connection_server_id"),
)
_TLS_FILES = ("ca", "capath", "cert", "key", "cipher")
NAMES = (
    "timeout",
    "ask",
    "port",
    "ssl",
    "ssl_mode",
    "authentic",
    "login_file",
    *(f"ssl_{name}" for name in _TLS_FILES),
    *_GIVEN,
)
_FOR_FILES = ("no_defaults", "stop_never", "to_last_log")  # options that are not about servers alone
_UNTOUCHED = (None, ParameterSource.DEFAULT)
_REMOTE = click.option(
    "-R", "--read-from-remote-server", "remote", is_flag=True, help="SOURCE is the name of a log on a server."
)
_CONNECTION = (
    click.option(
        "--host", metavar="HOST", default="", help="Host of the server; localhost connects through its socket."
    ),
    click.option("-P", "--port", type=Number(1, 65535), metavar="PORT", help="Port of the server."),
    click.option("-S", "--socket", metavar="FILE", default="", help="Socket of the server."),
    click.option(
        "-u",
        "--user",
        metavar="NAME",
        default="",
        help="Account; requires REPLICATION SLAVE, and to list logs also BINLOG MONITOR (MySQL: REPLICATION CLIENT).",
    ),
    click.option(
        "-p", "--password", "ask", is_flag=True, help="Ask for the password; it is never taken from the command line."
    ),
    click.option(
        "--password-file",
        "login_file",
        type=FILE_NAME,
        metavar="FILE",
        help="File that contains the password; or set MYSQL_PWD.",
    ),
    click.option("--defaults-file", type=FILE_NAME, metavar="FILE", help="Read this option file instead of ~/.my.cnf."),
    click.option("--no-defaults", is_flag=True, help="Do not read any option file."),
    click.option("--login-path", metavar="NAME", help="Use this login path of mysql_config_editor."),
    click.option(
        "--ssl/--skip-ssl", default=None, help="Require verified TLS, or disable TLS; default: use TLS if offered."
    ),
    click.option(
        "--ssl-mode",
        type=click.Choice(_MODES, case_sensitive=False),
        help="TLS mode; REQUIRED also verifies the server certificate.",
    ),
    click.option("--ssl-ca", metavar="FILE", default="", help="File of trusted certificate authorities."),
    click.option("--ssl-capath", metavar="DIR", default="", help="Directory of trusted certificate authorities."),
    click.option("--ssl-cert", metavar="FILE", default="", help="Client certificate."),
    click.option("--ssl-key", metavar="FILE", default="", help="Key of the client certificate."),
    click.option("--ssl-cipher", metavar="LIST", default="", help="Allowed ciphers."),
    click.option(
        "--ssl-verify-server-cert/--skip-ssl-verify-server-cert",
        "authentic",
        default=True,
        help="Verify the server certificate, or accept any.",
    ),
    click.option("--get-server-public-key", is_flag=True, hidden=True),
    click.option(
        "--connection-server-id",
        type=Number(0, (1 << 32) - 1),
        metavar="ID",
        help="Server id to use for the connection.",
    ),
    click.option(
        "--server-timeout",
        "timeout",
        type=Seconds(),
        metavar="SECONDS",
        help="Seconds without data after which a connection is considered broken.  [default: 60]",
    ),
)
_READING = (
    click.option(
        "-t",
        "--to-last-log",
        is_flag=True,
        help="Also read all later logs, on the server or in the directory of the file.",
    ),
    click.option(
        "--stop-never",
        "--follow",
        "stop_never",
        is_flag=True,
        help="Follow new events as the server writes them, in this log and later ones.",
    ),
)


@under("Servers")
def connection_options(command: Command) -> Command:
    """Add the options of the connection, passed as `server`."""
    return _as_server(command, (_REMOTE, *_CONNECTION), always=True)


@under("Servers")
def address_options(command: Command) -> Command:
    """Add the options of connections to the servers that are among the sources, passed as `server`; None without."""
    return _as_server(command, _CONNECTION, always=False)


@under("Servers")
def server_options(command: Command) -> Command:
    """Add the options of the connection and of reading from it, passed as `server`; None where none is given."""
    return _as_server(command, (_REMOTE, *_CONNECTION, *_READING), always=False)


def finite(command: Command) -> Command:
    """Leave `--stop-never` out of the help of a command that needs the end of the logs; to stand above the options.

    Those who type it are still told why it is refused.
    """
    for param in getattr(command, "__click_params__", ()):
        if param.name == "stop_never":
            param.hidden = True
    return command


def _refuse_without_server(sources: tuple[str, ...], given: dict[str, Any], *, always: bool) -> None:
    """Raise a usage error for options of servers where no SOURCE is one, but for those that mean something for files.

    `--no-defaults` is what scripts pass to the servers' own tools for files, too.
    """
    if always or given.get("remote") or any(map(is_server, sources)):
        return
    source_of = click.get_current_context().get_parameter_source
    for param in click.get_current_context().command.params:
        if param.name in NAMES and param.name not in _FOR_FILES and source_of(param.name) not in _UNTOUCHED:
            name = max(param.opts, key=len)
            add = ", or add -R" if "remote" in given else ""
            raise click.UsageError(
                f"{name} is only for reading from a server; write mysql://HOST/LOG instead of LOG{add}"
            )


def _has_terminal() -> bool:
    """Whether a password can be typed unseen: on the terminal of the process, wherever stdin comes from."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return sys.stdin is not None and sys.stdin.isatty()
    return True


def asked() -> str:
    """Ask for the password on the terminal, and return it."""
    if not _has_terminal():
        raise click.UsageError("-p asks on a terminal, but there is none; use --password-file FILE or MYSQL_PWD")
    return str(click.prompt("Password", hide_input=True, err=True, default="", show_default=False))


def _as_server(command: Command, options: tuple[Callable[[Command], Command], ...], *, always: bool) -> Command:
    @functools.wraps(command)
    def wrapper(
        *args: Any,
        ask: bool,
        port: int | None,
        ssl: bool | None,
        ssl_mode: str | None,
        authentic: bool,
        login_file: str | None,
        timeout: float | None,
        **rest: Any,
    ) -> Any:
        files = {name: rest.pop(f"ssl_{name}") for name in _TLS_FILES}
        given: dict[str, Any] = {name: rest.pop(name) for name in _GIVEN if name in rest}
        if timeout is not None:
            given["timeout"] = timeout
        source_of = click.get_current_context().get_parameter_source
        if not always and all(source_of(name) in _UNTOUCHED for name in NAMES):
            return command(*args, server=None, **rest)
        _refuse_without_server(rest.get("sources", ()), given, always=always)
        from binlogcli.sources.server.options import ServerOptions, TlsOptions  # most runs have none

        mode = ssl_mode or {None: "REQUIRED" if any(files.values()) else "", True: "REQUIRED", False: "DISABLED"}[ssl]
        server = ServerOptions(
            port=port or 0,
            password=asked() if ask else None,
            password_file=login_file,
            tls=TlsOptions(mode, authentic, **files),
            **given,
        )
        return command(*args, server=server, **rest)

    for option in reversed(options):
        option(wrapper)
    return wrapper  # type: ignore[return-value]

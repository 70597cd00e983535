"""Account and connection options, out of the address, the command line, login paths, option files and the environment.

A password is never a command-line argument, which others could see: it is typed, or read from a file or the
environment.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from binlogcli.errors import SourceError
from binlogcli.sources.server.option_files import Options, read_groups, read_option_files

if TYPE_CHECKING:
    from binlogcli.sources.server.address import Address

PASSWORD_VARIABLE = "MYSQL_PWD"  # noqa: S105 - its name
_DEFAULT_PORT = 3306
SOCKETS = ("/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock")  # noqa: S108
_LARGEST_SECRET = 1 << 16
_READABLE = "check the name and its permissions"
SECONDS = 60.0
ON = {"", "1", "ON", "TRUE", "YES"}


@dataclass(frozen=True, slots=True)
class TlsOptions:
    """`mode` is DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY; "" for the default."""

    mode: str = ""
    verify: bool = True
    ca: str = ""
    capath: str = ""
    cert: str = ""
    key: str = ""
    cipher: str = ""

    @property
    def wanted(self) -> bool:
        """Whether a connection without TLS is none."""
        return self.mode not in {"", "DISABLED", "PREFERRED"}


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The command line's options for servers."""

    remote: bool = False  # the SOURCEs are names of logs
    host: str = ""
    port: int = 0
    socket: str = ""
    user: str = ""
    password: str | None = field(default=None, repr=False)
    password_file: str | None = None
    defaults_file: str | None = None
    no_defaults: bool = False
    login_path: str | None = None
    tls: TlsOptions = TlsOptions()
    get_server_public_key: bool = False
    to_last_log: bool = False
    stop_never: bool = False
    connection_server_id: int | None = None
    timeout: float = SECONDS


@dataclass(frozen=True, slots=True)
class Account:
    """What a handshake needs."""

    host: str
    port: int
    socket: str
    user: str
    password: str = field(repr=False)
    tls: TlsOptions
    get_server_public_key: bool = False

    @property
    def place(self) -> str:
        """The server's name in messages."""
        return self.socket or (f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}")


def account_of(address: Address, given: ServerOptions) -> tuple[Account, list[str]]:
    """Return the account that an address and the options name, and warnings for the user."""
    options = read_option_files(given.defaults_file, none=given.no_defaults)
    if given.login_path is not None:
        _read_login_path(options, given.login_path)
    host = address.host or given.host or options.get("host") or "localhost"
    port = address.port or given.port or _port(options)
    socket = address.socket or given.socket or _socket(address, given, options, host)
    user = address.user or given.user or options.get("user") or os.environ.get("USER", "")
    if host == "localhost":
        host = "127.0.0.1" if not socket else host
    account = Account(
        host,
        port or _DEFAULT_PORT,
        socket,
        user,
        _password(given, options),
        _tls(given.tls, options),
        given.get_server_public_key,
    )
    return account, options.warnings


def _socket(address: Address, given: ServerOptions, options: Options, host: str) -> str:
    """Return the socket to use; as in the servers' programs, localhost is a socket unless a port was given."""
    if host != "localhost" or address.port or given.port or (options.get("protocol") or "").lower() == "tcp":
        return ""
    named = options.get("socket")
    if named:
        return named
    return next((path for path in SOCKETS if os.access(path, os.F_OK)), "")


def _port(options: Options) -> int:
    text = options.get("port") or "0"
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > 0xFFFF:
        raise SourceError(f"{text!r} in the option files is not a port", hint="pass --port to override it")
    return int(text)


def _password(given: ServerOptions, options: Options) -> str:
    if given.password is not None:
        return given.password
    if given.password_file is not None:
        return read_secret(given.password_file)
    return options.get("password") or os.environ.get(PASSWORD_VARIABLE, "")


def read_secret(path: str) -> str:
    """Return the first line of a file; raise `SourceError` if others may read or write it."""
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_mode & (stat.S_IRGRP | stat.S_IROTH | stat.S_IWOTH):
                raise SourceError(
                    "this password file is readable by other users", file=path, hint=f"run chmod 600 {path}"
                )
            text = file.read(_LARGEST_SECRET)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SourceError(f"cannot read the password: {reason}", file=path, hint=_READABLE) from error
    return text.partition(b"\n")[0].removesuffix(b"\r").decode("utf-8", "surrogateescape")


def _read_login_path(options: Options, name: str) -> None:
    from binlogcli.crypto.login_file import read_login_file  # only where one is named

    path = os.environ.get("MYSQL_TEST_LOGIN_FILE") or os.path.expanduser("~/.mylogin.cnf")
    try:
        with open(path, "rb") as file:
            text = read_login_file(file.read(1 << 20), path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SourceError(f"cannot read the login paths: {reason}", file=path, hint=_READABLE) from error
    if f"[{name}]" not in text:
        raise SourceError(f"no login path {name!r}", file=path, hint="run mysql_config_editor print --all to list them")
    # the path's group takes the place of ours
    renamed = text.replace("[binlogcli]", "[]").replace("[client]", "[]").replace(f"[{name}]", "[binlogcli]")
    read_groups(options, renamed, path)


def _tls(given: TlsOptions, options: Options) -> TlsOptions:
    """Return the TLS options of the command line, completed by those of the option files."""
    mode = given.mode or (options.get("ssl-mode") or "").upper()
    files = {
        name: getattr(given, name) or options.get(f"ssl-{name}") or ""
        for name in ("ca", "capath", "cert", "key", "cipher")
    }
    verify = given.verify
    if "ssl-verify-server-cert" in options.values:
        verify = verify and (options.get("ssl-verify-server-cert") or "").upper() in ON
    if "skip-ssl-verify-server-cert" in options.values or "disable-ssl-verify-server-cert" in options.values:
        verify = False
    if not mode and "skip-ssl" in options.values:
        mode = "DISABLED"
    if not mode and ("ssl" in options.values or any(files.values())):
        mode = "REQUIRED" if (options.get("ssl") or "").upper() in ON else "DISABLED"
    return TlsOptions(mode or "PREFERRED", verify, **files)
